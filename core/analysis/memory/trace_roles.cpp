// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/trace_roles.h"

#include "core/base/exact_sum.h"
#include "core/model/row_sweep.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace rankscope {

namespace {

constexpr TimeNs kBackwardGap = 5'000'000; // evaluate_function events closer than this are one backward pass
constexpr std::string_view kEngine = "autograd::engine::";
constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";

bool nameHas(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Operators that make a tensor from nothing or from another place.
bool makesInput(std::string_view name) {
  static constexpr std::array<std::string_view, 19> kNames{
      "aten::to",     "aten::_to_copy",   "aten::randint",     "aten::rand",      "aten::randn",
      "aten::arange", "aten::tensor",     "aten::empty",       "aten::stack",     "aten::cat",
      "aten::zeros",  "aten::ones",       "aten::full",        "aten::normal",    "aten::randperm",
      "aten::copy_",  "aten::lift_fresh", "aten::_pin_memory", "aten::pin_memory"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool multipliesMatrices(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames{
      "aten::mm",     "aten::addmm",  "aten::bmm",   "aten::baddbmm",
      "aten::linear", "aten::matmul", "aten::addmv", "aten::_addmm_activation"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// What of an event's name matters; found once per name.
enum NameTrait : std::uint16_t {
  kIsEngine = 1,
  kIsEvaluate = 2,
  kIsAccumulate = 4,
  kIsOptimizer = 8,
  kIsModule = 16,
  kIsLoader = 32,
  kIsInput = 64,
  kIsWrapper = 128,
  kIsProduct = 256, // of matrices
  kIsRebuild = 512, // of the buckets of DDP
};

std::uint16_t traitsOf(std::string_view name) {
  std::uint16_t traits = 0;
  if (name.starts_with(kEngine)) traits |= kIsEngine;
  if (name.starts_with(kEvaluate)) {
    traits |= kIsEvaluate;
    if (nameHas(name, "AccumulateGrad")) traits |= kIsAccumulate;
  }
  if (name.starts_with(kOptimizerStep)) traits |= kIsOptimizer;
  if (name.starts_with("nn.Module: ")) traits |= kIsModule;
  if (nameHas(name, "DataLoader") || nameHas(name, "pin_memory")) traits |= kIsLoader;
  if (makesInput(name)) traits |= kIsInput;
  if (multipliesMatrices(name)) traits |= kIsProduct;
  if (nameHas(name, "_rebuild_buckets")) traits |= kIsRebuild;
  if (name.starts_with("DistributedDataParallel.")) traits |= kIsWrapper;
  return traits;
}

// What encloses an event, and the event itself.
struct Chain {
  EventIndex leaf;      // outermost operator that is not autograd's
  EventIndex optimizer; // outermost step of an optimizer
  std::uint16_t traits = 0;
};

class Chains {
 public:
  Chains(const RankTrace& trace, const StringTable& names) : m_trace(trace), m_names(names) {}

  [[nodiscard]] std::uint16_t traits(EventIndex event) {
    const NameId name = m_trace.events.name[event];
    if (!name.valid()) return 0;
    const auto [known, isNew] = m_traits.try_emplace(name.value, std::uint16_t{0});
    if (isNew) known->second = traitsOf(m_names[name]);
    return known->second;
  }

  // Of all tracks of the thread together.
  Chain of(const std::array<EventIndex, 3>& events) {
    Chain all;
    for (const EventIndex event : events) {
      const Chain chain = of(event);
      if (!all.leaf.valid()) all.leaf = chain.leaf;
      if (!all.optimizer.valid()) all.optimizer = chain.optimizer;
      all.traits |= chain.traits;
    }
    return all;
  }

 private:
  // Of an invalid event: nothing.
  Chain of(EventIndex event) {
    std::vector<EventIndex> path;
    Chain chain;
    for (EventIndex at = event; at.valid(); at = m_trace.parentOf(at)) {
      if (const auto known = m_chains.find(at.value); known != m_chains.end()) {
        chain = known->second;
        break;
      }
      path.push_back(at);
    }
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      extend(chain, *at);
      m_chains.emplace(at->value, chain);
    }
    return chain;
  }

  void extend(Chain& chain, EventIndex event) {
    const std::uint16_t own = traits(event);
    const EventKind kind = m_trace.events.kind[event];
    if (!chain.leaf.valid() && kind == EventKind::CpuOp &&
        (own & (kIsEngine | kIsOptimizer | kIsWrapper)) == 0)
      chain.leaf = event;
    if (!chain.optimizer.valid() && (own & kIsOptimizer) != 0) chain.optimizer = event;
    // Whether the leaf makes an input is asked of the leaf alone.
    chain.traits |= static_cast<std::uint16_t>(own & ~kIsInput);
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  std::unordered_map<std::uint32_t, std::uint16_t> m_traits; // by name
  std::unordered_map<std::uint32_t, Chain> m_chains;         // by event
};

// A thread has a track each for annotations, operators and Python.
constexpr std::array kHostTracks{TrackKind::Annotations, TrackKind::Thread, TrackKind::Python};
using HostEvents = std::array<EventIndex, kHostTracks.size()>;
constexpr std::size_t kThreadTrack = 1; // of operators
constexpr std::size_t kPythonTrack = 2;

// CUBLAS_WORKSPACE_CONFIG of PyTorch: ":4096:2:16:8", and ":4096:8" from Hopper on.
constexpr std::int64_t kKibibyte = 1024;
constexpr std::array<std::int64_t, 2> kWorkspaceBytes{kKibibyte * (4096 * 2 + 16 * 8), kKibibyte * 4096 * 8};

// The innermost events of its thread at each record.
std::vector<HostEvents> innermostEvents(const RankTrace& trace) {
  using ThreadId = std::pair<std::string_view, std::string_view>;
  std::vector<HostEvents> found(trace.memory.size());
  std::map<ThreadId, std::vector<std::uint32_t>> byThread;
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    const Track& track = trace.tracks[trace.trackOf(trace.memory[i].event).value];
    byThread[{track.process, track.thread}].push_back(i);
  }
  for (const Track& thread : trace.tracks) {
    const auto kind = std::ranges::find(kHostTracks, thread.kind);
    if (kind == kHostTracks.end()) continue;
    const auto records = byThread.find({thread.process, thread.thread});
    if (records == byThread.end()) continue;
    RowSweep sweep(trace, thread);
    for (const std::uint32_t record : records->second) {
      const TimeNs time = trace.memory[record].time;
      sweep.advance(time, [&](EventIndex event) { return trace.events.kind[event] != EventKind::Instant; });
      found[record][static_cast<std::size_t>(kind - kHostTracks.begin())] =
          sweep.lowestUntil(sweep.rowCount(), time + 1);
    }
  }
  return found;
}

// Passes of all threads together: the engine has its own. A step of the optimizer ends one.
std::vector<TimeRange> backwardPasses(const RankTrace& trace, Chains& chains,
                                      std::vector<TimeRange>& optimizerSteps) {
  std::vector<TimeRange> parts;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread && track.kind != TrackKind::Annotations) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const std::uint16_t traits = chains.traits(event);
      if ((traits & kIsEvaluate) != 0) parts.push_back(trace.events.range(event));
      if ((traits & kIsOptimizer) != 0) optimizerSteps.push_back(trace.events.range(event));
    }
  }
  const auto byBegin = [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; };
  std::ranges::sort(parts, byBegin);
  std::ranges::sort(optimizerSteps, byBegin);
  std::vector<TimeRange> passes;
  for (const TimeRange& part : parts) {
    bool joins = !passes.empty() && part.begin - passes.back().end < kBackwardGap;
    if (joins && part.begin > passes.back().end) {
      const auto step = std::ranges::lower_bound(optimizerSteps, passes.back().end, {}, &TimeRange::begin);
      joins = step == optimizerSteps.end() || step->begin > part.begin;
    }
    if (joins)
      passes.back().end = std::max(passes.back().end, part.end);
    else
      passes.push_back(part);
  }
  return passes;
}

class RoleFinder {
 public:
  RoleFinder(const RankTrace& trace, const StringTable& names)
      : m_trace(trace), m_names(names), m_chains(trace, names) {}

  MemoryRoles run(const MemoryBlocks& blocks) {
    MemoryRoles roles;
    m_innermost = innermostEvents(m_trace);
    std::vector<TimeRange> steps;
    roles.backwards = backwardPasses(m_trace, m_chains, steps);
    m_backwards = &roles.backwards;
    roles.blocks.reserve(blocks.blocks.size());
    for (const MemoryBlock& block : blocks.blocks) {
      roles.blocks.push_back(roleOf(block));
      if (isWorkspace(block)) roles.blocks.back().use = BlockUse::CublasWorkspace;
    }
    nameOptimizer(roles);
    return roles;
  }

  [[nodiscard]] bool accumulates() const { return m_accumulates; }

 private:
  [[nodiscard]] TimeNs endOf(EventIndex event) const { return m_trace.events.range(event).end; }

  // The end of the backward pass that contains t; of none: t.
  [[nodiscard]] TimeNs backwardEnd(TimeNs t) const {
    const auto after = std::ranges::upper_bound(*m_backwards, t, {}, &TimeRange::begin);
    if (after == m_backwards->begin()) return t;
    return std::max(t, std::prev(after)->end);
  }
  [[nodiscard]] bool inBackward(TimeNs t) const {
    const auto after = std::ranges::upper_bound(*m_backwards, t, {}, &TimeRange::begin);
    return after != m_backwards->begin() && t < std::prev(after)->end;
  }

  BlockRole roleOf(const MemoryBlock& block) {
    if (block.allocation == MemoryBlock::kNoRecord)
      return {MemoryRole::BeforeRecording, RoleConfidence::Certain};
    const Chain chain = m_chains.of(m_innermost[block.allocation]);
    const TimeNs freed = block.life.end;
    const bool backward = (chain.traits & kIsEvaluate) != 0;
    if (!backward && chain.leaf.valid() && freed <= endOf(chain.leaf))
      return {MemoryRole::Temporary, RoleConfidence::High};
    if (chain.optimizer.valid())
      return {freed > endOf(chain.optimizer) ? MemoryRole::OptimizerState : MemoryRole::Temporary,
              RoleConfidence::High};
    if (backward) {
      const bool accumulates = (chain.traits & kIsAccumulate) != 0;
      const bool outlives = freed > backwardEnd(block.life.begin);
      if (accumulates || outlives) return {MemoryRole::Gradient, RoleConfidence::High};
      return {MemoryRole::AutogradDetail, RoleConfidence::High};
    }
    if (isBucket(block, chain)) return {MemoryRole::Gradient, RoleConfidence::High, BlockUse::DdpBucket};
    const bool made = chain.leaf.valid() && (m_chains.traits(chain.leaf) & kIsInput) != 0 &&
                      (chain.traits & kIsModule) == 0;
    if (made || (chain.traits & kIsLoader) != 0) return {MemoryRole::Input, RoleConfidence::Medium};
    return {MemoryRole::Activation, inBackward(freed) ? RoleConfidence::Certain : RoleConfidence::Medium};
  }

  // DDP allocates its buckets again in the second forward pass, before it calls the module, and keeps them.
  // Without Python frames: tensors that its forward pass allocates and that are never freed.
  bool isBucket(const MemoryBlock& block, const Chain& chain) {
    if ((chain.traits & kIsWrapper) == 0) return false;
    if ((chain.traits & kIsRebuild) != 0) return true;
    const bool frames = m_innermost[block.allocation][kPythonTrack].valid();
    return !frames && block.life.end == kAllTime.end && chain.leaf.valid() &&
           m_names[m_trace.events.name[chain.leaf]] == "aten::empty";
  }

  // PyTorch allocates a workspace of a known size when a stream first multiplies matrices, after the result
  // and within the same operator, and keeps it. REQUIRES: called by begin of lifetime.
  bool isWorkspace(const MemoryBlock& block) {
    if (block.allocation == MemoryBlock::kNoRecord || block.device.onHost) return false;
    const EventIndex event = m_innermost[block.allocation][kThreadTrack];
    const bool second = event.valid() && m_products.contains(event.value);
    for (EventIndex at = event; at.valid(); at = m_trace.parentOf(at))
      if ((m_chains.traits(at) & kIsProduct) != 0) m_products.insert(at.value);
    return second && block.life.end == kAllTime.end &&
           std::ranges::find(kWorkspaceBytes, block.bytes) != kWorkspaceBytes.end();
  }

  // "Optimizer.step#Adam.step": the first one; and whether the model is sharded.
  void nameOptimizer(MemoryRoles& roles) {
    for (std::size_t i = 0; i < m_trace.events.name.size(); ++i) {
      const NameId name = m_trace.events.name[EventIndex(i)];
      if (!name.valid() || !m_seen.try_emplace(name.value, true).second) continue;
      const std::string_view text = m_names[name];
      if (roles.optimizer.empty() && text.starts_with(kOptimizerStep)) {
        const std::string_view rest = text.substr(kOptimizerStep.size());
        roles.optimizer = rest.substr(0, rest.find('.'));
      }
      if (text.starts_with("FSDP::") || text.starts_with("FullyShardedDataParallel")) roles.sharded = true;
      if (text.starts_with("DistributedDataParallel.")) roles.ddp = true;
      if (text.starts_with(kEvaluate) && nameHas(text, "AccumulateGrad")) m_accumulates = true;
    }
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  Chains m_chains;
  std::vector<HostEvents> m_innermost;
  std::unordered_set<std::uint32_t> m_products; // products of matrices that allocated something
  const std::vector<TimeRange>* m_backwards = nullptr;
  std::unordered_map<std::uint32_t, bool> m_seen; // names
  bool m_accumulates = false;
};

std::size_t indexOf(MemoryRole role) {
  return static_cast<std::size_t>(role);
}

// What was allocated before the first record of a device: the recorded total less the record itself. The host
// counts from the start of profiling, so that only later frees tell.
std::int64_t allocatedBefore(const RankTrace& trace, MemoryDevice device, std::int64_t freedLater) {
  for (const MemoryEvent& record : trace.memory) {
    if (MemoryDevice::of(record) != device || record.totalAllocated < 0) continue;
    if (device.onHost) break;
    ExactSum before(record.totalAllocated);
    before -= record.bytes;
    return std::max<std::int64_t>(before, freedLater);
  }
  return freedLater;
}

std::vector<MemoryDevice> devicesOf(const MemoryBlocks& blocks) {
  std::vector<MemoryDevice> devices;
  for (const MemoryBlock& block : blocks.blocks) {
    if (std::ranges::find(devices, block.device) == devices.end()) devices.push_back(block.device);
  }
  std::ranges::sort(devices); // the host is last: onHost = false sorts first
  return devices;
}

void collectChanges(const MemoryBlocks& blocks, const std::vector<BlockRole>& roles, DeviceRoles& to) {
  for (std::size_t i = 0; i < blocks.blocks.size(); ++i) {
    const MemoryBlock& block = blocks.blocks[i];
    if (block.device != to.device) continue;
    if (block.allocation != MemoryBlock::kNoRecord)
      to.changes.push_back({block.life.begin, block.bytes, roles[i].role});
    if (block.life.end != kAllTime.end) to.changes.push_back({block.life.end, -block.bytes, roles[i].role});
  }
  std::ranges::stable_sort(to.changes, {}, &RoleChange::time);
}

// Largest, mean, peak and end within a window.
class RoleFigures {
 public:
  RoleFigures(DeviceRoles& to, TimeRange window) : m_to(to), m_window(window) {
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) m_level[r] = to.start[r];
  }

  void run() {
    if (m_to.changes.empty()) return;
    m_to.extent = {m_to.changes.front().time, m_to.changes.back().time};
    const TimeRange range{std::max(m_to.extent.begin, m_window.begin),
                          std::min(m_to.extent.end, m_window.end)};
    std::array<double, kMemoryRoleCount> byteTime{};
    TimeNs at = range.begin;
    std::size_t i = 0;
    while (i < m_to.changes.size() && m_to.changes[i].time < range.begin) apply(m_to.changes[i++]);
    take(range.begin);
    while (i < m_to.changes.size() && m_to.changes[i].time <= range.end) {
      const TimeNs time = m_to.changes[i].time;
      for (std::size_t r = 0; r < kMemoryRoleCount; ++r)
        byteTime[r] += static_cast<double>(std::int64_t{m_level[r]}) * static_cast<double>(time - at);
      at = time;
      while (i < m_to.changes.size() && m_to.changes[i].time == time) apply(m_to.changes[i++]);
      take(time);
    }
    m_to.end = level();
    const double length = static_cast<double>(at - range.begin);
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r)
      m_to.mean[r] = length > 0 ? static_cast<std::int64_t>(byteTime[r] / length) : m_to.end[r];
  }

 private:
  void apply(const RoleChange& change) { m_level[indexOf(change.role)] += change.bytes; }
  [[nodiscard]] RoleBytes level() const {
    RoleBytes bytes{};
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) bytes[r] = std::max<std::int64_t>(m_level[r], 0);
    return bytes;
  }
  void take(TimeNs time) {
    const RoleBytes now = level();
    ExactSum sum;
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
      m_to.largest[r] = std::max(m_to.largest[r], now[r]);
      sum += now[r];
    }
    if (m_any && std::int64_t{sum} <= m_peak) return;
    m_any = true;
    m_peak = sum;
    m_to.peakTime = time;
    m_to.atPeak = now;
  }

  DeviceRoles& m_to;
  TimeRange m_window;
  std::array<ExactSum, kMemoryRoleCount> m_level{};
  std::int64_t m_peak = 0;
  bool m_any = false;
};

