// SPDX-License-Identifier: GPL-3.0-or-later
// Real exports of Nsight Systems against figures that plain SQL gave. Covers core/io/nsys/nsys_reader,
// core/io/nsys/nsys_recordings, core/io/nsys/nsys_slices, core/io/nsys/nsys_rows,
// core/io/nsys/nsys_device_rows, core/io/nsys/nsys_host_rows and core/io/nsys/nsys_tables.
#include "core/index/interval_set.h"
#include "core/io/load/trace_loader.h"
#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"
#include "core/report/job_totals.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/nsys/json_value.h"
#include "tests/unit/io/opened_trace.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::JsonTree;
using test::JsonValue;
using test::loadJob;

fs::path nsysFolder() {
  return test::sharedFolder() / "nsys";
}

JsonValue oracleOf(const std::string& name) {
  std::ifstream file(nsysFolder() / "oracles" / (name + ".json"));
  std::stringstream text;
  text << file.rdbuf();
  return JsonTree::of(text.str());
}

struct Sum {
  std::int64_t calls = 0;
  std::int64_t time = 0;
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;

  void add(std::int64_t duration) {
    ++calls;
    time += duration;
    least = std::min(least, duration);
    most = std::max(most, duration);
  }
  bool operator==(const Sum&) const = default;
};

std::ostream& operator<<(std::ostream& to, const Sum& sum) {
  return to << sum.calls << " calls " << sum.time << " ns " << sum.least << " to " << sum.most;
}

using Sums = std::map<std::string, Sum>;

// The job with what tests ask for.
class Job {
 public:
  explicit Job(const fs::path& path) : m_set(loadJob(path.string())) {}

  [[nodiscard]] const TraceSet& set() const { return *m_set; }
  [[nodiscard]] bool loaded() const { return m_set != nullptr; }

  // Calls use(entry, event) for all events of these tables.
  void each(const std::set<NsysTable>& tables,
            const std::function<void(const RankEntry&, EventIndex)>& use) const {
    for (const RankEntry& entry : m_set->ranks()) {
      const RankTrace& trace = *entry.trace;
      for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
        if (tables.contains(tableOf(trace.events.source[e]))) use(entry, e);
      }
    }
  }
  [[nodiscard]] std::string nameOf(const RankEntry& entry, EventIndex event) const {
    return std::string(m_set->names()[entry.trace->events.name[event]]);
  }
  [[nodiscard]] Sums sumsOf(const std::set<NsysTable>& tables) const {
    Sums sums;
    each(tables, [&](const RankEntry& entry, EventIndex event) {
      sums[nameOf(entry, event)].add(entry.trace->events.duration[event]);
    });
    return sums;
  }

 private:
  std::shared_ptr<const TraceSet> m_set;
};

// Process id of a rank's recording: of its host threads, else of none.
std::int64_t pidOfRank(const RankEntry& entry) {
  for (const Track& track : entry.trace->tracks) {
    if (track.kind == TrackKind::Thread) return std::stoll(track.process);
  }
  return -1;
}

struct DeviceFigures {
  std::vector<TimeRange> kernels, copies, sets, graphs, all, communication, compute;
  std::set<std::int64_t> streams;
  std::int64_t kernelSum = 0;
};

std::map<std::pair<std::int64_t, std::int64_t>, DeviceFigures> devicesOf(const Job& job) {
  std::map<std::pair<std::int64_t, std::int64_t>, DeviceFigures> devices;
  const std::set<NsysTable> tables{NsysTable::Kernel, NsysTable::Memcpy, NsysTable::Memset,
                                   NsysTable::GraphTrace};
  job.each(tables, [&](const RankEntry& entry, EventIndex event) {
    const RankTrace& trace = *entry.trace;
    const DeviceDetail& detail = trace.deviceDetail(event);
    DeviceFigures& of = devices[{pidOfRank(entry), detail.device}];
    const TimeRange range = trace.events.range(event);
    of.all.push_back(range);
    of.streams.insert(detail.stream);
    switch (tableOf(trace.events.source[event])) {
    case NsysTable::Kernel:
      of.kernels.push_back(range);
      of.kernelSum += range.length();
      (trace.events.kind[event] == EventKind::Collective ? of.communication : of.compute).push_back(range);
      break;
    case NsysTable::Memcpy:
      of.copies.push_back(range);
      break;
    case NsysTable::Memset:
      of.sets.push_back(range);
      break;
    default:
      of.graphs.push_back(range);
    }
  });
  return devices;
}

std::int64_t unionOf(std::vector<TimeRange> ranges) {
  return IntervalSet(std::move(ranges)).totalLength();
}

