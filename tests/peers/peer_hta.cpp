// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_hta.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace rankscope::peers {

namespace {

bool startsWithOneOf(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view b) { return name.starts_with(b); });
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

// The three patterns in the order in which they are tried.
HtaClass classByName(std::string_view name) {
  const std::string_view line = name.substr(0, name.find('\n'));
  if (startsWithOneOf(name, {"nccl", "hip", "hccl"}) || has(line, "ncclKernel"))
    return HtaClass::Communication;
  if (startsWithOneOf(name, {"Memcpy", "hipMemcpy", "Memset", "hipMemset", "dma"})) return HtaClass::Memory;
  const bool launch = name.starts_with("cuda") && has(line, "LaunchKernel");
  const bool part = has(line, "Memcpy") || has(line, "Memset") || has(line, "dma") || has(line, "Sync");
  if (launch || part ||
      startsWithOneOf(name, {"Stream Wait Event", "runFunction", "job_exe", "packet", "pe_exe",
                             "cpum_exe_subgraph", "collective_subgraph_execution"}))
    return HtaClass::Other;
  return HtaClass::Computation;
}

HtaClass classByKind(EventKind kind) {
  switch (kind) {
  case EventKind::Kernel:
    return HtaClass::Computation;
  case EventKind::Collective:
    return HtaClass::Communication;
  case EventKind::Copy:
  case EventKind::Set:
    return HtaClass::Memory;
  default:
    return HtaClass::Other;
  }
}

HtaClass classOf(const PeerEvent& event, HtaRules rules) {
  if (event.name.starts_with("hip") && rules.has(HtaRule::HipIsCommunication)) return HtaClass::Communication;
  const bool byName = rules.has(HtaRule::ClassesByName) || !isDeviceActivity(event.kind);
  return byName && !event.name.starts_with("hip") ? classByName(event.name) : classByKind(event.kind);
}

