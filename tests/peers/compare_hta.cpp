// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/launch_statistics.h"
#include "tests/peers/peer_hta.h"
#include "tests/peers/peer_set.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace rankscope::peers {

namespace {

using Table = PeerTable<HtaRule>;

using Rules = std::vector<HtaRule>;

const Rules kRowRules{HtaRule::StreamMakesDeviceRow, HtaRule::HipIsCommunication, HtaRule::ClassesByName,
                      HtaRule::UnlaunchedDropped, HtaRule::HalvesUnread};
const Rules kTemporalRules{HtaRule::SumsOfTimes,   HtaRule::StreamMakesDeviceRow, HtaRule::HipIsCommunication,
                           HtaRule::ClassesByName, HtaRule::UnlaunchedDropped,    HtaRule::HalvesUnread};
const Rules kTypeRules{HtaRule::WholeMicroseconds, HtaRule::StreamMakesDeviceRow, HtaRule::HipIsCommunication,
                       HtaRule::ClassesByName,     HtaRule::UnlaunchedDropped,    HtaRule::HalvesUnread};
const Rules kLaunchRules{HtaRule::LaunchesByName, HtaRule::EveryHostRowIsACall, HtaRule::StreamMakesDeviceRow,
                         HtaRule::UnlaunchedDropped, HtaRule::HalvesUnread};

const Rules kQueueRules{HtaRule::EqualTimesInAnyOrder, HtaRule::BegunBeforeLaunched,
                        HtaRule::LaunchesByName,       HtaRule::EveryHostRowIsACall,
                        HtaRule::StreamMakesDeviceRow, HtaRule::UnlaunchedDropped,
                        HtaRule::HalvesUnread};

std::function<std::string(std::string_view)> always(const char* basis) {
  return [basis](std::string_view) { return std::string(basis); };
}

Figure microseconds(TimeNs time) {
  return microsecondsOf(time);
}

// Whether these figures were made with times rounded inwards: whole ones although the file's are not.
bool isRounded(const PeerSet& set) {
  const auto isWhole = [](double number) { return number == std::floor(number); };
  bool any = false;
  const auto allWhole = [&](const char* name, const char* row, const char* column) {
    for (const auto& [key, figure] : figuresOf(readCsv(set.oracles / name), {row})) {
      if (key.column != column || !figure.low) continue;
      any = true;
      if (!isWhole(*figure.low)) return false;
    }
    return true;
  };
  if (!allWhole("hta_temporal.csv", "rank", "kernel_time_us") ||
      !allWhole("hta_kernels.csv", "name", "sum (us)") || !allWhole("hta_launch.csv", "rank", "cpu_us") ||
      !any)
    return false;
  return std::ranges::any_of(set.files, [&](const PeerFile& file) {
    return std::ranges::any_of(file.events, [&](const PeerEvent& event) { return !isWhole(event.ts); });
  });
}

// The files that HTA keeps, by its rank: of several that it takes for the same rank the one whose span is
// the one it reports.
std::map<int, std::size_t> cachedFiles(const PeerSet& set, HtaRules all) {
  std::map<int, std::vector<std::size_t>> byRank;
  for (std::size_t i = 0; i < set.files.size(); ++i) byRank[htaRankOf(set.files[i])].push_back(i);
  const Figures theirs = figuresOf(readCsv(set.oracles / "hta_temporal.csv"), {"rank"});
  std::map<int, std::size_t> kept;
  for (const auto& [rank, candidates] : byRank) {
    kept[rank] = candidates.back();
    const auto wanted = theirs.find({std::to_string(rank), "compute_us"});
    if (candidates.size() == 1 || wanted == theirs.end()) continue;
    for (const std::size_t i : candidates) {
      const std::array chosen{i};
      const Figures figures = htaTemporal(htaTraces(set.files, all, chosen), all);
      const auto found = figures.find(wanted->first);
      if (found != figures.end() && sameFigure(found->second, wanted->second, {})) kept[rank] = i;
    }
  }
  return kept;
}

class HtaComparison {
 public:
  HtaComparison(const PeerSet& set, std::vector<Comparison>& to)
      : m_set(set), m_to(to), m_rounded(isRounded(set)),
        m_kept(cachedFiles(set,
                           m_rounded ? HtaRules::all() : HtaRules::all().without(HtaRule::RoundedInwards))) {
    for (const auto& [rank, file] : m_kept) m_chosen.push_back(file);
  }

  void compareAll() {
    compareTemporal();
    compareKernels();
    compareKernelTypes();
    compareIdle();
    compareLaunches();
    compareQueues();
    compareStragglers();
  }

 private:
  [[nodiscard]] std::vector<HtaTrace> traces(HtaRules rules) const {
    return htaTraces(m_set.files, rules, m_chosen);
  }

