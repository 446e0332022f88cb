// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_plan.h"

#include "core/base/byte_pack.h"
#include "core/base/unit_text.h"
#include "core/io/load/load_estimate.h"
#include "core/io/load/load_forecast.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>

namespace rankscope {

namespace {

// What one core reads and reduces of decompressed JSON, measured on jobs of the generator.
constexpr double kTextPerSecond = 300e6;

// What every process keeps of each rank of the job while results ask about single events: so much, and a
// share of its text, for its collective calls. Measured with all tables of a report, on jobs of the
// generator: the peak of memory with 4,096 ranks of two steps less that with 1,024, by rank; and the heap
// with four ranks of 375 MB and 14,400 calls, of which a rank takes 5 MB, 360 bytes a call. Beside them
// stands twice what the owners of groups matched, 12 bytes a call.
constexpr std::uint64_t kOpenedRank = 120'000;
constexpr std::uint64_t kTextPerOpenedByte = 65;

std::vector<std::string> largestOf(std::span<const std::string> paths, std::size_t count) {
  std::vector<std::string> largest(paths.begin(), paths.end());
  const auto bytesOf = [](const std::string& path) {
    std::error_code failed;
    const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
    return failed ? 0 : bytes;
  };
  std::ranges::stable_sort(largest, std::greater<>(), bytesOf);
  largest.resize(std::min(count, largest.size()));
  return largest;
}

std::string timeText(double seconds) {
  return durationText(static_cast<TimeNs>(std::min(seconds, 1e9) * 1e9));
}

} // namespace

template <class Archive, Described<ProcessPlan> T> void describe(Archive& archive, T& plan) {
  auto& [host, files, bytes, textBytes, memory, threads, available, opened] = plan;
  archive(host, files, bytes, textBytes, memory, threads, available, opened);
}

void dealFiles(std::vector<DigestFile>& files, std::span<const std::vector<std::size_t>> processes,
               std::size_t processCount) {
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return files[i].found.bytes; });
  std::vector<std::uint64_t> load(processCount);
  for (const std::size_t i : order) {
    const std::size_t least =
        *std::ranges::min_element(processes[i], {}, [&](std::size_t p) { return std::tuple(load[p], p); });
    files[i].process = least;
    load[least] += std::max<std::uint64_t>(files[i].found.bytes, 1);
  }
}

double ProcessPlan::seconds() const {
  return static_cast<double>(textBytes) /
         (kTextPerSecond * static_cast<double>(std::max<std::uint64_t>(threads, 1)));
}

ProcessPlan planOf(std::span<const std::string> paths, const std::string& host, unsigned threads,
                   bool keepEvents) {
  ProcessPlan plan;
  plan.host = host;
  plan.files = paths.size();
  plan.threads = threads;
  plan.available = availableMemory();
  for (const std::string& path : paths) {
    std::error_code failed;
    const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
    if (!failed) plan.bytes += bytes;
  }
  const LoadEstimate estimate = estimateLoad(paths, {}, threads);
  plan.textBytes = estimate.textBytes;
  plan.memory = estimate.peakBytes;
  // What was kept need not stay in memory: only what is read at the same time.
  if (keepEvents && paths.size() > threads) {
    constexpr std::uint64_t kNamesOfEvents = 10; // a tenth of what is read stays
    const std::uint64_t largest = estimateLoad(largestOf(paths, threads), {}, threads).peakBytes;
    plan.memory = std::min(plan.memory, largest + plan.memory / kNamesOfEvents);
  }
  return plan;
}

void addOpenedRanks(std::span<ProcessPlan> plans) {
  std::uint64_t files = 0;
  std::uint64_t text = 0;
  for (const ProcessPlan& plan : plans) {
    files += plan.files;
    text += plan.textBytes;
  }
  for (ProcessPlan& plan : plans) {
    plan.opened = kOpenedRank * files + text / kTextPerOpenedByte;
    plan.memory += plan.opened;
  }
}

std::string packedPlan(const ProcessPlan& plan) {
  Packer packer;
  packer(plan);
  return packer.takeBytes();
}

ProcessPlan unpackedPlan(const std::string& bytes) {
  ProcessPlan plan;
  Unpacker unpacker(bytes);
  unpacker(plan);
  return plan;
}

std::string planText(std::span<const ProcessPlan> plans) {
  TextTable table({"process", "<host", "files", "size", "text", "memory", "of it all ranks", "time"});
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const ProcessPlan& plan = plans[i];
    table.addRow({std::to_string(i), plan.host, groupedText(static_cast<std::int64_t>(plan.files)),
                  bytesText(static_cast<std::int64_t>(plan.bytes)),
                  bytesText(static_cast<std::int64_t>(plan.textBytes)),
                  bytesText(static_cast<std::int64_t>(plan.memory)),
                  bytesText(static_cast<std::int64_t>(plan.opened)), timeText(plan.seconds())});
  }
  return table.text();
}

std::string shortageText(std::span<const ProcessPlan> plans) {
  std::map<std::string, std::uint64_t> needed;
  for (const ProcessPlan& plan : plans) needed[plan.host] += plan.memory;
  for (const ProcessPlan& plan : plans) {
    if (!plan.available || needed[plan.host] <= *plan.available - memoryReserve(*plan.available)) continue;
    return "the traces need about " + bytesText(static_cast<std::int64_t>(needed[plan.host])) +
           " of memory on " + plan.host + ", of " + bytesText(static_cast<std::int64_t>(*plan.available)) +
           " available: use more hosts";
  }
  return {};
}

} // namespace rankscope
