// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/crowded_traces.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>

namespace rankscope::test {

namespace {

// Writes events of one process without white space; times in whole microseconds.
class Crowd {
 public:
  // args: members of the arguments.
  void slice(std::string_view category, std::string_view name, std::size_t process, std::size_t thread,
             std::size_t begin, std::size_t duration, std::string_view args = {}) {
    fmt::format_to(
        std::back_inserter(m_events),
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        m_events.empty() ? "\n" : ",\n", category, name, process, thread, begin, duration, args);
  }
  void kernel(std::size_t device, std::size_t stream, std::size_t begin, std::size_t duration,
              std::size_t correlation = 0, std::string_view more = {}) {
    slice("kernel", "kernel", device, stream, begin, duration,
          fmt::format(R"("device":{},"stream":{},"correlation":{}{})", device, stream, correlation, more));
  }
  // A call at `begin` and the kernel that it launches.
  void launch(std::size_t begin, std::size_t correlation, std::size_t stream = 7) {
    slice("cuda_runtime", "cudaLaunchKernel", 1, 1, begin, 5,
          fmt::format(R"("correlation":{})", correlation));
    kernel(0, stream, begin + 6, 2, correlation);
  }
  void memory(std::size_t time, std::size_t address, std::size_t device) {
    fmt::format_to(std::back_inserter(m_events),
                   R"({}{{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":{},"args":{{"Bytes":512,"Addr":{},)"
                   R"("Device Id":{},"Device Type":1}}}})",
                   m_events.empty() ? "\n" : ",\n", time, 4096 + address, device);
  }
  void arrow(std::size_t id, std::size_t from, std::size_t to) {
    for (const auto& [phase, time] : {std::pair('s', from), std::pair('f', to)})
      fmt::format_to(std::back_inserter(m_events),
                     R"({}{{"ph":"{}","id":{},"pid":1,"tid":1,"ts":{},"cat":"fwdbwd","name":"fwdbwd"}})",
                     m_events.empty() ? "\n" : ",\n", phase, id, time);
  }
  [[nodiscard]] std::string text() const { return "{\"traceEvents\":[" + m_events + "\n]}\n"; }

 private:
  std::string m_events;
};

constexpr std::string_view kAnnotation = "user_annotation", kOperator = "cpu_op", kFrame = "python_function",
                           kCall = "cuda_runtime";

// Each event begins and ends after the previous one.
void overlap(Crowd& crowd, std::string_view category, std::size_t count, std::size_t begin = 0) {
  for (std::size_t i = 0; i < count; ++i) crowd.slice(category, "a::b", 1, 1, begin + i, 2 * count);
}

// Each event is nested in the previous one; the innermost lasts from 2 * count to 20 * count.
void nest(Crowd& crowd, std::string_view category, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) crowd.slice(category, "a::b", 1, 1, i, 22 * count - 2 * i);
}

template <const std::string_view& category> std::string overlapping(std::size_t events) {
  Crowd crowd;
  overlap(crowd, category, events);
  return crowd.text();
}

template <const std::string_view& category> std::string nested(std::size_t events) {
  Crowd crowd;
  nest(crowd, category, events);
  return crowd.text();
}

// Kernels launched by calls in the innermost of nested events.
template <const std::string_view& category> std::string launchedWithin(std::size_t events) {
  Crowd crowd;
  nest(crowd, category, events / 3);
  for (std::size_t i = 0; i < events / 3; ++i) crowd.launch(events + 10 * i, i + 1);
  return crowd.text();
}

// Kernels launched after many events that ended long before.
template <const std::string_view& category> std::string launchedAfter(std::size_t events) {
  Crowd crowd;
  overlap(crowd, category, events / 3);
  for (std::size_t i = 0; i < events / 3; ++i) crowd.launch(2 * events + 10 * i, i + 1);
  return crowd.text();
}

// Many disjoint events before overlapping ones.
template <const std::string_view& category> std::string lateOverlap(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events / 3; ++i) crowd.slice(category, "a::c", 1, 1, 10 * i, 9);
  overlap(crowd, category, 2 * events / 3, 10 * events);
  return crowd.text();
}

std::string devices(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events; ++i) crowd.kernel(i, 7, 2 * i, 1);
  return crowd.text();
}

std::string streams(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events; ++i) crowd.kernel(0, i, 2 * i, 1);
  return crowd.text();
}

std::string processes(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events; ++i) crowd.slice(kOperator, "a::b", i + 1, 1, 2 * i, 1);
  return crowd.text();
}

std::string threads(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events; ++i) crowd.slice(kOperator, "a::b", 1, i, 2 * i, 1);
  return crowd.text();
}

std::string memoryOfDevices(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events; ++i) crowd.memory(i, i, i);
  return crowd.text();
}

