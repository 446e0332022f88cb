// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_table.h"

#include "core/analysis/classify/host_work.h"
#include "core/analysis/operators/compiled_regions.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kMaxEager = 5; // operators that a row names

std::string graphsText(const CompiledRegion& region) {
  std::string text;
  for (const std::string& graph : region.graphs) text.append(text.empty() ? "" : " ").append(graph);
  return text;
}

// "aten::copy_ (4), aten::item (4), 2 more".
std::string eagerText(const CompiledRegion& region, const StringTable& names) {
  std::string text;
  for (std::size_t i = 0; i < region.eagerAfter.size() && i < kMaxEager; ++i) {
    const auto& [name, calls] = region.eagerAfter[i];
    text.append(text.empty() ? "" : ", ")
        .append(names[name])
        .append(" (")
        .append(std::to_string(calls))
        .append(")");
  }
  if (region.eagerAfter.size() > kMaxEager)
    text.append(", ").append(std::to_string(region.eagerAfter.size() - kMaxEager)).append(" more");
  return text;
}

bool namesCompiledCode(const StringTable& names) {
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[NameId(i)];
    if (name.starts_with("Torch-Compiled Region") || name.starts_with("## Call CompiledFxGraph") ||
        name.starts_with("TorchDynamo Cache Lookup") || hostWorkOf(name) == HostWork::Compilation)
      return true;
  }
  return false;
}

class Rows {
 public:
  explicit Rows(const Analysis& analysis) : m_analysis(analysis) {}

  void addRank(RankIndex rank) {
    const TraceSet& trace = m_analysis.trace();
    const RankEntry& entry = trace.rank(rank);
    const StepWindows& steps = m_analysis.wholeStepWindows(rank);
    const CompiledRegions all = compiledRegions(*entry.trace, trace.names(), m_analysis.callTree(rank), steps,
                                                m_analysis.window(rank).ns());
    if (!all.any()) return;
    m_entry = &entry;
    m_steps = stepsOf(steps, m_analysis.window(rank).ns());
    for (const CompiledRegion& region : all.regions) addRegion(region, trace.names());
    addRest("[eager]", {}, {}, Cell(std::int64_t{all.eagerDevice}), all.eagerKernels);
    if (all.lookups > 0) addRest("[guards]", all.lookups, Cell(std::int64_t{all.lookupTime}), {}, {});
    if (all.compilations > 0)
      addRest("[compilation]", all.compilations, Cell(std::int64_t{all.compileTime}), {}, {});
  }
  [[nodiscard]] ResultTable take() { return std::move(m_table); }

 private:
  static std::int64_t stepsOf(const StepWindows& steps, TimeRange window) {
    if (!steps.areSteps()) return 0;
    return std::ranges::count_if(steps.steps,
                                 [&](const StepWindow& step) { return window.contains(step.range.begin); });
  }
  [[nodiscard]] Cell perStep(std::int64_t count) const {
    return m_steps == 0 ? Cell() : Cell(static_cast<double>(count) / static_cast<double>(m_steps));
  }

  void addRegion(const CompiledRegion& region, const StringTable& names) {
    m_table.addRow({Cell(std::int64_t{m_entry->rank}), Cell(std::int64_t{m_entry->capture}),
                    textCell(region.name), cellOf(region.frame), cellOf(region.recompilation),
                    textCell(graphsText(region)), Cell(region.calls), perStep(region.calls),
                    Cell(std::int64_t{region.host}), Cell(std::int64_t{region.device}), Cell(region.kernels),
                    perStep(region.kernels), Cell(region.breaks), textCell(eagerText(region, names))});
  }
  void addRest(std::string_view name, std::optional<std::int64_t> calls, const Cell& host, const Cell& device,
               std::optional<std::int64_t> kernels) {
    m_table.addRow({Cell(std::int64_t{m_entry->rank}), Cell(std::int64_t{m_entry->capture}), textCell(name),
                    Cell(), Cell(), Cell(), cellOf(calls), calls ? perStep(*calls) : Cell(), host, device,
                    cellOf(kernels), kernels ? perStep(*kernels) : Cell(), Cell(), Cell()});
  }

  const Analysis& m_analysis;
  const RankEntry* m_entry = nullptr; // whose rows are added
  std::int64_t m_steps = 0;           // of it in the part
  ResultTable m_table{"compiled_regions",
                      {{"rank", Unit::Identity},
                       {"capture", Unit::Identity},
                       {"region", Unit::Text},
                       {"frame", Unit::Identity},
                       {"recompilation", Unit::Identity},
                       {"graphs", Unit::Text},
                       {"calls", Unit::Count},
                       {"calls_per_step", Unit::Ratio},
                       {"host_us", Unit::Nanoseconds},
                       {"device_us", Unit::Nanoseconds},
                       {"kernels", Unit::Count},
                       {"kernels_per_step", Unit::Ratio},
                       {"graph_breaks", Unit::Count},
                       {"eager_after", Unit::Text}}};
};

} // namespace

ResultTable compiledRegionsTable(const Analysis& analysis) {
  Rows rows(analysis);
  // Most jobs have nothing compiled: a look at their names saves the call trees of all ranks.
  if (!namesCompiledCode(analysis.trace().names())) return rows.take();
  for (const RankIndex rank : analysis.ranks()) rows.addRank(rank);
  return rows.take();
}

} // namespace rankscope