// N of ^ProfilerStep#(\d+).
std::optional<int> stepOf(std::string_view name) {
  constexpr std::string_view kBeginning = "ProfilerStep#";
  if (!name.starts_with(kBeginning)) return std::nullopt;
  int number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + kBeginning.size(), name.data() + name.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Its own test for a device's row, used for links and for the filter by step.
bool isLinkedAsDevice(const HtaRow& row) {
  return (row.stream >= 0 && row.correlation >= 0) || row.event->name == "Event Sync" ||
         row.event->name == "Context Sync";
}

std::vector<HtaRow> rowsOf(const PeerFile& file, HtaRules rules) {
  std::vector<HtaRow> rows;
  for (const PeerEvent& event : file.events) {
    if (event.category.empty() || event.category == "Trace") continue;
    if (event.fromHalves && rules.has(HtaRule::HalvesUnread)) continue;
    HtaRow& row = rows.emplace_back();
    row.event = &event;
    row.ts = event.ts;
    row.end = event.ts + event.dur;
    row.dur = event.dur;
    if (rules.has(HtaRule::RoundedInwards)) {
      row.ts = std::ceil(row.ts);
      row.end = std::floor(row.end);
      row.dur = row.end - row.ts;
    }
    row.stream = integerOf(event.stream).value_or(-1);
    row.correlation = integerOf(event.correlation).value_or(-1);
    row.device = rules.has(HtaRule::StreamMakesDeviceRow) ? row.stream != -1 : isDeviceActivity(event.kind);
    row.kernelClass = classOf(event, rules);
  }
  return rows;
}

// Each row gets the position of the last row of its correlation on the other side.
void linkPartners(std::vector<HtaRow>& rows) {
  std::unordered_map<std::int64_t, std::int64_t> lastHost, lastDevice;
  for (const HtaRow& row : rows) {
    if (row.correlation == -1) continue;
    (isLinkedAsDevice(row) ? lastDevice : lastHost)[row.correlation] =
        static_cast<std::int64_t>(row.event->position);
  }
  for (HtaRow& row : rows) {
    row.partner = std::min<std::int64_t>(row.correlation, 0);
    if (row.correlation == -1) continue;
    const auto& others = isLinkedAsDevice(row) ? lastHost : lastDevice;
    if (const auto other = others.find(row.correlation); other != others.end()) row.partner = other->second;
  }
}

// The step that contains a host row, and for a device's row the one that contains its partner.
void addIterations(std::vector<HtaRow>& rows) {
  struct Step {
    double begin, end;
    int number;
  };
  std::vector<Step> steps;
  for (const HtaRow& row : rows)
    if (const auto step = stepOf(row.event->name)) steps.push_back({row.ts, row.ts + row.dur, *step});
  const auto stepAt = [&](double ts) {
    int number = -1;
    for (const Step& step : steps)
      if (step.begin <= ts && ts < step.end) number = step.number;
    return number;
  };
  std::unordered_map<std::int64_t, int> byPosition;
  for (HtaRow& row : rows) {
    if (row.stream < 0 || (row.stream == 0 && row.event->category == "cpu_op"))
      row.iteration = stepAt(row.ts);
    byPosition[static_cast<std::int64_t>(row.event->position)] = row.iteration;
  }
  for (HtaRow& row : rows) {
    if (row.stream <= 0 || row.partner <= 0) continue;
    if (const auto partner = byPosition.find(row.partner); partner != byPosition.end())
      row.iteration = partner->second;
  }
}

// Keeps the host rows that begin before the last step ends, and the device rows of which one of them has the
// correlation, each as often as there are such rows. The step's end is in the file's time, so as a rule it
// keeps all host rows.
void dropUnlaunched(HtaTrace& trace) {
  double lastEnd = -std::numeric_limits<double>::infinity();
  double lastHostEnd = lastEnd;
  bool anyStep = false;
  std::size_t hostRows = 0;
  for (const HtaRow& row : trace.rows) {
    if (isLinkedAsDevice(row)) continue;
    ++hostRows;
    lastHostEnd = std::max(lastHostEnd, row.end);
    if (!stepOf(row.event->name)) continue;
    anyStep = true;
    lastEnd = std::max(lastEnd, row.end);
  }
  if (hostRows == 0) return;
  if (!anyStep) lastEnd = lastHostEnd;
  std::unordered_map<std::int64_t, std::size_t> hostCount;
  const auto kept = [&](const HtaRow& row) { return row.ts <= lastEnd; };
  for (const HtaRow& row : trace.rows)
    if (!isLinkedAsDevice(row) && kept(row)) ++hostCount[row.correlation];
  std::vector<HtaRow> rows;
  for (const HtaRow& row : trace.rows) {
    if (!isLinkedAsDevice(row)) continue;
    const auto count = hostCount.find(row.correlation);
    if (count != hostCount.end()) rows.insert(rows.end(), count->second, row);
  }
  for (const HtaRow& row : trace.rows)
    if (!isLinkedAsDevice(row) && kept(row)) rows.push_back(row);
  trace.rows = std::move(rows);
}

// The same for MTIA: host rows within the steps and what they launched; copies within a step too, which get
// their thread for a stream.
void dropUnlaunchedOfMtia(HtaTrace& trace) {
  double begin = std::numeric_limits<double>::infinity();
  double end = -begin;
  const auto isHostCategory = [](const HtaRow& row) {
    const std::string_view category = row.event->category;
    return category.starts_with("cpu_op") || category == "user_annotation" || has(category, "cuda_runtime") ||
           has(category, "mtia_runtime");
  };
  for (const HtaRow& row : trace.rows) {
    if (!isHostCategory(row) || !stepOf(row.event->name)) continue;
    begin = std::min(begin, row.ts);
    end = std::max(end, row.end);
  }
  std::set<std::int64_t> correlations;
  const auto inSteps = [&](const HtaRow& row) {
    return isHostCategory(row) && row.ts >= begin && row.end <= end;
  };
  for (const HtaRow& row : trace.rows)
    if (inSteps(row) && row.correlation != -1) correlations.insert(row.correlation);
  std::erase_if(trace.rows, [&](const HtaRow& row) {
    const std::string_view category = row.event->category;
    const bool deviceCategory =
        category.starts_with("kernel") || category.starts_with("gpu_mem") || category == "mtia_ccp_events";
    return !inSteps(row) && !(deviceCategory && correlations.contains(row.correlation)) &&
           !row.event->name.starts_with("dma");
  });
}

bool isMtia(const HtaTrace& trace) {
  if (has(trace.file->trace->metadata.backend, "mtia:hccl")) return true;
  bool launches = false;
  for (const HtaRow& row : trace.rows) {
    if (row.event->name == "cudaLaunchKernel" || row.event->name == "hipLaunchKernel") return false;
    if (row.event->name == "runFunction - job_prep_and_submit_for_execution") launches = true;
  }
  return launches;
}

} // namespace

