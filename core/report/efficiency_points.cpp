// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/efficiency_points.h"

#include "core/analysis/digest/digest_bounds.h"
#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/analysis/stacks/module_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// Of one rank, with the texts that its places stand for.
struct RankPoint {
  FlopPoint point;
  std::string shapes;
  std::string why;
  std::string module;
  std::string pass;
  NameId kernel; // the longest
  TimeNs longest = 0;
};

struct RankPoints {
  std::vector<RankPoint> operators, products, modules;
  bool shortened = false;
};

// A grid by what finds its point again.
struct PointGrid {
  std::string point;
  KernelGrid grid;
};

} // namespace

template <class Archive, Described<RankPoint> T> void describe(Archive& archive, T& of) {
  auto& [point, shapes, why, module, pass, kernel, longest] = of;
  auto& work = point.work;
  archive(shapes, why, module, pass, kernel, longest, point.operatorName, point.calls, point.notRun,
          point.flops, point.executed, point.bytes, point.deviceTime, point.kernels, work.kind, work.tier,
          work.format, work.flops, work.executed, work.bytes, work.m, work.n, work.k, work.batch);
}
template <class Archive, Described<RankPoints> T> void describe(Archive& archive, T& points) {
  auto& [operators, products, modules, shortened] = points;
  archive(operators, products, modules, shortened);
}
template <class Archive, Described<KernelGrid> T> void describe(Archive& archive, T& grid) {
  auto& [blocks, perMultiprocessor] = grid;
  archive(blocks, perMultiprocessor);
}
template <class Archive, Described<PointGrid> T> void describe(Archive& archive, T& of) {
  auto& [point, grid] = of;
  archive(point, grid);
}

namespace {

bool isProduct(const FlopWork& work) {
  return work.kind == FlopKind::Product && work.batch > 0;
}

// "Attention/Linear" of "Model_0/Layer_3/Attention_3/Linear_21": all layers together.
std::string moduleText(const ModuleTree& tree, std::uint32_t node, const StringTable& names) {
  const auto classOf = [&](std::uint32_t of) {
    return std::string(moduleClass(moduleName(names[tree.nodes[of].name])));
  };
  const std::uint32_t parent = tree.nodes[node].parent;
  return (parent == ModuleNode::kNone ? std::string() : classOf(parent) + "/") + classOf(node);
}

// By ModulePhase.
constexpr std::array<const char*, 4> kPassTexts{"", "forward", "recomputed", "backward"};

// Of a rank whose events are at hand.
class PointsOfRank {
 public:
  PointsOfRank(const JobReport& report, RankIndex rank)
      : m_analysis(report.analysis()), m_rank(rank), m_trace(*m_analysis.trace().rank(rank).trace),
        m_of(report.flops().of(rank)), m_window(flopWindow(m_analysis, rank)) {}

  [[nodiscard]] RankPoints all() const {
    RankPoints points;
    for (FlopPoint& point : flopPoints(m_trace, m_of.flops, m_of.peaks, m_window))
      points.operators.push_back(named(std::move(point)));
    for (FlopPoint& point : gemmPoints(m_trace, m_of.flops, m_of.peaks, m_window))
      points.products.push_back(named(std::move(point)));
    points.modules = ofModules();
    return points;
  }

 private:
  [[nodiscard]] RankPoint named(FlopPoint&& point) const {
    RankPoint of;
    of.shapes = m_of.flops.shapes[point.shapes];
    of.why = std::string(point.work.why);
    if (point.longestKernel.valid()) {
      of.kernel = m_trace.events.name[point.longestKernel];
      of.longest = m_trace.events.duration[point.longestKernel];
    }
    of.point = std::move(point);
    return of;
  }