void expectDevices(const Job& job, const JsonValue& oracle) {
  const auto devices = devicesOf(job);
  ASSERT_EQ(devices.size(), oracle["devices"].items.size());
  for (const JsonValue& expected : oracle["devices"].items) {
    const auto found = devices.find({expected["pid"].number, expected["deviceId"].number});
    ASSERT_NE(found, devices.end()) << expected["pid"].number;
    const DeviceFigures& of = found->second;
    std::set<std::int64_t> streams;
    for (const JsonValue& stream : expected["streams"].items) streams.insert(stream.number);
    EXPECT_EQ(of.streams, streams);
    EXPECT_EQ(unionOf(of.kernels), expected["kernel_union_ns"].number);
    EXPECT_EQ(unionOf(of.copies), expected["copy_union_ns"].number);
    EXPECT_EQ(unionOf(of.sets), expected["set_union_ns"].number);
    EXPECT_EQ(unionOf(of.graphs), expected["graph_union_ns"].number);
    EXPECT_EQ(unionOf(of.all), expected["busy_union_ns"].number);
    EXPECT_EQ(of.kernelSum, expected["kernel_sum_ns"].number);
    const TimeNs base = oracle["utc_epoch_ns"].number; // 0 where it was not recorded
    EXPECT_EQ(std::ranges::min(of.all, {}, &TimeRange::begin).begin - base, expected["first_ns"].number);
    EXPECT_EQ(std::ranges::max(of.all, {}, &TimeRange::end).end - base, expected["last_ns"].number);
  }
  for (const JsonValue& expected : oracle["overlap"].items) {
    const DeviceFigures& of = devices.at({expected["pid"].number, expected["deviceId"].number});
    const std::int64_t communication = unionOf(of.communication);
    const std::int64_t compute = unionOf(of.compute);
    std::vector<TimeRange> both = of.communication;
    both.insert(both.end(), of.compute.begin(), of.compute.end());
    const std::int64_t overlap = communication + compute - unionOf(std::move(both));
    EXPECT_EQ(communication, expected["communication_ns"].number);
    EXPECT_EQ(compute, expected["compute_ns"].number);
    EXPECT_EQ(overlap, expected["overlap_ns"].number);
  }
}

void expectLaunches(const Job& job, const JsonValue& oracle) {
  const std::array<std::pair<const char*, NsysTable>, 4> kinds{{{"kernels", NsysTable::Kernel},
                                                                {"copies", NsysTable::Memcpy},
                                                                {"sets", NsysTable::Memset},
                                                                {"graphs", NsysTable::GraphTrace}}};
  for (const auto& [key, table] : kinds) {
    std::int64_t events = 0, launched = 0;
    job.each({table}, [&](const RankEntry& entry, EventIndex event) {
      ++events;
      if (entry.trace->deviceDetail(event).launch.valid()) ++launched;
    });
    EXPECT_EQ(events, oracle["launch_found"][key]["events"].number) << key;
    EXPECT_EQ(launched, oracle["launch_found"][key]["by_process_and_correlation"].number) << key;
  }
}

void expectNames(const Job& job, const JsonValue& oracle) {
  Sums kernels, calls;
  for (const auto& [name, of] : oracle["kernels_by_demangledName"].members)
    kernels[name] = {of.at(0), of.at(1), of.at(2), of.at(3)};
  EXPECT_EQ(job.sumsOf({NsysTable::Kernel}), kernels);
  for (const auto& [name, of] : oracle["api"]["by_name"].members) {
    Sum& sum = calls[std::string(callName(name))];
    sum.calls += of.at(0);
    sum.time += of.at(1);
  }
  for (const auto& [name, sum] : job.sumsOf({NsysTable::Runtime})) {
    EXPECT_EQ(sum.calls, calls[name].calls) << name;
    EXPECT_EQ(sum.time, calls[name].time) << name;
    calls.erase(name);
  }
  EXPECT_TRUE(calls.empty()) << calls.begin()->first;
  std::int64_t nccl = 0, ncclTime = 0;
  for (const JsonValue& of : oracle["nccl_kernels"].items) {
    nccl += of.at(2);
    ncclTime += of.at(3);
  }
  Sum communication;
  job.each({NsysTable::Kernel}, [&](const RankEntry& entry, EventIndex event) {
    if (entry.trace->events.kind[event] == EventKind::Collective)
      communication.add(entry.trace->events.duration[event]);
  });
  EXPECT_EQ(communication.calls, nccl);
  EXPECT_EQ(communication.time, ncclTime);
}

