// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the events with the arguments of each kind.
#include "tests/support/job_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace rankscope::test {
namespace {

std::string_view streamOf(Row row) {
  switch (row) {
  case Row::SecondCompute:
    return "9";
  case Row::Communication:
    return "24";
  case Row::TensorCommunication:
    return "32";
  case Row::Copies:
    return "28";
  default:
    return "7";
  }
}

std::string_view spoilerOf(DamageKind kind) {
  switch (kind) {
  case DamageKind::InvalidUtf8:
    return "\xff\xfe\xc3(";
  case DamageKind::ControlCharacter:
    return "\n\x01";
  case DamageKind::UnescapedQuote:
    return R"( "quoted", "ts": here)";
  default:
    return {};
  }
}

} // namespace

void JobWriter::slice(const Event& e, std::string_view category) {
  const bool damaged = m_damageAfter >= 0 && m_damageAfter-- == 0;
  if (damaged && e.kind != EventKind::CpuOp) m_damageAfter = 0; // damage the next operator instead
  const bool spoil = damaged && e.kind == EventKind::CpuOp && !m_stopped;
  const std::string_view spoiler = spoil ? spoilerOf(m_damage) : std::string_view{};
  if (e.kind == EventKind::CpuOp && e.values[1] == 1 && e.op)
    head(m_options.beginEnd ? "B" : "X", category, std::string(e.name) + std::string(e.op->node), -1,
         m_rowText[at(e.row)], spoiler);
  else if (e.kind == EventKind::CpuOp && e.values[1] == 2 && e.op)
    head(m_options.beginEnd ? "B" : "X", category, e.op->node, -1, m_rowText[at(e.row)], spoiler);
  else
    head(m_options.beginEnd ? "B" : "X", category, e.name, e.number, m_rowText[at(e.row)], spoiler);
  m_out += m_separators.line;
  const std::int64_t begin = writtenTime(e.begin);
  time("ts", begin);
  if (m_options.beginEnd) {
    m_openEnds[at(e.row)].push_back(e.end);
  } else {
    m_out += m_separators.field;
    time("dur", writtenTime(e.end) - begin);
  }
  openArgs();
  if (e.kind == EventKind::Runtime)
    runtimeArgs(e);
  else if (e.kind == EventKind::Python)
    pythonArgs(e);
  else
    opArgs(e);
  if (spoil && m_damage == DamageKind::NotANumber) argJson("Flops", "NaN");
  closeArgs();
  if (spoil && m_damage == DamageKind::Truncate) {
    m_out.resize(m_eventStart + (m_out.size() - m_eventStart) / 2);
    --m_truth.events;
    m_stopped = true;
    m_eventStart = m_out.size();
  }
  if (spoil && m_damage <= DamageKind::UnescapedQuote) ++m_truth.damagedEvents;
  if (spoil && m_damage == DamageKind::NotANumber) ++m_truth.damagedEvents;
  closeEvent();
}

void JobWriter::opArgs(const Event& e) {
  arg("External id", e.external);
  if (legacy()) {
    argJson("Trace name", R"("PyTorch Profiler")");
    arg("Trace iteration", 0);
  } else {
    arg("Record function id", 0);
  }
  if (e.sequence >= 0) {
    arg("Sequence number", e.sequence);
    arg("Fwd thread id", e.values[0]);
  }
  if (e.kind == EventKind::CommunicationRecord) communicationArgs(e, false);
  if (m_options.withShapes && e.op && e.row == Row::Main) {
    if (!legacy()) argJson("Concrete Inputs", e.op->concrete);
    argJson("Input type", e.op->types);
    if (!legacy()) argJson("Input Strides", e.op->strides);
    argJson("Input Dims", dimsOf(*e.op));
  }
  if (!legacy()) arg("Ev Idx", e.index);
}