void takeConfidence(const MemoryBlocks& blocks, const std::vector<BlockRole>& roles, DeviceRoles& to) {
  std::array<std::array<ExactSum, 4>, kMemoryRoleCount> sums{};
  for (std::size_t i = 0; i < blocks.blocks.size(); ++i) {
    if (blocks.blocks[i].device != to.device) continue;
    sums[indexOf(roles[i].role)][static_cast<std::size_t>(roles[i].confidence)] += blocks.blocks[i].bytes;
  }
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
    const auto most = std::ranges::max_element(
        sums[r], [](const ExactSum& a, const ExactSum& b) { return std::int64_t{a} < std::int64_t{b}; });
    to.confidence[r] = static_cast<RoleConfidence>(most - sums[r].begin());
  }
}

// Bytes of optimizer state per byte of fp32 parameters.
int stateCopies(std::string_view optimizer) {
  if (nameHas(optimizer, "Adam") || nameHas(optimizer, "LAMB") || nameHas(optimizer, "Lamb")) return 2;
  if (optimizer == "Lion" || optimizer == "Muon" || optimizer == "RMSprop" || optimizer == "Adagrad")
    return 1;
  return 0;
}

// Changes of gradients by the use of their blocks, by time.
std::vector<RoleChange> changesOfUse(const MemoryBlocks& blocks, const MemoryRoles& roles,
                                     MemoryDevice device, BlockUse use) {
  std::vector<RoleChange> found;
  for (std::size_t i = 0; i < blocks.blocks.size(); ++i) {
    const MemoryBlock& block = blocks.blocks[i];
    const BlockRole& of = roles.blocks[i];
    if (of.use != use || of.role != MemoryRole::Gradient || block.device != device) continue;
    found.push_back({block.life.begin, block.bytes, of.role});
    if (block.life.end != kAllTime.end) found.push_back({block.life.end, -block.bytes, of.role});
  }
  std::ranges::stable_sort(found, {}, &RoleChange::time);
  return found;
}

