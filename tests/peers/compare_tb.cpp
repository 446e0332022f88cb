// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/our_tb_figures.h"
#include "tests/peers/peer_set.h"
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace rankscope::peers {

namespace {

using Table = PeerTable<TbRule>;
using Rules = std::vector<TbRule>;

const Rules kStepRules{
    TbRule::DoublesOfTheFile,          TbRule::OneStepOverOperators, TbRule::GpuAnnotationsAreSteps,
    TbRule::StarredStepsUnknown,       TbRule::StepOfEachThread,     TbRule::TailDropped,
    TbRule::CommunicationByExternalId, TbRule::NamedCollectives,     TbRule::GpuAnnotationsAreHost,
    TbRule::DriverCallsUnknown,        TbRule::SlotsStartAgain,      TbRule::HalvesUnread,
    TbRule::ProfilerRowsCount};
const Rules kTreeRules{
    TbRule::DoublesOfTheFile,     TbRule::SpansAreNodes,         TbRule::LinkedByExternalId,
    TbRule::CrossingDropped,      TbRule::ModulesAreNodes,       TbRule::BackwardUnderModules,
    TbRule::RepeatedNamesJoined,  TbRule::CallsLeaveSelfTime,    TbRule::ThreadsByNumberAlone,
    TbRule::SomeOperatorsLeftOut, TbRule::TensorCoresByItsNames, TbRule::DriverCallsUnknown,
    TbRule::HalvesUnread,         TbRule::ProfilerRowsCount};

Rules joined(Rules rules, const Rules& more) {
  for (const TbRule rule : more)
    if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
  return rules;
}

// How the plugin names a file: worker and span, from the file's name.
struct WorkerName {
  std::string worker;
  std::string digits; // of the span; empty without one

  auto operator<=>(const WorkerName&) const = default;
};

std::optional<WorkerName> workerOf(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  constexpr std::string_view kEnding = ".pt.trace.json";
  if (!name.ends_with(kEnding)) return std::nullopt;
  name.resize(name.size() - kEnding.size());
  const std::size_t dot = name.find_last_of('.');
  if (dot == std::string::npos || dot + 1 == name.size() ||
      name.find_first_not_of("0123456789", dot + 1) != std::string::npos)
    return WorkerName{name, ""};
  return WorkerName{name.substr(0, dot), name.substr(dot + 1)};
}

struct Worker {
  const PeerFile* file = nullptr;
  std::string name;
  std::string span = "None"; // its number among the worker's, as text

  [[nodiscard]] std::string label() const { return name + "/" + span; }
};

// A single file stands under a made name, as do files whose names the plugin would not take.
std::vector<Worker> workersOf(const PeerSet& set) {
  std::vector<Worker> workers;
  std::map<std::string, std::set<std::string>> spans;
  bool all = set.files.size() > 1;
  for (const PeerFile& file : set.files) {
    const auto name = workerOf(file.path);
    all = all && name;
    if (name) spans[name->worker].insert(name->digits);
  }
  for (std::size_t i = 0; i < set.files.size(); ++i) {
    Worker& worker = workers.emplace_back(Worker{&set.files[i], "worker" + std::to_string(i)});
    if (!all) continue;
    const auto name = *workerOf(set.files[i].path);
    worker.name = name.worker;
    if (name.digits.empty()) continue;
    const auto& known = spans[name.worker];
    worker.span = std::to_string(std::distance(known.begin(), known.find(name.digits)) + 1);
  }
  return workers;
}

// Rows of "worker/default" and "worker/None" are the same.
Figures theirFigures(const CsvTable& csv, const std::vector<std::string>& keys) {
  Figures figures;
  for (auto& [key, figure] : figuresOf(csv, keys)) {
    std::string row = key.row;
    if (const auto at = row.find("/default"); at != std::string::npos) row.replace(at, 8, "/None");
    figures[{row, key.column}] = figure;
  }
  return figures;
}

// Adds the rows of one more span; those that are there already get their number.
void addRows(const Figures& rows, RowNames& names, Figures& to) {
  std::map<std::string, std::string> named;
  for (const auto& [key, figure] : rows) {
    const auto [place, isNew] = named.try_emplace(key.row);
    if (isNew) place->second = names.next(key.row);
    to[{place->second, key.column}] = figure;
  }
}

class TbComparison {
 public:
  TbComparison(const PeerSet& set, std::vector<Comparison>& to)
      : m_set(set), m_to(to), m_workers(workersOf(set)) {
    for (const Worker& worker : m_workers) {
      const RankIndex rank = worker.file->rank;
      const StepWindows& steps = m_set.analysis->stepWindows(rank);
      m_ours.push_back({&m_set.analysis->operatorTree(rank), &steps,
                        hostActivity(*worker.file->trace, m_set.job->names(), steps)});
    }
    nameByFigures();
  }

  void compareAll() {
    compareSteps();
    compare(
        "tb_gpu", {"worker", "gpu"}, joined(kStepRules, kTreeRules), addTbGpu, addOurGpu,
        [](std::string_view column) {
          return column == "occupancy" ? Tolerance{1e-4, 1e-6} : Tolerance{1e-6, 1e-6};
        },
        [](std::string_view column) {
          return std::string(column == "tensor_core_ratio" ? "of the kernels that operators launched" : "");
        });
    compare("tb_kernels", {"worker", "Name"},
            {TbRule::UnknownWeighsZero, TbRule::TensorCoresByItsNames, TbRule::ProfilerRowsCount},
            addTbKernels, addOurKernels, toleranceOfKernels);
    compare("tb_operators", {"worker", "operator"}, kTreeRules, addTbOperators, addOurOperators,
            [](std::string_view column) {
              if (column == "calls") return Tolerance{0, 0};
              return column.starts_with("tc_") ? Tolerance{0.00051, 0} : Tolerance{};
            });
    compare("tb_memory", {"worker", "device", "Operator Name"},
            joined({TbRule::OtherDeviceTypesUnknown, TbRule::CallsWhereRecordsLed}, kTreeRules), addTbMemory,
            addOurMemory, [](std::string_view column) {
              return column.ends_with("(KB)") ? Tolerance{0.0051, 1e-9} : Tolerance{0, 0};
            });
    compareDistributed("tb_distributed_overlap", {"step", "worker"}, &TbDistributed::overlap, addOurOverlap,
                       "");
    compareDistributed("tb_distributed_wait", {"step", "worker"}, &TbDistributed::wait, addOurWaits,
                       "spans on the host and kernels as one union, matched over the workers by order");
    compareDistributed("tb_commops", {"worker", "Name"}, &TbDistributed::operations, addOurCollectives,
                       "spans on the host and kernels as one union, bytes by Input Dims");
  }

 private:
  using Add = void (*)(const TbProfile&, const std::string&, Figures&);
  using AddOurs = void (*)(const Analysis&, RankIndex, const std::string&, Figures&);
  using ToleranceOf = Tolerance (*)(std::string_view);

  static Tolerance toleranceOfKernels(std::string_view column) {
    if (column == "Calls") return {0, 0};
    if (column.starts_with("Mean Blocks") || column.starts_with("Mean Est.")) return {0.0051, 1e-6};
    return {0.5001, 1e-9};
  }

  [[nodiscard]] const TbEvents& events(std::size_t worker, TbRules rules) const {
    TbRules kept;
    for (const TbRule rule : {TbRule::DoublesOfTheFile, TbRule::HalvesUnread, TbRule::ProfilerRowsCount})
      if (rules.has(rule)) kept = kept.with(rule);
    const auto found = m_events.find({worker, kept});
    if (found != m_events.end()) return found->second;
    return m_events.emplace(std::pair(worker, kept), tbEvents(*m_workers[worker].file, kept)).first->second;
  }

  [[nodiscard]] TbProfile profile(std::size_t worker, TbRules rules) const {
    return {*m_workers[worker].file, events(worker, rules), m_ours[worker], rules};
  }

  // Where the tables know more workers than there are recordings, each recording is the worker whose steps
  // it has.
  void nameByFigures() {
    const Figures theirs = theirFigures(readCsv(m_set.oracles / "tb_steps.csv"), {"worker", "step"});
    std::set<std::string> labels;
    for (const auto& [key, figure] : theirs) labels.insert(key.row.substr(0, key.row.find(',')));
    if (labels.size() <= m_workers.size()) return;
    for (std::size_t w = 0; w < m_workers.size(); ++w) {
      for (const std::string& label : labels) {
        Figures figures;
        addTbSteps(profile(w, TbRules::all()), label, figures);
        const bool all = std::ranges::all_of(figures, [&](const auto& entry) {
          const auto found = theirs.find(entry.first);
          return found != theirs.end() && sameFigure(found->second, entry.second, {});
        });
        if (!all) continue;
        m_workers[w].name = label.substr(0, label.find('/'));
        m_workers[w].span = label.substr(label.find('/') + 1);
        break;
      }
    }
  }

  // Of the workers that there are recordings of.
  [[nodiscard]] Figures withRecording(Figures figures) const {
    std::erase_if(figures, [&](const auto& entry) {
      const std::string label = entry.first.row.substr(0, entry.first.row.find(','));
      return std::ranges::none_of(m_workers, [&](const Worker& w) { return w.label() == label; });
    });
    return figures;
  }

  void compare(const std::string& name, const std::vector<std::string>& keys, const Rules& rules, Add add,
               AddOurs addOurs, ToleranceOf tolerance, std::string (*basis)(std::string_view) = nullptr) {
    const CsvTable csv = m_set.table(name);
    if (csv.rows.empty()) return;
    Table table{name, withRecording(theirFigures(csv, keys)), Figures(), {}, rules, {}, tolerance};
    if (basis) table.basis = basis;
    for (const Worker& worker : m_workers)
      addOurs(*m_set.analysis, worker.file->rank, worker.label(), *table.ours);
    table.recompute = recomputeWith(add);
    explainDifferences(m_set.name, table, ruleText, m_to);
  }

  void compareSteps() {
    const CsvTable csv = m_set.table("tb_steps");
    if (csv.rows.empty()) return;
    Table table{"tb_steps", withRecording(theirFigures(csv, {"worker", "step"})), Figures(), {}, kStepRules,
                {},         [](std::string_view) { return Tolerance{}; }};
    for (std::size_t w = 0; w < m_workers.size(); ++w) {
      const TbEvents& exact = events(w, {});
      const TimeNs zero = exact.zero + static_cast<TimeNs>(std::llround(exact.profilerStart));
      addOurSteps(*m_set.analysis, m_workers[w].file->rank, zero, m_workers[w].label(), *table.ours);
    }
    table.recompute = recomputeWith(addTbSteps);
    explainDifferences(m_set.name, table, ruleText, m_to);
  }

  [[nodiscard]] std::function<Figures(TbRules)> recomputeWith(Add add) const {
    return [this, add](TbRules rules) {
      Figures figures;
      for (std::size_t w = 0; w < m_workers.size(); ++w)
        add(profile(w, rules), m_workers[w].label(), figures);
      return figures;
    };
  }

  void compareDistributed(const std::string& name, const std::vector<std::string>& keys,
                          Figures TbDistributed::*part, AddOurs addOurs, const std::string& basis) {
    const CsvTable csv = m_set.table(name);
    if (csv.rows.empty()) return;
    Table table{name,
                theirFigures(csv, keys),
                Figures(),
                [&](std::string_view) { return basis; },
                joined({TbRule::HostSpansCommunicate, TbRule::CpuExecIsComputation}, kStepRules),
                {},
                {}};
    std::map<std::string, Figures> ours;
    for (const Worker& worker : m_workers)
      addOurs(*m_set.analysis, worker.file->rank, worker.name, ours[worker.span]);
    RowNames names;
    for (const auto& [span, figures] : ours) addRows(figures, names, *table.ours);
    table.recompute = [&](TbRules chosen) {
      std::vector<TbProfile> profiles;
      for (std::size_t w = 0; w < m_workers.size(); ++w) profiles.push_back(profile(w, chosen));
      std::map<std::string, std::vector<TbWorker>> spans;
      for (std::size_t w = 0; w < m_workers.size(); ++w)
        spans[m_workers[w].span].push_back({m_workers[w].name, &profiles[w]});
      Figures figures;
      RowNames rowNames;
      for (const auto& [span, workers] : spans) {
        const TbDistributed made = tbDistributed(workers);
        addRows(made.*part, rowNames, figures);
      }
      return figures;
    };
    table.tolerance = [](std::string_view column) {
      return column.starts_with("Avg") ? Tolerance{1.01, 0} : Tolerance{};
    };
    explainDifferences(m_set.name, table, ruleText, m_to);
  }

  const PeerSet& m_set;
  std::vector<Comparison>& m_to;
  std::vector<Worker> m_workers;
  std::vector<OurView> m_ours;                                          // by worker
  mutable std::map<std::pair<std::size_t, TbRules>, TbEvents> m_events; // by worker and what matters to them
};

} // namespace

void compareTensorBoard(const PeerSet& set, std::vector<Comparison>& to) {
  TbComparison(set, to).compareAll();
}

} // namespace rankscope::peers
