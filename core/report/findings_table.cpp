// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/findings_table.h"

#include "core/base/unit_text.h"

#include <fmt/format.h>

namespace rankscope {

namespace {

std::string placeText(const Analysis& analysis, const Finding& finding) {
  std::string text = finding.rank.valid() ? fmt::format("rank {}", analysis.trace().rank(finding.rank).rank)
                                          : std::string("all ranks");
  if (finding.step) text += fmt::format(", step {}", *finding.step);
  if (!finding.place.empty()) text += ", at " + durationText(finding.place.begin - analysis.extent().begin);
  return text;
}

std::string costText(const Finding& finding) {
  if (finding.cost) return durationText(*finding.cost);
  if (finding.costBytes) return bytesText(*finding.costBytes);
  return {};
}

} // namespace

ResultTable findingsTable(const Analysis& analysis) {
  ResultTable table("findings", {{"id", Unit::Identity},
                                 {"severity", Unit::Text},
                                 {"kind", Unit::Text},
                                 {"rank", Unit::Identity},
                                 {"capture", Unit::Identity},
                                 {"step", Unit::Identity},
                                 {"begin_us", Unit::Nanoseconds},
                                 {"end_us", Unit::Nanoseconds},
                                 {"cost_us", Unit::Nanoseconds},
                                 {"title", Unit::Text},
                                 {"evidence", Unit::Text},
                                 {"fix", Unit::Text}});
  const TimeNs jobBegin = analysis.extent().begin;
  std::int64_t id = 0;
  for (const Finding& finding : analysis.findings()) {
    const RankEntry* const rank = finding.rank.valid() ? &analysis.trace().rank(finding.rank) : nullptr;
    const bool placed = !finding.place.empty();
    table.addRow({Cell(++id), Cell(severityText(finding.severity)), Cell(findingKindText(finding.kind)),
                  rank != nullptr ? Cell(std::int64_t{rank->rank}) : Cell(),
                  rank != nullptr ? Cell(std::int64_t{rank->capture}) : Cell(), cellOf(finding.step),
                  placed ? Cell(finding.place.begin - jobBegin) : Cell(),
                  placed ? Cell(finding.place.end - jobBegin) : Cell(), cellOf(finding.cost),
                  textCell(finding.title), textCell(finding.evidence), textCell(finding.fix)});
  }
  return table;
}

std::string findingsText(const Analysis& analysis) {
  std::string text;
  for (const Finding& finding : analysis.findings()) {
    const std::string cost = costText(finding);
    text += fmt::format("{}: {}\n  {}{}\n", severityText(finding.severity), finding.title,
                        placeText(analysis, finding), cost.empty() ? "" : ", cost " + cost);
    text += fmt::format("  {}\n  Fix: {}\n\n", finding.evidence, finding.fix);
  }
  if (!text.empty()) return text;
  if (analysis.ranks().empty()) return "No rank has anything in the part that was asked about.\n";
  text = "No findings. Looked for:\n";
  for (int kind = 0; kind < kFindingKindCount; ++kind)
    text += fmt::format("  {}\n", findingKindTitle(static_cast<FindingKind>(kind)));
  return text;
}

} // namespace rankscope
