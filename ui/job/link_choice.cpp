// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/link_choice.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

void LinkChoice::follow(const std::shared_ptr<const TraceSet>& traces,
                        const std::shared_ptr<const JobHighlights>& highlights, EventRef selected) {
  m_task.drop();
  const bool hasArrows = selected.valid() && !traces->rank(selected.rank).trace->forwardBackward.empty();
  const bool isNew = selected != m_of;
  if (isNew) {
    m_isComplete = false;
    m_byUser = {};
  }
  // What is known of the same selection already stays until there is more.
  if (!hasArrows || isNew) take(selected, quickLinks(*traces, highlights.get(), selected));
  if (!hasArrows) {
    m_isComplete = true;
    return;
  }
  m_task.ask([traces, highlights, selected] { return selectionLinks(*traces, highlights.get(), selected); },
             [this, selected](std::vector<SelectionLink> links) {
               take(selected, std::move(links));
               m_isComplete = true;
             });
}

void LinkChoice::clear() {
  m_task.drop();
  take({}, {});
}

void LinkChoice::take(EventRef selected, std::vector<SelectionLink> links) {
  if (links == m_links && selected == m_of) return;
  const std::array<std::optional<SelectionLink>, 2> before{chosen(false), chosen(true)};
  m_links = std::move(links);
  m_of = selected;
  for (const bool forward : {false, true}) {
    Way& now = m_ways[forward ? 1 : 0];
    now = {};
    const bool keeps = m_isComplete || m_byUser[forward ? 1 : 0];
    const auto otherEnd = [&](std::size_t i) { return forward ? m_links[i].to : m_links[i].from; };
    for (std::size_t i = 0; i < m_links.size(); ++i) {
      if ((forward ? m_links[i].from : m_links[i].to) != m_of) continue;
      const bool known =
          std::ranges::any_of(now.links, [&](std::size_t other) { return otherEnd(other) == otherEnd(i); });
      if (known) continue;
      // Links added later for the same event do not change the choice.
      if (keeps && before[forward ? 1 : 0] == m_links[i]) now.chosen = now.links.size();
      now.links.push_back(i);
    }
  }
  emit changed();
}

std::optional<SelectionLink> LinkChoice::chosen(bool forward) const {
  const Way& of = way(forward);
  if (of.links.empty()) return std::nullopt;
  return m_links[of.links[of.chosen]];
}

EventRef LinkChoice::target(bool forward) const {
  const auto link = chosen(forward);
  if (!link) return {};
  return forward ? link->to : link->from;
}

void LinkChoice::chooseNext(bool forward) {
  Way& of = m_ways[forward ? 1 : 0];
  if (of.links.size() < 2) return;
  m_byUser[forward ? 1 : 0] = true;
  of.chosen = (of.chosen + 1) % of.links.size();
  emit changed();
}

QString linkTitle(LinkKind kind) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("LinkChoice", text); };
  switch (kind) {
  case LinkKind::Launch:
    return tr("launch");
  case LinkKind::Caller:
    return tr("call");
  case LinkKind::Python:
    return tr("Python frame");
  case LinkKind::Backward:
    return tr("backward");
  case LinkKind::Wait:
    return tr("wait");
  case LinkKind::Event:
    return tr("event");
  }
  return {};
}

} // namespace rankscope::ui