void expectCopiesAndSyncs(const Job& job, const JsonValue& oracle) {
  struct Copies {
    std::int64_t calls = 0, bytes = 0, time = 0;
    bool operator==(const Copies&) const = default;
  };
  std::map<std::string, Copies> expected, found;
  for (const JsonValue& of : oracle["copies_by_kind"].items) {
    Copies& copies = expected[copyName(of.at(0), of.at(1), of.at(2))];
    copies.calls += of.at(3);
    copies.bytes += of.at(4);
    copies.time += of.at(5);
  }
  job.each({NsysTable::Memcpy}, [&](const RankEntry& entry, EventIndex event) {
    Copies& copies = found[job.nameOf(entry, event)];
    ++copies.calls;
    copies.bytes += entry.trace->deviceDetail(event).bytes;
    copies.time += entry.trace->events.duration[event];
  });
  EXPECT_TRUE(found == expected);
  std::int64_t syncs = 0, time = 0;
  for (const JsonValue& of : oracle["sync_by_type"].items) {
    syncs += of.at(1);
    time += of.at(2);
  }
  Sum all;
  for (const auto& [name, sum] : job.sumsOf({NsysTable::Sync})) {
    all.calls += sum.calls;
    all.time += sum.time;
  }
  EXPECT_EQ(all.calls, syncs);
  EXPECT_EQ(all.time, time);
}

void expectRanges(const Job& job, const JsonValue& oracle) {
  const JsonValue& nvtx = oracle["nvtx"];
  std::int64_t ranges = 0;
  for (const JsonValue& of : nvtx["by_type_and_domain"].items) {
    if (of.at(0) == 59 || of.at(0) == 60 || of.at(0) == 34) ranges += of.at(2);
  }
  Sums found = job.sumsOf({NsysTable::Nvtx});
  std::int64_t all = 0;
  for (const auto& [name, sum] : found) all += sum.calls;
  EXPECT_EQ(all, ranges);
  for (const auto& [name, of] : nvtx["ranges_by_name_without_torch_suffix"].members) {
    if (!dictName(name).empty()) continue; // several texts have one name
    EXPECT_EQ(found[name.empty() ? "(unnamed)" : name].calls, of.at(0)) << name;
    EXPECT_EQ(found[name.empty() ? "(unnamed)" : name].time, of.at(1)) << name;
  }
  if (!nvtx.has("api_calls_inside_a_push_pop_range")) return;
  std::int64_t inside = 0;
  for (const RankEntry& entry : job.set().ranks()) {
    const RankTrace& trace = *entry.trace;
    std::map<std::string, std::vector<TimeRange>> byThread;
    const auto threadOf = [&](EventIndex event) {
      const std::string& text = trace.tracks[trace.trackOf(event).value].thread;
      return text.substr(0, text.find(' ')); // without the name of a lane
    };
    for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
      if (tableOf(trace.events.source[e]) == NsysTable::Nvtx)
        byThread[threadOf(e)].push_back(trace.events.range(e));
    }
    for (auto& [thread, of] : byThread)
      std::ranges::sort(of, {}, [](TimeRange r) { return std::pair(r.begin, -r.end); });
    for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
      if (tableOf(trace.events.source[e]) != NsysTable::Runtime) continue;
      const TimeRange call = trace.events.range(e);
      const bool holds = std::ranges::any_of(byThread[threadOf(e)], [&](TimeRange range) {
        return range.begin <= call.begin && range.end >= call.end;
      });
      inside += holds ? 1 : 0;
    }
  }
  EXPECT_EQ(inside, nvtx["api_calls_inside_a_push_pop_range"].number);
}

void expectOsCalls(const Job& job, const JsonValue& oracle) {
  const Sums found = job.sumsOf({NsysTable::OsRuntime});
  for (const JsonValue& of : oracle["osrt_top"].items) {
    const auto sum = found.find(of.items.at(0).text);
    ASSERT_NE(sum, found.end()) << of.items.at(0).text;
    EXPECT_EQ(sum->second.calls, of.at(1)) << of.items.at(0).text;
    EXPECT_EQ(sum->second.time, of.at(2)) << of.items.at(0).text;
  }
}

void expectAll(const Job& job, const JsonValue& oracle) {
  ASSERT_TRUE(job.loaded());
  for (const RankEntry& entry : job.set().ranks()) {
    EXPECT_EQ(entry.trace->metadata.hostName, oracle["hostname"].text);
    EXPECT_EQ(entry.trace->metadata.baseTime, oracle["utc_epoch_ns"].number);
    EXPECT_EQ(entry.trace->diagnostics.count(DiagnosticKind::Skipped), 0u);
  }
  expectDevices(job, oracle);
  expectLaunches(job, oracle);
  expectNames(job, oracle);
  expectCopiesAndSyncs(job, oracle);
  expectRanges(job, oracle);
  expectOsCalls(job, oracle);
}