// With the sequence length of the rank in this step: the second of three or the third of four dimensions, or
// the tokens of the batch.
std::string JobWriter::dimsOf(const OpInfo& op) const {
  std::string dims(op.dims);
  const std::int64_t length = m_plan.sequenceLength(m_step, m_truth.rank);
  if (length == kSequenceLength) return dims;
  const auto replace = [&](const std::string& text, const std::string& by) {
    for (std::size_t at = dims.find(text); at != std::string::npos; at = dims.find(text, at + by.size()))
      dims.replace(at, text.size(), by);
  };
  replace(" 512,", fmt::format(" {},", length));
  replace("[8192,", fmt::format("[{},", 16 * length));
  replace("[8192]", fmt::format("[{}]", 16 * length));
  return dims;
}

void JobWriter::pythonArgs(const Event& e) {
  argJson("Python parent id", e.values[1] < 0 ? "null" : std::to_string(e.values[1]));
  arg("Python id", e.values[0]);
  if (e.values[2] >= 0) arg("Python module id", e.values[2]);
  arg("Ev Idx", e.index);
}

void JobWriter::runtimeArgs(const Event& e) {
  if (!legacy()) arg("External id", e.external);
  arg("cbid", e.values[0]);
  arg("correlation", e.correlation);
  if (legacy()) {
    arg("external id", e.external);
    arg("external ts", writtenTime(e.begin) / 1000 - 3);
  }
}

void JobWriter::communicationArgs(const Event& e, bool onKernel) {
  if (!m_options.withCollectiveArgs || legacy()) return;
  const auto index = static_cast<std::size_t>(e.collective);
  const CollectivePlan& c = m_plan.collectives[index];
  const JobPlan::Members members = m_plan.members(c.group, m_truth.rank);
  const auto quoted = [](std::string_view s) { return '"' + std::string(s) + '"'; };
  argJson("Collective name", quoted(c.info->name));
  arg("In msg nelems", c.inElements);
  arg("Out msg nelems", c.outElements);
  arg("Group size", members.size);
  argJson("dtype", quoted(c.dtype));
  argJson("In split size", R"("[]")");
  argJson("Out split size", R"("[]")");
  if (!onKernel || exporter()) {
    arg("Global rank start", members.first);
    arg("Global rank stride", members.stride);
    arg("Rank", (m_truth.rank - members.first) / members.stride);
  }
  argJson("Process Group Name", quoted(m_plan.groupName(c.group)));
  argJson("Process Group Description", quoted(m_plan.groupDescription(c.group)));
  argJson("Process Group Ranks", quoted(groupRanks(c.group, true)));
  if (m_options.withSequenceNumbers)
    arg("Seq", m_step * m_countOfGroup[static_cast<std::size_t>(c.group)] + m_indexInGroup[index] + 1);
}

// As recorded with enable_cuda_sync_events.
void JobWriter::syncEvent(const Event& e) {
  head("X", "cuda_sync", e.name, -1, m_rowText[at(e.row)]);
  m_out += m_separators.line;
  time("ts", writtenTime(e.begin));
  m_out += m_separators.field;
  time("dur", writtenTime(e.end) - writtenTime(e.begin));
  openArgs();
  arg("External id", e.external);
  argJson("cuda_sync_kind", '"' + std::string(e.name) + '"');
  if (e.values[0] >= 0) {
    argJson("wait_on_stream", streamOf(static_cast<Row>(e.values[0])));
    arg("wait_on_cuda_event_record_corr_id", e.values[1]);
    arg("wait_on_cuda_event_id", e.values[1] % 64);
  }
  argJson("stream", streamOf(e.row));
  arg("correlation", e.correlation);
  arg("device", m_truth.device);
  arg("context", 1);
  closeArgs();
  closeEvent();
}

