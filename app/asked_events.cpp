// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/asked_events.h"

#include "app/console.h"
#include "core/base/number_ranges.h"
#include "core/base/unit_text.h"
#include "core/io/load/kept_events.h"
#include "core/io/load/load_estimate.h"
#include "core/io/load/load_forecast.h"
#include "core/io/load/rank_events.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kMostNamed = 5;

std::string ranksText(const TraceSet& job, const std::vector<RankIndex>& ranks) {
  std::set<int> numbers;
  for (const RankIndex rank : ranks) numbers.insert(job.rank(rank).rank);
  return (numbers.size() == 1 ? "rank " : "ranks ") +
         numberRangesText(std::vector<int>(numbers.begin(), numbers.end()));
}

// Which ranks the command reads, and which of them can be reached.
struct AskedRanks {
  std::vector<RankToRead> reachable;
  std::vector<RankIndex> missing;
};

AskedRanks askedRanks(const TraceSet& job, const JobOptions& options) {
  AskedRanks asked;
  std::optional<std::set<int>> chosen;
  if (options.events != EventUse::All) chosen = ranksAsked(options.scope);
  for (std::size_t i = 0; i < job.ranks().size(); ++i) {
    const RankIndex rank(i);
    if (digestOf(job, rank) == nullptr || (chosen && !chosen->contains(job.rank(rank).rank))) continue;
    auto path = reachableEvents(job, rank);
    if (path && options.arguments && !reachableTrace(job, rank)) path.reset();
    if (path)
      asked.reachable.push_back({rank, *std::move(path)});
    else
      asked.missing.push_back(rank);
  }
  return asked;
}

void tellMissing(const TraceSet& job, const JobOptions& options, const AskedRanks& asked) {
  const std::string& digest = job.side().digestFolder;
  const std::string_view what = options.arguments ? "the traces" : "the events";
  printError(digest + ": " + std::string(options.purpose) + " needs " + std::string(what) + " of " +
             ranksText(job, asked.missing) + ", which cannot be reached");
  for (std::size_t i = 0; i < std::min(kMostNamed, asked.missing.size()); ++i)
    printError("rank " + std::to_string(job.rank(asked.missing[i]).rank) + ": its trace is not at " +
               digestedTrace(job, asked.missing[i]) +
               (options.arguments ? "" : ", and the digest has not kept its events"));
  if (asked.missing.size() > kMostNamed)
    printError(std::to_string(asked.missing.size() - kMostNamed) + " more ranks: the table files has where "
                                                                   "their traces lie");
  std::string advice = "mount or copy the traces to the same paths";
  if (!options.arguments) advice += ", or digest them with --keep-events";
  if (options.events == EventUse::Chosen && !asked.reachable.empty()) {
    std::vector<RankIndex> there;
    there.reserve(asked.reachable.size());
    for (const RankToRead& of : asked.reachable) there.push_back(of.rank);
    advice += ", or choose with --ranks: " + ranksText(job, there) + " can be reached";
  }
  printError(advice);
}

// False if they need more memory than there is. Events that were kept stay in their files, of which the
// system keeps in memory what fits; results take about as much again.
bool fits(const TraceSet& job, const JobOptions& options, const std::vector<RankToRead>& ranks) {
  const auto available = availableMemory();
  if (!available) return true;
  std::set<std::string> traces;
  std::set<std::string> kept;
  for (const RankToRead& of : ranks) (isKeptEvents(of.path) ? kept : traces).insert(of.path);
  std::uint64_t needed = 0;
  for (const std::string& path : kept) {
    std::error_code failed;
    const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
    if (!failed) needed += bytes;
  }
  if (!traces.empty())
    needed += estimateLoad(std::vector<std::string>(traces.begin(), traces.end()), {}, 1).peakBytes;
  if (needed <= *available - memoryReserve(*available)) return true;
  std::vector<RankIndex> all;
  all.reserve(ranks.size());
  for (const RankToRead& of : ranks) all.push_back(of.rank);
  printError(job.side().digestFolder + ": the events of " + ranksText(job, all) + " need about " +
             bytesText(static_cast<std::int64_t>(needed)) + " of memory, of " +
             bytesText(static_cast<std::int64_t>(*available)) + " available" +
             (options.events == EventUse::Chosen ? ": choose fewer ranks with --ranks" : ""));
  return false;
}

void tellWithoutArguments(const TraceSet& job, const std::vector<RankToRead>& ranks) {
  std::vector<RankIndex> without;
  for (const RankToRead& of : ranks)
    if (!reachableTrace(job, of.rank)) without.push_back(of.rank);
  if (without.empty()) return;
  printError(
      "warning: arguments of events, such as shapes and sequence numbers, are only in traces; those of " +
      ranksText(job, without) + " cannot be reached, the first at " + digestedTrace(job, without.front()));
}

} // namespace

std::shared_ptr<const TraceSet> withAskedEvents(std::shared_ptr<const TraceSet> job, const JobOptions& given,
                                                Progress& progress) {
  if (!hasDigests(*job)) return job;
  JobOptions options = given;
  const ScopeOptions& scope = options.scope;
  // Results of a part are made of its events.
  if (options.events == EventUse::None && !(scope.steps.empty() && scope.from.empty() && scope.to.empty())) {
    options.events = EventUse::Chosen;
    options.purpose = scope.steps.empty() ? "a time range" : "a choice of steps";
  }
  if (options.events == EventUse::None) return job;
  const AskedRanks asked = askedRanks(*job, options);
  if (!asked.missing.empty()) {
    tellMissing(*job, options, asked);
    return nullptr;
  }
  if (!fits(*job, options, asked.reachable)) return nullptr;
  auto loaded = withRankEvents(*job, asked.reachable, options.threadCount(), progress);
  if (!loaded.ok()) {
    printLines(loaded.error());
    return nullptr;
  }
  tellWithoutArguments(*job, asked.reachable);
  return *std::move(loaded);
}

} // namespace rankscope
