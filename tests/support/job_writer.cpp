// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_writer.h"

#include <algorithm>
#include <limits>

namespace rankscope::test {
namespace {

constexpr std::size_t kBlock = std::size_t{4} << 20;
constexpr std::int64_t kQuarterNs = 7'776'000'000'000'000;

constexpr Separators kKineto{"\n  {\n    ", "\n  }",     ", ", ",\n    ",
                             ",\n    ",     "{\n      ", ", ", "\n    }"};
constexpr Separators kLines{"\n  {\n    ",   "\n  }",     ",\n    ", ",\n    ",
                            "\n    ,\n    ", "{\n      ", ", ",      "\n    }"};
constexpr Separators kCompact{"{", "}", ", ", ", ", ", ", "{", ", ", "}"};
constexpr Separators kPretty{"\n    {\n      ", "\n    }",     ",\n      ",   ",\n      ",
                             ",\n      ",       "{\n        ", ",\n        ", "\n      }"};

const Separators& separatorsOf(Layout layout) {
  switch (layout) {
  case Layout::Lines:
    return kLines;
  case Layout::Compact:
    return kCompact;
  case Layout::Pretty:
    return kPretty;
  case Layout::Kineto:
    break;
  }
  return kKineto;
}

bool isCompute(Row row) {
  return row == Row::Compute || row == Row::SecondCompute;
}

bool isHost(EventKind kind) {
  return kind <= EventKind::FlowEnd;
}

std::int64_t nodeValue(const std::vector<std::int64_t>& values, int node) {
  return static_cast<std::size_t>(node) < values.size() ? values[static_cast<std::size_t>(node)] : 0;
}

bool isWritten(const JobOptions& o, const Event& e) {
  const bool legacy = o.vocabulary == Vocabulary::Legacy;
  switch (e.kind) {
  case EventKind::FlowBegin:
  case EventKind::FlowEnd:
    return o.withFlows && !legacy;
  case EventKind::GpuAnnotation:
    return o.withGpuAnnotations && !legacy;
  case EventKind::Sync:
    return !legacy;
  case EventKind::Python:
    return !legacy;
  case EventKind::Memory:
    return o.withMemory;
  default:
    return true;
  }
}

bool hasFlow(const JobOptions& o, const Event& e) {
  if (!o.withFlows) return false;
  if (e.kind == EventKind::Runtime) return e.hasDeviceWork || o.vocabulary != Vocabulary::Legacy;
  return e.kind == EventKind::Kernel || e.kind == EventKind::Copy || e.kind == EventKind::Set;
}

} // namespace

JobWriter::JobWriter(const JobPlan& plan, int rank, int capture, const std::filesystem::path& folder,
                     const std::string& relativePath)
    : m_plan(plan), m_options(plan.options), m_separators(separatorsOf(plan.options.layout)),
      m_file(folder / relativePath, plan.options.gzip, plan.options.gzipLevel) {
  m_out.reserve(kBlock + (1U << 16));
  m_truth.file = relativePath;
  m_truth.rank = rank;
  m_truth.capture = capture;
  m_truth.node = rank / m_options.ranksPerNode;
  m_truth.device = rank % m_options.ranksPerNode;
  m_truth.host = "node" + std::to_string(m_truth.node);
  m_truth.pid = 20'000 + 1'370 * m_truth.device + 7 * m_truth.node;
  m_offset = nodeValue(m_options.clockOffsetNs, m_truth.node);
  m_drift = nodeValue(m_options.clockDriftPpb, m_truth.node);
  m_base = legacy() ? 0 : kBaseNs;
  if (m_options.differentBases && m_truth.node % 2 == 1 && !legacy()) m_base -= kQuarterNs;
  if (m_options.damage.rank < 0 || m_options.damage.rank == rank) m_damage = m_options.damage.kind;
  if (m_options.gzip) m_gzipPath = (folder / relativePath).string();
  makeRowTexts();
}

std::int64_t JobWriter::fileTime(std::int64_t trueTime) const {
  const std::int64_t t = kOriginNs + trueTime + m_offset + trueTime / 1000 * m_drift / 1'000'000;
  return t / m_plan.quantumNs * m_plan.quantumNs;
}

void JobWriter::makeRowTexts() {
  const std::string pid = std::to_string(m_truth.pid);
  const std::string device = std::to_string(m_truth.device);
  const std::int64_t autograd = m_options.threadIds == ThreadIds::Negative ? -1'253'423'680 - m_truth.pid
                                : m_options.threadIds == ThreadIds::Wide
                                    ? 0x7f3a'5c00'0640 + (m_truth.pid << 12)
                                    : m_truth.pid + 612;
  const auto quoted = [&](const std::string& s) { return legacy() ? '"' + s + '"' : s; };
  const auto row = [&](Row r, const std::string& p, const std::string& tid) {
    m_tidText[at(r)] = tid;
    const std::string field(m_separators.field);
    m_rowText[at(r)] = field + "\"pid\": " + p + field + "\"tid\": " + tid;
  };
  m_pidText = pid;
  row(Row::Main, pid, quoted(pid));
  row(Row::Autograd, pid, quoted(std::to_string(autograd)));
  row(Row::Compute, device, legacy() ? "\"stream 7\"" : "7");
  row(Row::SecondCompute, device, legacy() ? "\"stream 9\"" : "9");
  row(Row::Communication, device, legacy() ? "\"stream 24\"" : "24");
  row(Row::TensorCommunication, device, legacy() ? "\"stream 32\"" : "32");
  row(Row::Copies, device, legacy() ? "\"stream 28\"" : "28");
  for (const CollectivePlan& c : m_plan.collectives)
    m_indexInGroup.push_back(m_countOfGroup[static_cast<std::size_t>(c.group)]++);
}

std::string JobWriter::groupRanks(Group group, bool cut) const {
  const JobPlan::Members members = m_plan.members(group, m_truth.rank);
  std::string text = "[";
  for (int i = 0; i < (cut ? std::min(members.size, 30) : members.size); ++i)
    text += (i ? ", " : "") + std::to_string(members.first + i * members.stride);
  return text + (cut && members.size > 30 ? ", ...]" : "]");
}

void JobWriter::flush(bool all) {
  if (!all && m_out.size() < kBlock) return;
  m_file.write(m_out);
  m_out.clear();
}

void JobWriter::text(std::string_view text) {
  if (!m_stopped) m_out += text;
}

void JobWriter::openEvent() {
  m_eventStart = m_out.size();
  if (m_stopped) return;
  if (!m_firstEvent) m_out += m_options.layout == Layout::Compact ? ", " : ",";
  m_firstEvent = false;
  m_out += m_separators.eventOpen;
  ++m_truth.events;
}

void JobWriter::closeEvent() {
  if (m_stopped) {
    m_out.resize(m_eventStart);
    return;
  }
  m_out += m_separators.eventClose;
  if (m_out.size() >= kBlock) flush(false);
}

void JobWriter::time(std::string_view key, std::int64_t ns) {
  m_out += '"';
  m_out += key;
  m_out += "\": ";
  if (legacy())
    appendNumber(m_out, ns / 1000);
  else if (m_options.layout == Layout::Kineto || m_options.layout == Layout::Lines)
    appendMicroseconds(m_out, ns);
  else
    appendShortMicroseconds(m_out, ns);
}

void JobWriter::head(std::string_view phase, std::string_view category, std::string_view name,
                     std::int32_t number, std::string_view rowText, std::string_view spoiled) {
  openEvent();
  m_out += "\"ph\": \"";
  m_out += phase;
  m_out += '"';
  if (!category.empty()) {
    m_out += m_separators.field;
    m_out += "\"cat\": \"";
    m_out += category;
    m_out += '"';
  }
  m_out += m_separators.field;
  m_out += "\"name\": \"";
  m_out += name;
  if (number >= 0) appendNumber(m_out, number);
  m_out += spoiled;
  m_out += '"';
  m_out += rowText;
}

void JobWriter::openArgs() {
  m_out += m_separators.beforeArgs;
  m_out += "\"args\": ";
  m_out += m_separators.argsOpen;
  m_firstArg = true;
}

void JobWriter::closeArgs() {
  m_out += m_separators.argsClose;
}

void JobWriter::arg(std::string_view name) {
  if (!m_firstArg) m_out += m_separators.argsSeparator;
  m_firstArg = false;
  m_out += '"';
  m_out += name;
  m_out += "\": ";
}

void JobWriter::arg(std::string_view name, std::int64_t value) {
  arg(name);
  appendNumber(m_out, value);
}

void JobWriter::argJson(std::string_view name, std::string_view value) {
  arg(name);
  json(value, 4);
}

void JobWriter::json(std::string_view value, int depth) {
  if (m_options.layout != Layout::Pretty) {
    m_out += value;
    return;
  }
  const auto line = [&] { m_out.append("\n").append(2 * static_cast<std::size_t>(depth), ' '); };
  bool inString = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '"') inString = !inString;
    const char next = i + 1 < value.size() ? value[i + 1] : '\0';
    if (inString || c == '"') {
      m_out += c;
    } else if ((c == '[' || c == '{') && next != ']' && next != '}') {
      m_out += c;
      ++depth;
      line();
    } else if ((c == ']' || c == '}') && value[i - 1] != '[' && value[i - 1] != '{') {
      --depth;
      line();
      m_out += c;
    } else if (c == ',') {
      m_out += c;
      line();
      if (next == ' ') ++i;
    } else {
      m_out += c;
    }
  }
}

