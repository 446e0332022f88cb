// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/trace_text.h"

#include "tests/support/text_buffer.h"

#include <fmt/format.h>

namespace rankscope::test {
namespace {

std::string correlationArg(std::int64_t correlation) {
  return correlation < 0 ? std::string() : fmt::format(", \"correlation\": {}", correlation);
}

std::string deviceArgs(int device, std::int64_t stream, std::int64_t correlation) {
  return fmt::format("\"device\": {}, \"context\": 1, \"stream\": {}{}", device, stream,
                     correlationArg(correlation));
}

} // namespace

std::string jsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string microseconds(std::int64_t ns) {
  std::string text;
  appendMicroseconds(text, ns);
  return text;
}

TraceText& TraceText::addRaw(std::string_view event) {
  m_events += m_count++ == 0 ? "\n  " : ",\n  ";
  m_events += event;
  return *this;
}

TraceText& TraceText::addSlice(std::string_view category, std::int64_t pid, std::int64_t tid,
                               std::int64_t begin, std::int64_t duration, std::string_view name,
                               std::string_view args) {
  return addRaw(fmt::format(
      "{{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": {}, \"pid\": {}, \"tid\": {},\n    \"ts\": {}, "
      "\"dur\": {},\n    \"args\": {{\n      {}\n    }}\n  }}",
      category, jsonString(name), pid, tid, microseconds(begin), microseconds(duration), args));
}

TraceText& TraceText::addKernel(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                                std::string_view name, std::int64_t correlation, std::string_view moreArgs) {
  const std::string args =
      deviceArgs(device, stream, correlation) +
      ", \"registers per thread\": 32, \"shared memory\": 0, \"blocks per SM\": 2.5, \"warps per SM\": 10, "
      "\"grid\": [264, 1, 1], \"block\": [128, 1, 1], \"est. achieved occupancy %\": 40" +
      (moreArgs.empty() ? "" : ", ") + std::string(moreArgs);
  return addSlice("kernel", device, stream, begin, duration, name, args);
}

TraceText& TraceText::addCopy(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                              std::string_view name, std::int64_t bytes, std::int64_t correlation) {
  return addSlice("gpu_memcpy", device, stream, begin, duration, name,
                  deviceArgs(device, stream, correlation) + fmt::format(", \"bytes\": {}", bytes));
}

TraceText& TraceText::addSet(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                             std::int64_t bytes, std::int64_t correlation) {
  return addSlice("gpu_memset", device, stream, begin, duration, "Memset (Device)",
                  deviceArgs(device, stream, correlation) + fmt::format(", \"bytes\": {}", bytes));
}

TraceText& TraceText::addCollective(int device, std::int64_t stream, std::int64_t begin,
                                    std::int64_t duration, std::string_view collective, std::int64_t elements,
                                    int groupSize, std::int64_t correlation) {
  std::string ranks = "[";
  for (int r = 0; r < groupSize && r < 30; ++r) ranks += (r ? ", " : "") + std::to_string(r);
  ranks += groupSize > 30 ? ", ...]" : "]";
  return addKernel(
      device, stream, begin, duration,
      fmt::format("ncclDevKernel_{}_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", collective),
      correlation,
      fmt::format(
          "\"Collective name\": \"{}\", \"In msg nelems\": {}, \"Out msg nelems\": {}, \"Group size\": {}, "
          "\"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process Group "
          "Name\": \"0\", \"Process Group Description\": \"default_pg\", \"Process Group Ranks\": \"{}\"",
          collective, elements, elements, groupSize, ranks));
}

TraceText& TraceText::addCpuOp(std::int64_t tid, std::int64_t begin, std::int64_t duration,
                               std::string_view name, std::string_view moreArgs) {
  return addSlice(
      "cpu_op", m_process, tid, begin, duration, name,
      fmt::format("\"External id\": {}{}{}", m_count + 1, moreArgs.empty() ? "" : ", ", moreArgs));
}

TraceText& TraceText::addRuntime(std::int64_t tid, std::int64_t begin, std::int64_t duration,
                                 std::string_view name, std::int64_t correlation) {
  return addSlice("cuda_runtime", m_process, tid, begin, duration, name,
                  "\"cbid\": 211" + correlationArg(correlation));
}

TraceText& TraceText::addAnnotation(std::int64_t tid, std::int64_t begin, std::int64_t duration,
                                    std::string_view name) {
  return addSlice("user_annotation", m_process, tid, begin, duration, name,
                  fmt::format("\"External id\": {}", m_count + 1));
}

TraceText& TraceText::addGpuAnnotation(int device, std::int64_t stream, std::int64_t begin,
                                       std::int64_t duration, std::string_view name) {
  return addSlice("gpu_user_annotation", device, stream, begin, duration, name, "\"External id\": 1");
}

TraceText& TraceText::addStep(int number, std::int64_t begin, std::int64_t duration) {
  return addAnnotation(m_process, begin, duration, fmt::format("ProfilerStep#{}", number));
}

TraceText& TraceText::addPython(std::int64_t tid, std::int64_t begin, std::int64_t duration,
                                std::string_view name, std::int64_t id, std::int64_t parent) {
  return addSlice("python_function", m_process, tid, begin, duration, name,
                  fmt::format("\"Python parent id\": {}, \"Python id\": {}",
                              parent < 0 ? "null" : std::to_string(parent), id));
}

TraceText& TraceText::addMemory(std::int64_t tid, std::int64_t time, std::int64_t bytes,
                                std::int64_t allocated, std::int64_t reserved, int device,
                                std::int64_t address) {
  return addRaw(fmt::format(
      "{{\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    "
      "\"pid\": {}, \"tid\": {},\n    \"ts\": {},\n    \"args\": {{\n      \"Total Reserved\": {}, \"Total "
      "Allocated\": {}, \"Bytes\": {}, \"Addr\": {}, \"Device Id\": {}, \"Device Type\": {}\n    }}\n  }}",
      m_process, tid, microseconds(time), reserved, allocated, bytes, address, device, device < 0 ? 0 : 1));
}

TraceText& TraceText::addInstant(std::int64_t tid, std::int64_t time, std::string_view name) {
  return addRaw(fmt::format(
      "{{\n    \"name\": {}, \"ph\": \"i\", \"s\": \"t\",\n    \"pid\": {}, \"tid\": {}, \"ts\": {}\n  }}",
      jsonString(name), m_process, tid, microseconds(time)));
}

TraceText& TraceText::addFlow(char phase, std::int64_t id, std::int64_t pid, std::int64_t tid,
                              std::int64_t time, std::string_view category) {
  return addRaw(fmt::format(
      "{{\n    \"ph\": \"{}\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {},\n    \"cat\": \"{}\", "
      "\"name\": \"{}\"{}\n  }}",
      phase, id, pid, tid, microseconds(time), category, category, phase == 'f' ? ", \"bp\": \"e\"" : ""));
}

TraceText& TraceText::addThreadName(std::int64_t pid, std::int64_t tid, std::string_view name) {
  return addRaw(fmt::format(
      "{{\n    \"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": {}, \"tid\": {},\n    "
      "\"args\": {{\n      \"name\": {}\n    }}\n  }}",
      pid, tid, jsonString(name)));
}

TraceText& TraceText::addProcessLabel(std::int64_t pid, std::string_view label) {
  return addRaw(fmt::format(
      "{{\n    \"name\": \"process_labels\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": {}, \"tid\": 0,\n    "
      "\"args\": {{\n      \"labels\": {}\n    }}\n  }}",
      pid, jsonString(label)));
}

TraceText& TraceText::metadata(std::string_view key, std::string_view json) {
  m_metadata += fmt::format(",\n  \"{}\": {}", key, json);
  return *this;
}

TraceText& TraceText::distributedInfo(int rank, int worldSize) {
  return metadata(
      "distributedInfo",
      fmt::format("{{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}}}", rank, worldSize));
}

TraceText& TraceText::baseTime(std::int64_t ns) {
  m_base = ns;
  return *this;
}

TraceText& TraceText::hostProcess(std::int64_t pid) {
  m_process = pid;
  return *this;
}

std::string TraceText::text() const {
  return "\n{\n  \"schemaVersion\": 1" + m_metadata + ",\n  \"traceEvents\": [" + m_events +
         fmt::format("\n  ],\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": {}\n}}", m_base);
}

void writeTraceFile(const std::string& path, std::string_view text) {
  const std::filesystem::path where(path);
  if (where.has_parent_path()) std::filesystem::create_directories(where.parent_path());
  OutputFile file(where, where.extension() == ".gz", 6);
  file.write(text);
  file.close();
}

} // namespace rankscope::test
