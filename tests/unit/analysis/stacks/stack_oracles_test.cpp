// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks and modules of real recordings against figures that were computed plainly from the files, to the
// nanosecond and whole: the checksum of the folded text. And what every weight adds up to.
// Covers core/analysis/stacks/host_stacks, core/analysis/stacks/job_stacks, core/analysis/stacks/layers,
// core/analysis/stacks/stack_weight, core/analysis/stacks/module_node, core/report/stack_lines,
// core/report/frames_table, core/report/modules_table, core/report/flame_svg and core/report/pprof_file.
#include "core/analysis/stacks/call_nesting.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/analysis/stacks/module_tree.h"
#include "core/analysis/stacks/rank_stacks.h"
#include "core/analysis/stacks/torch_stacks.h"
#include "core/io/files/file_bytes.h"
#include "core/io/load/trace_loader.h"
#include "core/report/frames_table.h"
#include "core/report/modules_table.h"
#include "core/report/stack_files.h"
#include "tests/peers/oracle_table.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// FIPS 180-4, for texts of tests.
class Sha256 {
 public:
  static std::string of(std::string text) {
    Sha256 sum;
    const std::uint64_t bits = std::uint64_t{text.size()} * 8;
    text += '\x80';
    while (text.size() % 64 != 56) text += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>((bits >> shift) & 0xffU);
    for (std::size_t at = 0; at < text.size(); at += 64) sum.addBlock(std::string_view(text).substr(at, 64));
    std::string digest;
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const std::uint32_t word : sum.m_state) {
      for (int shift = 28; shift >= 0; shift -= 4) digest += kDigits[(word >> shift) & 15U];
    }
    return digest;
  }

 private:
  void addBlock(std::string_view block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t byte = 0; byte < 4; ++byte)
        w[i] = (w[i] << 8U) | static_cast<unsigned char>(block[4 * i + byte]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
      const std::uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
      w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    std::array<std::uint32_t, 8> s = m_state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
      const std::uint32_t one = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRounds[i] + w[i];
      const std::uint32_t a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
      const std::uint32_t two = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) m_state[i] += s[i];
  }

  static constexpr std::array<std::uint32_t, 64> kRounds{
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

struct OracleSet {
  std::string name;
  fs::path traces;
  RankIndex rank{0};
};

fs::path oracles(std::string_view kind) {
  return test::sharedFolder() / "oracles" / kind;
}

// What of the recordings a set of figures is of.
OracleSet setNamed(const std::string& name) {
  OracleSet set{name, test::sharedFolder() / "traces" / name, RankIndex(0)};
  constexpr std::string_view kCapture = "capture-";
  if (name.starts_with(kCapture)) {
    const std::size_t end = name.find('-', kCapture.size());
    const std::size_t rank = name.rfind("-rank");
    set.traces = test::captureFolder("torch-" + name.substr(kCapture.size(), end - kCapture.size())) /
                 name.substr(end + 1, rank - end - 1);
    set.rank = RankIndex(static_cast<std::size_t>(name.back() - '0'));
  }
  return set;
}

std::vector<std::string> setNames(std::string_view kind) {
  std::vector<std::string> names;
  if (fs::exists(oracles(kind))) {
    for (const fs::directory_entry& entry : fs::directory_iterator(oracles(kind))) {
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  if (names.empty()) names.emplace_back();
  return names;
}

std::shared_ptr<const Analysis> analysisOf(const OracleSet& set) {
  Progress progress;
  const auto loaded = loadTraces({set.traces.string()}, {}, progress);
  return loaded ? std::make_shared<const Analysis>(*loaded) : nullptr;
}

// As the figures were computed: frames as recorded, every launch that is missing under one name. Inductor's
// records of its kernels, which carry a stream like device rows, were left out there.
StackOptions plainOptions() {
  StackOptions options;
  options.frames.foldPlumbing = false;
  options.frames.stripAddresses = false;
  options.frames.inductorRecords = false;
  options.joinBackward = false;
  options.nameLaunches = false;
  return options;
}

// The row of a table in totals.csv.
std::map<std::string, std::string> totalsRow(const std::string& set, const std::string& table) {
  const peers::CsvTable totals = peers::readCsv(oracles("stacks") / set / "totals.csv");
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < totals.rows.size(); ++i) {
    if (totals.cell(i, "table") != table) continue;
    for (const std::string& column : totals.columns) row[column] = totals.cell(i, column);
  }
  return row;
}

void expectWhole(const OracleSet& set, const Analysis& analysis, StackWeight weight,
                 const std::string& table) {
  WeighedStacks stacks;
  stacks.weight = weight;
  RankStacks ofRank = rankStacks(analysis, set.rank, weight, plainOptions());
  stacks.sums = ofRank.sums(kAllTime);
  stacks.tree = std::move(ofRank.tree);
  auto expected = totalsRow(set.name, table);
  ExactSum total;
  std::int64_t events = 0;
  for (const StackSum& sum : stacks.sums) {
    total += sum.weight;
    events += sum.count;
  }
  EXPECT_EQ(std::to_string(std::int64_t{total}), expected["total"]) << table;
  EXPECT_EQ(std::to_string(events), expected["events"]) << table;
  std::string folded = foldedText(stacks);
  EXPECT_EQ(std::to_string(std::ranges::count(folded, '\n')), expected["stacks"]) << table;
  if (!folded.empty()) folded.pop_back(); // theirs has no line break at the end
  EXPECT_EQ(Sha256::of(folded), expected["sha256_of_folded"]) << table;
}

TimeNs unionOfThreads(const RankTrace& trace) {
  const CallNesting calls = callNesting(trace);
  TimeNs sum = 0;
  for (const NestedThread& thread : calls.threads) {
    std::vector<TimeRange> ranges;
    for (std::size_t i = thread.first; i < thread.end; ++i)
      ranges.push_back(trace.events.range(calls.calls[i]));
    sum += IntervalSet(std::move(ranges)).totalLength();
  }
  return sum;
}

std::int64_t total(const Analysis& analysis, RankIndex rank, StackWeight weight) {
  ExactSum sum;
  for (const StackSum& part : rankStacks(analysis, rank, weight).sums(stackWindow(analysis, rank, weight)))
    sum += part.weight;
  return sum;
}

// What each weight adds up to, of a whole recording or a part of it.
void expectIdentities(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const TimeRange window = analysis.window(rank).ns();
  const DeviceActivity& activity = analysis.activity(rank);
  TimeNs durations = 0;
  std::int64_t launches = 0;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (!window.contains(trace.events.begin[event])) continue;
    durations += trace.events.duration[event];
    launches += trace.deviceDetail(event).launch.valid() ? 1 : 0;
  }
  std::int64_t allocated = 0;
  std::int64_t net = 0;
  for (const MemoryEvent& memory : trace.memory) {
    if (!window.contains(memory.time)) continue;
    allocated += std::max<std::int64_t>(memory.bytes, 0);
    net += memory.bytes;
  }
  EXPECT_EQ(total(analysis, rank, StackWeight::Device), durations);
  EXPECT_EQ(total(analysis, rank, StackWeight::Launches), launches);
  EXPECT_EQ(total(analysis, rank, StackWeight::DeviceExclusive), activity.busy.totalLength());
  EXPECT_EQ(total(analysis, rank, StackWeight::Exposed), analysis.exposedCommunication(rank).totalLength());
  EXPECT_EQ(total(analysis, rank, StackWeight::Idle), activity.idle());
  EXPECT_EQ(total(analysis, rank, StackWeight::Bytes), allocated);
  EXPECT_EQ(total(analysis, rank, StackWeight::NetBytes), net);
}

class StackOracles : public testing::TestWithParam<std::string> {};
class ModuleOracles : public testing::TestWithParam<std::string> {};

} // namespace

