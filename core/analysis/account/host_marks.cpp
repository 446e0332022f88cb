// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/host_marks.h"

#include "core/analysis/classify/host_work.h"
#include "core/analysis/classify/name_traits.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

constexpr std::uint32_t kNone = EventIndex::kNone;

// Of a name, beside the HostWork: numbers that follow it.
constexpr std::uint8_t kForwardOfParallelModel = kHostWorkCount;
constexpr std::uint8_t kReducer = kHostWorkCount + 1;
constexpr std::uint8_t kWaits = kHostWorkCount + 2;
constexpr std::uint8_t kBackward = kHostWorkCount + 3;

// The first call of the runtime makes the context, whatever it is called, when it takes this long.
constexpr TimeNs kMakesContext = 10'000'000;
// A call that waits for less found nothing to wait for.
constexpr TimeNs kMinWait = 50'000;

std::uint8_t markOf(std::string_view name) {
  if (name.ends_with("DistributedDataParallel.forward")) return kForwardOfParallelModel;
  if (name.find("distributed") != std::string_view::npos && name.find("reducer::") != std::string_view::npos)
    return kReducer;
  const HostWork work = hostWorkOf(name);
  if (work != HostWork::Ordinary) return static_cast<std::uint8_t>(work);
  if (callClassOf(name) == CallClass::Synchronize) return kWaits;
  if (operatorPhaseOf(name) == Phase::Backward) return kBackward;
  return static_cast<std::uint8_t>(work);
}

// Operators with which DistributedDataParallel hands its buffers round before the model runs.
std::uint8_t isOfBuffers(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kNames{"aten::flatten_dense_tensors",
                                                           "aten::unflatten_dense_tensors",
                                                           "aten::copy_",
                                                           "aten::to",
                                                           "aten::_to_copy",
                                                           "aten::cat",
                                                           "aten::detach",
                                                           "aten::view",
                                                           "aten::narrow",
                                                           "aten::empty",
                                                           "aten::reshape",
                                                           "record_param_comms"};
  if (isTorchDistributedName(name) || name.starts_with("torch.distributed.ddp")) return 1;
  return std::ranges::find(kNames, name) != kNames.end() ? 1 : 0;
}

} // namespace

class MarkPass {
 public:
  MarkPass(const RankTrace& trace, const StringTable& names, const HostThreads& host)
      : m_trace(trace), m_host(host), m_markOf(names, &markOf), m_isOfBuffers(names, &isOfBuffers) {}

  HostMarks marks() {
    m_marks.m_places.assign(m_host.threads.size(), kNone);
    m_marks.m_ofAutograd.resize(m_host.threads.size());
    for (std::size_t t = 0; t < m_trace.tracks.size(); ++t) {
      const Track& track = m_trace.tracks[t];
      if (track.kind == TrackKind::Overhead)
        addBesideThreads(track);
      else if (m_host.ofTrack[t] != HostThreads::kNone)
        addThread(track, m_host.ofTrack[t]);
    }
    if (m_firstCall.valid() && m_trace.events.duration[m_firstCall] >= kMakesContext)
      m_startUp.push_back(m_firstCall);
    for (auto& found : m_found) {
      HostMarks::Calls& calls = m_marks.m_calls.emplace_back();
      for (std::size_t work = 0; work < kHostWorkCount; ++work)
        calls[work] = HostCalls(m_trace, std::move(found[work]));
    }
    m_marks.startUp = HostCalls(m_trace, std::move(m_startUp));
    m_marks.parallelModel = IntervalSet(std::move(m_parallelModel));
    return std::move(m_marks);
  }

