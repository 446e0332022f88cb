// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/track_order.h"
#include "core/model/step_names.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace rankscope {

namespace {

using ThreadId = std::pair<std::string, std::string>;
using KeyId = std::tuple<std::string, std::string, TrackKind>;

// The first number in a text: "7", "-1029147072", "stream 7 user"; INT64_MAX (sorts last) if none.
std::int64_t numberIn(std::string_view text) {
  const auto at = text.find_first_of("0123456789");
  if (at == std::string_view::npos) return INT64_MAX;
  const bool negative = at > 0 && text[at - 1] == '-';
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (read.ec != std::errc()) return INT64_MAX;
  return negative ? -value : value;
}

constexpr std::string_view kRest = "all others";

int groupOf(TrackKind kind) {
  switch (kind) {
  case TrackKind::Annotations:
  case TrackKind::Thread:
  case TrackKind::Python:
    return 0; // grouped by thread
  case TrackKind::Stream:
    return 1;
  case TrackKind::GpuAnnotations:
    return 2;
  case TrackKind::Sync:
    return 3;
  case TrackKind::Instants:
    return 4;
  case TrackKind::Overhead:
    return 5;
  case TrackKind::Other:
    return 6;
  }
  return 6;
}

bool before(const Track& a, const Track& b) {
  const auto key = [](const Track& t) {
    return std::tuple(groupOf(t.kind), t.device, numberIn(t.process), numberIn(t.thread),
                      std::string_view(t.process), std::string_view(t.thread), t.kind);
  };
  return key(a) < key(b);
}

// Whether PyTorch named the thread for what it does, as "pt_autograd_0". Until then, a thread has the name of
// the one that started it: "python3", "pt_main_thread".
bool namesItsWork(std::string_view name) {
  return name.find("pt_") != name.npos && name.find("pt_main_thread") == name.npos;
}

struct NamesOfThreads {
  std::map<std::string, std::string> process;
  std::map<std::string, std::string> label;
  std::map<ThreadId, std::string> thread;
};

NamesOfThreads namesFromMetadata(const FileEvents& file) {
  NamesOfThreads names;
  for (const SliceEvents& slice : file.slices) {
    for (const RawThreadFact& fact : slice.threadFacts) {
      switch (fact.fact) {
      case ThreadFact::ProcessName:
        names.process.try_emplace(fact.process, fact.text);
        break;
      case ThreadFact::ProcessLabel:
        names.label.try_emplace(fact.process, fact.text);
        break;
      case ThreadFact::ThreadName: {
        std::string& name = names.thread[{fact.process, fact.thread}];
        if (name.empty() || (!namesItsWork(name) && namesItsWork(fact.text))) name = fact.text;
        break;
      }
      }
    }
  }
  return names;
}

// The tracks, sorted.
std::vector<Track> tracksOf(const FileEvents& file) {
  const NamesOfThreads names = namesFromMetadata(file);
  std::map<KeyId, Track> unique;
  for (const auto& table : file.tables) {
    for (const RawTrack& key : table->tracks) {
      Track& track = unique[{key.process, key.thread, key.kind}];
      track.kind = key.kind;
      track.process = key.process;
      track.thread = key.thread;
      // Readers see different events of a stream. The largest device index does not depend on which reader
      // sees which events.
      track.device = std::max(track.device, key.device);
    }
  }
  std::vector<Track> tracks;
  for (auto& [key, track] : unique) {
    if (const auto it = names.process.find(track.process); it != names.process.end())
      track.processName = it->second;
    if (const auto it = names.thread.find({track.process, track.thread}); it != names.thread.end()) {
      track.threadName = it->second;
    }
    tracks.push_back(std::move(track));
  }
  std::ranges::sort(tracks, before);
  return tracks;
}

} // namespace

OrderedTracks orderTracks(const FileEvents& file) {
  OrderedTracks result;
  std::map<TrackKind, std::size_t> counts;
  for (Track& track : tracksOf(file)) {
    const std::size_t known = counts[track.kind]++;
    if (known < kMaxTracks) result.tracks.push_back(std::move(track));
    if (known == kMaxTracks) {
      Track& rest = result.tracks.emplace_back();
      rest.kind = track.kind;
      rest.thread = kRest;
    }
  }
  std::ranges::stable_sort(result.tracks, before); // only the shared tracks are out of order
  std::map<KeyId, std::uint32_t> position;
  std::map<TrackKind, std::uint32_t> positionOfRest;
  for (std::uint32_t i = 0; i < result.tracks.size(); ++i) {
    const Track& track = result.tracks[i];
    position[{track.process, track.thread, track.kind}] = i;
    if (counts[track.kind] <= kMaxTracks || !track.process.empty() || track.thread != kRest) continue;
    positionOfRest[track.kind] = i;
    result.common.emplace_back(std::size_t{i});
  }
  for (const auto& table : file.tables) {
    std::vector<std::uint32_t>& map = result.maps.emplace_back();
    for (const RawTrack& key : table->tracks) {
      const auto found = position.find({key.process, key.thread, key.kind});
      map.push_back(found != position.end() ? found->second : positionOfRest.at(key.kind));
    }
  }
  return result;
}

namespace {

// How much speaks for a thread as the one that runs the training loop; the first difference decides.
struct LoopEvidence {
  std::uint64_t steps = 0;
  std::uint64_t namedSteps = 0; // "iteration 12"
  bool notAutograd = true;
  bool ofProcess = false; // the first thread of its process, with a fair part of the operators
  bool python = false;    // has Python frames as well as operators
  std::uint64_t operators = 0;
  std::uint64_t events = 0;
  auto operator<=>(const LoopEvidence&) const = default;
};

// Operators of a thread that is no mere bystander: one for so many of the busiest thread.
constexpr std::uint64_t kFairPart = 20;

void countSteps(const RankTrace& trace, const Track& track, const StringTable& names,
                LoopEvidence& evidence) {
  for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
    const std::string_view name = names[trace.events.name[e]];
    if (phaseOf(name) == Phase::Step) ++evidence.steps;
    if (const auto step = stepNameOf(name); step && step->number >= 0) ++evidence.namedSteps;
  }
}

} // namespace

void nameMainThread(RankTrace& trace, const StringTable& names) {
  std::map<ThreadId, LoopEvidence> threads;
  std::uint64_t most = 0;
  for (const Track& track : trace.tracks) {
    if (groupOf(track.kind) != 0) continue;
    LoopEvidence& evidence = threads[{track.process, track.thread}];
    const std::uint64_t count = track.endEvent.value - track.firstEvent.value;
    evidence.events += count;
    evidence.notAutograd = track.threadName.find("pt_autograd") == track.threadName.npos;
    if (track.kind == TrackKind::Thread) evidence.operators += count;
    if (track.kind == TrackKind::Python) evidence.python = count > 0;
    if (track.kind == TrackKind::Annotations) countSteps(trace, track, names, evidence);
    most = std::max(most, evidence.operators);
  }
  for (auto& [thread, evidence] : threads) {
    evidence.ofProcess = thread.first == thread.second && evidence.operators > most / kFairPart;
    evidence.python = evidence.python && evidence.operators > 0;
  }
  const auto main = std::ranges::max_element(threads, {}, [](const auto& entry) { return entry.second; });
  if (main == threads.end()) return;
  for (Track& track : trace.tracks) {
    track.mainThread = groupOf(track.kind) == 0 && ThreadId(track.process, track.thread) == main->first;
  }
}

} // namespace rankscope