  // Calls without a module stand apart.
  [[nodiscard]] std::vector<RankPoint> ofModules() const {
    std::vector<RankPoint> points;
    if (m_of.flops.calls.empty()) return points;
    const ModuleCalls modules = moduleCalls(m_analysis, m_rank);
    if (modules.tree.nodes.empty()) return points;
    const StringTable& names = m_analysis.trace().names();
    std::map<std::pair<std::string, std::string>, std::uint32_t> ids;
    std::vector<std::uint32_t> groups;
    groups.reserve(m_of.flops.calls.size());
    for (const FlopCall& call : m_of.flops.calls) {
      const ModuleOwner in = modules.of(call.op);
      std::pair<std::string, std::string> text;
      if (in.node != ModuleNode::kNone)
        text = {moduleText(modules.tree, in.node, names), kPassTexts[static_cast<std::size_t>(in.phase)]};
      groups.push_back(
          ids.try_emplace(std::move(text), static_cast<std::uint32_t>(ids.size())).first->second);
    }
    std::vector<const std::pair<std::string, std::string>*> texts(ids.size());
    for (const auto& [text, id] : ids) texts[id] = &text;
    for (FlopPoint& point : groupedPoints(m_trace, m_of.flops, m_of.peaks, m_window, groups)) {
      const auto& [module, pass] = *texts[point.group];
      RankPoint& of = points.emplace_back(named(std::move(point)));
      of.module = module;
      of.pass = pass;
    }
    return points;
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const JobFlops::Rank& m_of;
  FlopWindow m_window;
};

bool isWhole(const Analysis& analysis, RankIndex rank) {
  return analysis.window(rank) == kWholeRecording;
}

// By device time, and never by the order in which a process met the names.
bool isBefore(const RankPoint& a, const RankPoint& b, const StringTable& names) {
  const auto keyOf = [&](const RankPoint& of) {
    const FlopWork& work = of.point.work;
    return std::tuple(-std::int64_t{of.point.deviceTime}, -std::int64_t{of.point.flops},
                      names[of.point.operatorName], std::string_view(of.shapes), std::string_view(of.module),
                      std::string_view(of.pass), work.format, work.m, work.n, work.k, work.batch,
                      work.known());
  };
  return keyOf(a) < keyOf(b);
}

RankPoints rankPoints(const JobReport& report, RankIndex rank) {
  const Analysis& analysis = report.analysis();
  return argumentAnswer<RankPoints>(
      analysis.trace(), rank, isWhole(analysis, rank), "points of operators with FLOPs", [&] {
        RankPoints points = PointsOfRank(report, rank).all();
        if (analysis.trace().side().answerLog == nullptr) return points;
        const std::size_t most = DigestBounds().points;
        const StringTable& names = analysis.trace().names();
        for (std::vector<RankPoint>* const of : {&points.operators, &points.products, &points.modules}) {
          std::ranges::sort(*of,
                            [&](const RankPoint& a, const RankPoint& b) { return isBefore(a, b, names); });
          points.shortened = points.shortened || of->size() > most;
          of->resize(std::min(of->size(), most));
        }
        return points;
      });
}

// Work of all ranks together.
struct PointSum {
  JobPoint job;
  TimeNs longest = 0; // kernel of it