 private:
  void addBesideThreads(const Track& track) {
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (m_markOf[m_trace.events.name[event]] == static_cast<std::uint8_t>(HostWork::Initialization))
        m_startUp.push_back(event);
    }
  }
  void addThread(const Track& track, std::size_t thread) {
    findFirstCall(track);
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const std::uint8_t mark = m_markOf[m_trace.events.name[event]];
      if (mark == static_cast<std::uint8_t>(HostWork::Ordinary)) continue;
      if (mark >= kHostWorkCount) {
        addOther(mark, event, thread);
        continue;
      }
      std::uint32_t& place = m_marks.m_places[thread];
      if (place == kNone) {
        place = static_cast<std::uint32_t>(m_found.size());
        m_found.emplace_back();
      }
      m_found[place][mark].push_back(event);
    }
  }
  // Of the runtime, in any row of the thread.
  void findFirstCall(const Track& track) {
    if (track.kind != TrackKind::Thread) return;
    for (std::uint32_t r = 0; r < track.rowCount; ++r) {
      const Row& row = m_trace.rows[track.firstRow.value + r];
      for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
        if (m_firstCall.valid() && m_trace.events.begin[m_firstCall] <= m_trace.events.begin[event]) break;
        if (m_trace.events.kind[event] != EventKind::Runtime) continue;
        m_firstCall = event;
        break;
      }
    }
  }
  void addOther(std::uint8_t mark, EventIndex event, std::size_t thread) {
    const TimeRange range = m_trace.events.range(event);
    const EventKind kind = m_trace.events.kind[event];
    if (mark == kReducer) m_parallelModel.push_back(range);
    if (mark == kForwardOfParallelModel)
      m_parallelModel.push_back({range.begin, beginOfModel(range, m_host.threads[thread])});
    if (mark == kBackward && kind == EventKind::CpuOp && !m_host.threads[thread].mainThread)
      m_marks.m_ofAutograd[thread] = 1;
    if (mark != kWaits || kind != EventKind::Runtime || range.length() < kMinWait) return;
    EventIndex& first = m_marks.firstWait;
    if (!first.valid() || range.end < m_trace.events.range(first).end) first = event;
  }

  // Of the outermost operators within the forward: the first that does not belong to the buffers. The end of
  // the forward when there is none, its begin when it starts with the model.
  TimeNs beginOfModel(TimeRange forward, const HostThread& thread) {
    if (!thread.operators.valid()) return forward.begin;
    const Track& track = m_trace.tracks[thread.operators.value];
    for (std::uint32_t r = 0; r < std::min<std::uint32_t>(track.rowCount, 4); ++r) {
      const Row& row = m_trace.rows[track.firstRow.value + r];
      const EventIndex before =
          m_trace.lastBeginningBy(RowIndex(track.firstRow.value + std::size_t{r}), forward.begin);
      EventIndex event = before.valid() ? before : row.firstEvent;
      while (event < row.endEvent && !within(event, forward) && m_trace.events.begin[event] < forward.end)
        ++event.value;
      if (event >= row.endEvent || !within(event, forward)) continue;
      bool buffers = false;
      for (; event < row.endEvent && within(event, forward); ++event.value) {
        if (m_trace.events.kind[event] != EventKind::CpuOp) continue;
        if (m_isOfBuffers[m_trace.events.name[event]] == 0)
          return buffers ? m_trace.events.begin[event] : forward.begin;
        buffers = true;
      }
      return forward.end;
    }
    return forward.begin;
  }
  [[nodiscard]] bool within(EventIndex event, TimeRange forward) const {
    const TimeRange range = m_trace.events.range(event);
    return forward.begin <= range.begin && range.end <= forward.end && range != forward;
  }

  const RankTrace& m_trace;
  const HostThreads& m_host;
  NameMemory<std::uint8_t (*)(std::string_view)> m_markOf;
  NameMemory<std::uint8_t (*)(std::string_view)> m_isOfBuffers;
  HostMarks m_marks;
  std::vector<std::array<std::vector<EventIndex>, kHostWorkCount>> m_found; // by place
  std::vector<EventIndex> m_startUp;
  std::vector<TimeRange> m_parallelModel;
  EventIndex m_firstCall;
};

const HostCalls& HostMarks::of(std::size_t thread, HostWork work) const {
  static const HostCalls kNothing;
  const std::uint32_t place = m_places[thread];
  return place == kNone ? kNothing : m_calls[place][static_cast<std::size_t>(work)];
}

HostMarks hostMarks(const RankTrace& trace, const StringTable& names, const HostThreads& host) {
  return MarkPass(trace, names, host).marks();
}

} // namespace rankscope
