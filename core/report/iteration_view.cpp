// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/iteration_view.h"

#include "core/base/statistics.h"
#include "core/base/unit_text.h"
#include "core/report/efficiency_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace rankscope {

namespace {

struct Placed {
  RankIndex rank;
  const Iteration* iteration = nullptr;
};

// Of the iterations of one row. Medians are of those that have the value.
class Group {
 public:
  void add(const Placed& of) {
    const Iteration& iteration = *of.iteration;
    const IterationLabel& label = iteration.label;
    ++m_count;
    if (m_longest.iteration == nullptr || iteration.range().length() > m_longest.iteration->range().length())
      m_longest = of;
    addCount(label.requests(), m_requests);
    addCount(label.tokens, m_tokens);
    addCount(label.context(), m_context);
    addTime(iteration.range().length(), m_duration);
    addTime(iteration.deviceTime, m_device);
    addCount(iteration.launches, m_launches);
    if (iteration.gapBefore) addTime(*iteration.gapBefore, m_gap);
    if (iteration.gapBefore && iteration.gapLeaf)
      m_leaves[*iteration.gapLeaf] += static_cast<double>(*iteration.gapBefore);
    if (iteration.perToken) addTime(*iteration.perToken, m_perToken);
    const auto time = static_cast<double>(iteration.deviceTime);
    addRate(iteration.tflops, time, m_tflops);
    addRate(iteration.gigabytes, time, m_gigabytes);
    addRate(iteration.bandwidthPct, time, m_bandwidth);
    if (label.tokens < 0) return;
    m_allTokens += static_cast<double>(label.tokens);
    m_tokenTime += static_cast<double>(iteration.range().length());
  }

  void addRow(std::string_view name, ResultTable& table, std::vector<IterationRows::Place>& places) const {
    const auto leaf = std::ranges::max_element(m_leaves, {}, [](const auto& of) { return of.second; });
    table.addRow({textCell(name), Cell(m_count), countCell(m_requests), countCell(m_tokens),
                  countCell(m_context), m_tokenTime > 0 ? Cell(m_allTokens / (m_tokenTime * 1e-9)) : Cell(),
                  timeCell(m_duration), timeCell(m_device), timeCell(m_gap),
                  leaf == m_leaves.end() ? Cell() : Cell(leafText(leaf->first)), timeCell(m_perToken),
                  countCell(m_launches), rateCell(m_tflops), rateCell(m_gigabytes), rateCell(m_bandwidth)});
    places.push_back({m_longest.rank, m_longest.iteration->event, m_longest.iteration->range()});
  }

 private:
  struct Rate {
    double sum = 0;
    double weight = 0;
  };

  static void addCount(std::int64_t count, std::vector<double>& values) {
    if (count >= 0) values.push_back(static_cast<double>(count));
  }
  static void addTime(TimeNs time, std::vector<double>& values) {
    values.push_back(static_cast<double>(time));
  }
  static void addRate(const std::optional<double>& value, double weight, Rate& rate) {
    if (!value) return;
    rate.sum += *value * weight;
    rate.weight += weight;
  }
  static Cell countCell(const std::vector<double>& values) {
    return values.empty() ? Cell() : Cell(std::int64_t{std::llround(median(values))});
  }
  static Cell timeCell(const std::vector<double>& values) { return countCell(values); }
  static Cell rateCell(const Rate& rate) { return rate.weight > 0 ? Cell(rate.sum / rate.weight) : Cell(); }

