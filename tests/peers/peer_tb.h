// SPDX-License-Identifier: GPL-3.0-or-later
// The TensorBoard profiler plugin on one of our recordings, each place where it differs from our definitions
// a rule that can be switched. Stages as the plugin has them: events in order of time, nodes and what they
// launched, a tree per thread, steps, and then the tables. Times are microseconds of the file in doubles and
// are added in the plugin's order, so that sums lose what the plugin's lose.
#pragma once

#include "core/analysis/activity/host_activity.h"
#include "core/analysis/operators/operator_tree.h"
#include "core/analysis/steps/step_windows.h"
#include "tests/peers/figures.h"
#include "tests/peers/peer_file.h"
#include "tests/peers/peer_ranges.h"
#include "tests/peers/rule_set.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::peers {

enum class TbRule {
  OneStepOverOperators,      // when none is marked; ours is the whole recording
  GpuAnnotationsAreSteps,    // ProfilerStep#N on a device's row
  StarredStepsUnknown,       // ProfilerStep*, as a schedule names it that counts no steps
  StepOfEachThread,          // a step that several threads marked counts as often
  TailDropped,               // steps after the last with device work, and that one when it has little
  CommunicationByExternalId, // a kernel communicates when its External id is that of a named collective
  NamedCollectives,          // only five operations of NCCL and Gloo, by exact name
  GpuAnnotationsAreHost,     // annotations on a device's row count as CPU Exec
  DriverCallsUnknown,        // category cuda_driver is not read
  SlotsStartAgain,           // once all time is given to a category, the next starts from everything
  LinkedByExternalId,        // the first operator with a call's External id owns it
  CrossingDropped,           // what crosses its caller's end is left out with all it launched
  ModulesAreNodes,           // torch.nn modules lie in the tree between operators
  BackwardUnderModules,      // backward operators are hung under their module, or lost
  RepeatedNamesJoined,       // an operator whose only child has its name takes the child's place
  CallsLeaveSelfTime,        // runtime calls are no work of their operator's own
  ThreadsByNumberAlone,      // equal thread ids of two processes are one thread
  SomeOperatorsLeftOut,      // Optimizer.*, *DataParallel.forward
  TensorCoresByItsNames,     // its list of 18 parts of names
  UnknownWeighsZero,         // a kernel without the figure weighs as 0
  OtherDeviceTypesUnknown,   // memory of neither host nor CUDA
  CallsWhereRecordsLed,      // memory's calls: operators met on the way down to a record
  DoublesOfTheFile,          // times as doubles of the file's microseconds; ours lose nothing
  SpansAreNodes,             // of steps, loaders, optimizers and collectives lie in the tree
  CpuExecIsComputation,      // on a rank without kernels; ours are operators of the threads that train
  ProfilerRowsCount,         // rows of process -1, the profiler's own
  HalvesUnread,              // events written as a begin and an end
  HostSpansCommunicate,      // a collective's span on the host is communication beside its kernels
  Count
};

[[nodiscard]] std::string_view ruleText(TbRule rule);
using TbRules = RuleSet<TbRule>;

enum class TbType : std::uint8_t {
  Trace,
  Operator,
  ProfilerStep,
  Runtime,
  Kernel,
  Memcpy,
  Memset,
  Python,
  PythonFunction,
  Module,
  Annotation
};

struct TbEvent {
  const PeerEvent* peer = nullptr;
  TbType type = TbType::Operator;
  bool onDevice = false; // of an annotation
  double start = 0;
  double length = 0;
  std::optional<std::int64_t> externalId;
  std::optional<std::int64_t> correlation;

  [[nodiscard]] double ts() const { return start; }
  [[nodiscard]] double dur() const { return length; }
  [[nodiscard]] double end() const { return start + length; }
  [[nodiscard]] std::string_view name() const { return peer->name; }
};

struct TbEvents {
  std::vector<TbEvent> events;    // by time
  std::vector<PeerMemory> memory; // by time
  double profilerStart = 0;
  TimeNs zero = 0;        // wall time that times count from
  double microsecond = 1; // in the unit of all times here

  [[nodiscard]] double microseconds(double time) const { return time / microsecond; }
};

// Without DoublesOfTheFile times are whole nanoseconds since the recording's first event.
[[nodiscard]] TbEvents tbEvents(const PeerFile& file, TbRules rules);

// Id 0 and no id are two things to the plugin.
using TbId = std::optional<std::int64_t>;

struct TbDevice {
  std::size_t event = 0; // of TbEvents
  double start = 0;
  double end = 0;
  bool kernel = false;
  bool tensorCores = false;
};

struct TbCall {
  double start = 0;
  double end = 0;
  bool hasTime = true; // false for what stands for kernels without a call
  TbId externalId;
  std::vector<std::uint32_t> devices;
};

enum class TbKind : std::uint8_t { Root, Operator, Step, Module, DataLoader, Optimizer, Backward };

struct TbNode {
  TbKind kind = TbKind::Operator;
  TbType type = TbType::Operator;
  std::string_view name;
  double start = 0;
  double end = 0;
  bool hasTime = true; // false for the root of a thread without nodes
  std::string_view thread;
  TbId externalId;
  EventIndex event;
  std::vector<std::uint32_t> children;
  std::vector<std::uint32_t> calls;
  double deviceTotal = 0;
  double deviceSelf = 0;
  double hostSelf = 0;
  double tensorCoreSelf = 0;
  double tensorCoreTotal = 0;

  [[nodiscard]] double duration() const { return end - start; }
};

struct TbCollective {
  std::string_view name;
  double start = 0;
  double end = 0;
  std::string_view inputDims;
  std::string_view inputType;
  Ranges kernelRanges;
  Ranges realRanges;
  std::optional<std::string> step;
};

// A thread of the plugin: its number, in order of its first event.
struct TbThread {
  std::string key;
  std::uint32_t root = 0;
};

struct TbNodes {
  std::vector<TbNode> nodes;
  std::vector<TbCall> calls;
  std::vector<TbDevice> devices;
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> threads; // nodes by start
  std::map<std::string, std::vector<std::uint32_t>> callsWithoutOperator;  // External id 0, by thread
  std::vector<std::uint32_t> staleDevices;                                 // kernels without a call
  std::vector<std::uint32_t> allCalls;
  std::vector<std::pair<TbId, TbCollective>> collectives;
  bool nccl = false;
  bool gloo = false;

  [[nodiscard]] bool isCollectiveId(const TbId& id) const;
};

// What of ours the plugin's algorithm runs on where a rule of its own is taken away.
struct OurView {
  const OperatorTree* tree = nullptr;
  const StepWindows* steps = nullptr;
  HostActivity host;
};

[[nodiscard]] TbNodes tbNodes(const TbEvents& events, const PeerFile& file, const OperatorTree& tree,
                              TbRules rules);

// The trees of the threads, with their sums. Changes the nodes.
[[nodiscard]] std::vector<TbThread> tbTrees(TbNodes& nodes, const PeerFile& file, TbRules rules);
[[nodiscard]] bool isOperatorNode(const TbNode& node, TbRules rules);
// Operator nodes, children first, over all threads.
[[nodiscard]] std::vector<std::uint32_t> operatorNodes(const TbNodes& nodes,
                                                       std::span<const TbThread> threads, TbRules rules);

enum class TbRole : std::uint8_t { Kernel, Memcpy, Memset, Communication, Runtime, DataLoader, CpuExec };
inline constexpr std::size_t kTbRoleCount = static_cast<std::size_t>(TbRole::CpuExec) + 1;

struct TbSteps {
  std::array<Ranges, kTbRoleCount> roles; // unions
  Ranges deviceCommunication;             // without spans on the host
  Ranges hostCompute, hostCommunication;  // ours, of a rank without device events
  Ranges steps;
  std::vector<std::string> names;
  bool marked = true;
  std::optional<Range> gpuWindow; // where it is not that of the steps

  [[nodiscard]] const Ranges& role(TbRole r) const { return roles[static_cast<std::size_t>(r)]; }
  // From the first kept step to the last.
  [[nodiscard]] Range window() const { return {steps.front().first, steps.back().second}; }
};

[[nodiscard]] TbSteps tbSteps(const TbEvents& events, const TbNodes& nodes, const OurView& ours,
                              TbRules rules);
[[nodiscard]] bool isDataLoader(std::string_view name);
[[nodiscard]] bool isNamedCollective(std::string_view name);
[[nodiscard]] bool isCollectiveSpan(const PeerEvent& event, TbRules rules);

// The plugin's view of one file, made stage by stage when asked.
class TbProfile {
 public:
  // REQUIRES: what is passed outlives this.
  TbProfile(const PeerFile& file, const TbEvents& events, const OurView& ours, TbRules rules)
      : m_file(file), m_events(events), m_ours(ours), m_rules(rules) {}

  [[nodiscard]] const TbEvents& events() const { return m_events; }
  // Threads' trees make the nodes' sums: ask for them first where those matter.
  [[nodiscard]] const TbNodes& nodes() const;
  [[nodiscard]] std::span<const TbThread> threads() const;
  [[nodiscard]] const TbSteps& steps() const;
  [[nodiscard]] const PeerFile& file() const { return m_file; }
  [[nodiscard]] TbRules rules() const { return m_rules; }
  // In order of time, each with its step.
  [[nodiscard]] std::vector<TbCollective> collectives() const;

 private:
  const PeerFile& m_file;
  const TbEvents& m_events;
  const OurView& m_ours;
  TbRules m_rules;
  mutable std::optional<TbNodes> m_nodes;
  mutable std::optional<std::vector<TbThread>> m_threads;
  mutable std::optional<TbSteps> m_steps;
};

// Figures of one profile; row names begin with the worker.
void addTbSteps(const TbProfile& profile, const std::string& worker, Figures& to);
void addTbGpu(const TbProfile& profile, const std::string& worker, Figures& to);
void addTbKernels(const TbProfile& profile, const std::string& worker, Figures& to);
void addTbOperators(const TbProfile& profile, const std::string& worker, Figures& to);
void addTbMemory(const TbProfile& profile, const std::string& worker, Figures& to);

struct TbWorker {
  std::string name;
  const TbProfile* profile = nullptr;
};

struct TbDistributed {
  Figures overlap, wait, operations;
};
// Of the workers of one span; empty where the plugin shows no such tab.
[[nodiscard]] TbDistributed tbDistributed(std::span<const TbWorker> workers);

} // namespace rankscope::peers
