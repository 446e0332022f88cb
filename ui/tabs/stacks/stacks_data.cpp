// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/stacks/stacks_data.h"

#include "core/analysis/job/recording_advice.h"
#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"
#include "ui/flames/flame_view.h"

#include <algorithm>
#include <string_view>
#include <variant>

namespace rankscope::ui {

namespace {

bool hasDevice(const TraceSet& trace) {
  return std::ranges::any_of(trace.ranks(),
                             [](const RankEntry& rank) { return rank.trace->hasDeviceEvents(); });
}

bool hasPython(const TraceSet& trace) {
  return std::ranges::any_of(trace.ranks(), [](const RankEntry& rank) {
    return std::ranges::any_of(rank.trace->tracks,
                               [](const Track& track) { return track.kind == TrackKind::Python; });
  });
}

QString whyEmpty(const Analysis& analysis, const StacksChoice& choice) {
  const bool device = hasDevice(analysis.trace());
  switch (choice.weight) {
  case StackWeight::Device:
  case StackWeight::DeviceExclusive:
  case StackWeight::Idle:
  case StackWeight::Launches:
    return device ? tr("No device events in this range.")
                  : tr("No device events were recorded. Record with %1.")
                        .arg(QString::fromStdString(optionFor(Recordable::Device, analysis.trace())));
  case StackWeight::Exposed:
    return tr("No exposed communication in this range.");
  case StackWeight::Wait:
    return tr("No other rank waited for these ranks.");
  case StackWeight::Bytes:
  case StackWeight::NetBytes:
    return tr("No allocations were recorded. Record with %1.")
        .arg(QString::fromStdString(optionFor(Recordable::Memory, analysis.trace())));
  default:
    return tr("No operators or frames were recorded in this range.");
  }
}

// What the difference adds up from: stacks that only one job has, and those of both.
QString partsOfChange(StackWeight weight, const StackDifference& difference) {
  ExactSum onlyA;
  ExactSum onlyB;
  ExactSum changed;
  for (std::uint32_t node = 1; node < difference.tree.size(); ++node) {
    const std::int64_t inA = difference.a[node].weight;
    const std::int64_t inB = difference.b[node].weight;
    (inB == 0 ? onlyA : inA == 0 ? onlyB : changed) += inB - inA;
  }
  const auto text = [&](std::int64_t value) {
    const QString amount = weightText(weight, value < 0 ? -value : value);
    return value < 0 ? QStringLiteral("-") + amount : QStringLiteral("+") + amount;
  };
  const std::int64_t all = std::int64_t{onlyA} + std::int64_t{onlyB} + std::int64_t{changed};
  return tr("%1 only in A (striped blue), %2 only in B (striped orange), %3 changed: %4 in all.")
      .arg(text(onlyA), text(onlyB), text(changed), text(all));
}

StackDifference filteredDifference(StackDifference difference, const std::vector<StackFilter>& filters) {
  if (filters.empty()) return difference;
  FilteredStacks left = filtered(difference.tree, filters);
  difference.a = filteredSums(left, difference.a);
  difference.b = filteredSums(left, difference.b);
  difference.tree = std::move(left.tree);
  return difference;
}

// The stacks of a rank with the frames that the picture has, and where each of its nodes is in them.
FilteredStacks asShown(const StackTree& tree, const StacksChoice& choice) {
  if (choice.mode != FlameMode::Difference) return filtered(tree, choice.filters);
  FilteredStacks compared;
  compared.nodeOf.assign(tree.size(), StackTree::kRoot);
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    const StackTree::Frame& frame = tree.frameAt(node);
    const std::uint32_t parent = compared.nodeOf[tree.nodes()[node].parent];
    compared.nodeOf[node] = compared.tree.below(parent, comparedFrame(frame), frame.kind);
  }
  FilteredStacks left = filtered(compared.tree, choice.filters);
  for (std::uint32_t& node : compared.nodeOf) node = left.nodeOf[node];
  compared.tree = std::move(left.tree);
  return compared;
}

StacksData differenceData(const Analysis& a, const Analysis* b, const StacksChoice& choice) {
  StacksData data;
  data.choice = choice;
  data.hasPython = hasPython(a.trace());
  if (b == nullptr) {
    data.layout = std::make_shared<const FlameLayout>();
    data.title = tr("Difference to another job");
    data.whyEmpty =
        tr("Open the other job in Compare. Then this shows which stacks weigh more or less in it.");
    return data;
  }
  const auto weighedOf = [&](const Analysis& analysis) {
    return weighedStacks(analysis, choice.weight, choice.options, false, defaultThreadCount());
  };
  const auto difference = std::make_shared<const StackDifference>(
      filteredDifference(stackDifference(weighedOf(a), weighedOf(*b), stepScale(a, *b)), choice.filters));
  data.files = {nullptr, difference, a.trace().jobName() + " and " + b->trace().jobName()};
  data.layout = std::make_shared<const FlameLayout>(differenceLayout(*difference));
  const FlameLayout& layout = *data.layout;
  if (layout.rows.empty()) data.whyEmpty = whyEmpty(*b, choice);
  data.title = tr("A %1 · B %2 · %3")
                   .arg(weightText(choice.weight, layout.totalsA[StackTree::kRoot].weight),
                        weightText(choice.weight, layout.totalsB[StackTree::kRoot].weight),
                        changeText(choice.weight, layout, StackTree::kRoot));
  const std::int64_t stepsA = stepsOfRanks(a);
  const std::int64_t stepsB = stepsOfRanks(*b);
  QString notes =
      tr("A is %1, B is %2. Orange weighs more in B, blue less; a box is as wide as the heavier one.")
          .arg(QString::fromStdString(a.trace().jobName()), QString::fromStdString(b->trace().jobName()));
  notes += QLatin1Char(' ') + partsOfChange(choice.weight, *difference);
  if (stepsA != stepsB && stepsA > 0 && stepsB > 0)
    notes += tr(" Over its ranks A has %1 and B has %2: A is scaled to B.")
                 .arg(counted(stepsA, tr("1 step"), tr("%1 steps")),
                      counted(stepsB, tr("1 step"), tr("%1 steps")));
  data.notes = notes;
  return data;
}

// By node of the stacks: 1 for those that a node of the picture stands for, whose frames from its top down
// are `stack`; of callers from the focus outward.
std::vector<std::uint8_t> nodesOfStack(const StackTree& tree, const StacksChoice& choice,
                                       std::vector<std::string> stack, bool callers) {
  const auto is = [&](std::uint32_t node, const std::string& text) {
    return tree.frameAt(node).text == text;
  };
  const bool fromRoot = choice.hasWholeStacks() || choice.mode == FlameMode::Difference;
  const bool fromFocus = choice.mode == FlameMode::Sandwich && !callers;
  const std::string focus = fromFocus && !stack.empty() ? stack.front() : std::string();
  // From the inner to the outer frame.
  if (fromRoot || fromFocus) std::ranges::reverse(stack);
  std::vector<std::uint8_t> found(tree.size());
  std::vector<std::uint8_t> below(tree.size()); // the focus, by itself or around it
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    const std::uint32_t parent = tree.nodes()[node].parent;
    below[node] = below[parent] != 0 || (fromFocus && is(node, focus)) ? 1 : 0;
    std::uint32_t at = node;
    std::size_t same = 0;
    while (same < stack.size() && at != StackTree::kRoot && is(at, stack[same])) {
      at = tree.nodes()[at].parent;
      ++same;
    }
    // What lies around the outermost focus is not in the picture.
    const bool whole = !fromRoot || at == StackTree::kRoot;
    found[node] = same == stack.size() && whole && !(fromFocus && below[at] != 0) ? 1 : 0;
  }
  return found;
}

