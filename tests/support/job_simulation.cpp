// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_simulation.h"

#include <algorithm>
#include <stdexcept>

namespace rankscope::test {
namespace {

constexpr std::int64_t kGigabyte = std::int64_t{1} << 30;
constexpr std::uint32_t kNoEvent = 0xffffffffU;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  Random random(a * 0x9e3779b97f4a7c15ULL + b * 0xc2b2ae3d27d4eb4fULL + c * 0x165667b19e3779f9ULL + 1);
  random.next();
  return random.next();
}

std::size_t at(Row row) {
  return static_cast<std::size_t>(row);
}

void nominalCompute(JobPlan& plan, std::int64_t& backward) {
  std::int64_t forward = 0;
  backward = 0;
  const auto add = [&](const OpInfo& op, std::int64_t times) {
    forward += times * kernelInfo(op.kernel).nominalNs;
    for (const KernelId k : op.backward) backward += times * kernelInfo(k).nominalNs;
  };
  for (const OpInfo& op : layerOps()) add(op, plan.options.layers);
  for (const OpInfo& op : lossOps()) add(op, 1);
  plan.computeNs = forward + backward;
}

} // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::int64_t Random::around(std::int64_t ns) {
  return ns - ns / 8 + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(ns / 4 + 1));
}

std::int64_t JobPlan::transfer(int g, int bucket) const {
  Random random(
      mixed(options.seed, static_cast<std::uint64_t>(g), 1000 + static_cast<std::uint64_t>(bucket)));
  return quantise(random.around(buckets[static_cast<std::size_t>(bucket)].transferNs));
}