namespace {

// Equal in sum, number and stacks.
void expectTorchLines(const OracleSet& set, const Analysis& analysis) {
  auto expected = totalsRow(set.name, "stacks_torch");
  if (expected.empty()) return; // no stacks were recorded
  const RankEntry& entry = analysis.trace().rank(set.rank);
  std::int64_t sum = 0;
  std::int64_t lines = 0;
  std::map<std::string, std::int64_t> stacks;
  for (const TorchStackLine& line : torchStackLines(entry, analysis.trace().names())) {
    if (isInductorRecord(analysis.trace().names()[entry.trace->events.name[line.event]])) continue;
    sum += line.microseconds;
    ++lines;
    stacks[line.stack] += line.microseconds;
  }
  EXPECT_EQ(std::to_string(stacks.size()), expected["stacks"]);
  EXPECT_EQ(std::to_string(sum), expected["total"]);
  EXPECT_EQ(std::to_string(lines), expected["events"]);
  std::map<std::vector<std::string>, const std::pair<const std::string, std::int64_t>*> sorted;
  for (const auto& stack : stacks) {
    std::vector<std::string> frames(1);
    for (const char c : stack.first) {
      if (c == ';')
        frames.emplace_back();
      else
        frames.back() += c;
    }
    sorted[std::move(frames)] = &stack;
  }
  std::string text;
  for (const auto& [frames, stack] : sorted) {
    if (!text.empty()) text += '\n';
    text += stack->first;
    text += ' ';
    text += std::to_string(stack->second);
  }
  EXPECT_EQ(Sha256::of(text), expected["sha256_of_folded"]);
}

} // namespace