void JobWriter::locateDamage(int g, std::size_t events) {
  const std::int64_t inSteps =
      static_cast<std::int64_t>(std::clamp(m_options.damage.permille, 0, 999)) * m_options.steps;
  m_damageAfter = -1;
  if (m_damage == DamageKind::None || inSteps / 1000 != g % m_options.steps) return;
  m_damageAfter = static_cast<std::int64_t>(events) * (inSteps % 1000) / 1000;
}

void JobWriter::step(const RankSimulation& simulation, int g, std::span<const Span> waits) {
  const std::vector<Event>& events = simulation.events();
  m_step = g;
  locateDamage(g, static_cast<std::size_t>(std::count_if(events.begin(), events.end(),
                                                         [](const Event& e) { return isHost(e.kind); })));
  const auto written = [&](const Event& e) { return e.begin >= m_recordFrom && isWritten(m_options, e); };
  for (const Event& e : events) {
    if (written(e) && (isHost(e.kind) || (m_options.beginEnd && e.kind == EventKind::Runtime))) hostEvent(e);
  }
  for (const Row row : {Row::Main, Row::Autograd})
    endOpenSlices(row, std::numeric_limits<std::int64_t>::max());
  for (const Event& e : events) {
    if (isHost(e.kind) || e.kind == EventKind::Memory || !written(e)) continue;
    if (e.kind == EventKind::Runtime && !m_options.beginEnd) hostEvent(e);
    if (e.kind != EventKind::Runtime) deviceEvent(e);
  }
  for (const Event& e : events) {
    if (e.kind == EventKind::Memory && written(e)) memoryEvent(e);
  }
  m_sums.advance(fileTime(simulation.now()));
  assignGaps(simulation, g);
  sumWaits(simulation, waits);
}

