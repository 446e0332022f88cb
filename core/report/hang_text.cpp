// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/flight_groups.h"
#include "core/export/json.h"
#include "core/report/hang_tables.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace rankscope {

namespace {

// Groups in which something is wrong come first; a healthy group is one line for all ranks.
std::string groupLines(const SideResults& results) {
  const HangAnalysis& hang = *results.hang;
  TextTable table({"<group", "<rank", "enqueued", "completed", "<verdict"});
  std::size_t healthy = 0;
  for (const HangGroup& group : hang.groups) {
    const bool quiet = std::ranges::all_of(
        group.members, [](const HangMember& member) { return member.verdict == HangVerdict::Ok; });
    if (quiet) {
      ++healthy;
      continue;
    }
    const std::string name = group.desc + " (" + rankListText(group.ranks()) + ")";
    bool first = true;
    for (const HangMember& member : group.members) {
      const auto number = [](std::int64_t value) {
        return value < 0 ? std::string() : std::to_string(value);
      };
      table.addRow({first ? name : std::string(), std::to_string(member.rank), number(member.enqueued),
                    number(member.completed), std::string(hangVerdictTitle(shownVerdict(results, member)))});
      first = false;
    }
  }
  std::string text = table.empty() ? std::string() : table.text();
  if (healthy > 0)
    text += fmt::format("  {} {} no rank waits\n", healthy, healthy == 1 ? "group: " : "groups:");
  return text;
}

std::string standLines(const SideResults& results) {
  constexpr std::size_t kMostFrames = 8;
  std::string text;
  for (const HangStand& stand : results.hang->stands) {
    text += fmt::format("  {} {}", stand.ranks.size() == 1 ? "rank" : "ranks", rankListText(stand.ranks));
    if (!stand.entry) {
      text += results.files->flightRecords[stand.record].partial ? ": no calls in what is left of the dump\n"
                                                                 : ": no calls in the dump\n";
      continue;
    }
    const FlightRecord& record = results.files->flightRecords[stand.record];
    const FlightEntry& entry = record.entries[*stand.entry];
    text +=
        fmt::format(": {} {} #{} of {}\n", stand.unfinished ? "in" : "after", flightCallName(record, entry),
                    callNumber(entry), record.stacks.text(entry.groupDesc));
    std::size_t frames = 0;
    for (const std::uint32_t frame : record.stacks.stack(entry.stack)) {
      if (frames++ == kMostFrames) break;
      text += "    ";
      text += record.stacks.frameText(frame);
      text += '\n';
    }
  }
  return text;
}

void writeRanks(JsonWriter& json, std::string_view key, const std::vector<int>& ranks) {
  json.beginArray(key);
  for (const int rank : ranks) json.integer({}, rank);
  json.endArray();
}

std::vector<int> ranksInBoth(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

std::string otherDumpsText(std::size_t dumps) {
  return fmt::format("{} left out: open {} separately.",
                     dumps == 1 ? std::string("1 dump of another job was")
                                : fmt::format("{} dumps of other jobs were", dumps),
                     dumps == 1 ? "its folder" : "each of their folders");
}

void writeGroup(JsonWriter& json, const SideResults& results, const MissingDumps& missing,
                const HangGroup& group) {
  json.beginObject();
  json.text("group", group.desc);
  writeRanks(json, "ranks", group.ranks());
  if (group.waiting) json.integer("first_unfinished", group.firstUnfinished);
  writeRanks(json, "missing", group.missing);
  writeRanks(json, "behind", group.behind);
  writeRanks(json, "no_dump", ranksInBoth(group.withoutDump, missing.none));
  writeRanks(json, "damaged_dump", ranksInBoth(group.withoutDump, missing.damaged));
  writeRanks(json, "cut_dump", ranksInBoth(group.withoutDump, missing.cut));
  if (!group.mismatch.empty()) json.text("mismatch", group.mismatch);
  json.beginArray("members");
  for (const HangMember& member : group.members) {
    json.beginObject();
    json.integer("rank", member.rank);
    if (member.enqueued >= 0) json.integer("last_enqueued", member.enqueued);
    if (member.completed >= 0) json.integer("last_completed", member.completed);
    json.text("verdict", hangVerdictText(shownVerdict(results, member)));
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

} // namespace

std::string hangText(const SideResults& results, std::size_t dumpsOfOtherJobs) {
  std::string text;
  for (const std::string& sentence : hangSentences(results)) {
    text += sentence;
    text += '\n';
  }
  if (dumpsOfOtherJobs > 0) text += otherDumpsText(dumpsOfOtherJobs) + '\n';
  for (const std::string& advice : hangAdvice(results)) {
    text += "  ";
    text += advice;
    text += '\n';
  }
  text += "\nGroups\n";
  text += groupLines(results);
  if (!results.hang->waits.empty()) text += "\nWaiting\n";
  TextTable waits({"<rank", "<waits for", "<in"});
  for (const HangWait& wait : results.hang->waits)
    waits.addRow(
        {std::to_string(wait.rank), rankListText(wait.waitsFor), results.hang->groups[wait.group].desc});
  if (!waits.empty()) text += waits.text();
  text += "\nRanks by stack\n";
  text += standLines(results);
  return text;
}

std::string hangJson(const SideResults& results, std::size_t dumpsOfOtherJobs) {
  const HangAnalysis& hang = *results.hang;
  const MissingDumps missing = missingDumps(results);
  JsonWriter json;
  json.beginObject();
  json.text("state", hang.state == HangState::Healthy   ? "healthy"
                     : hang.state == HangState::Culprit ? "culprit"
                                                        : "cannot_say");
  json.beginArray("sentences");
  for (const std::string& sentence : hangSentences(results)) json.text({}, sentence);
  if (dumpsOfOtherJobs > 0) json.text({}, otherDumpsText(dumpsOfOtherJobs));
  json.endArray();
  json.beginArray("culprits");
  for (const HangCulprit& culprit : hang.culprits) {
    json.beginObject();
    json.integer("rank", culprit.rank);
    json.text("verdict", hangVerdictText(culprit.verdict));
    json.text("group", hang.groups[culprit.group].desc);
    writeRanks(json, "group_ranks", hang.groups[culprit.group].ranks());
    if (hang.groups[culprit.group].firstUnfinished >= 0)
      json.integer("first_unfinished", hang.groups[culprit.group].firstUnfinished);
    writeRanks(json, "waiting", culprit.waiting);
    json.endObject();
  }
  json.endArray();
  writeRanks(json, "no_dump", missing.none);
  writeRanks(json, "damaged_dump", missing.damaged);
  writeRanks(json, "cut_dump", missing.cut);
  writeRanks(json, "unclear_dump", missing.unclear);
  json.integer("dumps_of_other_jobs", static_cast<std::int64_t>(dumpsOfOtherJobs));
  json.beginArray("waits_for");
  for (const HangWait& wait : hang.waits) {
    json.beginObject();
    json.integer("rank", wait.rank);
    json.text("group", hang.groups[wait.group].desc);
    writeRanks(json, "ranks", wait.waitsFor);
    json.endObject();
  }
  json.endArray();
  json.beginArray("groups");
  for (const HangGroup& group : hang.groups) writeGroup(json, results, missing, group);
  json.endArray();
  json.endObject();
  return json.take();
}

} // namespace rankscope