std::vector<std::string> exportNames() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(nsysFolder() / "exports", failed)) {
    const std::string name = entry.path().stem().string();
    if (name != "n2021_no_cuda_events") names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

} // namespace

TEST(NsysOracle, exportsOfAllVersionsGiveTheFiguresOfPlainSql) {
  const std::vector<std::string> names = exportNames();
  RANKSCOPE_SKIP_UNLESS(!names.empty(), test::kNoRecordings);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    expectAll(Job(nsysFolder() / "exports" / (name + ".sqlite")), oracleOf(name));
  }
}

TEST(NsysOracle, aReportOfTwoRanksEqualsTwoReportsOfOne) {
  const fs::path folder = nsysFolder() / "two_ranks";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  for (const char* rank : {"0", "1"})
    expectAll(Job(folder / (std::string("trace_rank") + rank + ".sqlite")),
              oracleOf(std::string("two_ranks_trace_rank") + rank));
  const Job pair(folder);
  const Job both(nsysFolder() / "exports" / "n2026.2_torchrun_2rank_h100.sqlite");
  ASSERT_TRUE(pair.loaded() && both.loaded());
  ASSERT_EQ(pair.set().ranks().size(), 2u);
  ASSERT_EQ(both.set().ranks().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const RankEntry& left = pair.set().ranks()[i];
    const RankEntry& right = both.set().ranks()[i];
    EXPECT_EQ(left.rank, static_cast<int>(i));
    EXPECT_EQ(right.rank, static_cast<int>(i));
    EXPECT_EQ(pidOfRank(left), pidOfRank(right));
    EXPECT_EQ(left.trace->extent, right.trace->extent); // on one clock
    EXPECT_TRUE(std::ranges::equal(left.trace->events.begin.span(), right.trace->events.begin.span()));
    EXPECT_TRUE(std::ranges::equal(left.trace->events.duration.span(), right.trace->events.duration.span()));
    EXPECT_TRUE(std::ranges::equal(left.trace->events.kind.span(), right.trace->events.kind.span()));
    EXPECT_EQ(left.trace->byLaunch.size(), right.trace->byLaunch.size());
  }
  EXPECT_EQ(both.set().files().front().rankFrom, "device");
  EXPECT_EQ(pair.set().files().front().rankFrom, "name");
}

TEST(NsysOracle, rankOfALaunchedTaskComesFromItsEnvironment) {
  const fs::path file = nsysFolder() / "exports" / "n2022.2_mpi_backtraces_nonlazy.sqlite";
  RANKSCOPE_SKIP_UNLESS(fs::exists(file), test::kNoRecordings);
  const Job job(file);
  ASSERT_TRUE(job.loaded());
  EXPECT_EQ(job.set().files().front().rankFrom, "environment");
  EXPECT_EQ(job.set().ranks().front().rank, 0);
  EXPECT_EQ(job.set().worldSize(), 2);
}

// The numbers of types differ between versions; the call decides.
TEST(NsysOracle, synchronizationIsNamedByItsCall) {
  const auto namesOf = [](const char* file) {
    std::map<std::string, std::int64_t> names;
    const Job job(nsysFolder() / "exports" / file);
    for (const auto& [name, sum] : job.sumsOf({NsysTable::Sync})) names[name] = sum.calls;
    return names;
  };
  RANKSCOPE_SKIP_UNLESS(!exportNames().empty(), test::kNoRecordings);
  EXPECT_EQ(namesOf("n2022.1_torch_emit_nvtx_lenet.sqlite"),
            (std::map<std::string, std::int64_t>{
                {"Context Sync", 2}, {"Event Sync", 15}, {"Stream Sync", 11}, {"Stream Wait Event", 40}}));
  EXPECT_EQ(namesOf("n2026.2_torchrun_2rank_h100.sqlite"),
            (std::map<std::string, std::int64_t>{
                {"Event Sync", 133}, {"Stream Sync", 33}, {"Stream Wait Event", 200}}));
}

TEST(NsysOracle, anExportWithoutEventsSaysWhatToRecord) {
  const fs::path file = nsysFolder() / "exports" / "n2021_no_cuda_events.sqlite";
  RANKSCOPE_SKIP_UNLESS(fs::exists(file), test::kNoRecordings);
  Progress progress;
  const auto loaded = loadTraces({file.string()}, {1, std::nullopt}, progress);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("--trace=cuda"), std::string::npos) << loaded.error().message;
}

} // namespace rankscope
