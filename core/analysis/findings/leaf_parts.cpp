// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/leaf_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>

namespace rankscope {

namespace {

LeafUse usePart(const FindingContext& context, RankIndex rank, std::string_view leaf,
                const ChoosePiece& chosen) {
  const RankTrace& trace = context.traceOf(rank);
  LeafUse part;
  std::map<NameId, ExactSum> names;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    context.account().of(rank).pieces.forEachWithin(
        window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
          if (!isUnder(piece.leaf, leaf) || !chosen(range, piece)) return;
          part.time += range.length();
          ++part.count;
          part.addWorst(range, piece.event, window.number);
          if (piece.event.valid()) names[trace.events.name[piece.event]] += range.length();
        });
  }
  const StringTable& texts = context.analysis().trace().names();
  for (const auto& [name, time] : names) {
    if (time <= 0 || time < part.nameTime) continue;
    if (time == part.nameTime && texts[name] > texts[part.name]) continue;
    part.name = name;
    part.nameTime = time;
  }
  return part;
}

} // namespace

std::vector<RankCost> partOfCosts(const FindingContext& context, std::vector<RankCost> whole,
                                  const LeafRule& rule, std::string_view of, const ChooseOf& choose) {
  const std::string question = fmt::format("part of {}: {}", rule.leaf, of);
  for (RankCost& cost : whole) {
    const auto part = context.ofRank<LeafUse>(
        cost.rank, question, [&] { return usePart(context, cost.rank, rule.leaf, choose(cost.rank)); });
    const double time = cost.share * context.perStep(cost.rank, part.time);
    cost.low *= cost.time > 0 ? std::min(1.0, time / cost.time) : 0;
    cost.time = time;
    cost.high = std::min(cost.high, time);
    cost.use = part;
  }
  return whole;
}

double meanTime(const std::vector<RankCost>& costs) {
  double sum = 0;
  for (const RankCost& cost : costs) sum += cost.time;
  return costs.empty() ? 0 : sum / static_cast<double>(costs.size());
}

} // namespace rankscope
