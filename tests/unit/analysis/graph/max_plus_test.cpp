// SPDX-License-Identifier: GPL-3.0-or-later
// Replay of small graphs whose times are known, and of the graphs of operations of two real pipeline jobs
// with the step times and slowdowns that their authors published (StragglerAnalysis, OSDI'25).
#include "core/analysis/graph/max_plus.h"

#include "core/analysis/graph/slowdown.h"
#include "core/io/files/file_bytes.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

std::string contentOf(const fs::path& path) {
  const auto file = FileBytes::open(path.string());
  if (!file) return {};
  if (!file->compressed()) return {file->bytes().begin(), file->bytes().end()};
  Inflater inflater(file->bytes());
  std::string content;
  std::vector<char> buffer(1 << 16);
  for (std::size_t read = buffer.size(); read == buffer.size();) {
    read = inflater.read(buffer);
    content.append(buffer.data(), read);
  }
  return content;
}

std::vector<std::vector<std::string>> rowsOf(const fs::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::stringstream text(contentOf(path));
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) rows.push_back(cellsOf(line));
  return rows;
}

TimeNs nanoseconds(const std::string& seconds) {
  return static_cast<TimeNs>(std::llround(std::stod(seconds) * 1e9));
}

struct Op {
  std::string type;
  std::uint32_t stage = 0;
  int join = -1;
  bool overDp = false;
  std::vector<std::size_t> before;
};

bool takesMedian(const std::string& type) {
  return type.ends_with("-send") || type.ends_with("-recv") || type.ends_with("all-reduce") ||
         type == "params-all-gather" || type == "grads-reduce-scatter" || type == "optimizer-clip-main-grad";
}

// The published graph of a job: two points an operation of each step and data-parallel rank, one a join.
class OpGraphs {
 public:
  explicit OpGraphs(const fs::path& folder) {
    for (const auto& row : rowsOf(folder / "ops.csv")) {
      Op op{row[2],
            static_cast<std::uint32_t>(std::stoul(row[3])),
            row[4].empty() ? -1 : std::stoi(row[4]),
            row[5] == "1",
            {}};
      m_stages = std::max(m_stages, op.stage + 1);
      m_ops.push_back(std::move(op));
    }
    for (const auto& row : rowsOf(folder / "edges.csv"))
      m_ops[std::stoul(row[1])].before.push_back(std::stoul(row[0]));
    for (const auto& row : rowsOf(folder / "times.csv.gz")) {
      const std::array<TimeNs, 4> times{nanoseconds(row[3]), nanoseconds(row[4]), nanoseconds(row[5]),
                                        row.size() > 6 && !row[6].empty() ? nanoseconds(row[6]) : 0};
      m_times[{std::stoi(row[0]), std::stoi(row[1]), std::stoul(row[2])}] = times;
      m_steps.push_back(std::stoi(row[0]));
      m_dps = std::max(m_dps, static_cast<std::uint32_t>(std::stoul(row[1])) + 1);
    }
    std::ranges::sort(m_steps);
    m_steps.erase(std::unique(m_steps.begin(), m_steps.end()), m_steps.end());
    for (const int step : m_steps) addStep(step);
    finish();
  }

  [[nodiscard]] const std::vector<int>& steps() const { return m_steps; }
  [[nodiscard]] const MaxPlusGraph& graph() const { return m_graph; }
  [[nodiscard]] std::vector<double> stepTimes(std::span<const TimeNs> times) const {
    std::vector<double> result;
    for (const auto& ends : m_ends) {
      TimeNs latest = 0;
      for (const GraphPoint end : ends) latest = std::max(latest, times[end]);
      result.push_back(static_cast<double>(latest) * 1e-9);
    }
    return result;
  }
  [[nodiscard]] SlowdownInput input() const {
    SlowdownInput input(m_graph);
    input.recorded = m_graph.lags;
    for (const std::uint32_t edge : m_delays) input.recorded.edges[edge] = 0;
    input.items = m_items;
    input.types = static_cast<std::uint32_t>(m_types.size());
    input.dps = m_dps;
    input.stages = m_stages;
    input.meanStep = [this](std::span<const TimeNs> times) {
      double sum = 0;
      const std::vector<double> steps = stepTimes(times);
      for (const double step : steps) sum += step;
      return 1e9 * sum / static_cast<double>(steps.size());
    };
    std::vector<bool> medians(m_types.size());
    for (const auto& [name, type] : m_types) medians[type] = takesMedian(name);
    setIdealByType(input, medians);
    return input;
  }
  // The types of one key of the published figures.
  [[nodiscard]] std::vector<std::uint32_t> typesOf(const std::string& key) const {
    std::vector<std::uint32_t> types;
    for (const auto& [name, type] : m_types) {
      const bool pair = key.ends_with("-pp-comm") && (name == key.substr(0, key.find("-pp")) + "-send" ||
                                                      name == key.substr(0, key.find("-pp")) + "-recv");
      if (name == key || pair) types.push_back(type);
    }
    return types;
  }

