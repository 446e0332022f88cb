// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/compare_menu.h"

#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"

#include <QMenu>

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMaxOffered = 16;

// A menu takes & for a mnemonic.
QString plain(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

// Within a sentence.
QString named(const JobPart& part) {
  const QString title = partTitle(part);
  return title.left(1).toLower() + title.mid(1);
}

} // namespace

void addCompareEntries(QMenu& menu, TraceSession& session, const JobPart& part,
                       const std::vector<JobPart>& others) {
  ComparedParts& parts = ComparedParts::of(session);
  QMenu* const submenu = menu.addMenu(tr("Compare %1").arg(plain(named(part))));
  submenu->setObjectName(QStringLiteral("compareMenu"));
  const auto add = [&](const QString& title, const std::function<void()>& run) {
    submenu->addAction(plain(title), &parts, run);
  };
  if (parts.sideA() && *parts.sideA() != part)
    add(tr("With side A, %1").arg(named(*parts.sideA())), [&parts, part] { parts.compareWith(part); });
  add(tr("Make it side A"), [&parts, part] { parts.setSideA(part); });
  if (part.kind == JobPart::Kind::Rank) {
    JobPart rest = part;
    rest.kind = JobPart::Kind::OtherRanks;
    add(tr("With all other ranks"), [&parts, part, rest] { parts.compare(rest, part); });
  }
  submenu->addSeparator();
  std::size_t offered = 0;
  for (const JobPart& other : others) {
    if (other == part) continue;
    if (++offered > kMaxOffered) break;
    add(tr("With %1").arg(named(other)), [&parts, part, other] { parts.compare(part, other); });
  }
}

void addCompareEntriesOfRank(QMenu& menu, TraceSession& session, RankIndex rank) {
  const TraceSet& trace = *session.trace();
  std::set<int> ranks;
  std::set<std::string> hosts;
  for (const RankEntry& entry : trace.ranks()) {
    ranks.insert(entry.rank);
    if (!entry.host.empty()) hosts.insert(entry.host);
  }
  if (ranks.size() < 2) return;
  std::vector<JobPart> others;
  others.reserve(ranks.size());
  for (const int other : ranks) others.push_back({JobPart::Kind::Rank, other, 0, {}});
  addCompareEntries(menu, session, {JobPart::Kind::Rank, trace.rank(rank).rank, 0, {}}, others);
  if (hosts.size() < 2 || trace.rank(rank).host.empty()) return;
  others.clear();
  for (const std::string& host : hosts) others.push_back({JobPart::Kind::Host, 0, 0, host});
  addCompareEntries(menu, session, {JobPart::Kind::Host, 0, 0, trace.rank(rank).host}, others);
}

} // namespace rankscope::ui
