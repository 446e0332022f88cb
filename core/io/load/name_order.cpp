// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/name_order.h"

#include <utility>

namespace rankscope {

void NameOrder::add(std::span<const NameId> file) {
  for (const NameId name : file)
    if (!m_newIds[name.value].valid()) m_newIds[name.value] = m_names.intern(m_before[name]);
}

bool NameOrder::changesNothing() const {
  for (NameId name(0); name.value < m_newIds.size(); ++name.value)
    if (m_newIds[name.value] != name) return false;
  return true;
}

std::shared_ptr<const RankTrace> withNameIds(const RankTrace& trace, std::span<const NameId> newIds) {
  const auto newId = [newIds](NameId name) { return name.valid() ? newIds[name.value] : name; };
  auto renamed = std::make_shared<RankTrace>(trace);
  std::vector<NameId> names = renamed->events.name.take();
  for (NameId& name : names) name = newId(name);
  renamed->events.name = Column(std::move(names));
  std::vector<CollectiveDetail> collectives = renamed->collectives.take();
  for (CollectiveDetail& detail : collectives)
    for (NameId* const name :
         {&detail.operation, &detail.dtype, &detail.groupName, &detail.groupDescription, &detail.groupRanks})
      *name = newId(*name);
  renamed->collectives = Column(std::move(collectives));
  return renamed;
}

} // namespace rankscope
