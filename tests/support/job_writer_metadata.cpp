// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes everything besides the events: root keys, row names, the profiler's own marks.
#include "tests/support/job_writer.h"

#include <algorithm>
#include <limits>

namespace rankscope::test {

void JobWriter::key(std::string_view name) {
  const bool compact = m_options.layout == Layout::Compact;
  text(m_firstKey ? (compact ? "" : "\n  ") : (compact ? ", " : ",\n  "));
  m_firstKey = false;
  text("\"");
  text(name);
  text("\": ");
}

void JobWriter::value(std::string_view jsonText) {
  if (!m_stopped) json(jsonText, 1);
}

void JobWriter::begin(const RankSimulation& simulation) {
  m_metaTime = writtenTime(simulation.captureBegin());
  m_recordFrom =
      simulation.captureBegin() + (m_options.late.rank == m_truth.rank ? m_options.late.afterNs : 0);
  if (m_options.bareArray) {
    text("[");
  } else {
    header();
  }
  if (m_options.layout == Layout::Lines) processRows();
  spanEvents(simulation.captureBegin(), simulation.captureBegin());
}

void JobWriter::units() {
  if (legacy()) return;
  key("displayTimeUnit");
  value("\"ms\"");
  key("baseTimeNanoseconds");
  value(std::to_string(m_base));
}

void JobWriter::header() {
  text(m_options.layout == Layout::Kineto ? "\n{" : "{");
  key("schemaVersion");
  value("1");
  if (!m_options.metadataLast) metadata();
  if (m_options.layout == Layout::Lines) units();
  key("traceEvents");
  text("[");
}

void JobWriter::metadata() {
  if (m_options.withDeviceProperties) deviceProperties();
  if (!legacy()) {
    key("cupti_version");
    value("26");
    key("cuda_runtime_version");
    value("12080");
    key("cuda_driver_version");
    value("12080");
  }
  if (m_options.withDistributedInfo && m_options.ranks > 1) distributedInfo();
  if (legacy()) return;
  if (m_options.withShapes) key("record_shapes"), value("1");
  if (m_options.withMemory) key("profile_memory"), value("1");
  if (m_options.withStack) key("with_stack"), value("1");
  if (m_options.withHostName) key("host_name"), value('"' + m_truth.host + '"');
  key("trace_id");
  std::string id = "\"" + std::string(32, 'A') + "\"";
  const std::string number = std::to_string(m_truth.rank * 1000 + m_truth.capture);
  id.replace(33 - number.size(), number.size(), number);
  value(id);
}

void JobWriter::deviceProperties() {
  key("deviceProperties");
  std::string list = "[";
  const int devices = std::max(m_options.ranksPerNode, m_truth.device + 1);
  for (int d = 0; d < devices; ++d) {
    list += d ? ", " : "";
    list +=
        "{\"id\": " + std::to_string(d) +
        ", \"name\": \"NVIDIA H100 80GB HBM3\", \"totalGlobalMem\": 85029158912, \"computeMajor\": 9, "
        "\"computeMinor\": 0, \"maxThreadsPerBlock\": 1024, \"regsPerBlock\": 65536, \"warpSize\": 32, "
        "\"sharedMemPerBlock\": 49152, \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, "
        "\"sharedMemPerMultiprocessor\": 233472, ";
    list += exporter() ? "\"maxThreadsPerMultiprocessor\": 132}"
                       : "\"maxThreadsPerMultiprocessor\": 2048, \"numSms\": 132}";
  }
  value(list + "]");
}

void JobWriter::distributedInfo() {
  key("distributedInfo");
  std::string info = "{\"backend\": \"nccl\", \"rank\": " + std::to_string(m_truth.rank) +
                     ", \"world_size\": " + std::to_string(m_options.ranks);
  if (!legacy()) {
    const bool mesh = m_options.parallelism == Parallelism::Tensor;
    info += std::string(", \"pg_count\": ") + (mesh ? "3" : "1") + ", \"pg_config\": [";
    for (const Group group : {Group::World, Group::DataParallel, Group::TensorParallel}) {
      if (group != Group::World && !mesh) continue;
      info += group == Group::World ? "" : ", ";
      info += "{\"pg_name\": \"" + std::string(m_plan.groupName(group)) + "\", \"pg_desc\": \"" +
              std::string(m_plan.groupDescription(group)) +
              "\", \"backend_config\": \"cuda:nccl\", \"pg_size\": " +
              std::to_string(m_plan.members(group, m_truth.rank).size) +
              ", \"ranks\": " + groupRanks(group, false) + "}";
    }
    info += "], \"nccl_version\": \"2.21.5\"";
  }
  value(info + "}");
}

void JobWriter::meta(std::string_view name, std::string_view pid, std::string_view tid,
                     std::string_view argName, std::string_view jsonValue) {
  openEvent();
  m_out.append("\"name\": \"").append(name).append("\"").append(m_separators.field).append("\"ph\": \"M\"");
  m_out += m_separators.field;
  time("ts", m_metaTime);
  m_out.append(m_separators.field).append("\"pid\": ").append(pid);
  m_out.append(m_separators.field).append("\"tid\": ").append(tid);
  openArgs();
  argJson(argName, jsonValue);
  closeArgs();
  closeEvent();
}

void JobWriter::processRows() {
  const auto process = [&](const std::string& pid, const std::string& label, std::int64_t sort) {
    meta("process_name", pid, "0", "name", R"("python3.12")");
    meta("process_labels", pid, "0", "labels", '"' + label + '"');
    meta("process_sort_index", pid, "0", "sort_index", std::to_string(sort));
  };
  process(m_pidText, "CPU", m_truth.pid);
  const int devices = std::max(m_options.ranksPerNode, m_truth.device + 1);
  for (int d = 0; d < devices; ++d) process(std::to_string(d), "GPU " + std::to_string(d), 16'777'216 + d);
  const std::string device = std::to_string(m_truth.device);
  const auto thread = [&](const std::string& pid, Row row, const std::string& name, std::int64_t sort) {
    const std::string& tid = m_tidText[static_cast<std::size_t>(row)];
    meta("thread_name", pid, tid, "name", '"' + name + '"');
    meta("thread_sort_index", pid, tid, "sort_index", std::to_string(sort));
  };
  thread(device, Row::Compute, "stream 7 ", 7);
  if (m_plan.streams.secondStream) thread(device, Row::SecondCompute, "stream 9 ", 9);
  if (m_options.ranks > 1) thread(device, Row::Communication, "stream 24 ", 24);
  if (m_options.parallelism == Parallelism::Tensor)
    thread(device, Row::TensorCommunication, "stream 32 ", 32);
  thread(device, Row::Copies, "stream 28 ", 28);
  thread(m_pidText, Row::Main, "thread " + m_pidText + " (python3.12)", m_truth.pid);
  thread(m_pidText, Row::Autograd, "thread " + std::to_string(m_truth.pid + 612) + " (pt_autograd_0)",
         m_truth.pid + 612);
}

void JobWriter::spanEvents(std::int64_t beginTime, std::int64_t endTime) {
  // At the begin of a capture the profiler's overhead, at its end the span of the recording.
  if (beginTime == endTime) {
    if (legacy()) return;
    head("X", "overhead", "Activity Buffer Request", -1,
         std::string(m_separators.field) + "\"pid\": -1" + std::string(m_separators.field) + "\"tid\": 0");
    m_out += m_separators.line;
    time("ts", writtenTime(beginTime));
    m_out += m_separators.field;
    time("dur", 41'377);
    closeEvent();
    return;
  }
  const std::string field(m_separators.field);
  head("X", "Trace", "PyTorch Profiler (0)", -1,
       field + (legacy() ? "\"pid\": \"Traces\"" : "\"pid\": \"Spans\"") + field +
           "\"tid\": \"PyTorch Profiler\"");
  m_out += m_separators.line;
  time("ts", writtenTime(beginTime));
  m_out += m_separators.field;
  time("dur", writtenTime(endTime) - writtenTime(beginTime));
  openArgs();
  arg("Op count", 0);
  closeArgs();
  closeEvent();
  if (!legacy()) meta("process_sort_index", R"("Spans")", "0", "sort_index", "536870912");
  const auto instant = [&](std::string_view name, std::string_view pid, std::string_view tid,
                           std::int64_t t) {
    openEvent();
    m_out.append("\"name\": \"")
        .append(name)
        .append("\"")
        .append(field)
        .append("\"ph\": \"i\"")
        .append(field);
    m_out.append("\"s\": \"g\"").append(m_separators.line).append("\"pid\": ").append(pid).append(field);
    m_out.append("\"tid\": ").append(tid).append(field);
    time("ts", writtenTime(t));
    closeEvent();
  };
  instant("Iteration Start: PyTorch Profiler", R"("Traces")", R"("Trace PyTorch Profiler")", beginTime);
  instant("Record Window End", R"("")", R"("")", endTime);
}

FileTruth JobWriter::finish(const RankSimulation& simulation) {
  m_sums.finish();
  if (m_options.layout != Layout::Lines) processRows();
  spanEvents(simulation.captureBegin(), std::max(simulation.now(), simulation.deviceEnd()) + 1'000'000);
  if (m_damage == DamageKind::MissingEnd) m_stopped = true;
  if (m_damage == DamageKind::TrailingComma) text(",");
  text(m_options.layout == Layout::Compact ? "]" : "\n  ]");
  if (!m_options.bareArray) {
    if (m_options.metadataLast) metadata();
    if (!legacy()) {
      key("traceName");
      value("\"/tmp/profile/" + m_truth.file + "\"");
      if (m_options.layout != Layout::Lines) units();
    }
    text(m_options.layout == Layout::Compact ? "}" : "\n}");
  }
  if (m_damage == DamageKind::GarbageTail) text(std::string_view("\n\0\x01\xfe garbage }]\n{\"ph\"", 22));
  flush(true);
  m_file.close();
  const DeviceSums::Totals& t = m_sums.totals();
  m_truth.jsonBytes = m_file.bytesIn();
  m_truth.baseNs = m_base;
  m_truth.firstNs = t.first;
  m_truth.lastNs = t.last;
  m_truth.spanNs = t.span();
  m_truth.busyNs = t.busy;
  m_truth.idleNs = t.idle();
  m_truth.computeNs = t.compute;
  m_truth.communicationNs = t.communication;
  m_truth.overlapNs = t.overlap;
  m_truth.memoryNs = t.memory;
  for (auto& [name, sums] : m_names) {
    sums.name = name;
    m_truth.names.push_back(sums);
  }
  if (m_damage == DamageKind::TruncatedGzip && !m_gzipPath.empty()) {
    const auto size = std::filesystem::file_size(m_gzipPath);
    std::filesystem::resize_file(m_gzipPath,
                                 size * static_cast<std::uintmax_t>(m_options.damage.permille) / 1000);
  }
  return std::move(m_truth);
}

} // namespace rankscope::test