TEST_P(StackOracles, equalWhatWasComputedPlainly) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const OracleSet set = setNamed(GetParam());
  const auto analysis = analysisOf(set);
  ASSERT_NE(analysis, nullptr) << set.traces;
  expectWhole(set, *analysis, StackWeight::HostSelf, "stacks_host");
  expectWhole(set, *analysis, StackWeight::Device, "stacks_device");

  const RankTrace& trace = *analysis->trace().rank(set.rank).trace;
  EXPECT_EQ(total(*analysis, set.rank, StackWeight::HostSelf), unionOfThreads(trace));
  expectIdentities(*analysis, set.rank);
  const TimeNs third = trace.extent.length() / 3;
  const RankRange middle = RankRange::of({trace.extent.begin + third, trace.extent.end - third});
  expectIdentities(Analysis(*analysis, {{set.rank}, {middle}}), set.rank);
  expectTorchLines(set, *analysis);
}

TEST_P(ModuleOracles, equalWhatWasComputedPlainly) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const OracleSet set = setNamed(GetParam());
  const auto analysis = analysisOf(set);
  ASSERT_NE(analysis, nullptr) << set.traces;
  const StringTable& names = analysis->trace().names();
  const ModuleTree tree = moduleTree(*analysis, set.rank, {.mergeRecomputation = false});
  std::map<std::string, const ModuleNode*> ours;
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) ours[tree.pathOf(i, names)] = &tree.nodes[i];
  const peers::CsvTable theirs = peers::readCsv(oracles("modules") / set.name / "modules.csv");
  EXPECT_EQ(ours.size(), theirs.rows.size());
  const auto ns = [](std::string_view text) { return nanosecondsFromMicroseconds(text).value_or(-1); };
  for (std::size_t row = 0; row < theirs.rows.size(); ++row) {
    const std::string path(theirs.cell(row, "path"));
    ASSERT_TRUE(ours.contains(path)) << path;
    const ModuleNode& node = *ours.at(path);
    EXPECT_EQ(std::to_string(node.calls), theirs.cell(row, "calls")) << path;
    EXPECT_EQ(std::int64_t{node.hostTotal}, ns(theirs.cell(row, "host_us"))) << path;
    EXPECT_EQ(std::int64_t{node.hostSelf}, ns(theirs.cell(row, "host_self_us"))) << path;
    EXPECT_EQ(std::int64_t{node.deviceTotal}, ns(theirs.cell(row, "device_us"))) << path;
    EXPECT_EQ(std::int64_t{node.deviceSelf}, ns(theirs.cell(row, "device_self_us"))) << path;
    EXPECT_EQ(std::to_string(node.deviceEvents), theirs.cell(row, "device_events")) << path;
    EXPECT_EQ(std::int64_t{node.backward}, ns(theirs.cell(row, "backward_device_us"))) << path;
    EXPECT_EQ(std::to_string(node.backwardFunctions), theirs.cell(row, "backward_functions")) << path;
  }

  // With recomputation at the paths of the forward calls too, everything on the device has one place.
  const ModuleTree merged = moduleTree(*analysis, set.rank);
  ExactSum placed = merged.noModule;
  for (const ModuleNode& node : merged.nodes) {
    placed += node.deviceSelf;
    if (node.parent != ModuleNode::kNone) continue;
    placed += node.backward;
    placed += node.recompute;
  }
  EXPECT_EQ(std::int64_t{placed}, total(*analysis, set.rank, StackWeight::Device));
  EXPECT_GE(modulesTable(*analysis).rowCount(), merged.nodes.empty() ? 0 : 1);
  EXPECT_GT(framesTable(*analysis).rowCount(), 0);
}

