// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/operators/operator_groups_reader.h"

#include "core/analysis/operators/stack_text.h"

#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

PythonDetail pythonDetail(OperatorDetail detail) {
  return detail == OperatorDetail::Stack ? PythonDetail::Stack : PythonDetail::SourceLine;
}

} // namespace

std::shared_ptr<const OperatorGroups> OperatorGroupsReader::groupsOf(const Analysis& analysis, RankIndex rank,
                                                                     OperatorDetail detail,
                                                                     Progress& progress) {
  const std::shared_ptr<const RankTrace>& trace = analysis.trace().rank(rank).trace;
  if (const auto grouping = groupingOf(detail))
    return std::make_shared<const OperatorGroups>(
        operatorGroups(*trace, analysis.trace().names(), callGroups(analysis, rank, *grouping)));
  if (detail != OperatorDetail::Shapes) {
    if (hasPythonFrames(*trace))
      return std::make_shared<const OperatorGroups>(
          groupByNameAndPython(*trace, analysis.operatorTree(rank), analysis.callTree(rank),
                               analysis.trace().names(), pythonDetail(detail)));
  }
  const Key key(trace.get(), detail);
  {
    const std::lock_guard lock(m_mutex);
    const auto cached = m_cache.find(key);
    if (cached != m_cache.end() && cached->second.of.lock() == trace) return cached->second.groups;
  }
  auto groups = std::make_shared<const OperatorGroups>(readGroups(analysis, rank, detail, progress));
  if (progress.cancelled()) return groups;
  const std::lock_guard lock(m_mutex);
  m_cache[key] = {trace, groups};
  return groups;
}

OperatorGroups OperatorGroupsReader::readGroups(const Analysis& analysis, RankIndex rank,
                                                OperatorDetail detail, Progress& progress) {
  const RankEntry& entry = analysis.trace().rank(rank);
  const EventColumns& events = entry.trace->events;
  const auto read = [&](std::span<const EventIndex> calls,
                        const std::function<void(std::size_t, std::string_view)>& take) {
    std::vector<SourceRef> sources;
    sources.reserve(calls.size());
    for (const EventIndex call : calls) sources.push_back(events.source[call]);
    progress.bytesTotal += calls.size();
    std::size_t done = 0;
    const bool shapes = detail == OperatorDetail::Shapes;
    const auto error = entry.details->arguments(
        sources, shapes ? EventArgument::InputShapes : EventArgument::CallStack,
        [&](std::size_t i, std::string_view text) {
          progress.bytesDone += i - done;
          done = i;
          if (shapes)
            take(i, text);
          else
            take(i, detailOfStackText(text, pythonDetail(detail)));
        },
        &progress);
    progress.bytesDone += calls.size() - done;
    if (!error) return;
    const std::lock_guard lock(m_mutex);
    m_problem = error->text();
  };
  return groupByNameAndText(*entry.trace, analysis.operatorTree(rank), analysis.trace().names(), read);
}

std::string OperatorGroupsReader::problem() const {
  const std::lock_guard lock(m_mutex);
  return m_problem;
}

void OperatorGroupsReader::forget() {
  const std::lock_guard lock(m_mutex);
  m_cache.clear();
  m_problem.clear();
}

} // namespace rankscope::ui