Unit unitOfColumn(StackWeight weight) {
  switch (unitOf(weight)) {
  case StackUnit::Nanoseconds:
    return Unit::Nanoseconds;
  case StackUnit::Bytes:
    return Unit::Bytes;
  case StackUnit::Count:
    break;
  }
  return Unit::Count;
}

// All frames, the largest total first.
ResultTable framesShown(StackWeight weight, const ShownStacks& shown) {
  const Unit unit = unitOfColumn(weight);
  ResultTable table("stack_frames", {{"frame", Unit::Text},
                                     {"self", unit},
                                     {"total", unit},
                                     {"total_pct", Unit::Percent},
                                     {"events", Unit::Count}});
  // A total counts what lies below it too: shares are of all stacks, not of the sum of totals.
  ExactSum all;
  for (const StackSum& sum : shown.sums) all += sum.weight;
  const auto whole = static_cast<double>(std::int64_t{all});
  for (const FrameSum& frame : frameSums(shown.tree, shown.sums)) {
    const std::int64_t total{frame.total};
    table.addRow({textCell(shown.tree.frames()[frame.frame].text), Cell(std::int64_t{frame.self}),
                  Cell(total), whole > 0 ? Cell(100 * static_cast<double>(total) / whole) : Cell(),
                  Cell(frame.count)});
  }
  return table;
}

