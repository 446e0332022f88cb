// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about work of the host between launches that has a better place, or need not be: zeros written
// into gradients, random numbers and constants made on the CPU, loops over elements of tensors, Python
// threads beside the training thread. All are parts of leaves that other findings are about too, and say so.
#include "core/analysis/account/kernel_excess.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/leaf_parts.h"
#include "core/analysis/findings/small_gaps.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kMinHostShare = 0.01;
constexpr double kManyZeros = 50;
constexpr double kUnfusedShare = 0.1; // of the compute time, from which on unfused kernels have a finding
constexpr double kManyConstants = 10;
constexpr std::size_t kManyRepeats = 10;
constexpr std::size_t kLongestBody = 12;

// leaf: what the finding is about of eager dispatch.
std::string insideText(const FindingContext& context, std::string_view leaf = kDispatchLeaf) {
  constexpr std::array kKinds{FindingKind::LaunchBound};
  return context.includedIn(kKinds, leaf);
}

std::string insideText(const FindingContext& context, std::initializer_list<FindingKind> kinds) {
  return context.includedIn(std::span(kinds.begin(), kinds.size()));
}

// Launches of a rank's kept steps for which test(launch) holds, per step. what: stands for the test.
template <class Test>
double launchesThat(const FindingContext& context, RankIndex rank, std::string_view what, Test&& test) {
  const auto count = context.ofRank<std::int64_t>(rank, fmt::format("launches: {}", what), [&] {
    const RankTrace& trace = context.traceOf(rank);
    std::int64_t found = 0;
    EventIndex previous;
    for (const EventIndex device : trace.byLaunch) {
      const EventIndex launch = trace.deviceDetail(device).launch;
      if (launch == previous) continue;
      previous = launch;
      if (context.windowAt(rank, trace.events.begin[launch]) && test(launch)) ++found;
    }
    return found;
  });
  return context.perStep(rank, count);
}

struct ZeroTimes {
  ExactSum time;
  ExactSum critical; // of it, with later work queued behind
  TimeNs gaps = 0;
};

} // namespace

template <class Archive, Described<ZeroTimes> T> void describe(Archive& archive, T& of) {
  auto& [time, critical, gaps] = of;
  archive(time, critical, gaps);
}

namespace {

// Kernels and memsets of zero_grad, and the gaps between them. What is counted as unfused elementwise kernels
// is left out where these have a finding.
template <class Test> ZeroTimes zeroTimes(const FindingContext& context, Test&& isIn, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  const auto isZero = [&](EventIndex event) {
    return event.valid() && trace.isDeviceEvent(event) && isIn(rank, trace.deviceDetail(event).launch);
  };
  const double compute = context.kept().classTimes[static_cast<std::size_t>(TimeClass::Compute)];
  const bool unfusedIsTold = context.kept().timeOf("compute.unfused") >= kUnfusedShare * compute;
  ZeroTimes found;
  EventIndex last;
  bool isLast = false, isCriticalLast = false;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    context.account().of(rank).pieces.forEachWithin(
        window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
          const bool isDevice =
              piece.timeClass == TimeClass::Compute || piece.timeClass == TimeClass::ExposedMemory;
          if (!isDevice || (unfusedIsTold && piece.leaf == Leaf::ComputeUnfused)) return;
          if (piece.event != last) {
            last = piece.event;
            isLast = isZero(last);
            isCriticalLast = isLast && isCritical(trace, last);
          }
          if (isLast) found.time += range.length();
          if (isCriticalLast) found.critical += range.length();
        });
  }
  found.gaps = gapsBetween(context, rank, isZero).totalLength();
  return found;
}

// The device time of zero_grad.
template <class Test> void addZeros(const FindingContext& context, Test&& isIn, RankCost& cost) {
  const auto zeros = context.ofRank<ZeroTimes>(cost.rank, "device time of zero_grad",
                                               [&] { return zeroTimes(context, isIn, cost.rank); });
  const double gaps = context.perStep(cost.rank, zeros.gaps);
  const double added = context.perStep(cost.rank, zeros.time) + gaps;
  cost.time += added;
  cost.high += added;
  cost.low += context.perStep(cost.rank, zeros.critical) + gaps;
}

