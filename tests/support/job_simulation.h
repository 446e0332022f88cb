// SPDX-License-Identifier: GPL-3.0-or-later
// Simulates one rank of the synthetic job, segment by segment: host threads, streams, memory. Between
// segments, the sent collectives are resolved, because their end depends on the slowest rank: ready() returns
// when each could begin, complete() sets when it ran. Two simulations of a rank with the same plan are equal;
// without `record` only times are computed and no events stored. Times are nanoseconds since the start of the
// job, on the job's true clock.
#pragma once

#include "tests/support/job_plan.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope::test {

enum class EventKind : std::uint8_t {
  CpuOp,
  Annotation,
  CommunicationRecord,
  Python,
  FlowBegin,
  FlowEnd,
  Runtime,
  Kernel,
  Copy,
  Set,
  GpuAnnotation,
  Sync, // a row that says what a stream or the host waited for
  Memory
};

struct Event {
  std::int64_t begin = 0, end = 0;
  std::string_view name;
  std::int32_t number = -1; // appended to the name if not negative
  EventKind kind = EventKind::CpuOp;
  Row row = Row::Main;
  KernelId kernel = KernelId::Count;
  bool onHost = false;        // Memory: on the host instead of the device
  bool hasDeviceWork = false; // runtime call with a device event
  std::uint32_t external = 0, correlation = 0, index = 0;
  std::int32_t sequence = -1;
  std::int32_t collective = -1; // index in plan.collectives
  const OpInfo* op = nullptr;
  // Memory: bytes, address, allocated, reserved. Copy, Set: bytes. Runtime: cbid. Python: id, parent, module
  // id. Sync: row that was waited for, correlation of the recorded event, both -1 for the whole stream.
  std::array<std::int64_t, 4> values{};
};

struct Span {
  std::int64_t begin = 0, end = 0;
};

struct Stall {
  std::size_t request = 0; // index in options.gaps
  Span span;
};

class RankSimulation {
 public:
  RankSimulation(const JobPlan& plan, int rank, bool record);

  void beginCapture(int capture);
  void beginStep(int g);
  // Runs the segments `from` to `to` of the step, inclusive.
  void runSegments(int from, int to);
  // Earliest begin of a sent collective of the step, given a free stream.
  [[nodiscard]] std::int64_t ready(std::size_t collective) const { return m_issued[collective].ready; }
  void complete(std::size_t collective, Span span);

  [[nodiscard]] const std::vector<Event>& events() const { return m_events; }
  [[nodiscard]] const std::vector<Stall>& stalls() const { return m_stalls; }
  [[nodiscard]] std::int64_t captureBegin() const { return m_captureBegin; }
  // Lower bound of the begins of all later device events.
  [[nodiscard]] std::int64_t now() const { return m_now; }
  [[nodiscard]] std::int64_t deviceEnd() const;

 private:
  struct OpenAnnotation {
    std::uint32_t event = 0;
    Span kernels{0, 0};
    bool hasKernels = false;
  };
  struct Issued {
    std::uint32_t external = 0, correlation = 0;
    std::int64_t ready = 0;
  };
  struct Block {
    std::int64_t bytes = 0, address = 0;
  };

