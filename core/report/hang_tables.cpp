// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/hang_tables.h"

#include "core/analysis/classify/own_code.h"
#include "core/analysis/classify/short_name.h"
#include "core/analysis/collectives/hang_advice.h"
#include "core/base/unit_text.h"
#include "core/report/job_report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

constexpr TimeNs kWorthSaying = 1'000'000'000; // of a time that ranks have waited

std::string_view stateText(FlightState state) {
  static constexpr std::array<std::string_view, 3> kTexts{"scheduled", "started", "completed"};
  return kTexts[static_cast<std::size_t>(state)];
}

// The innermost frame of the user's own code; else the innermost.
std::string frameOf(const FlightRecord& record, const FlightEntry& entry) {
  const auto stack = record.stacks.stack(entry.stack);
  for (const std::uint32_t frame : stack) {
    if (isOwnPath(record.stacks.text(record.stacks.frame(frame).file))) return record.stacks.frameText(frame);
  }
  return stack.empty() ? std::string() : record.stacks.frameText(stack.front());
}

const FlightEntry* lastCall(const FlightRecord& record) {
  const auto last = std::ranges::max_element(record.entries, {}, &FlightEntry::recordId);
  return last == record.entries.end() ? nullptr : &*last;
}

Cell known(std::int64_t value) {
  return value < 0 ? Cell() : Cell(value);
}

std::string plural(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string ranksText(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "Rank" : "Ranks", rankListText(ranks));
}

// "all_reduce #11 of default_pg"
std::string callText(const HangGroup& group, const SideResults& results) {
  for (const HangMember& member : group.members) {
    if (!member.dump || !member.entry) continue;
    const FlightRecord& record = results.files->flightRecords[*member.dump];
    const FlightEntry& entry = record.entries[*member.entry];
    if (entry.sequence != group.firstUnfinished) continue;
    return fmt::format("{} #{} of {}", flightCallName(record, entry), group.firstUnfinished, group.desc);
  }
  return fmt::format("#{} of {}", group.firstUnfinished, group.desc);
}

// Culprits that show in the same way, earliest first: in the same call, of groups that may differ.
std::vector<std::vector<const HangCulprit*>> groupedCulprits(const std::vector<HangCulprit>& culprits,
                                                             const SideResults& results) {
  const HangAnalysis& hang = *results.hang;
  std::vector<std::vector<const HangCulprit*>> all;
  std::map<std::pair<HangVerdict, std::string>, std::size_t> places;
  for (const HangCulprit& culprit : culprits) {
    const HangGroup& group = hang.groups[culprit.group];
    // Mismatches are described for each group.
    const std::string key =
        culprit.verdict == HangVerdict::Mismatch ? std::to_string(culprit.group) : callText(group, results);
    const auto [place, isNew] = places.try_emplace({culprit.verdict, key}, all.size());
    if (isNew) all.emplace_back();
    all[place->second].push_back(&culprit);
  }
  return all;
}

std::string culpritSentence(const std::vector<const HangCulprit*>& culprits, const SideResults& results) {
  const HangCulprit& first = *culprits.front();
  const HangGroup& group = results.hang->groups[first.group];
  std::vector<int> ranks;
  std::vector<int> waiting;
  std::optional<std::int64_t> since; // the first of those who wait
  ranks.reserve(culprits.size());
  for (const HangCulprit* culprit : culprits) {
    ranks.push_back(culprit->rank);
    waiting.insert(waiting.end(), culprit->waiting.begin(), culprit->waiting.end());
    if (culprit->since && (!since || *culprit->since < *since)) since = culprit->since;
  }
  std::ranges::sort(ranks);
  std::ranges::sort(waiting);
  waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
  std::string waits;
  if (!waiting.empty()) {
    waits = fmt::format("; {} wait{} for {}", plural(waiting.size(), "rank"), waiting.size() == 1 ? "s" : "",
                        ranks.size() == 1 ? "it" : "them");
    // Dumps are written later than the last call.
    if (since && results.hang->latest && *results.hang->latest - *since >= kWorthSaying)
      waits += fmt::format(", for at least {}", durationText(*results.hang->latest - *since));
  }
  switch (first.verdict) {
  case HangVerdict::HostNeverCame:
    return fmt::format("{} never entered {}{}.", ranksText(ranks), callText(group, results), waits);
  case HangVerdict::DeviceStopped:
    return fmt::format(
        "{} enqueued {}, which others completed and {} did not: the device or its stream stopped{}.",
        ranksText(ranks), callText(group, results), ranks.size() == 1 ? "it" : "they", waits);
  default:
    if (group.pointToPoint)
      return fmt::format("Sends and receives of {} do not match: {}.", group.desc, group.mismatch);
    return fmt::format("Calls of {} do not match: {}.", callText(group, results), group.mismatch);
  }
}