  void compare(Table table) {
    if (m_rounded) table.rules.push_back(HtaRule::RoundedInwards);
    const std::size_t first = m_to.size();
    explainDifferences(m_set.name, table, ruleText, m_to);
    if (m_kept.size() == m_set.files.size()) return;
    for (std::size_t i = first; i < m_to.size(); ++i)
      m_to[i].rule = fmt::format("{}{}{}", ruleText(HtaRule::OneFileOfARank),
                                 m_to[i].rule.empty() ? "" : " + ", m_to[i].rule);
  }

  void compareTemporal() {
    const CsvTable csv = m_set.table("hta_temporal");
    if (csv.rows.empty()) return;
    Table table{"hta_temporal", figuresOf(csv, {"rank"}), Figures(), {}, kTemporalRules, {}, {}};
    for (const auto& [rank, file] : m_kept) {
      const RankStatistics& r = m_set.analysis->statistics(m_set.files[file].rank);
      const std::string row = std::to_string(rank);
      if (!r.hasDeviceActivity) continue;
      (*table.ours)[{row, "kernel_time_us"}] = microseconds(r.gpuSpan);
      (*table.ours)[{row, "idle_us"}] = microseconds(r.idle);
      (*table.ours)[{row, "compute_us"}] = microseconds(r.compute);
      (*table.ours)[{row, "non_compute_us"}] = microseconds(r.gpuBusy - r.compute);
      if (r.overlapPct) (*table.ours)[{row, "comp_comm_overlap_pct"}] = *r.overlapPct;
    }
    table.recompute = [&](HtaRules rules) { return htaTemporal(traces(rules), rules); };
    table.tolerance = [](std::string_view column) {
      return column == "comp_comm_overlap_pct" ? Tolerance{0.0051, 0} : Tolerance{};
    };
    compare(table);
  }

  void compareKernels() {
    const CsvTable csv = m_set.table("hta_kernels");
    if (csv.rows.empty()) return;
    Table table{"hta_kernels", figuresOf(csv, {"rank", "name"}), Figures(), {}, kRowRules, {}, {}};
    for (const auto& [rank, file] : m_kept) {
      RowNames names;
      for (const KernelStatistics& k : m_set.analysis->kernels(m_set.files[file].rank)) {
        const std::string row = names.next(fmt::format("{},{}", rank, m_set.job->names()[k.name]));
        (*table.ours)[{row, "kernel_type"}] =
            std::string(k.deviceClass == DeviceClass::Compute         ? "COMPUTATION"
                        : k.deviceClass == DeviceClass::Communication ? "COMMUNICATION"
                                                                      : "MEMORY");
        (*table.ours)[{row, "sum (us)"}] = microseconds(k.total);
        (*table.ours)[{row, "max (us)"}] = microseconds(k.max);
        (*table.ours)[{row, "min (us)"}] = microseconds(k.min);
        (*table.ours)[{row, "mean (us)"}] = k.meanNs / 1000;
        (*table.ours)[{row, "stddev"}] = k.stddevNs.value_or(0) / 1000;
      }
    }
    table.recompute = [&](HtaRules rules) { return htaKernels(traces(rules)); };
    table.tolerance = [](std::string_view column) {
      return column == "stddev" || column == "mean (us)" ? Tolerance{0.00051, 1e-6} : Tolerance{};
    };
    compare(table);
  }

  // Time by combination of the three classes, from our unions.
  [[nodiscard]] Figures ourKernelTypes() const {
    std::array<double, 8> sums{};
    for (const auto& [rank, file] : m_kept) {
      const DeviceActivity& a = m_set.analysis->activity(m_set.files[file].rank);
      const std::array<const IntervalSet*, 3> classes{&a.compute, &a.communication, &a.memory};
      for (std::size_t running = 1; running < sums.size(); ++running) {
        IntervalSet part = a.busy;
        for (std::size_t c = 0; c < classes.size(); ++c)
          part = ((running >> c) & 1u) != 0 ? intersectionOf(part, *classes[c])
                                            : differenceOf(part, *classes[c]);
        sums[running] += microsecondsOf(part.totalLength());
      }
    }
    double all = 0;
    for (const double sum : sums) all += sum;
    Figures figures;
    for (std::size_t running = 1; running < sums.size(); ++running) {
      if (sums[running] < 0.01) continue;
      figures[{kernelTypeText(running), "sum_us"}] = sums[running];
      figures[{kernelTypeText(running), "percentage"}] = 100 * sums[running] / all;
    }
    return figures;
  }

  void compareKernelTypes() {
    const CsvTable csv = m_set.table("hta_kernel_types");
    if (csv.rows.empty()) return;
    Table table{
        "hta_kernel_types", figuresOf(csv, {"kernel_type"}), ourKernelTypes(), {}, kTypeRules, {}, {}};
    std::set<std::string> withoutTime;
    for (const auto& [key, figure] : table.theirs)
      if (key.column == "sum_us" && figure.low == 0.0) withoutTime.insert(key.row);
    std::erase_if(table.theirs, [&](const auto& entry) { return withoutTime.contains(entry.first.row); });
    table.recompute = [&](HtaRules rules) { return htaKernelTypes(traces(rules), rules); };
    table.tolerance = [](std::string_view column) {
      return column == "percentage" ? Tolerance{0.051, 0} : Tolerance{};
    };
    compare(table);
  }