void findZeroGrad(FindingContext& context) {
  const auto isIn = [&](RankIndex rank, EventIndex launch) {
    return launch.valid() && !context.traceOf(rank).isDeviceEvent(launch) &&
           context.spans(rank).of(NamedCall::ZeroGrad).contains(context.traceOf(rank).events.begin[launch]);
  };
  // Without the call, its launches are not made: all of their idle time is won.
  const LeafRule rule{FindingKind::ZeroGrad, kDispatchLeaf, kMinHostShare, Confidence::Proven, 1};
  std::vector<RankCost> costs =
      partOfCosts(context, context.costsOf(rule), rule, "zero_grad", [&](RankIndex rank) -> ChoosePiece {
        return [&isIn, rank](TimeRange, const TimePieces::Piece& piece) { return isIn(rank, piece.event); };
      });
  for (RankCost& cost : costs) addZeros(context, isIn, cost);
  std::erase_if(costs, [&](const RankCost& cost) { return context.shareOf(cost.time) < kMinHostShare; });
  double launches = 0;
  std::erase_if(costs, [&](const RankCost& cost) {
    const double of = launchesThat(context, cost.rank, "zero_grad",
                                   [&](EventIndex launch) { return isIn(cost.rank, launch); });
    launches = std::max(launches, of);
    return of < kManyZeros;
  });
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("zero_grad writes zeros: {}", context.gainText(finding));
    const RankCost& most = part.front();
    const double idle = context.perStep(most.rank, most.use.time);
    finding.evidence =
        fmt::format("{} launches per step in zero_grad, one for each gradient. On {}: {} of idle time before "
                    "them, {} of their kernels and the gaps between these.{}",
                    groupedText(std::llround(launches)), context.rankText(most.rank), context.timeText(idle),
                    context.timeText(most.time - idle), insideText(context, "host.dispatch.optimizer"));
    finding.fix = "optimizer.zero_grad(set_to_none=True), the default since PyTorch 2.0.";
  });
}

// --- what is made on the CPU and copied

// The outermost operator that the call was made in.
EventIndex outermost(const FindingContext& context, RankIndex rank, EventIndex call) {
  const OperatorTree& tree = context.analysis().operatorTree(rank);
  EventIndex op = tree.enclosingOf(call);
  while (op.valid() && tree.enclosingOf(op).valid()) op = tree.enclosingOf(op);
  return op;
}

bool copiesWhatWasMade(const FindingContext& context, RankIndex rank, EventIndex event, NamedCall made) {
  const RankTrace& trace = context.traceOf(rank);
  if (!event.valid()) return false;
  EventIndex launch = event;
  if (trace.isDeviceEvent(event)) {
    if (trace.events.kind[event] != EventKind::Copy) return false;
    launch = trace.deviceDetail(event).launch;
  } else {
    const std::span<const EventIndex> launched = trace.launchedBy(event);
    if (launched.empty() || trace.events.kind[launched.front()] != EventKind::Copy) return false;
  }
  if (!launch.valid() || trace.tracks[trace.trackOf(launch).value].kind != TrackKind::Thread) return false;
  const EventIndex op = outermost(context, rank, launch);
  const TimeNs begin = trace.events.begin[op.valid() ? op : launch];
  return context.spans(rank).endsJustBefore(made, begin) ||
         context.spans(rank).endsJustBefore(made, trace.events.begin[launch]);
}

struct MadeOnHost {
  FindingKind kind;
  NamedCall made;
  const char* title;
  const char* evidence;
  const char* fix;
};

constexpr std::array kMadeOnHost{
    MadeOnHost{
        FindingKind::HostRandom, NamedCall::HostRandom, "Random numbers made on the CPU",
        "Random tensors are made on the CPU and copied to the device",
        "Make them on the device: torch.randn(..., device=\"cuda\"), with a torch.Generator(\"cuda\") where "
        "seeds matter."},
    MadeOnHost{FindingKind::HostConstant, NamedCall::HostConstant, "Constants made on the CPU",
               "Tensors are filled on the CPU and copied to the device",
               "Make them on the device, torch.zeros(..., device=x.device), or once before the loop."},
};