  std::int64_t ns(std::int64_t nominal) { return m_plan.quantize(m_random.around(nominal)); }
  std::uint32_t open(EventKind kind, std::string_view name, Row row, std::int32_t number = -1);
  void close(std::uint32_t event);
  void openPython(std::string_view name, std::int32_t number = -1, std::int64_t module = -1);
  void closePython();
  void openAnnotation(std::string_view name, std::int32_t number = -1);
  void closeAnnotation();
  std::uint32_t runtime(std::string_view name, std::int64_t cbid, std::int64_t duration, Row row,
                        bool deviceWork);
  void launch(KernelId kernel, Row thread, std::uint32_t external, std::int64_t extra,
              Row stream = Row::Compute);
  // What is launched on a stream after this waits for what was launched on another before.
  void streamWait(Row thread, Row stream, Row forStream);
  void syncRow(std::string_view name, Row row, std::int64_t begin, std::uint32_t correlation, Row forRow,
               std::int64_t recorded);
  [[nodiscard]] std::int64_t computed() const;
  void device(EventKind kind, std::string_view name, Row row, Span span, std::uint32_t external,
              std::uint32_t correlation, std::int64_t bytes);
  void flow(EventKind kind, std::int32_t sequence, Row row);
  Block allocate(std::int64_t bytes, Row row);
  void release(const Block& block, Row row);
  void memoryEvent(std::int64_t bytes, std::int64_t address, Row row);
  void hostMemoryEvent(std::int64_t bytes);
  std::int64_t slowdown(KernelId kernel) const;
  // tests/support/job_waste.cpp: work that need not be, where the options ask for it.
  [[nodiscard]] bool wastes(Waste waste) const;
  void launchIn(std::string_view op, KernelId kernel);
  void launchForward(KernelId kernel);
  void wasteInLayer();
  void wasteInForward();
  void wasteOnInput();
  void wasteOnZeros();
  void wasteBeforeOptimizer();
  void wasteOnBuffers();
  void beginObjects();
  void sendObjects();
  void endObjects();
  void stepParameters();
  // The host works on while the device has run out of work.
  void whileDrained(std::string_view op, std::string_view call, int calls, std::int64_t duration);
  // Of a kernel that works on the input, in proportion to its length.
  std::int64_t kernelTime(KernelId kernel);
  void syncStream(Row row, std::int64_t stall);
  void item(std::int64_t stall);
  template <class Body> void forGaps(GapCause cause, Body body);

  void runSegment(int segment);
  void load();
  void copyInput();
  void zeroGradients();
  void manyTinyKernels();
  void beginForward();
  void forwardLayer(int layer);
  void forwardOp(const OpInfo& op, int layer, int index);
  void stallsInForward();
  void lossPass();
  void backwardOps(std::span<const OpInfo> ops);
  void backwardOp(const OpInfo& op, std::int32_t sequence);
  void accumulate(const OpInfo& op);
  void endBackward();
  void send(std::size_t collective, Row thread);
  void recordSent(Row row, Row thread);
  void optimizer();
  void endStep();

  const JobPlan& m_plan;
  int m_rank;
  bool m_record;
  Random m_random;
  int m_step = 0;   // g
  int m_number = 0; // of ProfilerStep
  std::int64_t m_sequenceLength = kSequenceLength;
  std::int64_t m_now = 0;
  std::int64_t m_captureBegin = 0;
  std::array<std::int64_t, static_cast<std::size_t>(Row::Count)> m_free{}; // by stream: free from
  std::int64_t m_computeAfter = 0;          // earliest time of the next work on the compute stream
  std::int64_t m_secondAfter = 0;           // and on the second one
  std::uint32_t m_sentRecord = 0;           // correlation of the event behind the last collective
  Row m_sentRow = Row::Communication;       // its stream
  std::array<std::int64_t, 1024> m_queue{}; // ends of the last kernels, limits the launch queue to its length
  std::size_t m_queued = 0;
  std::uint32_t m_external = 0, m_correlation = 0, m_index = 0;
  std::int32_t m_sequence = 0;
  std::int64_t m_pythonId = 0;
  std::int64_t m_allocated = 0, m_reserved = 0, m_nextAddress = 0, m_hostAllocated = 0;
  std::vector<Event> m_events;
  std::vector<Stall> m_stalls;
  std::vector<std::uint32_t> m_python;
  std::vector<std::int64_t> m_pythonIds;
  std::vector<OpenAnnotation> m_annotations;
  std::vector<Issued> m_issued;
  std::size_t m_nextCollective = 0;
  std::size_t m_nextBackward = 0;        // one past the forward operator whose backward comes next
  std::vector<std::int32_t> m_sequences; // of the step's forward operators, in order
  std::vector<Block> m_activations;
  Block m_input, m_gradient;
};

} // namespace rankscope::test