std::string frameInTheMiddle(const std::string& wanted, const ResultTable& frames) {
  std::string best;
  std::int64_t most = -1;
  for (std::size_t row = 0; row < frames.rowCount(); ++row) {
    const std::string_view text = std::get<std::string_view>(frames.at(row, 0));
    if (text == wanted) return wanted;
    const auto self = std::get<std::int64_t>(frames.at(row, 1));
    if (self <= most) continue;
    most = self;
    best = text;
  }
  return best;
}

} // namespace

ModulesData modulesData(const Analysis& analysis) {
  return {std::make_shared<const ResultTable>(moduleTreeTable(analysis)), layerTimes(analysis)};
}

std::shared_ptr<const ResultTable> modulesToDepth(const ResultTable& modules, int depth) {
  auto shown = std::make_shared<ResultTable>(modules.name(), modules.columns());
  const std::size_t name = modules.columnNamed("module").value();
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < modules.rowCount(); ++row) {
    // Names are indented by their depth.
    const Cell module = modules.at(row, name);
    const auto* const text = std::get_if<std::string_view>(&module);
    const std::size_t indent = text == nullptr ? 0 : text->find_first_not_of(' ');
    if (indent != std::string_view::npos && indent / 2 >= static_cast<std::size_t>(depth)) continue;
    cells.clear();
    for (std::size_t column = 0; column < modules.columns().size(); ++column)
      cells.push_back(modules.at(row, column));
    shown->addRow(cells);
  }
  return shown;
}

// " · 87 ms per kept step and rank": without what lies outside of these, such as kernels that were launched
// before the recording. Empty for the middle frame of Sandwich, which has a sum of its own.
QString perStepText(const std::shared_ptr<const JobStacks>& stacks, const Analysis& analysis,
                    const StacksChoice& choice) {
  const std::shared_ptr<const Analysis>& kept = analysis.ofKeptSteps();
  const std::int64_t steps = kept ? stepsOfRanks(*kept) : 0;
  if (steps == 0 || choice.mode == FlameMode::Sandwich || unitOf(choice.weight) == StackUnit::Bytes)
    return {};
  const ShownStacks shown =
      shownStacks(stacks, weighed(*stacks, *kept, defaultThreadCount()), choice.filters);
  ExactSum sum;
  for (const StackSum& of : shown.sums) sum += of.weight;
  return tr(" · %1 per kept step and rank")
      .arg(weightText(choice.weight, static_cast<std::int64_t>(sum) / steps));
}

StackWeight firstWeight(const TraceSet& trace) {
  return hasDevice(trace) ? StackWeight::Device : StackWeight::HostSelf;
}

std::shared_ptr<const JobStacks> StacksMemory::stacksOf(const Analysis& analysis,
                                                        const StacksChoice& choice) {
  const std::lock_guard lock(m_mutex);
  // Without a device exposed communication is known of the part only.
  const bool ofPart = choice.weight == StackWeight::Exposed && !hasDevice(analysis.trace());
  if (m_stacks && !ofPart && m_trace.lock() == analysis.sharedTrace() && m_ranks == analysis.ranks() &&
      m_weight == choice.weight && m_options == choice.options)
    return m_stacks;
  m_stacks = std::make_shared<const JobStacks>(
      jobStacks(analysis, choice.weight, choice.options, defaultThreadCount()));
  m_trace = analysis.sharedTrace();
  m_ranks = analysis.ranks();
  m_weight = choice.weight;
  m_options = choice.options;
  return m_stacks;
}