// The gaps before such copies, or the copies themselves: whichever take more.
void findMadeOnHost(FindingContext& context, const MadeOnHost& made) {
  double copies = 0;
  const auto choose = [&](RankIndex rank) -> ChoosePiece {
    return [&context, &made, rank](TimeRange, const TimePieces::Piece& piece) {
      return copiesWhatWasMade(context, rank, piece.event, made.made);
    };
  };
  // Random numbers take the host far longer than a launch, constants do not.
  LeafRule rule{made.kind, kDispatchLeaf, kMinHostShare, Confidence::Proven,
                made.kind == FindingKind::HostRandom ? 1 : kFasterHost};
  std::vector<RankCost> gaps = partOfCosts(context, context.costsOf(rule), rule, made.title, choose);
  rule.leaf = "copy.h2d";
  rule.lowShare = 1;
  std::vector<RankCost> alone = partOfCosts(context, context.costsOf(rule), rule, made.title, choose);
  const bool inGaps = meanTime(gaps) > meanTime(alone);
  if (inGaps) rule.leaf = kDispatchLeaf;
  std::vector<RankCost> costs = inGaps ? std::move(gaps) : std::move(alone);
  std::erase_if(costs, [&](const RankCost& cost) { return context.shareOf(cost.time) < kMinHostShare; });
  std::erase_if(costs, [&](const RankCost& cost) {
    const double of = launchesThat(context, cost.rank, made.title, [&](EventIndex launch) {
      return copiesWhatWasMade(context, cost.rank, launch, made.made);
    });
    copies = std::max(copies, of);
    return made.kind == FindingKind::HostConstant ? of < kManyConstants : of < 1;
  });
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("{}: {}", made.title, context.gainText(finding));
    const auto perStep = std::llround(copies);
    finding.evidence = fmt::format(
        "{}: {} per step on {}.{}", made.evidence, perStep == 1 ? "1 copy" : groupedText(perStep) + " copies",
        context.rankText(part.front().rank),
        inGaps ? insideText(context)
               : insideText(context, {FindingKind::InputCopy, FindingKind::PageableCopy}));
    finding.fix = made.fix;
  });
}

// --- loops over elements

// Where the operators of a row repeat, each round with aten::select first.
class Loops {
 public:
  Loops(const RankTrace& trace, const StringTable& names) : m_trace(trace) {
    for (std::size_t i = 0; i < names.size() && !m_select.valid(); ++i)
      if (names[NameId(i)] == "aten::select") m_select = NameId(i);
    if (!m_select.valid()) return;
    std::vector<TimeRange> found;
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (std::uint32_t r = 0; r < std::min(track.rowCount, RankTrace::kMaxLevels); ++r)
        addRow(trace.rows[track.firstRow.value + r], found);
    }
    m_spans = IntervalSet(std::move(found));
  }

  [[nodiscard]] const IntervalSet& spans() const { return m_spans; }

 private:
  [[nodiscard]] bool isSelect(EventIndex event) const { return m_trace.events.name[event] == m_select; }
  [[nodiscard]] bool isSameRound(EventIndex a, EventIndex b, std::uint32_t length) const {
    for (std::uint32_t i = 0; i < length; ++i)
      if (m_trace.events.name[EventIndex(a.value + i)] != m_trace.events.name[EventIndex(b.value + i)])
        return false;
    return true;
  }
  // The events of a row are numbered in order.
  void addRow(const Row& row, std::vector<TimeRange>& found) const {
    EventIndex event = row.firstEvent;
    while (event < row.endEvent) {
      if (!isSelect(event)) {
        ++event.value;
        continue;
      }
      EventIndex second(event.value + 1);
      while (second < row.endEvent && second.value - event.value < kLongestBody && !isSelect(second))
        ++second.value;
      if (second >= row.endEvent || !isSelect(second)) {
        ++event.value;
        continue;
      }
      const std::uint32_t length = second.value - event.value;
      std::uint32_t rounds = 1;
      while (event.value + (rounds + 1) * length <= row.endEvent.value &&
             isSameRound(event, EventIndex(event.value + rounds * length), length))
        ++rounds;
      const EventIndex last(event.value + rounds * length - 1);
      // A round of selects only makes views, it launches nothing.
      if (rounds >= kManyRepeats && length > 1)
        found.push_back({m_trace.events.begin[event], m_trace.events.range(last).end});
      event = rounds > 1 ? EventIndex(last.value + 1) : second;
    }
  }

  const RankTrace& m_trace;
  NameId m_select;
  IntervalSet m_spans;
};