  void add(const RankPoint& of, RankIndex rank, const StringTable& names) {
    const FlopPoint& from = of.point;
    JobPoint& to = job;
    const bool first = !to.rank.valid();
    if (first) {
      to.operatorName = names[from.operatorName];
      to.shapes = of.shapes;
      to.why = of.why;
      to.module = of.module;
      to.pass = of.pass;
      to.point.work = from.work;
      to.point.operatorName = from.operatorName;
    }
    to.point.calls += from.calls;
    to.point.notRun += from.notRun;
    to.point.flops += from.flops;
    to.point.executed += from.executed;
    if (from.bytes) {
      if (!to.point.bytes) to.point.bytes = ExactSum(0);
      *to.point.bytes += *from.bytes;
    }
    to.point.deviceTime += from.deviceTime;
    to.point.kernels += from.kernels;
    for (const EventIndex event : from.events) to.calls.push_back({rank, event});
    if (!first && of.longest <= longest) return;
    longest = of.longest;
    to.rank = rank;
    to.kernel = names[of.kernel];
    to.point.first = from.first;
    to.point.longestKernel = from.longestKernel;
  }
};

// Module, pass, operator and shapes, or only the sides of a product; number format; whether FLOPs are known.
using PointKey = std::tuple<std::string, std::string, std::string, std::string, NumberFormat, bool>;
using PointSums = std::map<PointKey, PointSum>;

std::string sidesText(const FlopWork& work) {
  std::string text = std::to_string(work.m);
  for (const std::int64_t side : {work.n, work.k, work.batch}) text.append(" ").append(std::to_string(side));
  return text;
}

void addPoints(const std::vector<RankPoint>& points, bool bySides, RankIndex rank, const StringTable& names,
               PointSums& sums) {
  for (const RankPoint& of : points) {
    const FlopWork& work = of.point.work;
    PointKey key{of.module,
                 of.pass,
                 bySides ? std::string() : std::string(names[of.point.operatorName]),
                 bySides ? sidesText(work) : of.shapes,
                 work.format,
                 work.known()};
    sums[std::move(key)].add(of, rank, names);
  }
}

// By device time, rated against the peaks.
std::vector<JobPoint> sortedPoints(PointSums& sums, const RankPeaks& peaks) {
  std::vector<JobPoint> sorted;
  sorted.reserve(sums.size());
  for (auto& [key, sum] : sums) {
    ratePoint(sum.job.point, peaks);
    sorted.push_back(std::move(sum.job));
  }
  std::ranges::stable_sort(sorted, [](const JobPoint& a, const JobPoint& b) {
    return std::pair<std::int64_t, std::int64_t>(a.point.deviceTime, a.point.flops) >
           std::pair<std::int64_t, std::int64_t>(b.point.deviceTime, b.point.flops);
  });
  return sorted;
}

std::string gridKey(std::size_t list, const JobPoint& of) {
  std::string key = std::to_string(list);
  const std::string format(numberFormatText(of.point.work.format));
  const std::string sides = sidesText(of.point.work);
  for (const std::string* const text : {&of.module, &of.pass, &of.operatorName, &of.shapes, &sides, &format})
    key.append("\n").append(*text);
  return key;
}

// Of the longest kernels of products; one reading of each rank's file.
void addGrids(const JobReport& report, JobPoints& points) {
  const std::array<std::vector<JobPoint>*, 3> lists{&points.operators, &points.products, &points.modules};
  std::vector<std::vector<std::pair<std::size_t, JobPoint*>>> ofRank(
      report.analysis().trace().ranks().size());
  for (std::size_t list = 0; list < lists.size(); ++list)
    for (JobPoint& of : *lists[list])
      if (!of.kernel.empty() && isProduct(of.point.work)) ofRank[of.rank.value].emplace_back(list, &of);
  const Analysis& analysis = report.analysis();
  for (const RankIndex rank : analysis.ranks()) {
    const auto& asked = ofRank[rank.value];
    if (asked.empty()) continue;
    const auto found = argumentAnswer<std::vector<PointGrid>>(
        analysis.trace(), rank, isWhole(analysis, rank), "grids of products", [&] {
          std::vector<EventIndex> kernels;
          kernels.reserve(asked.size());
          for (const auto& [list, of] : asked) kernels.push_back(of->point.longestKernel);
          const auto grids =
              kernelGrids(analysis.trace(), rank, kernels, report.flops().of(rank).peaks.multiprocessors);
          std::vector<PointGrid> known;
          for (const auto& [list, of] : asked)
            if (const auto grid = grids.find(of->point.longestKernel); grid != grids.end())
              known.push_back({gridKey(list, *of), grid->second});
          return known;
        });
    std::map<std::string_view, KernelGrid> byKey;
    for (const PointGrid& of : found) byKey.emplace(of.point, of.grid);
    for (const auto& [list, of] : asked)
      if (const auto grid = byKey.find(gridKey(list, *of)); grid != byKey.end()) of->grid = grid->second;
  }
}

} // namespace

JobPoints jobPoints(const JobReport& report, const RankPeaks& peaks) {
  const StringTable& names = report.analysis().trace().names();
  PointSums operators, products, modules;
  JobPoints points;
  for (const RankIndex rank : report.analysis().ranks()) {
    const RankPoints of = rankPoints(report, rank);
    addPoints(of.operators, false, rank, names, operators);
    addPoints(of.products, true, rank, names, products);
    addPoints(of.modules, false, rank, names, modules);
    points.shortened = points.shortened || of.shortened;
  }
  points.operators = sortedPoints(operators, peaks);
  points.products = sortedPoints(products, peaks);
  points.modules = sortedPoints(modules, peaks);
  addGrids(report, points);
  return points;
}

} // namespace rankscope