void JobWriter::deviceEvent(const Event& e) {
  if (m_stopped) return;
  if (e.kind == EventKind::Sync) return syncEvent(e);
  const bool annotation = e.kind == EventKind::GpuAnnotation;
  const std::string_view category = annotation                    ? "gpu_user_annotation"
                                    : e.kind == EventKind::Kernel ? (legacy() ? "Kernel" : "kernel")
                                    : e.kind == EventKind::Copy   ? (legacy() ? "Memcpy" : "gpu_memcpy")
                                                                  : (legacy() ? "Memset" : "gpu_memset");
  // The profiler extends the GPU copy of an annotation by a nanosecond on both sides.
  const std::int64_t wider = annotation ? 1 : 0;
  const std::int64_t begin = writtenTime(e.begin) - wider;
  head("X", category, e.name, e.number, m_rowText[at(e.row)]);
  m_out += m_separators.line;
  time("ts", begin);
  m_out += m_separators.field;
  time("dur", writtenTime(e.end) + wider - begin);
  openArgs();
  if (annotation)
    arg("External id", e.external);
  else if (e.kind == EventKind::Kernel)
    kernelArgs(e);
  else
    copyArgs(e);
  closeArgs();
  closeEvent();
  if (annotation) return;
  sum(e);
  if (m_options.withFlows)
    flow("f", legacy() ? "async" : "ac2g", legacy() ? "launch" : "ac2g", e.correlation, e.row, e.begin);
}

void JobWriter::kernelArgs(const Event& e) {
  const KernelInfo& kernel = kernelInfo(e.kernel);
  if (!legacy()) arg("External id", e.external);
  arg("queued", 0);
  arg("device", m_truth.device);
  arg("context", 1);
  argJson("stream", streamOf(e.row));
  arg("correlation", e.correlation);
  if (legacy()) arg("external id", e.external);
  arg("registers per thread", kernel.registers);
  arg("shared memory", kernel.sharedMemory);
  argJson("blocks per SM", kernel.blocksPerSm);
  argJson("warps per SM", kernel.warpsPerSm);
  argJson("grid", kernel.grid);
  argJson("block", kernel.block);
  const bool spoil = m_damage == DamageKind::NotANumber && m_truth.damagedEvents == 1;
  if (spoil) ++m_truth.damagedEvents;
  argJson("est. achieved occupancy %", spoil ? "NaN" : std::to_string(kernel.occupancy));
  if (e.collective < 0) return;
  if (exporter()) arg("External id", e.external);
  communicationArgs(e, true);
}

void JobWriter::copyArgs(const Event& e) {
  if (!legacy()) arg("External id", e.external);
  arg("device", m_truth.device);
  arg("context", 1);
  argJson("stream", streamOf(e.row));
  arg("correlation", e.correlation);
  if (legacy()) arg("external id", e.external);
  arg("bytes", e.values[0]);
  // Bytes per nanosecond are GB/s; three decimals, computed with integers.
  const std::int64_t rate = e.values[0] * 1000 / std::max<std::int64_t>(e.end - e.begin, 1);
  arg("memory bandwidth (GB/s)");
  appendMicroseconds(m_out, rate);
}

void JobWriter::memoryEvent(const Event& e) {
  if (m_stopped) return;
  if (!e.onHost) {
    m_truth.peakAllocated = std::max(m_truth.peakAllocated, e.values[2]);
    m_truth.peakReserved = std::max(m_truth.peakReserved, e.values[3]);
    m_truth.allocatedAtEnd = e.values[2];
  }
  openEvent();
  m_out += exporter() ? "\"ph\": \"X\"" : "\"ph\": \"i\"";
  if (!legacy()) m_out.append(m_separators.field).append("\"cat\": \"cpu_instant_event\"");
  m_out.append(m_separators.field)
      .append(exporter() ? "" : "\"s\": \"t\"")
      .append(exporter() ? "" : m_separators.field)
      .append("\"name\": \"[memory]\"");
  m_out += m_rowText[at(e.row)];
  m_out += m_separators.line;
  time("ts", writtenTime(e.begin));
  if (exporter()) {
    m_out += m_separators.field;
    time("dur", 0);
  }
  openArgs();
  if (!legacy()) {
    arg("Total Reserved", e.values[3]);
    arg("Total Allocated", e.values[2]);
  }
  arg("Bytes", e.values[0]);
  if (!legacy()) arg("Addr", e.values[1]);
  arg("Device Id", e.onHost ? -1 : m_truth.device);
  arg("Device Type", e.onHost ? 0 : 1);
  if (!legacy()) arg("Ev Idx", e.index);
  closeArgs();
  closeEvent();
}

} // namespace rankscope::test
