// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/hang/hang_data.h"

#include "core/analysis/classify/own_code.h"
#include "core/analysis/collectives/flight_groups.h"
#include "core/report/hang_tables.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <tuple>

namespace rankscope::ui {

namespace {

ResultTable waitsTable(const HangAnalysis& hang) {
  ResultTable table("hang_waits",
                    {{"rank", Unit::Identity}, {"waits_for", Unit::Text}, {"group", Unit::Text}});
  for (const HangWait& wait : hang.waits) {
    const std::string ranks = rankListText(wait.waitsFor);
    table.addRow({Cell(std::int64_t{wait.rank}), Cell(std::string_view(ranks)),
                  textCell(hang.groups[wait.group].desc)});
  }
  return table;
}

// The first frame of the user's own code.
std::string ownFrame(const FlightRecord& record, const FlightEntry& entry) {
  for (const std::uint32_t frame : record.stacks.stack(entry.stack)) {
    if (isOwnPath(record.stacks.text(record.stacks.frame(frame).file))) return record.stacks.frameText(frame);
  }
  return {};
}

QString stackOf(const FlightRecord& record, const FlightEntry& entry) {
  QStringList lines;
  for (const std::uint32_t frame : record.stacks.stack(entry.stack))
    lines << QString::fromStdString(record.stacks.frameText(frame));
  return lines.isEmpty()
             ? tr("No stack was recorded: JSON dumps have none, and TORCH_INCLUDE_STACK_TRACE=0 leaves it "
                  "out.")
             : lines.join(QLatin1Char('\n'));
}

// Where something is wrong comes first.
int orderOf(const HangMember& member) {
  switch (member.verdict) {
  case HangVerdict::HostNeverCame:
  case HangVerdict::DeviceStopped:
  case HangVerdict::Mismatch:
  case HangVerdict::NoDump:
    return 0;
  case HangVerdict::Waits:
    return 1;
  case HangVerdict::Unknown:
    return 2;
  case HangVerdict::Ok:
    break;
  }
  return 3;
}

int orderOf(const HangGroup& group) {
  int least = 3;
  for (const HangMember& member : group.members) least = std::min(least, orderOf(member));
  return least;
}

// The rows of flightRecorderTable by what is wrong, and their places.
void addGroups(const Analysis& analysis, const SideResults& results, HangData& data) {
  const ResultTable all = flightRecorderTable(results);
  struct Row {
    int ofGroup;
    std::size_t group;
    int ofMember;
    std::size_t at;
    const HangMember* member;
  };
  std::vector<Row> rows;
  for (std::size_t g = 0; g < results.hang->groups.size(); ++g) {
    const HangGroup& group = results.hang->groups[g];
    for (const HangMember& member : group.members)
      rows.push_back({orderOf(group), g, orderOf(member), rows.size(), &member});
  }
  std::ranges::sort(rows, {},
                    [](const Row& row) { return std::tuple(row.ofGroup, row.group, row.ofMember, row.at); });
  ResultTable table("flight_recorder", all.columns());
  std::vector<Cell> cells(all.columns().size());
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < cells.size(); ++column) cells[column] = all.at(row.at, column);
    table.addRow(cells);
    auto& place = data.groupPlaces.emplace_back();
    if (!row.member->dump || !row.member->entry) continue;
    const FlightRecord& record = results.files->flightRecords[*row.member->dump];
    place = hangPlace(analysis, record, record.entries[*row.member->entry]);
  }
  data.groups = std::make_shared<const ResultTable>(std::move(table));
}

void addStands(const Analysis& analysis, const SideResults& results, HangData& data) {
  ResultTable table("hang_stands", {{"ranks", Unit::Text},
                                    {"where", Unit::Text},
                                    {"operation", Unit::Text},
                                    {"sequence", Unit::Identity},
                                    {"group", Unit::Text},
                                    {"frame", Unit::Text}});
  for (const HangStand& stand : results.hang->stands) {
    const std::string ranks = rankListText(stand.ranks);
    auto& place = data.standPlaces.emplace_back();
    if (!stand.entry) {
      table.addRow({Cell(std::string_view(ranks)), Cell(std::string_view("no calls in the dump")), Cell(),
                    Cell(), Cell(), Cell()});
      data.stacks.push_back(
          results.files->flightRecords[stand.record].partial
              ? tr("No calls are left in the dump: it is cut.")
              : tr("The dump holds no calls: everything that the rank enqueued is complete, and with "
                   "TORCH_INCLUDE_ONLY_ACTIVE=1 left out."));
      continue;
    }
    const FlightRecord& record = results.files->flightRecords[stand.record];
    const FlightEntry& entry = record.entries[*stand.entry];
    const std::string frame = ownFrame(record, entry);
    const std::string call = flightCallName(record, entry);
    place = hangPlace(analysis, record, entry);
    table.addRow({Cell(std::string_view(ranks)), Cell(std::string_view(stand.unfinished ? "in" : "after")),
                  Cell(std::string_view(call)), Cell(callNumber(entry)),
                  Cell(record.stacks.text(entry.groupDesc)), textCell(frame)});
    data.stacks.push_back(stackOf(record, entry));
  }
  data.stands = std::make_shared<const ResultTable>(std::move(table));
}

QString joined(const std::vector<std::string>& lines) {
  QStringList all;
  for (const std::string& line : lines) all << QString::fromStdString(line);
  return all.join(QLatin1Char('\n'));
}

} // namespace

bool HangData::hasPlaces() const {
  const auto known = [](const std::optional<HangPlace>& place) { return place.has_value(); };
  return std::ranges::any_of(groupPlaces, known) || std::ranges::any_of(standPlaces, known);
}

HangData hangData(const JobReport& report) {
  HangData data;
  data.results = report.sharedSide();
  if (!data.results->hang) return data;
  data.verdict = joined(hangSentences(*data.results));
  data.advice = joined(hangAdvice(*data.results));
  data.waits = std::make_shared<const ResultTable>(waitsTable(*data.results->hang));
  addGroups(report.analysis(), *data.results, data);
  addStands(report.analysis(), *data.results, data);
  return data;
}

} // namespace rankscope::ui