void takeGradients(const MemoryBlocks& blocks, const MemoryRoles& roles, DeviceRoles& to) {
  const auto own = changesOfUse(blocks, roles, to.device, BlockUse::AsRole);
  const auto buckets = changesOfUse(blocks, roles, to.device, BlockUse::DdpBucket);
  ExactSum ownLevel;
  ExactSum bucketLevel;
  std::size_t o = 0;
  std::size_t b = 0;
  for (const TimeRange& pass : roles.backwards) {
    for (; o < own.size() && own[o].time <= pass.end; ++o) ownLevel += own[o].bytes;
    for (; b < buckets.size() && buckets[b].time <= pass.end; ++b) bucketLevel += buckets[b].bytes;
    to.gradientsAfterBackward = std::max<std::int64_t>(to.gradientsAfterBackward, ownLevel);
    to.bucketCopies = std::max<std::int64_t>(to.bucketCopies, bucketLevel);
  }
  // With gradient_as_bucket_view they are no copies.
  if (to.gradientsAfterBackward == 0) std::swap(to.gradientsAfterBackward, to.bucketCopies);
}

// freed: of what was there before.
void estimateBefore(const MemoryBlocks& blocks, const MemoryRoles& roles, bool accumulates,
                    std::int64_t freed, DeviceRoles& to) {
  takeGradients(blocks, roles, to);
  const std::int64_t before = to.start[indexOf(MemoryRole::BeforeRecording)];
  to.gradientsBefore = accumulates && to.gradientsAfterBackward == 0 && before > 0;
  // What is freed while recording is no parameter.
  const std::int64_t kept = std::max<std::int64_t>(before - freed, 0);
  to.parametersBefore = std::min(kept, to.gradientsAfterBackward);
  const bool allocatesState = to.largest[indexOf(MemoryRole::OptimizerState)] > 0;
  if (allocatesState) return;
  const std::int64_t copies = stateCopies(roles.optimizer);
  if (to.parametersBefore <= (INT64_MAX >> 2))
    to.optimizerBefore = std::min(kept - to.parametersBefore, copies * to.parametersBefore);
}

} // namespace

RoleBytes DeviceRoles::at(TimeNs time) const {
  std::array<ExactSum, kMemoryRoleCount> level{};
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) level[r] = start[r];
  for (const RoleChange& change : changes) {
    if (change.time > time) break;
    level[static_cast<std::size_t>(change.role)] += change.bytes;
  }
  RoleBytes bytes{};
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) bytes[r] = std::max<std::int64_t>(level[r], 0);
  return bytes;
}

MemoryRoles memoryRoles(const RankTrace& trace, const StringTable& names, const MemoryBlocks& blocks,
                        TimeRange window) {
  RoleFinder finder(trace, names);
  MemoryRoles roles = finder.run(blocks);
  for (const MemoryDevice device : devicesOf(blocks)) {
    DeviceRoles& to = roles.devices.emplace_back();
    to.device = device;
    ExactSum freedLater;
    ExactSum withoutFree;
    for (const MemoryBlock& block : blocks.blocks) {
      if (block.device != device) continue;
      if (block.allocation == MemoryBlock::kNoRecord) freedLater += block.bytes;
      if (block.release != MemoryBlock::kNoRecord || block.life.end == kAllTime.end) continue;
      ++to.blocksWithoutFree;
      withoutFree += block.bytes;
    }
    to.bytesWithoutFree = withoutFree;
    to.start[indexOf(MemoryRole::BeforeRecording)] = allocatedBefore(trace, device, freedLater);
    collectChanges(blocks, roles.blocks, to);
    RoleFigures(to, window).run();
    takeConfidence(blocks, roles.blocks, to);
    estimateBefore(blocks, roles, finder.accumulates(), freedLater, to);
  }
  return roles;
}

} // namespace rankscope
