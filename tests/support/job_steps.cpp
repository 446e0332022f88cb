// SPDX-License-Identifier: GPL-3.0-or-later
//
// Simulates a step of a rank, from the DataLoader to the optimizer.
#include "tests/support/job_simulation.h"

#include <algorithm>

namespace rankscope::test {
namespace {

constexpr std::uint32_t kRecordsOfSent = 0x4000'0000U; // correlations beyond all others

} // namespace

template <class Body> void RankSimulation::forGaps(GapCause cause, Body body) {
  const auto& gaps = m_plan.options.gaps;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const GapRequest& gap = gaps[i];
    if (gap.cause != cause || (gap.rank >= 0 && gap.rank != m_rank) || (gap.step >= 0 && gap.step != m_step))
      continue;
    const std::int64_t begin = body(m_plan.quantize(gap.durationNs));
    m_stalls.push_back({i, {begin, m_now}});
  }
}

void RankSimulation::beginCapture(int capture) {
  if (capture > 0) m_now = std::max(m_now, deviceEnd()) + ns(350'000'000);
  m_captureBegin = m_now - m_plan.quantize(60'000);
  m_external = m_index = 0;
  m_sequence = 20;
}

void RankSimulation::beginStep(int g) {
  m_events.clear();
  m_stalls.clear();
  m_sequences.clear();
  m_step = g;
  m_number = m_plan.stepNumber(g);
  m_sequenceLength = m_plan.sequenceLength(g, m_rank);
  m_nextCollective = 0;
}

void RankSimulation::runSegments(int from, int to) {
  const auto sendAll = [&](int segment, bool before) {
    for (; m_nextCollective < m_plan.collectives.size(); ++m_nextCollective) {
      const CollectivePlan& c = m_plan.collectives[m_nextCollective];
      if (c.segment != segment || c.before != before) break;
      send(m_nextCollective, segment > m_plan.lossSegment() && !c.onMain ? Row::Autograd : Row::Main);
    }
  };
  for (int segment = from; segment <= to; ++segment) {
    sendAll(segment, true);
    runSegment(segment);
    sendAll(segment, false);
  }
}

void RankSimulation::runSegment(int segment) {
  if (segment == 0) {
    openPython("train.py(118): train_step");
    if (m_plan.options.withProfilerSteps) openAnnotation("ProfilerStep#", m_number);
    load();
    copyInput();
    wasteOnInput();
    zeroGradients();
    manyTinyKernels();
    beginForward();
  } else if (segment < m_plan.lossSegment()) {
    forwardLayer(segment - 1);
  } else if (segment == m_plan.lossSegment()) {
    lossPass();
  } else if (segment < m_plan.tailSegment()) {
    backwardOps(layerOps());
    if (segment == m_plan.tailSegment() - 1) beginObjects();
  } else if (segment == m_plan.tailSegment()) {
    m_now += ns(3'000);
    sendObjects();
  } else {
    if (!m_plan.streams.objects) endBackward();
    endObjects();
    optimizer();
    endStep();
  }
}

void RankSimulation::endStep() {
  if (m_plan.options.syncEachStep) item(0);
  if (m_plan.options.withProfilerSteps) closeAnnotation();
  closePython();
  m_now += ns(9'000);
}

void RankSimulation::load() {
  const JobOptions& o = m_plan.options;
  openPython("torch/utils/data/dataloader.py(701): __next__");
  openAnnotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  m_now += ns(o.loaderNs);
  const Straggler& s = o.straggler;
  if (s.rank == m_rank && s.kind == StragglerKind::DataLoader && m_step >= s.fromStep)
    m_now += m_plan.quantize(s.extraNs);
  forGaps(GapCause::DataLoader, [&](std::int64_t duration) {
    const std::int64_t begin = m_now;
    m_now += duration;
    return begin;
  });
  for (const std::string_view name : {"aten::stack", "aten::to", "aten::cat"}) {
    const std::uint32_t e = open(EventKind::CpuOp, name, Row::Main);
    m_now += ns(6'000);
    if (name == "aten::stack") hostMemoryEvent(o.inputBytes);
    close(e);
  }
  closeAnnotation();
  closePython();
}

void RankSimulation::copyInput() {
  const JobOptions& o = m_plan.options;
  m_input = allocate(o.inputBytes, Row::Main);
  std::array<std::uint32_t, 3> ops{};
  std::size_t depth = 0;
  for (const std::string_view name : {"aten::to", "aten::_to_copy", "aten::copy_"}) {
    ops[depth++] = open(EventKind::CpuOp, name, Row::Main);
    m_now += ns(2'000);
  }
  // Pinned memory is copied at about 25 GB/s asynchronously; pageable memory at 6 GB/s while the host waits.
  const std::int64_t duration = ns(o.inputBytes / (o.pinnedCopies ? 25 : 6) + 1'200);
  const std::int64_t ready = m_now + ns(6'500);
  const std::int64_t begin = std::max(ready, m_free[at(Row::Copies)]);
  const std::int64_t call = o.pinnedCopies ? ns(7'000) : begin + duration + ns(3'000) - m_now;
  const std::uint32_t correlation = runtime("cudaMemcpyAsync", 41, call, Row::Main, true);
  device(EventKind::Copy,
         o.pinnedCopies ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD (Pageable -> Device)", Row::Copies,
         {begin, begin + duration}, m_external, correlation, o.inputBytes);
  if (!o.pinnedCopies) runtime("cudaStreamSynchronize", 131, ns(2'500), Row::Main, false);
  while (depth > 0) close(ops[--depth]);
  const std::uint32_t record = runtime("cudaEventRecord", 135, ns(1'300), Row::Main, false);
  const std::int64_t awaits = m_now;
  const std::uint32_t wait = runtime("cudaStreamWaitEvent", 147, ns(1'100), Row::Main, false);
  syncRow("Stream Wait Event", Row::Compute, awaits, wait, Row::Copies, record);
  m_computeAfter = std::max(m_computeAfter, m_free[at(Row::Copies)]);
}

void RankSimulation::zeroGradients() {
  openPython("torch/optim/optimizer.py(935): zero_grad");
  openAnnotation("Optimizer.zero_grad#AdamW.zero_grad");
  const std::uint32_t op = open(EventKind::CpuOp, "aten::zero_", Row::Main);
  m_now += ns(2'500);
  const std::int64_t bytes = std::int64_t{4096} * 512;
  const std::uint32_t correlation = runtime("cudaMemsetAsync", 51, ns(4'500), Row::Main, true);
  const std::int64_t begin = std::max({m_now + ns(1'800), m_free[at(Row::Compute)], m_computeAfter});
  device(EventKind::Set, "Memset (Device)", Row::Compute, {begin, begin + ns(1'700)}, m_external, correlation,
         bytes);
  close(op);
  wasteOnZeros();
  closeAnnotation();
  closePython();
}

void RankSimulation::manyTinyKernels() {
  forGaps(GapCause::LaunchBound, [&](std::int64_t duration) {
    const std::int64_t begin = m_now;
    while (m_now < begin + duration) {
      const std::uint32_t op = open(EventKind::CpuOp, "aten::add_", Row::Main);
      m_now += ns(14'000);
      launch(KernelId::Tiny, Row::Main, m_external, 0);
      close(op);
    }
    return begin;
  });
}

void RankSimulation::syncStream(Row row, std::int64_t stall) {
  const std::int64_t until = std::max(m_now, m_free[at(Row::Compute)]) + stall + ns(4'000);
  const std::int64_t begin = m_now;
  const std::uint32_t call = runtime("cudaStreamSynchronize", 131, until - m_now, row, false);
  syncRow("Stream Sync", Row::Compute, begin, call, Row::Compute, -1);
}

void RankSimulation::item(std::int64_t stall) {
  const std::uint32_t outer = open(EventKind::CpuOp, "aten::item", Row::Main);
  m_now += ns(1'200);
  const std::uint32_t inner = open(EventKind::CpuOp, "aten::_local_scalar_dense", Row::Main);
  m_now += ns(1'800);
  const std::uint32_t correlation = runtime("cudaMemcpyAsync", 41, ns(6'000), Row::Main, true);
  const std::int64_t begin =
      std::max({m_now + ns(1'500), m_free[at(Row::Compute)] + ns(900), m_computeAfter});
  device(EventKind::Copy, "Memcpy DtoH (Device -> Pageable)", Row::Compute, {begin, begin + ns(1'300)},
         m_external, correlation, 4);
  syncStream(Row::Main, stall);
  close(inner);
  close(outer);
}

void RankSimulation::stallsInForward() {
  forGaps(GapCause::Sync, [&](std::int64_t duration) {
    item(duration);
    return m_now - duration;
  });
  forGaps(GapCause::CudaMalloc, [&](std::int64_t duration) {
    const std::uint32_t op = open(EventKind::CpuOp, "aten::empty_strided", Row::Main);
    m_now += ns(1'500);
    // cudaFree waits for the device, so the following allocation finds it idle.
    const std::int64_t drained = std::max(m_now, m_free[at(Row::Compute)]) + ns(3'000);
    runtime("cudaFree", 22, drained - m_now, Row::Main, false);
    const std::int64_t begin = m_now;
    runtime("cudaMalloc", 20, duration, Row::Main, false);
    close(op);
    return begin;
  });
  forGaps(GapCause::Python, [&](std::int64_t duration) {
    openPython("train.py(203): collect_statistics");
    const std::int64_t begin = std::max(m_now, m_free[at(Row::Compute)]);
    m_now = begin + duration;
    closePython();
    return begin;
  });
}

void RankSimulation::beginForward() {
  const Straggler& s = m_plan.options.straggler;
  openAnnotation("forward");
  const bool sharded = m_plan.options.parallelism == Parallelism::FullySharded;
  openAnnotation(sharded ? "FullyShardedDataParallel.forward" : "DistributedDataParallel.forward");
  openPython(sharded ? "nn.Module: FullyShardedDataParallel_" : "nn.Module: DistributedDataParallel_", 0, 0);
  if (s.rank == m_rank && s.kind == StragglerKind::Host && m_step >= s.fromStep) {
    openPython("train.py(88): augment_on_host");
    m_now += m_plan.quantize(s.extraNs);
    closePython();
  }
  if (m_plan.streams.buffers) launchIn("aten::cat", KernelId::Tiny);
}

void RankSimulation::forwardLayer(int layer) {
  if (layer == 0) wasteOnBuffers();
  openPython("nn.Module: TransformerEncoderLayer_", layer, layer + 1);
  int index = 0;
  for (const OpInfo& op : layerOps()) forwardOp(op, layer, index++);
  wasteInLayer();
  closePython();
  if (layer == m_plan.options.layers / 2) stallsInForward();
  if (layer == m_plan.options.layers / 2) wasteInForward();
  if (layer + 1 < m_plan.options.layers) return;
  closePython();
  closeAnnotation();
  closeAnnotation();
}

void RankSimulation::forwardOp(const OpInfo& op, int layer, int index) {
  if (!op.frame.empty()) {
    if (!op.module.empty()) openPython("nn.Module: ", -1, 1000 + layer * 16 + index);
    if (!op.module.empty() && m_record && m_plan.options.withStack) {
      m_events[m_python.back()].name = op.module == "Linear" ? "nn.Module: Linear_"
                                       : op.module == "GELU" ? "nn.Module: GELU_"
                                                             : "nn.Module: LayerNorm_";
      m_events[m_python.back()].number = layer * 4 + index / 3;
    }
    openPython(op.frame);
  }
  const std::int32_t sequence = m_sequence++;
  m_sequences.push_back(sequence);
  std::array<std::uint32_t, 4> ops{};
  std::size_t depth = 0;
  for (const std::string_view name : op.path) {
    const std::uint32_t e = open(EventKind::CpuOp, name, Row::Main);
    ops[depth++] = e;
    if (e != kNoEvent) {
      m_events[e].sequence = sequence;
      m_events[e].op = &op;
    }
    if (depth == 1) {
      for (const std::string_view view : op.viewPath)
        ops[depth++] = open(EventKind::CpuOp, view, Row::Main), m_now += ns(500);
      for (; depth > 1; --depth) close(ops[depth - 1]);
    }
    if (depth == op.path.size()) flow(EventKind::FlowBegin, sequence, Row::Main);
    m_now += ns(1'400);
  }
  m_activations.push_back(allocate(op.outputBytes / m_plan.sizeDivisor, Row::Main));
  launchForward(op.kernel);
  while (depth > 0) close(ops[--depth]);
  if (!op.frame.empty()) {
    closePython();
    if (!op.module.empty()) closePython();
  }
}

void RankSimulation::lossPass() {
  openAnnotation("loss");
  for (const OpInfo& op : lossOps()) forwardOp(op, 0, 0);
  closeAnnotation();
  if (m_plan.options.leakBytesPerStep > 0 &&
      (m_plan.options.leakRank < 0 || m_plan.options.leakRank == m_rank)) {
    const std::uint32_t op = open(EventKind::CpuOp, "aten::empty", Row::Main);
    allocate(m_plan.options.leakBytesPerStep, Row::Main);
    close(op);
  }
  openAnnotation("backward");
  openPython("torch/_tensor.py(570): backward");
  m_now += ns(9'000);
  m_nextBackward = m_sequences.size();
  backwardOps(lossOps());
}

void RankSimulation::backwardOp(const OpInfo& op, std::int32_t sequence) {
  const auto tagged = [&](std::string_view prefix) {
    const std::uint32_t e = open(EventKind::CpuOp, prefix, Row::Autograd);
    if (e != kNoEvent) {
      m_events[e].sequence = sequence;
      m_events[e].values[0] = 1;                      // forward thread
      m_events[e].values[1] = prefix.empty() ? 2 : 1; // 2: name of the node, 1: of evaluate_function
      m_events[e].op = &op;
    }
    m_now += ns(1'800);
    return e;
  };
  const std::uint32_t outer = tagged("autograd::engine::evaluate_function: ");
  const std::uint32_t node = tagged("");
  flow(EventKind::FlowEnd, sequence, Row::Autograd);
  const Block gradient = allocate(op.outputBytes / m_plan.sizeDivisor, Row::Autograd);
  for (std::size_t i = 0; i < op.backward.size(); ++i) {
    const std::uint32_t e = open(EventKind::CpuOp, op.backwardOps[i], Row::Autograd);
    m_now += ns(3'000);
    // The last kernel of an operator with weights computes their gradient.
    const bool apart = m_plan.streams.secondStream && op.hasWeights && i > 0 && i + 1 == op.backward.size();
    if (apart) {
      streamWait(Row::Autograd, Row::SecondCompute, Row::Compute);
      m_secondAfter = std::max(m_secondAfter, m_free[at(Row::Compute)]);
    }
    launch(op.backward[i], Row::Autograd, m_external, slowdown(op.backward[i]),
           apart ? Row::SecondCompute : Row::Compute);
    close(e);
  }
  close(node);
  release(m_activations.back(), Row::Autograd);
  m_activations.pop_back();
  release(m_gradient, Row::Autograd);
  m_gradient = gradient;
  close(outer);
}

void RankSimulation::accumulate(const OpInfo& op) {
  if (!op.hasWeights) return;
  const std::uint32_t outer =
      open(EventKind::CpuOp, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
           Row::Autograd);
  m_now += ns(900);
  const std::uint32_t inner = open(EventKind::CpuOp, "torch::autograd::AccumulateGrad", Row::Autograd);
  m_now += ns(1'600);
  close(inner);
  close(outer);
}

void RankSimulation::backwardOps(std::span<const OpInfo> ops) {
  for (std::size_t i = ops.size(); i-- > 0;) {
    backwardOp(ops[i], m_sequences[--m_nextBackward]);
    accumulate(ops[i]);
  }
}

void RankSimulation::endBackward() {
  if (m_plan.streams.secondStream) {
    streamWait(Row::Main, Row::Compute, Row::SecondCompute);
    m_computeAfter = std::max(m_computeAfter, m_free[at(Row::SecondCompute)]);
  }
  release(m_gradient, Row::Autograd);
  m_gradient = {};
  m_now += ns(5'000);
  closePython();
  closeAnnotation();
}

void RankSimulation::send(std::size_t collective, Row thread) {
  const CollectivePlan& c = m_plan.collectives[collective];
  const std::uint32_t outer = open(EventKind::CpuOp, c.info->op, thread);
  m_now += ns(2'500);
  const std::uint32_t record = open(EventKind::CommunicationRecord, "record_param_comms", thread);
  const std::uint32_t recordExternal = m_external;
  if (record != kNoEvent) m_events[record].collective = static_cast<std::int32_t>(collective);
  m_now += ns(3'500);
  const std::uint32_t annotation = open(EventKind::Annotation, c.info->annotation, thread);
  m_now += ns(4'000);
  if (m_plan.streams.secondStream && m_free[at(Row::SecondCompute)] > 0)
    streamWait(thread, c.row, Row::SecondCompute);
  const std::uint32_t waited = runtime("cudaEventRecord", 135, ns(1'200), thread, false);
  const std::int64_t awaits = m_now;
  const std::uint32_t wait = runtime("cudaStreamWaitEvent", 147, ns(1'100), thread, false);
  if (c.needsCompute) syncRow("Stream Wait Event", c.row, awaits, wait, Row::Compute, waited);
  const std::uint32_t correlation = runtime("cudaLaunchKernelExC", 430, ns(6'500), thread, true);
  if (m_plan.streams.syncRows) recordSent(c.row, thread);
  std::int64_t ready = m_now + ns(2'200);
  if (c.needsCompute) ready = std::max(ready, computed() + ns(900));
  m_issued[collective] = {recordExternal, correlation, ready};
  close(annotation);
  close(record);
  close(outer);
}

// The event behind a collective, by which the optimizer waits for it. A call of no length, so that nothing
// else changes.
void RankSimulation::recordSent(Row row, Row thread) {
  m_sentRecord = kRecordsOfSent + m_correlation;
  m_sentRow = row;
  if (!m_record) return;
  Event e;
  e.begin = e.end = m_now;
  e.name = "cudaEventRecord";
  e.kind = EventKind::Runtime;
  e.row = thread;
  e.external = m_external;
  e.correlation = m_sentRecord;
  e.values[0] = 135;
  m_events.push_back(e);
}

void RankSimulation::complete(std::size_t collective, Span span) {
  const CollectivePlan& c = m_plan.collectives[collective];
  const Issued& issued = m_issued[collective];
  device(EventKind::Kernel, kernelInfo(c.info->kernel).name, c.row, span, issued.external, issued.correlation,
         0);
  if (c.blocksCompute) m_computeAfter = std::max(m_computeAfter, span.end);
  if (!m_record) return;
  Event& kernel = m_events.back();
  kernel.kernel = c.info->kernel;
  kernel.collective = static_cast<std::int32_t>(collective);
  Event twin = kernel;
  twin.kind = EventKind::GpuAnnotation;
  twin.name = c.info->annotation;
  m_events.push_back(twin);
}

void RankSimulation::optimizer() {
  wasteBeforeOptimizer();
  openAnnotation("optimizer");
  openPython("torch/optim/optimizer.py(478): wrapper");
  openAnnotation("Optimizer.step#AdamW.step");
  const std::int64_t awaits = m_now;
  const std::uint32_t wait = runtime("cudaStreamWaitEvent", 147, ns(1'100), Row::Main, false);
  if (m_sentRecord != 0) syncRow("Stream Wait Event", Row::Compute, awaits, wait, m_sentRow, m_sentRecord);
  m_computeAfter =
      std::max({m_computeAfter, m_free[at(Row::Communication)], m_free[at(Row::TensorCommunication)]});
  stepParameters();
  closeAnnotation();
  closePython();
  closeAnnotation();
  release(m_input, Row::Main);
  hostMemoryEvent(-m_plan.options.inputBytes);
}

} // namespace rankscope::test
