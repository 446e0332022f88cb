// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace rankscope::peers {

namespace {

struct CategoryType {
  std::string_view category;
  TbType type;
};

// In lower case. What is not listed is not read, but for cuda_driver, which a rule makes a runtime call.
constexpr std::array kTypes{CategoryType{"trace", TbType::Trace},
                            CategoryType{"cpu_op", TbType::Operator},
                            CategoryType{"operator", TbType::Operator},
                            CategoryType{"runtime", TbType::Runtime},
                            CategoryType{"cuda_runtime", TbType::Runtime},
                            CategoryType{"mtia_runtime", TbType::Runtime},
                            CategoryType{"glow_runtime", TbType::Runtime},
                            CategoryType{"xpu_runtime", TbType::Runtime},
                            CategoryType{"privateuse1_runtime", TbType::Runtime},
                            CategoryType{"kernel", TbType::Kernel},
                            CategoryType{"memcpy", TbType::Memcpy},
                            CategoryType{"gpu_memcpy", TbType::Memcpy},
                            CategoryType{"memset", TbType::Memset},
                            CategoryType{"gpu_memset", TbType::Memset},
                            CategoryType{"python", TbType::Python},
                            CategoryType{"python_function", TbType::PythonFunction},
                            CategoryType{"user_annotation", TbType::Annotation},
                            CategoryType{"gpu_user_annotation", TbType::Annotation},
                            CategoryType{"cuda_driver", TbType::Runtime}};

std::optional<TbType> typeOf(const PeerEvent& event, std::string_view category) {
  const auto known = std::ranges::find(kTypes, category, &CategoryType::category);
  if (known == kTypes.end()) return std::nullopt;
  TbType type = known->type;
  if (type == TbType::PythonFunction && !event.moduleId.empty()) type = TbType::Module;
  if ((type == TbType::Operator || type == TbType::Annotation) && event.name.starts_with("ProfilerStep#"))
    type = TbType::ProfilerStep;
  return type;
}

} // namespace

TbEvents tbEvents(const PeerFile& file, TbRules rules) {
  const bool exact = !rules.has(TbRule::DoublesOfTheFile);
  TbEvents result;
  result.microsecond = exact ? 1000 : 1;
  result.zero = exact ? file.origin : file.trace->metadata.baseTime;
  result.profilerStart = std::numeric_limits<double>::infinity();
  std::string category;
  for (const PeerEvent& event : file.events) {
    if (event.fromHalves && rules.has(TbRule::HalvesUnread)) continue;
    if (event.process == "-1" && !rules.has(TbRule::ProfilerRowsCount)) continue;
    category.assign(event.category);
    for (char& c : category) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto type = typeOf(event, category);
    if (!type) continue;
    const double start = exact ? static_cast<double>(event.exactTs) : event.ts;
    const double length = exact ? static_cast<double>(event.exactDur) : event.dur;
    result.events.push_back({&event, *type, category == "gpu_user_annotation", start, length,
                             integerOf(event.externalId), integerOf(event.correlation)});
    if (category != "cuda_driver") result.profilerStart = std::min(result.profilerStart, start);
  }
  result.memory = file.memory;
  for (PeerMemory& record : result.memory) {
    if (exact) record.ts = static_cast<double>(record.exactTs);
    result.profilerStart = std::min(result.profilerStart, record.ts);
  }
  std::ranges::stable_sort(result.events, {}, [](const TbEvent& e) { return e.ts(); });
  std::ranges::stable_sort(result.memory, {}, &PeerMemory::ts);
  return result;
}

std::string_view ruleText(TbRule rule) {
  constexpr std::array<std::string_view, TbRules::kCount> kTexts{
      "no step marked: one from the first to the last operator",
      "steps of GPU annotations count",
      "ProfilerStep* is no step",
      "a step that several threads marked counts each time",
      "last step dropped",
      "communication by External id",
      "collectives of five names only",
      "GPU annotations counted as CPU Exec",
      "driver calls unknown",
      "slots start again once used up",
      "calls belong to operators by External id",
      "what crosses its caller is dropped",
      "modules are nodes of the tree",
      "backward hung under modules",
      "calls of the same name joined",
      "runtime calls leave the operator's own time",
      "threads by number alone",
      "Optimizer.* and DataParallel are no operators",
      "tensor cores by its list of names",
      "a kernel without the figure weighs as 0",
      "memory of other device types unknown",
      "memory's calls are those on the way to a record",
      "times as doubles of the file",
      "spans of steps, loaders, optimizers and collectives are nodes",
      "CPU Exec is a rank's computation where there are no kernels",
      "rows of process -1 count",
      "events in two halves not read",
      "spans of collectives on the host communicate"};
  return kTexts[static_cast<std::size_t>(rule)];
}

const TbNodes& TbProfile::nodes() const {
  if (!m_nodes) m_nodes = tbNodes(m_events, m_file, *m_ours.tree, m_rules);
  return *m_nodes;
}

std::span<const TbThread> TbProfile::threads() const {
  if (!m_threads) {
    (void)nodes();
    m_threads = tbTrees(*m_nodes, m_file, m_rules);
  }
  return *m_threads;
}

const TbSteps& TbProfile::steps() const {
  if (!m_steps) m_steps = tbSteps(m_events, nodes(), m_ours, m_rules);
  return *m_steps;
}

} // namespace rankscope::peers