 private:
  using Key = std::tuple<int, int, std::size_t>;

  struct Pending {
    TimeNs time = 0;
    std::vector<std::pair<GraphPoint, TimeNs>> edges;
  };

  void addStep(int step) {
    const auto ops = static_cast<GraphPoint>(m_ops.size());
    const auto first = static_cast<GraphPoint>(m_pending.size());
    const auto beginOf = [&](std::uint32_t dp, std::size_t op) {
      return first + 2 * (dp * ops + static_cast<GraphPoint>(op));
    };
    m_pending.resize(first + 2 * std::size_t{ops} * m_dps);
    std::map<std::pair<int, int>, GraphPoint> joins; // join and dp, -1 over all
    std::vector<GraphPoint> ends;
    for (std::uint32_t dp = 0; dp < m_dps; ++dp) {
      for (std::size_t i = 0; i < m_ops.size(); ++i) {
        const Op& op = m_ops[i];
        const auto known = m_times.find({step, static_cast<int>(dp), i});
        if (known == m_times.end()) continue;
        const auto& [begin, end, delay, transfer] = known->second;
        const GraphPoint point = beginOf(dp, i);
        for (const std::size_t before : op.before)
          m_pending[point].edges.emplace_back(beginOf(dp, before) + 1, delay);
        if (op.before.empty()) m_pending[point].edges.emplace_back(kNoPoint, delay);
        if (op.type == "optimizer") ends.push_back(point + 1);
        const auto type =
            m_types.try_emplace(op.type, static_cast<std::uint32_t>(m_types.size())).first->second;
        GraphPoint source = point;
        if (op.join >= 0) {
          const auto [join, added] = joins.try_emplace({op.join, op.overDp ? -1 : static_cast<int>(dp)},
                                                       static_cast<GraphPoint>(m_pending.size()));
          if (added) m_pending.emplace_back();
          m_pending[join->second].edges.emplace_back(point, 0);
          source = join->second;
        }
        m_pending[point + 1].edges.emplace_back(source, op.join >= 0 ? transfer : end - begin);
        m_itemOf[point + 1] = {0, type, dp, op.stage};
      }
    }
    m_ends.push_back(std::move(ends));
  }

  // Point 0 is the begin of every step.
  void finish() {
    m_graph.addPoint(0);
    for (GraphPoint i = 0; i < m_pending.size(); ++i) {
      const bool isEnd = m_itemOf.contains(i);
      for (const auto& [source, lag] : m_pending[i].edges) {
        const auto edge = static_cast<std::uint32_t>(m_graph.edges());
        m_graph.addEdge(source == kNoPoint ? 0 : source + 1, lag);
        if (isEnd) {
          m_itemOf[i].edge = edge;
          m_items.push_back(m_itemOf[i]);
        } else if (m_itemOf.contains(i + 1)) {
          m_delays.push_back(edge);
        }
      }
      m_graph.addPoint(0);
    }
    for (auto& ends : m_ends) {
      for (GraphPoint& end : ends) ++end;
    }
    std::vector<PointRun> runs;
    for (GraphPoint point = 0; point < m_graph.points(); ++point) runs.push_back({point, point + 1});
    EXPECT_TRUE(orderPoints(m_graph, runs));
  }

  std::vector<Op> m_ops;
  std::map<Key, std::array<TimeNs, 4>> m_times;
  std::vector<int> m_steps;
  std::uint32_t m_dps = 0;
  std::uint32_t m_stages = 0;
  std::vector<Pending> m_pending;
  std::map<GraphPoint, SlowdownItem> m_itemOf;
  std::vector<std::vector<GraphPoint>> m_ends; // by step
  std::map<std::string, std::uint32_t> m_types;
  MaxPlusGraph m_graph;
  std::vector<SlowdownItem> m_items;
  std::vector<std::uint32_t> m_delays;
};

// a -> b -> d, a -> c -> d.
MaxPlusGraph diamond() {
  MaxPlusGraph graph;
  graph.addPoint(100);
  graph.addEdge(0, 10);
  graph.addPoint(110);
  graph.addEdge(0, 25);
  graph.addPoint(130);
  graph.residualAt.push_back(2);
  graph.lags.residuals.push_back(5);
  graph.addEdge(1, 10);
  graph.addEdge(2, 10);
  graph.addPoint(140);
  const std::array runs{PointRun{0, 4}};
  EXPECT_TRUE(orderPoints(graph, runs));
  return graph;
}

