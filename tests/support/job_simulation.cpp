// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_simulation.h"

#include <algorithm>
#include <stdexcept>

namespace rankscope::test {
namespace {

constexpr std::int64_t kGigabyte = std::int64_t{1} << 30;

} // namespace

RankSimulation::RankSimulation(const JobPlan& plan, int rank, bool record)
    : m_plan(plan), m_rank(rank), m_record(record),
      m_random(plan.options.seed, static_cast<std::uint64_t>(rank), 7) {
  m_now = plan.quantize(static_cast<std::int64_t>(m_random.next() % 400'000)) + 2'000'000;
  m_correlation = 1000 + static_cast<std::uint32_t>(m_random.next() % 100'000);
  m_allocated = std::min<std::int64_t>(plan.options.layers * 176'400'000LL, 20 * kGigabyte) / 512 * 512;
  std::int64_t activations = 0;
  for (const OpInfo& op : layerOps()) activations += op.outputBytes / plan.sizeDivisor * plan.options.layers;
  for (const OpInfo& op : lossOps()) activations += op.outputBytes / plan.sizeDivisor;
  m_reserved = (m_allocated + activations + activations / 4 + kGigabyte / 4) / (2 << 20) * (2 << 20);
  m_nextAddress = 0x7f0000000000 + static_cast<std::int64_t>(rank) * 0x100000000;
  m_issued.resize(plan.collectives.size());
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
  // Converted to microseconds first to avoid overflow.
  return s.extraNs / 1000 * kernelInfo(kernel).nominalNs / (m_plan.computeNs / 1000);
}

std::int64_t RankSimulation::kernelTime(KernelId kernel) {
  const std::int64_t time = ns(kernelInfo(kernel).nominalNs);
  using enum KernelId;
  const bool ofParameters = kernel == FusedAdam || kernel == AdamPart || kernel == Fill || kernel == Tiny;
  return ofParameters ? time : m_plan.quantize(time * m_sequenceLength / kSequenceLength);
}

std::int64_t RankSimulation::computed() const {
  return std::max(m_free[at(Row::Compute)], m_free[at(Row::SecondCompute)]);
}

// The calls take no random time: with rows of synchronization a job is the same but for these rows.
void RankSimulation::streamWait(Row thread, Row stream, Row forStream) {
  const std::uint32_t record = runtime("cudaEventRecord", 135, m_plan.quantize(1'200), thread, false);
  const std::int64_t begin = m_now;
  const std::uint32_t wait = runtime("cudaStreamWaitEvent", 147, m_plan.quantize(1'100), thread, false);
  syncRow("Stream Wait Event", stream, begin, wait, forStream, record);
}

void RankSimulation::syncRow(std::string_view name, Row row, std::int64_t begin, std::uint32_t correlation,
                             Row forRow, std::int64_t recorded) {
  if (!m_record || !m_plan.streams.syncRows) return;
  Event e;
  e.begin = begin;
  e.end = m_now;
  e.name = name;
  e.kind = EventKind::Sync;
  e.row = row;
  e.external = m_external;
  e.correlation = correlation;
  e.values = {recorded < 0 ? -1 : static_cast<std::int64_t>(forRow), recorded, 0, 0};
  m_events.push_back(e);
}

void RankSimulation::launch(KernelId kernel, Row thread, std::uint32_t external, std::int64_t extra,
                            Row stream) {
  // The launch queue has as many entries as m_queue; the call blocks until one is free.
  std::int64_t& slot = m_queue[m_queued++ % m_queue.size()];
  const std::int64_t call = std::max(ns(4'200), slot - m_now);
  const std::uint32_t correlation = runtime("cudaLaunchKernel", 211, call, thread, true);
  const std::int64_t launched = m_now + ns(1'900);
  const std::int64_t earliest = stream == Row::Compute ? m_computeAfter : m_secondAfter;
  std::int64_t& free = m_free[at(stream)];
  std::int64_t after = free + ns(850);
  if (m_plan.options.overlappingKernels && launched < free && free > earliest) {
    after = free - m_plan.quantize(static_cast<std::int64_t>(m_random.next() % 1'500));
  }
  const std::int64_t begin = std::max({launched, after, earliest});
  const std::int64_t end = begin + kernelTime(kernel) + (extra > 0 ? m_plan.quantize(extra) : 0);
  slot = end;
  device(EventKind::Kernel, kernelInfo(kernel).name, stream, {begin, end}, external, correlation, 0);
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

void RankSimulation::hostMemoryEvent(std::int64_t bytes) {
  m_hostAllocated += bytes;
  if (!m_record || !m_plan.options.withMemory) return;
  Event e;
  e.begin = e.end = m_now;
  e.kind = EventKind::Memory;
  e.onHost = true;
  e.index = ++m_index;
  e.values = {bytes, 0x5500'0000'0000 + static_cast<std::int64_t>(m_step % 2) * 0x1000'0000, m_hostAllocated,
              0};
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

} // namespace rankscope::test