void JobWriter::sumWaits(const RankSimulation& simulation, std::span<const Span> waits) {
  if (waits.empty()) return;
  WaitTruth truth{m_plan.stepNumber(m_step), 0, 0};
  DeviceSums sums;
  for (const Span& wait : waits) {
    truth.waitNs += wait.end - wait.begin;
    sums.add(DeviceSums::kCommunication, wait.begin, wait.end);
  }
  for (const Event& e : simulation.events()) {
    if (e.kind == EventKind::Kernel && isCompute(e.row)) sums.add(DeviceSums::kCompute, e.begin, e.end);
  }
  sums.finish();
  truth.exposedNs = sums.totals().communication - sums.totals().overlap;
  m_truth.waits.push_back(truth);
}

void JobWriter::sum(const Event& e) {
  const bool compute = e.kind == EventKind::Kernel && isCompute(e.row);
  const auto kind = e.kind != EventKind::Kernel ? DeviceSums::kMemory
                    : compute                   ? DeviceSums::kCompute
                                                : DeviceSums::kCommunication;
  const std::int64_t begin = fileTime(e.begin), end = fileTime(e.end);
  m_sums.add(kind, begin, end);
  ++m_truth.deviceEvents;
  NameTruth& name = m_names[e.name];
  name.kind = kind == DeviceSums::kMemory ? 'M' : compute ? 'P' : 'C';
  ++name.calls;
  name.totalNs += end - begin;
}