// Two ranks of which each waits for the other.
std::optional<std::pair<int, int>> ranksInTheOrderOfEachOther(const HangAnalysis& hang) {
  for (const HangWait& one : hang.waits) {
    for (const HangWait& other : hang.waits) {
      const bool crossed = one.rank < other.rank && one.group != other.group &&
                           std::ranges::find(one.waitsFor, other.rank) != one.waitsFor.end() &&
                           std::ranges::find(other.waitsFor, one.rank) != other.waitsFor.end();
      if (crossed) return std::pair(one.rank, other.rank);
    }
  }
  return std::nullopt;
}

std::string undecidedSentence(const SideResults& results) {
  if (results.hang->mayRun) {
    std::string text =
        fmt::format("The job may still run: the oldest unfinished call was {} old when its dump was written.",
                    durationText(*results.hang->mayRun));
    for (const auto& suspects : groupedCulprits(results.hang->suspects, results))
      text += " If it does not: " + culpritSentence(suspects, results);
    return text;
  }
  if (const auto pair = ranksInTheOrderOfEachOther(*results.hang))
    return fmt::format("Ranks {} and {} wait for each other in different groups: they call collectives in a "
                       "different order.",
                       pair->first, pair->second);
  for (const HangGroup& group : results.hang->groups) {
    if (!group.waiting) continue;
    // Of those that others are ahead of, the ones that have not entered what all wait in.
    std::vector<int> absent;
    for (const HangMember& member : group.members)
      if (std::ranges::binary_search(group.missing, member.rank) && member.enqueued < group.firstUnfinished)
        absent.push_back(member.rank);
    if (absent.empty())
      return fmt::format(
          "All ranks of the group enqueued {}, and none of them stands out: the network or all "
          "devices stopped.",
          callText(group, results));
    return fmt::format("{} did not enqueue {}, but may wait elsewhere themselves.", ranksText(absent),
                       callText(group, results));
  }
  return "Send and receive calls are not finished. Whether they hang cannot be said from these dumps.";
}

} // namespace

std::string rankListText(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(ranks[i]);
    if (last == i + 1) {
      text += ", ";
      text += std::to_string(ranks[last]);
    } else if (last > i) {
      text += '-';
      text += std::to_string(ranks[last]);
    }
    i = last + 1;
  }
  return text;
}

std::string flightCallName(const FlightRecord& record, const FlightEntry& entry) {
  // In traces the same calls have the name of the backend before them.
  constexpr std::string_view kBackend = "nccl:";
  const std::string traced = std::string(kBackend).append(record.stacks.text(entry.operation));
  return shortName(EventKind::HostCollective, traced).substr(kBackend.size());
}

std::string_view hangVerdictTitle(HangVerdict verdict) {
  static constexpr std::array<std::string_view, 7> kTitles{
      "ok", "waits", "collective not called", "device stuck", "mismatch", "no dump", "unknown"};
  return kTitles[static_cast<std::size_t>(verdict)];
}

ResultTable flightRecorderTable(const JobReport& report) {
  return flightRecorderTable(report.side());
}

ResultTable flightRecorderTable(const SideResults& results) {
  ResultTable table("flight_recorder", {{"group", Unit::Text},
                                        {"group_ranks", Unit::Text},
                                        {"rank", Unit::Identity},
                                        {"last_enqueued", Unit::Identity},
                                        {"last_started", Unit::Identity},
                                        {"last_completed", Unit::Identity},
                                        {"first_unfinished", Unit::Identity},
                                        {"operation", Unit::Text},
                                        {"state", Unit::Text},
                                        {"age_us", Unit::Nanoseconds},
                                        {"verdict", Unit::Text},
                                        {"frame", Unit::Text}});
  if (!results.hang) return table;
  for (const HangGroup& group : results.hang->groups) {
    const std::string ranks = rankListText(group.ranks());
    for (const HangMember& member : group.members) {
      const FlightRecord* const record = member.dump ? &results.files->flightRecords[*member.dump] : nullptr;
      const FlightEntry* const entry = member.entry ? &record->entries[*member.entry] : nullptr;
      // Of a rank that did not call it: where it was before.
      const FlightEntry* stands = entry;
      if (stands == nullptr && member.verdict == HangVerdict::HostNeverCame) stands = lastCall(*record);
      const std::string frame = stands != nullptr ? frameOf(*record, *stands) : std::string();
      Cell age;
      if (entry != nullptr && entry->created && results.hang->latest)
        age = *results.hang->latest - *entry->created;
      table.addRow({textCell(group.desc), textCell(ranks), Cell(std::int64_t{member.rank}),
                    known(member.enqueued), known(member.started), known(member.completed),
                    known(member.firstUnfinished),
                    entry != nullptr ? textCell(flightCallName(*record, *entry)) : Cell(),
                    entry != nullptr ? Cell(stateText(entry->state)) : Cell(), age,
                    Cell(hangVerdictText(shownVerdict(results, member))), textCell(frame)});
    }
  }
  return table;
}