  std::int64_t m_count = 0;
  Placed m_longest;
  std::vector<double> m_requests;
  std::vector<double> m_tokens;
  std::vector<double> m_context;
  std::vector<double> m_duration;
  std::vector<double> m_device;
  std::vector<double> m_gap;
  std::vector<double> m_perToken;
  std::vector<double> m_launches;
  std::map<Leaf, double> m_leaves;
  Rate m_tflops;
  Rate m_gigabytes;
  Rate m_bandwidth;
  double m_allTokens = 0;
  double m_tokenTime = 0;
};

ResultTable emptyTable() {
  return {"iteration_groups",
          {{"group", Unit::Text},
           {"iterations", Unit::Count},
           {"requests", Unit::Count},
           {"tokens", Unit::Count},
           {"context_tokens", Unit::Count},
           {"tokens_s", Unit::Ratio},
           {"duration_us", Unit::Nanoseconds},
           {"device_us", Unit::Nanoseconds},
           {"gap_before_us", Unit::Nanoseconds},
           {"gap_leaf", Unit::Text},
           {"tpot_us", Unit::Nanoseconds},
           {"launches", Unit::Count},
           {"tflops", Unit::Ratio},
           {"gb_s", Unit::GigabytesPerSecond},
           {"bandwidth_pct", Unit::Percent}}};
}

template <class Key, class KeyOf, class NameOf>
IterationRows grouped(const std::vector<Placed>& all, KeyOf&& keyOf, NameOf&& nameOf) {
  std::map<Key, Group> groups;
  for (const Placed& of : all) groups[keyOf(of)].add(of);
  ResultTable table = emptyTable();
  IterationRows rows;
  for (const auto& [key, group] : groups) group.addRow(nameOf(key), table, rows.places);
  rows.table = std::make_shared<const ResultTable>(std::move(table));
  return rows;
}

IterationRows each(const std::vector<Placed>& all) {
  ResultTable table = emptyTable();
  IterationRows rows;
  std::map<RankIndex, std::int64_t> numbers;
  for (const Placed& of : all) {
    Group group;
    group.add(of);
    group.addRow(fmt::format("{} {}", iterationPhaseText(of.iteration->label.phase), numbers[of.rank]++),
                 table, rows.places);
  }
  rows.table = std::make_shared<const ResultTable>(std::move(table));
  return rows;
}

std::string batchName(const std::pair<IterationPhase, std::int64_t>& of) {
  const std::string phase(iterationPhaseText(of.first));
  return of.second < 0 ? phase : fmt::format("{} of {}", phase, groupedText(of.second));
}

void addFigures(const JobReport& report, const JobIterations& iterations, IterationView& view) {
  std::map<Leaf, double> leaves;
  std::vector<double> perToken;
  double bandwidth = 0;
  double decodeTime = 0;
  double covered = 0;
  double device = 0;
  for (const RankIndex rank : report.analysis().ranks()) {
    TimeRange whole;
    for (const Iteration& of : iterations[rank.value]) {
      whole = whole.unitedWith(of.device);
      const auto time = static_cast<double>(of.deviceTime);
      device += time;
      covered += time * of.coverage;
      if (of.perToken) perToken.push_back(static_cast<double>(*of.perToken));
      if (of.bandwidthPct) {
        bandwidth += time * *of.bandwidthPct;
        decodeTime += time;
      }
      if (!of.gapBefore) continue;
      view.gapTime += static_cast<double>(*of.gapBefore);
      if (of.gapLeaf) leaves[*of.gapLeaf] += static_cast<double>(*of.gapBefore);
    }
    const LeafTimes times = report.account().of(rank).pieces.within(whole);
    view.windowTime += static_cast<double>(whole.length());
    view.busyTime += static_cast<double>(whole.length() - timeOf(times, TimeClass::Idle));
  }
  if (!leaves.empty())
    view.gapLeaf = std::ranges::max_element(leaves, {}, [](const auto& of) { return of.second; })->first;
  if (decodeTime > 0) view.bandwidthPct = bandwidth / decodeTime;
  if (!perToken.empty()) view.timePerToken = std::llround(median(perToken));
  if (device > 0) view.coverage = covered / device;
}

} // namespace

IterationView iterationView(const JobReport& report) {
  IterationView view;
  const JobIterations iterations = iterationsOf(report);
  if (iterations.empty()) return view;
  std::vector<Placed> all;
  for (const RankIndex rank : report.analysis().ranks())
    for (const Iteration& of : iterations[rank.value]) all.push_back({rank, &of});
  view.iterations = all.size();
  if (all.empty()) return view;
  addFigures(report, iterations, view);
  view.byPhase = grouped<IterationPhase>(
      all, [](const Placed& of) { return of.iteration->label.phase; },
      [](IterationPhase phase) { return std::string(iterationPhaseText(phase)); });
  using Batch = std::pair<IterationPhase, std::int64_t>;
  view.byRequests = grouped<Batch>(
      all, [](const Placed& of) { return Batch(of.iteration->label.phase, of.iteration->label.requests()); },
      batchName);
  view.each = each(all);
  return view;
}

std::string iterationText(const IterationView& view) {
  if (view.empty()) return {};
  std::string text = fmt::format("{} {}", countText(static_cast<std::int64_t>(view.iterations)),
                                 view.iterations == 1 ? "iteration" : "iterations");
  const auto share = [&](double time) { return percentText(100 * time / view.windowTime); };
  if (view.windowTime > 0)
    text += fmt::format(" · device busy {} from their first to their last kernel", share(view.busyTime));
  if (view.timePerToken) text += fmt::format(" · {} per token", durationText(*view.timePerToken));
  if (view.bandwidthPct)
    text += fmt::format(" · decode at {} of the memory's peak", percentText(*view.bandwidthPct));
  if (view.gapTime > 0 && view.windowTime > 0)
    text += fmt::format(" · gaps {}{}", share(view.gapTime),
                        view.gapLeaf ? fmt::format(", mostly {}", leafText(*view.gapLeaf)) : std::string());
  return text;
}

} // namespace rankscope