namespace {

// What all places of an instance took together, as TensorBoard's module view counts.
struct InstanceSum {
  std::int64_t calls = 0;
  ExactSum host, device;
  bool driver =
      false; // some of it was launched by a call of the driver, whose rows TensorBoard does not know
};

std::map<std::string, InstanceSum> instancesOf(const Analysis& analysis, RankIndex rank) {
  const StringTable& names = analysis.trace().names();
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const ModuleCalls modules = moduleCalls(analysis, rank, {.mergeRecomputation = false});
  std::map<std::string, InstanceSum> sums;
  for (const ModuleNode& node : modules.tree.nodes) {
    InstanceSum& sum = sums[std::string(moduleName(names[node.name]))];
    sum.calls += node.calls;
    sum.host += node.hostTotal;
    sum.device += node.deviceTotal;
  }
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const EventIndex launch = trace.deviceDetail(event).launch;
    if (!launch.valid() || !names[trace.events.name[launch]].starts_with("cuLaunch")) continue;
    for (std::uint32_t node = modules.of(launch).node; node != ModuleNode::kNone;
         node = modules.tree.nodes[node].parent)
      sums[std::string(moduleName(names[modules.tree.nodes[node].name]))].driver = true;
  }
  return sums;
}

} // namespace

// TensorBoard counts an instance over all its places, sees no module calls of autograd's threads, does not
// know calls of the driver, and links the other kernels by External id instead of by correlation: a few
// modules differ by that.
TEST_P(ModuleOracles, areThoseOfTensorBoardOrTheRuleSaysWhy) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  const OracleSet set = setNamed(GetParam());
  const auto analysis = analysisOf(set);
  ASSERT_NE(analysis, nullptr) << set.traces;
  const auto ours = instancesOf(*analysis, set.rank);
  const bool recomputes = set.name == "mi300-resnet-checkpoint";
  constexpr std::size_t kLinkedOtherwise = 6;
  std::size_t linkedOtherwise = 0;
  const auto near = [](std::int64_t ns, std::int64_t other, std::int64_t calls) {
    return std::abs(ns - other) <= 2 * std::max<std::int64_t>(1, calls);
  };
  const peers::CsvTable theirs = peers::readCsv(oracles("modules") / set.name / "tb_modules.csv");
  ASSERT_FALSE(theirs.rows.empty());
  std::map<std::string, bool> seen;
  for (std::size_t row = 0; row < theirs.rows.size(); ++row) {
    const std::string name(theirs.cell(row, "name"));
    if (std::exchange(seen[name], true)) continue;
    ASSERT_TRUE(ours.contains(name)) << name;
    const InstanceSum& sum = ours.at(name);
    const std::int64_t calls = std::stoll(std::string(theirs.cell(row, "occurrences")));
    const auto ns = [&](const char* column) {
      return nanosecondsFromMicroseconds(theirs.cell(row, column)).value_or(-1);
    };
    if (recomputes) {
      EXPECT_LE(calls, sum.calls) << name;
      continue;
    }
    EXPECT_EQ(calls, sum.calls) << name;
    EXPECT_TRUE(near(ns("host_us"), sum.host, calls)) << name;
    if (near(ns("device_us"), sum.device, calls)) continue;
    if (sum.driver) {
      EXPECT_LT(ns("device_us"), std::int64_t{sum.device}) << name;
    } else {
      ++linkedOtherwise;
    }
  }
  EXPECT_LE(linkedOtherwise, kLinkedOtherwise);
  EXPECT_TRUE(recomputes || seen.size() == ours.size());
}

INSTANTIATE_TEST_SUITE_P(Shared, StackOracles, testing::ValuesIn(setNames("stacks")),
                         [](const auto& set) { return test::testNameOf(set.param); });
INSTANTIATE_TEST_SUITE_P(Shared, ModuleOracles, testing::ValuesIn(setNames("modules")),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope
