// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/beside_findings.h"

#include "core/analysis/collectives/hang_advice.h"
#include "core/analysis/collectives/hang_analysis.h"
#include "core/analysis/memory/oom_advice.h"
#include "core/analysis/memory/snapshot_replay.h"
#include "core/base/unit_text.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

std::string numbersText(const std::vector<int>& ranks) {
  constexpr std::size_t kMostNamed = 8;
  if (ranks.size() > kMostNamed) return fmt::format("{} ranks", ranks.size());
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

using Found = std::vector<BesideFinding>;

void addHang(Found& found, FindingKind kind, const std::vector<int>& ranks, std::string title,
             std::string evidence, std::string_view fix) {
  found.push_back({kind, {}, ranks, std::nullopt, std::move(title), std::move(evidence), std::string(fix)});
}

std::string waitsText(const HangAnalysis& hang, HangVerdict verdict) {
  std::vector<int> waiting;
  std::set<std::size_t> groups; // in which they wait
  std::string group;
  for (const HangCulprit& culprit : hang.culprits) {
    if (culprit.verdict != verdict) continue;
    waiting.insert(waiting.end(), culprit.waiting.begin(), culprit.waiting.end());
    if (group.empty()) group = hang.groups[culprit.group].desc;
    for (const HangWait& wait : hang.waits)
      if (std::ranges::find(wait.waitsFor, culprit.rank) != wait.waitsFor.end()) groups.insert(wait.group);
  }
  std::ranges::sort(waiting);
  waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
  if (waiting.empty()) return fmt::format("No other rank waits in {}.", group);
  const std::string where =
      groups.size() == 1 ? hang.groups[*groups.begin()].desc : fmt::format("{} groups", groups.size());
  return fmt::format("{} {} in {}.", numbersText(waiting), waiting.size() == 1 ? "waits" : "wait", where);
}

// By what became of each rank's dump. Of a cut one there is a record.
std::string missingDumpFix(const SideFiles& files, const std::vector<int>& ranks) {
  bool none = false;
  bool damaged = false;
  for (const int rank : ranks) {
    const bool isThere = std::ranges::binary_search(files.unreadableDumps, rank) ||
                         std::ranges::find(files.flightRecords, std::optional<int>(rank),
                                           &FlightRecord::rank) != files.flightRecords.end();
    (isThere ? damaged : none) = true;
  }
  std::string fix;
  if (none) fix = hangAdvice(HangVerdict::NoDump);
  if (damaged) fix.append(fix.empty() ? "" : " ").append(damagedDumpAdvice());
  return fix;
}

void findHangs(Found& found, const HangAnalysis& hang, const SideFiles& files) {
  const auto capital = [](std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
      text.front() = static_cast<char>(text.front() - 32);
    return text;
  };
  if (const auto ranks = hang.culpritsWith(HangVerdict::HostNeverCame); !ranks.empty())
    addHang(found, FindingKind::HangHost, ranks, "Hang: " + numbersText(ranks) + " did not call a collective",
            capital(waitsText(hang, HangVerdict::HostNeverCame)) + " " + capital(numbersText(ranks)) +
                " never enqueued this collective.",
            hangAdvice(HangVerdict::HostNeverCame));
  if (const auto ranks = hang.culpritsWith(HangVerdict::DeviceStopped); !ranks.empty())
    addHang(found, FindingKind::HangDevice, ranks, "Hang: the device of " + numbersText(ranks) + " is stuck",
            capital(waitsText(hang, HangVerdict::DeviceStopped)) +
                " Other ranks completed collectives that " + numbersText(ranks) +
                " enqueued and did not complete.",
            hangAdvice(HangVerdict::DeviceStopped));
  if (const auto ranks = hang.culpritsWith(HangVerdict::Mismatch); !ranks.empty()) {
    std::string evidence;
    for (const HangGroup& group : hang.groups) {
      if (!group.mismatch.empty()) evidence = group.desc + ": " + group.mismatch + ".";
    }
    addHang(found, FindingKind::HangMismatch, ranks, "Hang: calls of " + numbersText(ranks) + " do not match",
            std::move(evidence), hangAdvice(HangVerdict::Mismatch));
  }
  if (!hang.withoutDump.empty() && hang.state != HangState::Healthy)
    addHang(found, FindingKind::HangNoDump, hang.withoutDump,
            "Hang: " + numbersText(hang.withoutDump) + " left no whole dump",
            "Without it, the groups of this rank do not tell which rank stopped.",
            missingDumpFix(files, hang.withoutDump));
}

void findOutOfMemory(Found& found, const DeviceReplay& replay) {
  if (replay.ooms.empty()) return;
  const std::optional<int> rank = replay.snapshot->rank;
  const OomReport& oom = replay.ooms.back();
  BesideFinding finding;
  finding.kind = FindingKind::OutOfMemory;
  finding.leaf = "memory.oom";
  if (rank) finding.ranks = {*rank};
  finding.costBytes = oom.asked;
  finding.title = fmt::format("Out of memory: asked for {}, {}{}", bytesText(oom.asked),
                              oom.cause == OomCause::Fragmentation ? "lost to fragmentation"
                              : oom.cause == OomCause::Full        ? "the device is full"
                                                                   : "memory is held elsewhere",
                              rank ? fmt::format(", rank {}", *rank) : std::string());
  finding.evidence = fmt::format(
      "{} allocated, {} cached in pieces of at most {}{}.", bytesText(oom.active), bytesText(oom.cached),
      bytesText(oom.largestHole),
      oom.driverFree ? fmt::format(", {} free on the device", bytesText(*oom.driverFree)) : std::string());
  finding.fix = oomAdvice(replay);
  found.push_back(std::move(finding));
}

// Nothing where the bytes are something else.
BesideFindings unpackedFindings(const std::string& bytes) {
  BesideFindings found;
  if (bytes.empty()) return found;
  Unpacker unpacker(bytes);
  unpacker(found);
  const auto exists = [](const BesideFinding& of) { return static_cast<int>(of.kind) < kFindingKindCount; };
  if (!unpacker.ok() || !unpacker.atEnd() || !std::ranges::all_of(found.findings, exists)) return {};
  return found;
}

} // namespace

BesideFindings besideFindings(const SideFiles& files, const HangAnalysis* hang,
                              std::span<const DeviceReplay* const> replays) {
  BesideFindings found = unpackedFindings(files.digestedFindings);
  found.dumps = found.dumps || !files.flightRecords.empty();
  found.snapshots = found.snapshots || !files.snapshots.empty();
  if (hang != nullptr) {
    Found hangs; // the first, as without a digest
    findHangs(hangs, *hang, files);
    found.findings.insert(found.findings.begin(), hangs.begin(), hangs.end());
  }
  for (const DeviceReplay* const replay : replays) findOutOfMemory(found.findings, *replay);
  return found;
}

BesideFindings besideFindings(const SideFiles& files) {
  std::optional<HangAnalysis> hang;
  if (!files.flightRecords.empty()) hang = analyzeHang(files.flightRecords);
  std::vector<DeviceReplay> replayed;
  for (const MemorySnapshot& snapshot : files.snapshots) {
    const StackRoles roles = stackRoles(snapshot.stacks);
    for (const SnapshotDevice& device : snapshot.devices)
      replayed.push_back(replayDevice(snapshot, device, roles));
  }
  std::vector<const DeviceReplay*> replays;
  replays.reserve(replayed.size());
  for (const DeviceReplay& replay : replayed) replays.push_back(&replay);
  return besideFindings(files, hang ? &*hang : nullptr, replays);
}

std::string packedBesideFindings(const BesideFindings& found) {
  Packer packer;
  packer(found);
  return packer.takeBytes();
}

bool hasDumps(const SideFiles& files) {
  return !files.flightRecords.empty() || unpackedFindings(files.digestedFindings).dumps;
}

bool hasSnapshots(const SideFiles& files) {
  return !files.snapshots.empty() || unpackedFindings(files.digestedFindings).snapshots;
}

} // namespace rankscope