void findIndexingLoops(FindingContext& context) {
  const LeafRule rule{FindingKind::IndexingLoop, kDispatchLeaf, kMinHostShare, Confidence::Proven,
                      kFasterHost};
  std::vector<RankCost> costs = context.costsOf(rule);
  std::erase_if(costs, [&](const RankCost& cost) { return context.shareOf(cost.time) < kMinHostShare; });
  costs =
      partOfCosts(context, std::move(costs), rule, "loops over elements", [&](RankIndex rank) -> ChoosePiece {
        const RankTrace& trace = context.traceOf(rank);
        const auto loops = std::make_shared<const Loops>(trace, context.analysis().trace().names());
        return [loops, &trace](TimeRange, const TimePieces::Piece& piece) {
          return piece.event.valid() && !trace.isDeviceEvent(piece.event) &&
                 loops->spans().contains(trace.events.begin[piece.event]);
        };
      });
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Loop over tensor elements: {}", context.gainText(finding));
    finding.evidence = fmt::format(
        "A loop indexes a tensor and launches the same operators for each element, {} times or more; "
        "{} on {}.{}",
        kManyRepeats, countedText(part.front().use.count, "gap"), context.rankText(part.front().rank),
        insideText(context));
    finding.fix =
        "Replace the loop by operators on the whole tensor (broadcasting, gather, torch.func.vmap).";
  });
}

// --- the interpreter

bool isWaitFrame(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kWaits{
      "wait", "acquire", "poll", "recv", "select", "sleep", "join", "get", "accept", "read", "lock", "queue"};
  const std::size_t at = name.rfind(": ");
  const std::string_view function = at == std::string_view::npos ? name : name.substr(at + 2);
  return std::ranges::any_of(
      kWaits, [&](std::string_view wait) { return function.find(wait) != std::string_view::npos; });
}

// The innermost frames of the process's other threads.
class OtherThreads {
 public:
  OtherThreads(const FindingContext& context, RankIndex rank)
      : m_trace(context.traceOf(rank)), m_names(context.analysis().trace().names()) {
    for (const Track& track : m_trace.tracks)
      if (track.kind == TrackKind::Python && !track.mainThread) m_tracks.push_back(&track);
  }

  // A thread that runs Python code at t, no wait; invalid without any.
  [[nodiscard]] EventIndex runningAt(TimeNs t) const {
    for (const Track* const track : m_tracks) {
      for (std::uint32_t row = track->firstRow.value + track->rowCount; row-- > track->firstRow.value;) {
        const EventIndex event = m_trace.lastBeginningBy(RowIndex(row), t);
        if (!event.valid() || !m_trace.events.range(event).contains(t)) continue;
        if (!isWaitFrame(m_names[m_trace.events.name[event]])) return event;
        break;
      }
    }
    return {};
  }
  [[nodiscard]] bool any() const { return !m_tracks.empty(); }

 private:
  const RankTrace& m_trace;
  const StringTable& m_names;
  std::vector<const Track*> m_tracks;
};

// What another thread runs beside the longest piece.
NameId frameBeside(const FindingContext& context, const RankCost& cost) {
  const TimeRange worst = cost.use.worst;
  const EventIndex running = OtherThreads(context, cost.rank).runningAt(worst.begin + worst.length() / 2);
  return running.valid() ? context.traceOf(cost.rank).events.name[running] : NameId();
}

void findInterpreterLock(FindingContext& context) {
  const LeafRule rule{FindingKind::InterpreterLock, "host.python", kMinHostShare, Confidence::Hint, 0};
  const auto choose = [&](RankIndex rank) -> ChoosePiece {
    const auto others = std::make_shared<const OtherThreads>(context, rank);
    return [others](TimeRange range, const TimePieces::Piece&) {
      return others->any() && others->runningAt(range.begin + range.length() / 2).valid();
    };
  };
  std::vector<RankCost> costs =
      partOfCosts(context, context.costsOf(rule), rule, "beside other Python threads", choose);
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    const auto running = context.ofRank<NameId>(part.front().rank, "code of other Python threads",
                                                [&] { return frameBeside(context, part.front()); });
    const std::string_view frame = context.analysis().trace().names()[running];
    finding.title = fmt::format("Python threads beside the training thread: {}", context.gainText(finding));
    finding.evidence = fmt::format(
        "Another thread of the process runs Python code in {}, for example {}: both take "
        "turns under the interpreter lock.{}",
        countedText(sumOf(part, &LeafUse::count), "gap"), frame, insideText(context, {FindingKind::Python}));
    finding.fix =
        "Move that work into processes (DataLoader workers, a logging process); fewer Python threads.";
  });
}

} // namespace

void findHostWorkFindings(FindingContext& context) {
  findZeroGrad(context);
  for (const MadeOnHost& made : kMadeOnHost) findMadeOnHost(context, made);
  findIndexingLoops(context);
  findInterpreterLock(context);
}

} // namespace rankscope