class PublishedSlowdowns : public testing::TestWithParam<std::string> {};

} // namespace

TEST(MaxPlus, aPointIsTheLatestOfWhatItDependsOn) {
  const MaxPlusGraph graph = diamond();
  EXPECT_EQ(replayedTimes(graph, graph.lags), graph.time);
  EXPECT_EQ(bindingEdge(graph, graph.lags, graph.time, 3), 3U);
  EXPECT_EQ(bindingEdge(graph, graph.lags, graph.time, 0), kNoPoint);
  GraphLags lags = graph.lags;
  lags.residuals[0] = 0;
  lags.edges[1] = 1;
  EXPECT_EQ(replayedTimes(graph, lags), (std::vector<TimeNs>{100, 110, 101, 120}));
  lags.edges[3] = kRemovedEdge;
  EXPECT_EQ(replayedTimes(graph, lags).back(), 120);
}

TEST(MaxPlus, slackIsWhatABoundLeaves) {
  const MaxPlusGraph graph = diamond();
  const std::array bounds{std::pair<GraphPoint, TimeNs>{3, 140}};
  EXPECT_EQ(latestTimes(graph, graph.lags, bounds), (std::vector<TimeNs>{100, 130, 130, 140}));
}

TEST(MaxPlus, aCircleIsReportedAndCanBeOpened) {
  MaxPlusGraph graph;
  graph.addEdge(1, 0);
  graph.addPoint(1);
  graph.addEdge(0, 0);
  graph.addPoint(1);
  const std::array runs{PointRun{0, 1}, PointRun{1, 2}};
  EXPECT_FALSE(orderPoints(graph, runs));
  EXPECT_TRUE(orderPoints(graph, runs, [&](std::span<const GraphPoint> stopped) {
    EXPECT_EQ(stopped.size(), 2U);
    graph.firstEdge = {0, 0, 1};
    graph.source = {0};
    graph.lags.edges = {0};
    return true;
  }));
}

TEST_P(PublishedSlowdowns, areReproduced) {
  const fs::path folder = test::sharedFolder() / "oracles" / "slowdown_op_graphs" / GetParam();
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), "no published graphs in the shared folder");
  const OpGraphs graphs(folder);
  const SlowdownInput input = graphs.input();
  const auto expected = rowsOf(folder / "expected_steps.csv");
  ASSERT_EQ(expected.size(), graphs.steps().size());
  const std::vector<double> recorded = graphs.stepTimes(replayedTimes(graphs.graph(), graphs.graph().lags));
  const std::vector<double> bare = graphs.stepTimes(replayedTimes(graphs.graph(), input.recorded));
  const std::vector<double> ideal = graphs.stepTimes(replayedTimes(graphs.graph(), input.ideal));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(std::stoi(expected[i][0]), graphs.steps()[i]);
    EXPECT_NEAR(recorded[i], std::stod(expected[i][1]), 1e-6 * recorded[i]) << expected[i][0];
    EXPECT_NEAR(bare[i], std::stod(expected[i][2]), 1e-6 * bare[i]) << expected[i][0];
    EXPECT_NEAR(ideal[i], std::stod(expected[i][3]), 1e-6 * ideal[i]) << expected[i][0];
  }
  const SlowdownResult result = slowdownOf(input, true, 2);
  for (const auto& row : rowsOf(folder / "expected_slowdown.csv")) {
    const double value = std::stod(row[2]);
    std::optional<double> ours;
    if (row[0] == "job_S") ours = result.job;
    if (row[0] == "M_S") ours = result.lastStage;
    if (row[0] == "M_W") ours = result.worstWorkers;
    if (row[0] == "dp_rank") ours = result.ofDp[std::stoul(row[1])];
    if (row[0] == "stage") ours = result.ofStage[std::stoul(row[1])];
    if (row[0] == "optype") {
      const std::vector<std::uint32_t> types = graphs.typesOf(row[1]);
      if (types.empty()) continue;
      GraphLags lags = input.ideal;
      for (const SlowdownItem& item : input.items) {
        if (std::ranges::find(types, item.type) != types.end())
          lags.edges[item.edge] = input.recorded.edges[item.edge];
      }
      ours = input.meanStep(replayedTimes(graphs.graph(), lags)) / result.ideal;
      EXPECT_TRUE(types.size() > 1 || *ours == result.ofType[types.front()]);
    }
    if (ours) {
      EXPECT_NEAR(*ours, value, 1e-5 * std::abs(value)) << row[0] << " " << row[1];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedSlowdowns, testing::Values("ST", "AR"),
                         [](const auto& job) { return test::testNameOf(job.param); });

} // namespace rankscope