MissingDumps missingDumps(const SideResults& results) {
  MissingDumps missing;
  const std::vector<FlightRecord>& records = results.files->flightRecords;
  missing.damaged = results.files->unreadableDumps;
  for (const int rank : results.hang->withoutDump) {
    const auto record = std::ranges::find(records, std::optional<int>(rank), &FlightRecord::rank);
    const bool isDamaged = std::ranges::binary_search(missing.damaged, rank);
    if (record != records.end())
      (record->partial ? missing.cut : missing.unclear).push_back(rank);
    else if (!isDamaged)
      missing.none.push_back(rank);
  }
  return missing;
}

HangVerdict shownVerdict(const SideResults& results, const HangMember& member) {
  const bool unreadable = member.verdict == HangVerdict::NoDump &&
                          std::ranges::binary_search(results.files->unreadableDumps, member.rank);
  return unreadable ? HangVerdict::Unknown : member.verdict;
}

namespace {

// A dump that is damaged is no sign that the process died.
void addMissingDumps(const SideResults& results, std::vector<std::string>& sentences) {
  const MissingDumps missing = missingDumps(results);
  const bool waiting = results.hang->state != HangState::Healthy;
  const auto add = [&](const std::vector<int>& ranks, std::string_view one, std::string_view several) {
    if (ranks.empty()) return;
    sentences.push_back(fmt::format("{} {}{}.", ranksText(ranks), ranks.size() == 1 ? one : several,
                                    !waiting ? ""
                                    : ranks.size() == 1
                                        ? ", and its groups do not tell which other rank stopped"
                                        : ", and their groups do not tell which other rank stopped"));
  };
  add(missing.cut, "left a dump that is cut: what it did last may be missing",
      "left dumps that are cut: what they did last may be missing");
  add(missing.unclear, "left a dump that does not say which of its counts are of which group",
      "left dumps that do not say which of their counts are of which group");
  add(missing.damaged, "left a dump that cannot be read", "left dumps that cannot be read");
  add(missing.none, waiting ? "left no dump: its process may have died first" : "left no dump",
      waiting ? "left no dump: their processes may have died first" : "left no dump");
}

} // namespace

std::vector<std::string> hangSentences(const SideResults& results) {
  const HangAnalysis& hang = *results.hang;
  std::vector<std::string> sentences;
  for (const auto& culprits : groupedCulprits(hang.culprits, results))
    sentences.push_back(culpritSentence(culprits, results));
  addMissingDumps(results, sentences);
  if (hang.state == HangState::CannotSay && (hang.withoutDump.empty() || hang.mayRun))
    sentences.push_back(undecidedSentence(results));
  if (hang.state == HangState::Healthy) {
    sentences.insert(sentences.begin(), fmt::format("No rank waits: {} of {} completed what they enqueued.",
                                                    plural(results.files->flightRecords.size(), "rank"),
                                                    plural(hang.groups.size(), "group")));
  }
  return sentences;
}

std::vector<std::string> hangAdvice(const SideResults& results) {
  const HangAnalysis& hang = *results.hang;
  const MissingDumps missing = missingDumps(results);
  std::vector<std::string> advice;
  for (const HangVerdict verdict :
       {HangVerdict::HostNeverCame, HangVerdict::DeviceStopped, HangVerdict::Mismatch}) {
    if (!hang.culpritsWith(verdict).empty()) advice.emplace_back(hangAdvice(verdict));
  }
  if (!missing.none.empty()) advice.emplace_back(hangAdvice(HangVerdict::NoDump));
  if (!missing.cut.empty() || !missing.damaged.empty()) advice.emplace_back(damagedDumpAdvice());
  if (!missing.unclear.empty())
    advice.emplace_back("Record with TORCH_INCLUDE_ONLY_ACTIVE=0 and a larger TORCH_FR_BUFFER_SIZE, so that "
                        "dumps have entries of all groups.");
  if (hang.mayRun)
    advice.emplace_back("Dump again after half a minute: what is still unfinished then does not run.");
  if (hang.state == HangState::CannotSay && advice.empty())
    advice.emplace_back("Record with TORCH_FR_BUFFER_SIZE=2000 and TORCH_NCCL_ENABLE_TIMING=1, and set "
                        "NCCL_DEBUG=INFO to see the network.");
  return advice;
}

} // namespace rankscope