  void compareIdle() {
    const CsvTable csv = m_set.table("hta_idle");
    if (csv.rows.empty()) return;
    Table table{"hta_idle", figuresOf(csv, {"rank", "stream", "category"}),
                {},         always("per stream, each row against the one before it"),
                kRowRules,  {},
                {}};
    table.recompute = [&](HtaRules rules) { return htaIdle(traces(rules)); };
    table.tolerance = [](std::string_view) { return Tolerance{0.02, 1e-6}; };
    compare(table);
  }

  void compareLaunches() {
    const CsvTable csv = m_set.table("hta_launch");
    if (csv.rows.empty()) return;
    Table table{"hta_launch", figuresOf(csv, {"rank"}), ourLaunches(), {}, kLaunchRules, {}, {}};
    table.recompute = [&](HtaRules rules) { return htaLaunches(traces(rules), rules); };
    table.tolerance = [](std::string_view column) {
      return column == "pairs" ? Tolerance{0, 0} : Tolerance{};
    };
    compare(table);
  }

  [[nodiscard]] Figures ourLaunches() const {
    Figures figures;
    for (const auto& [rank, file] : m_kept) {
      const RankTrace& trace = *m_set.files[file].trace;
      double pairs = 0;
      TimeNs cpu = 0, gpu = 0, delay = 0;
      for (const EventIndex event : trace.byLaunch) {
        const EventIndex call = trace.deviceDetail(event).launch;
        ++pairs;
        cpu += trace.events.duration[call];
        gpu += trace.events.duration[event];
        delay += std::max<TimeNs>(0, trace.events.begin[event] - trace.events.range(call).end);
      }
      const std::string row = std::to_string(rank);
      figures[{row, "pairs"}] = pairs;
      figures[{row, "cpu_us"}] = microseconds(cpu);
      figures[{row, "gpu_us"}] = microseconds(gpu);
      figures[{row, "launch_delay_us"}] = microseconds(delay);
    }
    return figures;
  }

  void compareQueues() {
    const CsvTable csv = m_set.table("hta_queue");
    if (csv.rows.empty()) return;
    Table table{"hta_queue", figuresOf(csv, {"rank", "stream"}), ourQueues(), {}, kQueueRules, {}, {}};
    table.basis = [](std::string_view column) {
      return std::string(column == "mean" ? "mean over the changes, not weighted by time" : "");
    };
    table.recompute = [&](HtaRules rules) { return htaQueues(traces(rules), rules); };
    table.tolerance = [](std::string_view column) {
      return column == "mean" ? Tolerance{0.00051, 1e-6} : Tolerance{0, 0};
    };
    compare(table);
  }

  [[nodiscard]] Figures ourQueues() const {
    Figures figures;
    for (const auto& [rank, file] : m_kept) {
      const RankTrace& trace = *m_set.files[file].trace;
      for (const StreamQueue& queue : launchStatistics(trace, {}).queues) {
        const EventIndex first = trace.tracks[queue.stream.value].firstEvent;
        const std::string row = fmt::format("{},{}", rank, trace.deviceDetail(first).stream);
        figures[{row, "count"}] = 2.0 * static_cast<double>(queue.launches);
        figures[{row, "mean"}] = queue.meanDepth;
        figures[{row, "max"}] = static_cast<double>(queue.maxDepth);
      }
    }
    return figures;
  }

  void compareStragglers() {
    const CsvTable csv = m_set.table("hta_stragglers");
    if (csv.rows.empty()) return;
    std::set<int> ranks;
    for (std::size_t row = 0; row < csv.rows.size(); ++row)
      ranks.insert(static_cast<int>(integerOf(csv.cell(row, "rank")).value_or(-1)));
    Table table{"hta_stragglers",
                {{{"candidates", "ranks"}, Figure(fmt::format("{}", fmt::join(ranks, " ")))}},
                ourStragglers(),
                always("the last long ncclKernel* of an iteration begins latest, clocks as written"),
                kRowRules,
                {},
                {}};
    table.recompute = [&](HtaRules rules) { return htaStragglers(traces(rules)); };
    table.tolerance = [](std::string_view) { return Tolerance{}; };
    compare(table);
  }

  [[nodiscard]] Figures ourStragglers() const {
    std::set<int> ranks;
    for (const Straggler& straggler : m_set.analysis->stragglers().stragglers)
      ranks.insert(m_set.job->rank(straggler.rank).rank);
    return {
        {{"candidates", "ranks"}, Figure(ranks.empty() ? "none" : fmt::format("{}", fmt::join(ranks, " ")))}};
  }

  const PeerSet& m_set;
  std::vector<Comparison>& m_to;
  bool m_rounded;
  std::map<int, std::size_t> m_kept; // by HTA's rank
  std::vector<std::size_t> m_chosen;
};

} // namespace

void compareHta(const PeerSet& set, std::vector<Comparison>& to) {
  HtaComparison(set, to).compareAll();
}

} // namespace rankscope::peers