void JobWriter::assignGaps(const RankSimulation& simulation, int g) {
  for (const Stall& stall : simulation.stalls()) {
    const GapRequest& request = m_options.gaps[stall.request];
    GapTruth gap{m_truth.rank, m_plan.stepNumber(g), request.cause, request.durationNs, 0, 0, 0};
    const std::int64_t begin = fileTime(stall.span.begin), end = fileTime(stall.span.end);
    std::int64_t best = 0;
    for (const auto& [from, to] : m_sums.idle()) {
      const std::int64_t shared = std::min(end, to) - std::max(begin, from);
      if (shared <= 0) continue;
      if (request.cause == GapCause::LaunchBound) {
        gap.idleNs += shared;
        gap.beginNs = begin;
        gap.durationNs = end - begin;
      } else if (shared > best) {
        best = shared;
        gap.beginNs = from;
        gap.idleNs = gap.durationNs = to - from;
      }
    }
    if (gap.idleNs > 0 && !m_stopped) m_truth.gaps.push_back(gap);
  }
  m_sums.clearIdle();
}

std::int64_t JobWriter::countObjects(const JobOptions& options, const std::vector<Event>& events) {
  std::int64_t count = 0;
  for (const Event& e : events) {
    if (!isWritten(options, e)) continue;
    const bool slice = isHost(e.kind) && e.kind != EventKind::FlowBegin && e.kind != EventKind::FlowEnd;
    count += 1 + (hasFlow(options, e) ? 1 : 0);
    if (options.beginEnd && (slice || e.kind == EventKind::Runtime)) ++count;
  }
  return count;
}

void JobWriter::endOpenSlices(Row row, std::int64_t until) {
  auto& ends = m_openEnds[at(row)];
  while (!ends.empty() && ends.back() <= until) {
    openEvent();
    m_out += "\"ph\": \"E\"";
    m_out += m_rowText[at(row)];
    m_out += m_separators.line;
    time("ts", writtenTime(ends.back()));
    closeEvent();
    ends.pop_back();
  }
}

void JobWriter::hostEvent(const Event& e) {
  if (m_options.beginEnd) endOpenSlices(e.row, e.begin);
  switch (e.kind) {
  case EventKind::FlowBegin:
    flow("s", "fwdbwd", "fwdbwd", e.sequence, e.row, e.begin);
    break;
  case EventKind::FlowEnd:
    flow("f", "fwdbwd", "fwdbwd", e.sequence, e.row, e.begin);
    break;
  case EventKind::Annotation:
    slice(e, legacy() ? "Operator" : "user_annotation");
    break;
  case EventKind::Python:
    slice(e, "python_function");
    break;
  case EventKind::Runtime:
    slice(e, legacy() ? "Runtime" : "cuda_runtime");
    break;
  default:
    slice(e, legacy() ? "Operator" : "cpu_op");
    break;
  }
  if (e.kind == EventKind::Annotation && e.name == "ProfilerStep#" && !m_stopped) {
    const std::int64_t begin = fileTime(e.begin);
    m_truth.steps.push_back({e.number, begin, fileTime(e.end) - begin});
  }
  if (e.kind == EventKind::Runtime && hasFlow(m_options, e))
    flow(e.hasDeviceWork ? "s" : "f", legacy() ? "async" : "ac2g", legacy() ? "launch" : "ac2g",
         e.correlation, e.row, e.begin);
}

void JobWriter::flow(std::string_view phase, std::string_view category, std::string_view name,
                     std::int64_t id, Row row, std::int64_t t) {
  openEvent();
  m_out += "\"ph\": \"";
  m_out += phase;
  m_out += '"';
  m_out += m_separators.field;
  m_out += "\"id\": ";
  appendNumber(m_out, id);
  m_out += m_rowText[at(row)];
  m_out += m_separators.field;
  time("ts", writtenTime(t));
  m_out += m_separators.line;
  m_out += "\"cat\": \"";
  m_out += category;
  m_out += '"';
  m_out += m_separators.field;
  m_out += "\"name\": \"";
  m_out += name;
  m_out += '"';
  if (phase == "f") {
    m_out += m_separators.field;
    m_out += "\"bp\": \"e\"";
  }
  closeEvent();
}

} // namespace rankscope::test