StacksData stacksData(const Analysis& analysis, const StacksChoice& choice, StacksMemory& memory,
                      const Analysis* other) {
  if (choice.mode == FlameMode::Difference) return differenceData(analysis, other, choice);
  StacksData data;
  data.choice = choice;
  data.hasPython = hasPython(analysis.trace());
  const std::shared_ptr<const JobStacks> stacks = memory.stacksOf(analysis, choice);
  const ShownStacks shown =
      shownStacks(stacks, weighed(*stacks, analysis, defaultThreadCount()), choice.filters);
  if (choice.mode == FlameMode::Sandwich) {
    data.frames = std::make_shared<const ResultTable>(framesShown(choice.weight, shown));
    data.choice.focus = frameInTheMiddle(choice.focus, *data.frames);
  }
  data.layout =
      std::make_shared<const FlameLayout>(flameLayout(shown, analysis, choice.mode, data.choice.focus));
  data.files = {std::make_shared<const WeighedStacks>(WeighedStacks{choice.weight, shown.tree, shown.sums}),
                nullptr, analysis.trace().jobName()};
  if (data.layout->rows.empty())
    data.whyEmpty = choice.filters.empty() ? whyEmpty(analysis, choice)
                                           : tr("The filters leave no stack. Remove one to see more.");
  data.title = weightText(choice.weight, data.layout->whole);
  data.title += perStepText(stacks, analysis, choice);
  QStringList notes;
  // Such a sum may exceed the step.
  if (choice.weight == StackWeight::Device)
    notes << tr("Device time is a sum over streams, which run at the same time.");
  if (choice.weight == StackWeight::HostSelf)
    notes << tr("Host time is a sum over threads, which run at the same time.");
  if (!data.hasPython)
    notes << tr("No Python frames were recorded: this shows operators and kernels. Record with %1.")
                 .arg(QString::fromStdString(optionFor(Recordable::Stacks, analysis.trace())));
  if (choice.options.joinBackward && stacks->looseBackward > 0 && stacks->joinedBackward > 0)
    notes << tr("%1 of %2 backward functions have no forward operator, such as AccumulateGrad.")
                 .arg(QString::fromStdString(groupedText(stacks->looseBackward)),
                      QString::fromStdString(groupedText(stacks->looseBackward + stacks->joinedBackward)));
  data.notes = notes.join(QLatin1Char(' '));
  return data;
}

std::vector<EventRef> callsOfStack(const Analysis& analysis, const StacksChoice& choice,
                                   const std::vector<std::string>& stack, bool callers,
                                   const Progress& progress) {
  std::vector<EventRef> calls;
  const auto add = [&](RankIndex rank, StackWeight weight) {
    const RankStacks stacks = rankStacks(analysis, rank, weight, choice.options);
    const FilteredStacks left = asShown(stacks.tree, choice);
    const std::vector<std::uint8_t> nodes = nodesOfStack(left.tree, choice, stack, callers);
    stacks.forEachWithin(analysis.window(rank).ns(), [&](const StackEntry& entry) {
      const std::uint32_t node = left.nodeOf[entry.node];
      if (nodes[node] == 0 || !entry.event.valid() || !entry.first) return;
      // What a filter hides counts to its caller, but is no call of it.
      const StackTree::Frame& frame = stacks.tree.frameAt(entry.node);
      const bool compared = choice.mode == FlameMode::Difference;
      if (left.tree.frameAt(node).text == (compared ? comparedFrame(frame) : frame.text))
        calls.push_back({rank, entry.event});
    });
  };
  for (const RankIndex rank : analysis.ranks()) {
    if (progress.cancelled()) break;
    const std::size_t before = calls.size();
    add(rank, StackWeight::Calls);
    if (calls.size() == before) add(rank, choice.weight);
  }
  return calls;
}

} // namespace rankscope::ui
