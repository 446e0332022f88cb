// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/rank_names.h"

#include "ui/base/ui_text.h"

namespace rankscope::ui {

QString rankName(const Analysis& analysis, RankIndex rank, bool together) {
  const RankEntry& entry = analysis.trace().rank(rank);
  if (together || !analysis.trace().severalCaptures()) return tr("Rank %1").arg(entry.rank);
  return tr("Rank %1, capture %2").arg(entry.rank).arg(entry.capture);
}

QString shortRankName(const Analysis& analysis, RankIndex rank, bool together) {
  const RankEntry& entry = analysis.trace().rank(rank);
  if (together || !analysis.trace().severalCaptures()) return tr("Rank %1").arg(entry.rank);
  return tr("Rank %1 (%2)").arg(entry.rank).arg(entry.capture);
}

QString roleText(RankRole role) {
  switch (role) {
  case RankRole::Min:
    return tr("min");
  case RankRole::Low:
    return tr("10 %");
  case RankRole::Median:
    return tr("median");
  case RankRole::High:
    return tr("90 %");
  case RankRole::Max:
    return tr("max");
  case RankRole::Plain:
  case RankRole::Outlier:
    break;
  }
  return {};
}

QString chosenRankName(const Analysis& analysis, RankIndex rank, RankRole role, bool together) {
  const QString name = rankName(analysis, rank, together);
  const QString firstOfName = roleText(role);
  return firstOfName.isEmpty() ? name : name + QStringLiteral(" · ") + firstOfName;
}

} // namespace rankscope::ui