std::string_view ruleText(HtaRule rule) {
  switch (rule) {
  case HtaRule::RoundedInwards:
    return "times rounded inwards to whole microseconds";
  case HtaRule::HalvesUnread:
    return "events in two halves not read";
  case HtaRule::StreamMakesDeviceRow:
    return "a row that names a stream is a GPU row, of whatever category";
  case HtaRule::HipIsCommunication:
    return "hip* is communication";
  case HtaRule::ClassesByName:
    return "classes by HTA's patterns of names";
  case HtaRule::OneFileOfARank:
    return "of several files of a rank one is kept";
  case HtaRule::UnlaunchedDropped:
    return "launch outside the recording dropped";
  case HtaRule::LaunchesByName:
    return "only calls of certain names launch";
  case HtaRule::EveryHostRowIsACall:
    return "every row of a correlation is a call";
  case HtaRule::EqualTimesInAnyOrder:
    return "changes at one time in any order";
  case HtaRule::BegunBeforeLaunched:
    return "kernels that begin before their call as recorded";
  case HtaRule::SumsOfTimes:
    return "sums of ends less sums of begins, in doubles";
  case HtaRule::WholeMicroseconds:
    return "stretches cut to whole microseconds";
  case HtaRule::Count:
    break;
  }
  return "";
}

int htaRankOf(const PeerFile& file) {
  constexpr std::string_view kKey = "\"rank\":";
  const std::string_view text = file.text;
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    std::size_t digits = at + kKey.size();
    while (digits < text.size() && std::isspace(static_cast<unsigned char>(text[digits]))) {
      if (text[digits] == '\n') break;
      ++digits;
    }
    if (digits == at + kKey.size()) continue;
    int rank = 0;
    const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), rank);
    if (error == std::errc() && rank >= 0) return rank;
  }
  return 0;
}

std::vector<HtaTrace> htaTraces(std::span<const PeerFile> files, HtaRules rules,
                                std::span<const std::size_t> chosen) {
  std::map<int, std::size_t> kept;
  for (std::size_t i = 0; i < files.size(); ++i) kept[htaRankOf(files[i])] = i;
  for (const std::size_t i : chosen) kept[htaRankOf(files[i])] = i;
  std::vector<HtaTrace> traces;
  double first = std::numeric_limits<double>::infinity();
  std::set<std::string_view> stepNames;
  for (const auto& [rank, i] : kept) {
    HtaTrace trace{rank, &files[i], rowsOf(files[i], rules)};
    if (trace.rows.empty()) continue;
    linkPartners(trace.rows);
    addIterations(trace.rows);
    for (const HtaRow& row : trace.rows) {
      first = std::min(first, row.ts);
      if (stepOf(row.event->name)) stepNames.insert(row.event->name);
    }
    traces.push_back(std::move(trace));
  }
  const bool mtia = !traces.empty() && isMtia(traces.front());
  for (HtaTrace& trace : traces) {
    for (HtaRow& row : trace.rows) row.ts -= first;
    if (stepNames.size() < 2 || !rules.has(HtaRule::UnlaunchedDropped)) continue;
    mtia ? dropUnlaunchedOfMtia(trace) : dropUnlaunched(trace);
  }
  return traces;
}

} // namespace rankscope::peers