JobPlan makePlan(JobOptions options) {
  if (options.ranks < 1 || options.ranksPerNode < 1 || options.steps < 1 || options.captures < 1 ||
      options.layers < 1)
    throw std::invalid_argument("ranks, ranks per node, steps, captures and layers must be positive");
  JobPlan plan;
  plan.options = std::move(options);
  const JobOptions& o = plan.options;
  plan.quantumNs = o.vocabulary == Vocabulary::Legacy ? 1000 : 1;
  plan.sizeDivisor = std::max(1, o.layers / 8);
  std::int64_t backward = 0;
  nominalCompute(plan, backward);
  if (o.ranks == 1) return plan;
  const int count = std::clamp(o.buckets, 1, o.layers);
  for (int b = 0; b < count; ++b) {
    Bucket bucket;
    bucket.firstLayer = o.layers - o.layers * (b + 1) / count;
    bucket.transferNs = std::max<std::int64_t>(backward * o.communicationPermille / 1000 / count, 20'000);
    bucket.elements = bucket.transferNs * 90 / 512 * 512 + 512 * b; // about 180 GB/s of bf16
    bucket.overlapped = (b + 1) * 1000 <= o.overlapPermille * count;
    plan.buckets.push_back(bucket);
  }
  return plan;
}

RankSimulation::RankSimulation(const JobPlan& plan, int rank, bool record)
    : m_plan(plan), m_rank(rank), m_record(record),
      m_random(mixed(plan.options.seed, static_cast<std::uint64_t>(rank), 7)) {
  m_now = plan.quantise(static_cast<std::int64_t>(m_random.next() % 400'000)) + 2'000'000;
  m_correlation = 1000 + static_cast<std::uint32_t>(m_random.next() % 100'000);
  m_allocated = std::min<std::int64_t>(plan.options.layers * 176'400'000LL, 20 * kGigabyte) / 512 * 512;
  std::int64_t activations = 0;
  for (const OpInfo& op : layerOps()) activations += op.outputBytes / plan.sizeDivisor * plan.options.layers;
  for (const OpInfo& op : lossOps()) activations += op.outputBytes / plan.sizeDivisor;
  m_reserved = (m_allocated + activations + activations / 4 + kGigabyte / 4) / (2 << 20) * (2 << 20);
  m_nextAddress = 0x7f0000000000 + static_cast<std::int64_t>(rank) * 0x100000000;
  m_ready.resize(plan.buckets.size());
  m_issued.resize(plan.buckets.size());
}

std::int64_t RankSimulation::deviceEnd() const {
  return *std::max_element(m_free.begin(), m_free.end());
}

std::uint32_t RankSimulation::open(EventKind kind, std::string_view name, Row row, std::int32_t number) {
  ++m_external;
  ++m_index;
  if (!m_record) return kNoEvent;
  Event e;
  e.begin = m_now;
  e.name = name;
  e.number = number;
  e.kind = kind;
  e.row = row;
  e.external = m_external;
  e.index = m_index;
  m_events.push_back(e);
  return static_cast<std::uint32_t>(m_events.size() - 1);
}

void RankSimulation::close(std::uint32_t event) {
  m_now += ns(700);
  if (event != kNoEvent) m_events[event].end = m_now;
}

void RankSimulation::openPython(std::string_view name, std::int32_t number, std::int64_t module) {
  if (!m_plan.options.withStack) return;
  const std::uint32_t e = open(EventKind::Python, name, Row::Main, number);
  const std::int64_t parent = m_pythonIds.empty() ? -1 : m_pythonIds.back();
  m_pythonIds.push_back(++m_pythonId);
  m_python.push_back(e);
  if (e != kNoEvent) m_events[e].values = {m_pythonId, parent, module, 0};
  m_now += ns(400);
}

void RankSimulation::closePython() {
  if (!m_plan.options.withStack) return;
  close(m_python.back());
  m_python.pop_back();
  m_pythonIds.pop_back();
}

void RankSimulation::openAnnotation(std::string_view name, std::int32_t number) {
  OpenAnnotation a;
  a.event = open(EventKind::Annotation, name, Row::Main, number);
  m_annotations.push_back(a);
  m_now += ns(1'500);
}

void RankSimulation::closeAnnotation() {
  const OpenAnnotation a = m_annotations.back();
  m_annotations.pop_back();
  close(a.event);
  if (!m_record || !a.hasKernels) return;
  Event twin = m_events[a.event];
  twin.kind = EventKind::GpuAnnotation;
  twin.row = Row::Compute;
  twin.begin = a.kernels.begin;
  twin.end = a.kernels.end;
  m_events.push_back(twin);
}

std::uint32_t RankSimulation::runtime(std::string_view name, std::int64_t cbid, std::int64_t duration,
                                      Row row, bool deviceWork) {
  m_correlation += 1 + static_cast<std::uint32_t>(m_random.next() % 3);
  if (m_record) {
    Event e;
    e.begin = m_now;
    e.end = m_now + duration;
    e.name = name;
    e.kind = EventKind::Runtime;
    e.row = row;
    e.external = m_external;
    e.correlation = m_correlation;
    e.hasDeviceWork = deviceWork;
    e.values[0] = cbid;
    m_events.push_back(e);
  }
  m_now += duration;
  return m_correlation;
}

void RankSimulation::device(EventKind kind, std::string_view name, Row row, Span span, std::uint32_t external,
                            std::uint32_t correlation, std::int64_t bytes) {
  m_free[at(row)] = std::max(m_free[at(row)], span.end);
  if (!m_record) return;
  Event e;
  e.begin = span.begin;
  e.end = span.end;
  e.name = name;
  e.kind = kind;
  e.row = row;
  e.external = external;
  e.correlation = correlation;
  e.values[0] = bytes;
  m_events.push_back(e);
}

std::int64_t RankSimulation::slowdown(KernelId kernel) const {
  const Straggler& s = m_plan.options.straggler;
  if (s.rank != m_rank || s.kind != StragglerKind::Compute || m_step < s.fromStep) return 0;
  // In microseconds first, so that the product fits.
  return s.extraNs / 1000 * kernelInfo(kernel).nominalNs / (m_plan.computeNs / 1000);
}

std::int64_t RankSimulation::kernelTime(KernelId kernel) {
  return ns(kernelInfo(kernel).nominalNs);
}

void RankSimulation::launch(KernelId kernel, Row thread, std::uint32_t external, std::int64_t extra) {
  // The queue holds as many launches as the ring: the call returns only when there is room.
  std::int64_t& slot = m_queue[m_queued++ % m_queue.size()];
  const std::int64_t call = std::max(ns(4'200), slot - m_now);
  const std::uint32_t correlation = runtime("cudaLaunchKernel", 211, call, thread, true);
  const std::int64_t launched = m_now + ns(1'900);
  std::int64_t& free = m_free[at(Row::Compute)];
  std::int64_t after = free + ns(850);
  if (m_plan.options.overlappingKernels && launched < free && free > m_computeAfter) {
    after = free - m_plan.quantise(static_cast<std::int64_t>(m_random.next() % 1'500));
  }
  const std::int64_t begin = std::max({launched, after, m_computeAfter});
  const std::int64_t end = begin + kernelTime(kernel) + (extra > 0 ? m_plan.quantise(extra) : 0);
  slot = end;
  device(EventKind::Kernel, kernelInfo(kernel).name, Row::Compute, {begin, end}, external, correlation, 0);
  if (m_record) m_events.back().kernel = kernel;
  if (thread != Row::Main) return;
  for (OpenAnnotation& a : m_annotations) {
    if (!a.hasKernels) a.kernels.begin = begin;
    a.kernels.end = std::max(a.kernels.end, end);
    a.hasKernels = true;
  }
}

void RankSimulation::flow(EventKind kind, std::int32_t sequence, Row row) {
  if (!m_record) return;
  Event e;
  e.begin = e.end = m_now;
  e.kind = kind;
  e.row = row;
  e.sequence = sequence;
  m_events.push_back(e);
}

void RankSimulation::memoryEvent(std::int64_t bytes, std::int64_t address, Row row) {
  m_allocated += bytes;
  while (m_reserved < m_allocated) {
    runtime("cudaMalloc", 20, ns(180'000), row, false);
    m_reserved += (std::max(bytes, std::int64_t{20} << 20) + (2 << 20) - 1) / (2 << 20) * (2 << 20);
  }
  if (!m_record || !m_plan.options.withMemory) return;
  Event e;
  e.begin = e.end = m_now;
  e.kind = EventKind::Memory;
  e.row = row;
  e.index = ++m_index;
  e.values = {bytes, address, m_allocated, m_reserved};
  m_events.push_back(e);
}

RankSimulation::Block RankSimulation::allocate(std::int64_t bytes, Row row) {
  const Block block{(bytes + 511) / 512 * 512, m_nextAddress};
  m_nextAddress += block.bytes;
  memoryEvent(block.bytes, block.address, row);
  return block;
}

void RankSimulation::release(const Block& block, Row row) {
  if (block.bytes > 0) memoryEvent(-block.bytes, block.address, row);
}

template <class Body> void RankSimulation::forGaps(GapCause cause, Body body) {
  const auto& gaps = m_plan.options.gaps;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const GapRequest& gap = gaps[i];
    if (gap.cause != cause || (gap.rank >= 0 && gap.rank != m_rank) || (gap.step >= 0 && gap.step != m_step))
      continue;
    const std::int64_t begin = body(m_plan.quantise(gap.durationNs));
    m_stalls.push_back({i, {begin, m_now}});
  }
}

void RankSimulation::beginCapture(int capture) {
  if (capture > 0) m_now = std::max(m_now, deviceEnd()) + ns(350'000'000);
  m_captureBegin = m_now - m_plan.quantise(60'000);
  m_external = m_index = 0;
  m_sequence = 20;
}

void RankSimulation::runToCollectives(int g) {
  m_events.clear();
  m_stalls.clear();
  m_sequences.clear();
  m_step = g;
  m_number = m_plan.stepNumber(g);
  openPython("train.py(118): train_step");
  if (m_plan.options.withProfilerSteps) openAnnotation("ProfilerStep#", m_number);
  load();
  copyInput();
  zeroGradients();
  manyTinyKernels();
  forward();
  lossPass();
  backward();
}

void RankSimulation::finishStep(std::span<const Span> collectives) {
  collectiveKernels(collectives);
  optimizer();
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
    m_now += m_plan.quantise(s.extraNs);
  forGaps(GapCause::DataLoader, [&](std::int64_t duration) {
    const std::int64_t begin = m_now;
    m_now += duration;
    return begin;
  });
  for (const std::string_view name : {"aten::stack", "aten::to", "aten::cat"}) {
    const std::uint32_t e = open(EventKind::CpuOp, name, Row::Main);
    m_now += ns(6'000);
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
  // Pinned memory crosses the bus at about 25 GB/s behind the host's back; pageable memory at 6, with the
  // host waiting.
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
  runtime("cudaEventRecord", 135, ns(1'300), Row::Main, false);
  runtime("cudaStreamWaitEvent", 147, ns(1'100), Row::Main, false);
  m_computeAfter = std::max(m_computeAfter, m_free[at(Row::Copies)]);
}

void RankSimulation::zeroGradients() {
  openPython("torch/optim/optimizer.py(935): zero_grad");
  openAnnotation("Optimizer.zero_grad#AdamW.zero_grad");
  const std::uint32_t op = open(EventKind::CpuOp, "aten::zero_", Row::Main);
  m_now += ns(2'500);
  const std::int64_t bytes = 4096 * 512;
  const std::uint32_t correlation = runtime("cudaMemsetAsync", 51, ns(4'500), Row::Main, true);
  const std::int64_t begin = std::max({m_now + ns(1'800), m_free[at(Row::Compute)], m_computeAfter});
  device(EventKind::Set, "Memset (Device)", Row::Compute, {begin, begin + ns(1'700)}, m_external, correlation,
         bytes);
  close(op);
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
  runtime("cudaStreamSynchronize", 131, until - m_now, row, false);
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
    // cudaFree waits for the device; the allocation that follows finds it idle.
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

void RankSimulation::forward() {
  const Straggler& s = m_plan.options.straggler;
  openAnnotation("forward");
  openAnnotation("DistributedDataParallel.forward");
  openPython("nn.Module: DistributedDataParallel_", 0, 0);
  if (s.rank == m_rank && s.kind == StragglerKind::Host && m_step >= s.fromStep) {
    openPython("train.py(88): augment_on_host");
    m_now += m_plan.quantise(s.extraNs);
    closePython();
  }
  const int layers = m_plan.options.layers;
  for (int layer = 0; layer < layers; ++layer) {
    openPython("nn.Module: TransformerEncoderLayer_", layer, layer + 1);
    int index = 0;
    for (const OpInfo& op : layerOps()) forwardOp(op, layer, index++);
    closePython();
    if (layer == layers / 2) stallsInForward();
  }
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
  launch(op.kernel, Row::Main, m_external, slowdown(op.kernel));
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
}

void RankSimulation::backwardOp(const OpInfo& op, std::int32_t sequence) {
  const auto tagged = [&](std::string_view prefix) {
    const std::uint32_t e = open(EventKind::CpuOp, prefix, Row::Autograd);
    if (e != kNoEvent) {
      m_events[e].sequence = sequence;
      m_events[e].values[0] = 1;                      // forward thread
      m_events[e].values[1] = prefix.empty() ? 2 : 1; // the node's own name or evaluate_function's
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
    launch(op.backward[i], Row::Autograd, m_external, slowdown(op.backward[i]));
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

void RankSimulation::backward() {
  openAnnotation("backward");
  openPython("torch/_tensor.py(570): backward");
  m_now += ns(9'000);
  std::size_t sequence = m_sequences.size();
  const auto pass = [&](std::span<const OpInfo> ops) {
    for (std::size_t i = ops.size(); i-- > 0;) {
      backwardOp(ops[i], m_sequences[--sequence]);
      accumulate(ops[i]);
    }
  };
  pass(lossOps());
  std::size_t bucket = 0;
  for (int layer = m_plan.options.layers; layer-- > 0;) {
    pass(layerOps());
    for (; bucket < m_plan.buckets.size() && layer <= m_plan.buckets[bucket].firstLayer &&
           m_plan.buckets[bucket].overlapped;
         ++bucket)
      sendBucket(static_cast<int>(bucket), Row::Autograd);
  }
  for (; bucket < m_plan.buckets.size(); ++bucket) sendBucket(static_cast<int>(bucket), Row::Autograd);
  release(m_gradient, Row::Autograd);
  m_gradient = {};
  m_now += ns(5'000);
  closePython();
  closeAnnotation();
}

void RankSimulation::sendBucket(int bucket, Row thread) {
  const std::uint32_t outer = open(EventKind::CpuOp, "c10d::allreduce_", thread);
  m_now += ns(2'500);
  const std::uint32_t record = open(EventKind::CommunicationRecord, "record_param_comms", thread);
  const std::uint32_t recordExternal = m_external;
  if (record != kNoEvent) m_events[record].bucket = bucket;
  m_now += ns(3'500);
  const std::uint32_t annotation = open(EventKind::Annotation, "nccl:all_reduce", thread);
  if (annotation != kNoEvent) m_events[annotation].bucket = bucket;
  m_now += ns(4'000);
  runtime("cudaEventRecord", 135, ns(1'200), thread, false);
  runtime("cudaStreamWaitEvent", 147, ns(1'100), thread, false);
  const std::uint32_t correlation = runtime("cudaLaunchKernelExC", 430, ns(6'500), thread, true);
  auto& issued = m_issued[static_cast<std::size_t>(bucket)];
  issued = {recordExternal, correlation};
  m_ready[static_cast<std::size_t>(bucket)] = std::max(m_now + ns(2'200), m_free[at(Row::Compute)] + ns(900));
  close(annotation);
  close(record);
  close(outer);
}

void RankSimulation::collectiveKernels(std::span<const Span> collectives) {
  for (std::size_t b = 0; b < collectives.size(); ++b) {
    const Span span = collectives[b];
    device(EventKind::Kernel, kernelInfo(KernelId::AllReduce).name, Row::Communication, span,
           m_issued[b].external, m_issued[b].correlation, 0);
    if (!m_record) continue;
    Event& kernel = m_events.back();
    kernel.kernel = KernelId::AllReduce;
    kernel.bucket = static_cast<std::int32_t>(b);
    Event twin = kernel;
    twin.kind = EventKind::GpuAnnotation;
    twin.name = "nccl:all_reduce";
    m_events.push_back(twin);
  }
  m_computeAfter = std::max(m_computeAfter, m_free[at(Row::Communication)]);
}

void RankSimulation::optimizer() {
  openAnnotation("optimizer");
  openPython("torch/optim/optimizer.py(478): wrapper");
  openAnnotation("Optimizer.step#AdamW.step");
  runtime("cudaStreamWaitEvent", 147, ns(1'100), Row::Main, false);
  const int chunks = std::max(1, m_plan.options.layers / 2);
  const std::uint32_t op = open(EventKind::CpuOp, "aten::_fused_adamw_", Row::Main);
  for (int i = 0; i < chunks; ++i) {
    m_now += ns(5'000);
    launch(KernelId::FusedAdam, Row::Main, m_external, 0);
  }
  close(op);
  closeAnnotation();
  closePython();
  closeAnnotation();
  release(m_input, Row::Main);
}

} // namespace rankscope::test