std::string memoryWithin(std::size_t events) {
  Crowd crowd;
  nest(crowd, kOperator, events / 3);
  for (std::size_t i = 0; i < 2 * events / 3; ++i) crowd.memory(events + i, i, 0);
  return crowd.text();
}

std::string arrowsWithin(std::size_t events) {
  Crowd crowd;
  nest(crowd, kOperator, events / 3);
  for (std::size_t i = 0; i < events / 3; ++i) crowd.arrow(i + 1, events + i, 2 * events + i);
  return crowd.text();
}

std::string overlappingKernels(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events; ++i) crowd.kernel(0, 7, i, 2 * events);
  return crowd.text();
}

// Idle streams while the host waits repeatedly.
std::string waitsOfStreams(std::size_t events) {
  Crowd crowd;
  const std::size_t third = events / 3, end = 20 * third;
  for (std::size_t i = 0; i < third; ++i) crowd.slice(kCall, "cudaStreamSynchronize", 1, 1, 100 + 10 * i, 9);
  for (std::size_t i = 0; i < third / 2; ++i) {
    crowd.kernel(0, i, 10, 1);
    crowd.launch(end + 20 * i, i + 1, i);
  }
  return crowd.text();
}

std::string communication(std::size_t events, std::string_view operation, bool manyGroups) {
  Crowd crowd;
  for (std::size_t i = 0; i < events / 3; ++i)
    crowd.kernel(
        0, 7, 2 * i, 1, 0,
        fmt::format(R"(,"Collective name":"{}","In msg nelems":{},"Group size":131072,"dtype":"Float",)"
                    R"("Process Group Name":"group {}","Global rank start":0,"Global rank stride":1,)"
                    R"("Dst Rank":{})",
                    operation, i, manyGroups ? i : 0, i));
  return crowd.text();
}

std::string groups(std::size_t events) {
  return communication(events, "allreduce", true);
}

std::string transfers(std::size_t events) {
  return communication(events, "send", false);
}

// Begin events without end.
std::string halves(std::size_t events) {
  std::string text = "{\"traceEvents\":[";
  for (std::size_t i = 0; i < events; ++i)
    fmt::format_to(std::back_inserter(text),
                   R"({}{{"ph":"B","cat":"cpu_op","name":"a::b","pid":1,"tid":1,"ts":{}}})",
                   i == 0 ? "" : ",\n", i);
  return text + "]}\n";
}

std::string steps(std::size_t events) {
  Crowd crowd;
  for (std::size_t i = 0; i < events; ++i)
    crowd.slice(kAnnotation, fmt::format("ProfilerStep#{}", i), 1, 1, i, 2 * events);
  return crowd.text();
}

constexpr std::array kTraces{
    CrowdedTrace{"devices", &devices},
    CrowdedTrace{"memory of devices", &memoryOfDevices},
    CrowdedTrace{"streams", &streams},
    CrowdedTrace{"processes", &processes},
    CrowdedTrace{"threads", &threads},
    CrowdedTrace{"overlapping annotations", &overlapping<kAnnotation>},
    CrowdedTrace{"overlapping operators", &overlapping<kOperator>},
    CrowdedTrace{"overlapping frames", &overlapping<kFrame>},
    CrowdedTrace{"overlapping calls", &overlapping<kCall>},
    CrowdedTrace{"overlapping kernels", &overlappingKernels},
    CrowdedTrace{"overlapping steps", &steps},
    CrowdedTrace{"nested annotations", &nested<kAnnotation>},
    CrowdedTrace{"nested operators", &nested<kOperator>},
    CrowdedTrace{"nested frames", &nested<kFrame>},
    CrowdedTrace{"nested calls", &nested<kCall>},
    CrowdedTrace{"begins without an end", &halves},
    CrowdedTrace{"launches within annotations", &launchedWithin<kAnnotation>},
    CrowdedTrace{"launches within operators", &launchedWithin<kOperator>},
    CrowdedTrace{"launches within frames", &launchedWithin<kFrame>},
    CrowdedTrace{"launches within calls", &launchedWithin<kCall>},
    CrowdedTrace{"launches after annotations", &launchedAfter<kAnnotation>},
    CrowdedTrace{"launches after operators", &launchedAfter<kOperator>},
    CrowdedTrace{"launches after frames", &launchedAfter<kFrame>},
    CrowdedTrace{"launches after calls", &launchedAfter<kCall>},
    CrowdedTrace{"late overlap of annotations", &lateOverlap<kAnnotation>},
    CrowdedTrace{"late overlap of operators", &lateOverlap<kOperator>},
    CrowdedTrace{"memory within operators", &memoryWithin},
    CrowdedTrace{"arrows within operators", &arrowsWithin},
    CrowdedTrace{"waits of streams", &waitsOfStreams},
    CrowdedTrace{"process groups", &groups},
    CrowdedTrace{"transfers", &transfers},
};

} // namespace

std::span<const CrowdedTrace> crowdedTraces() {
  return kTraces;
}

} // namespace rankscope::test
