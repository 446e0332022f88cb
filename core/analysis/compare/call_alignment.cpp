// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/call_alignment.h"

#include "core/analysis/classify/normal_name.h"
#include "core/analysis/collectives/sequence_align.h"
#include "core/base/hash.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace rankscope {

namespace {

// More tracks than this are paired in their order, without comparing what ran on them.
constexpr std::size_t kMaxTrackPairs = 4096;

using Calls = std::vector<EventIndex>;
using CallsByTrack = std::map<TrackIndex, Calls>;
using CallsByOwner = std::unordered_map<std::uint32_t, Calls>;
using Keys = std::vector<std::uint64_t>;

// Equal texts of both sides have equal numbers.
class TextNumbers {
 public:
  std::uint64_t of(std::string text) {
    return m_numbers.try_emplace(std::move(text), m_numbers.size()).first->second;
  }

 private:
  std::unordered_map<std::string, std::uint64_t> m_numbers;
};

// What a device event may be matched by, from the strictest on.
constexpr std::array kKernelLevels = {RowMatch::Exact, RowMatch::NoTemplate, RowMatch::Family,
                                      RowMatch::Operator};

// The calls of one side, and their keys.
class SideCalls {
 public:
  SideCalls(const StepOfRank& step, TextNumbers& texts)
      : m_step(step), m_trace(*step.analysis->trace().rank(step.rank).trace),
        m_names(step.analysis->trace().names()), m_tree(step.analysis->operatorTree(step.rank)),
        m_texts(texts) {
    for (std::uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
      const TrackIndex track{t};
      if (m_trace.tracks[t].kind == TrackKind::Thread) addThread(track);
      if (m_trace.tracks[t].kind == TrackKind::Stream) addStream(track);
    }
    for (auto* const byOwner : {&m_callees, &m_launched}) {
      for (auto& [owner, calls] : *byOwner) sortByBegin(calls);
    }
  }

  [[nodiscard]] const CallsByTrack& threads() const { return m_threads; }
  [[nodiscard]] const CallsByTrack& streams() const { return m_streams; }
  [[nodiscard]] std::size_t count() const { return m_all.size(); }
  [[nodiscard]] const Calls& all() const { return m_all; }

  [[nodiscard]] std::span<const EventIndex> calleesOf(EventIndex call) const { return of(m_callees, call); }
  [[nodiscard]] std::span<const EventIndex> launchedBy(EventIndex call) const { return of(m_launched, call); }

  // The operator that launched a device event; invalid if unknown.
  [[nodiscard]] EventIndex ownerOf(EventIndex event) const {
    return m_tree.owners[event.value - m_trace.deviceBegin.value];
  }

  std::uint64_t operatorKey(EventIndex call) {
    return keyOf(call, m_operatorKeys, [](std::string_view name) { return normalOperatorName(name); });
  }
  std::uint64_t kernelKey(EventIndex event, RowMatch level) {
    switch (level) {
    case RowMatch::Exact:
      return keyOf(event, m_exactKeys, [](std::string_view name) { return normalKernelName(name); });
    case RowMatch::NoTemplate:
      return keyOf(event, m_bareKeys, [](std::string_view name) {
        return "bare " + std::string(withoutTemplateArguments(normalKernelName(name)));
      });
    case RowMatch::Family:
      return hashOf(
          keyOf(event, m_familyKeys, [](std::string_view name) { return "family " + kernelFamily(name); }),
          ownerKey(event));
    default:
      return 0; // by position alone
    }
  }

 private:
  static std::span<const EventIndex> of(const CallsByOwner& calls, EventIndex owner) {
    const auto found = calls.find(owner.value);
    return found == calls.end() ? std::span<const EventIndex>() : found->second;
  }

  std::uint64_t ownerKey(EventIndex event) {
    const EventIndex owner = ownerOf(event);
    return owner.valid() ? operatorKey(owner) : m_texts.of("no operator");
  }

  template <class Normalize> std::uint64_t keyOf(EventIndex event, Keys& known, Normalize&& normalize) {
    const NameId name = m_trace.events.name[event];
    if (known.empty()) known.assign(m_names.size() + 1, kUnknown);
    std::uint64_t& key = known[name.valid() ? name.value : m_names.size()];
    if (key == kUnknown) key = m_texts.of(name.valid() ? normalize(m_names[name]) : std::string());
    return key;
  }

  // The events of a track that begin in the step.
  template <class Visit> void eachCall(TrackIndex track, Visit&& visit) const {
    const Track& of = m_trace.tracks[track.value];
    for (std::uint32_t r = 0; r < of.rowCount; ++r) {
      const Row& row = m_trace.rows[of.firstRow.value + r];
      std::uint32_t low = row.firstEvent.value;
      std::uint32_t high = row.endEvent.value;
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (m_trace.events.begin[EventIndex{middle}] < m_step.range.begin)
          low = middle + 1;
        else
          high = middle;
      }
      for (EventIndex event{low}; event < row.endEvent; ++event.value) {
        if (m_trace.events.begin[event] >= m_step.range.end) break;
        visit(event);
      }
    }
  }

  [[nodiscard]] bool isInStep(EventIndex event) const {
    return m_step.range.contains(m_trace.events.begin[event]);
  }

  void addThread(TrackIndex track) {
    Calls outermost;
    eachCall(track, [&](EventIndex call) {
      if (!isOperator(m_trace, m_names, call)) return;
      m_all.push_back(call);
      const EventIndex outer = m_tree.enclosingOf(call);
      if (outer.valid() && isOperator(m_trace, m_names, outer) && isInStep(outer))
        m_callees[outer.value].push_back(call);
      else
        outermost.push_back(call);
    });
    if (outermost.empty()) return;
    sortByBegin(outermost);
    m_threads.emplace(track, std::move(outermost));
  }

  void addStream(TrackIndex track) {
    Calls activity;
    eachCall(track, [&](EventIndex event) {
      if (!isDeviceActivity(m_trace.events.kind[event])) return;
      m_all.push_back(event);
      activity.push_back(event);
      const EventIndex owner = ownerOf(event);
      if (owner.valid()) m_launched[owner.value].push_back(event);
    });
    if (activity.empty()) return;
    sortByBegin(activity);
    m_streams.emplace(track, std::move(activity));
  }

  void sortByBegin(Calls& calls) const {
    std::ranges::sort(calls, {},
                      [&](EventIndex call) { return std::pair(m_trace.events.begin[call], call); });
  }

  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  const StepOfRank& m_step;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const OperatorTree& m_tree;
  TextNumbers& m_texts;
  CallsByTrack m_threads; // outermost operators
  CallsByTrack m_streams;
  CallsByOwner m_callees;
  CallsByOwner m_launched;
  Calls m_all;
  Keys m_operatorKeys, m_exactKeys, m_bareKeys, m_familyKeys; // by name
};

// alignSequences of what has a counterpart at all: what has none costs nothing.
std::vector<std::pair<std::uint32_t, std::uint32_t>> alignedKeys(const Keys& a, const Keys& b) {
  const std::unordered_set<std::uint64_t> ofA(a.begin(), a.end());
  const std::unordered_set<std::uint64_t> ofB(b.begin(), b.end());
  const auto common = [](const Keys& keys, const std::unordered_set<std::uint64_t>& others,
                         std::vector<std::uint32_t>& places) {
    Keys kept;
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      if (!others.contains(keys[i])) continue;
      kept.push_back(keys[i]);
      places.push_back(i);
    }
    return kept;
  };
  std::vector<std::uint32_t> placesA, placesB;
  const Keys keysA = common(a, ofB, placesA);
  const Keys keysB = common(b, ofA, placesB);
  auto pairs = alignSequences(keysA, keysB);
  for (auto& [i, j] : pairs) {
    i = placesA[i];
    j = placesB[j];
  }
  return pairs;
}

class Aligner {
 public:
  Aligner(const StepOfRank& a, const StepOfRank& b) : m_a(a, m_texts), m_b(b, m_texts) {}

  CallAlignment take() {
    if (std::max(m_a.count(), m_b.count()) > kMaxAlignedCalls) {
      m_result.tooMany = true;
      return std::move(m_result);
    }
    alignOperators();
    for (std::size_t i = 0, operators = m_result.pairs.size(); i < operators; ++i) {
      const CallPair pair = m_result.pairs[i];
      alignKernels(m_a.launchedBy(pair.a), m_b.launchedBy(pair.b), 0, kKernelLevels.size());
    }
    alignOtherKernels();
    finish();
    return std::move(m_result);
  }

 private:
  void add(EventIndex a, EventIndex b, RowMatch match) {
    m_result.pairs.push_back({a, b, match});
    m_pairedA.insert(a.value);
    m_pairedB.insert(b.value);
  }

  void alignOperators() {
    const auto keys = [](SideCalls& side) { return [&](EventIndex call) { return side.operatorKey(call); }; };
    for (const auto& [a, b] : pairedTracks(m_a.threads(), m_b.threads(), keys(m_a), keys(m_b)))
      alignSiblings(m_a.threads().at(a), m_b.threads().at(b));
    // Pairs are added behind those that are looked at.
    for (std::size_t i = 0; i < m_result.pairs.size(); ++i) {
      const CallPair pair = m_result.pairs[i];
      alignSiblings(m_a.calleesOf(pair.a), m_b.calleesOf(pair.b));
    }
  }

  void alignSiblings(std::span<const EventIndex> a, std::span<const EventIndex> b) {
    if (a.empty() || b.empty()) return;
    Keys keysA(a.size());
    Keys keysB(b.size());
    std::ranges::transform(a, keysA.begin(), [&](EventIndex call) { return m_a.operatorKey(call); });
    std::ranges::transform(b, keysB.begin(), [&](EventIndex call) { return m_b.operatorKey(call); });
    for (const auto& [i, j] : alignedKeys(keysA, keysB)) add(a[i], b[j], RowMatch::Name);
  }

  // In their order; what a level leaves between two pairs is left to the next one.
  void alignKernels(std::span<const EventIndex> a, std::span<const EventIndex> b, std::size_t level,
                    std::size_t levels) {
    if (a.empty() || b.empty() || level == levels) return;
    const RowMatch match = kKernelLevels[level];
    if (match == RowMatch::Operator) {
      for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) add(a[i], b[i], match);
      return;
    }
    Keys keysA(a.size());
    Keys keysB(b.size());
    std::ranges::transform(a, keysA.begin(), [&](EventIndex event) { return m_a.kernelKey(event, match); });
    std::ranges::transform(b, keysB.begin(), [&](EventIndex event) { return m_b.kernelKey(event, match); });
    std::size_t nextA = 0;
    std::size_t nextB = 0;
    for (const auto& [i, j] : alignedKeys(keysA, keysB)) {
      alignKernels(a.subspan(nextA, i - nextA), b.subspan(nextB, j - nextB), level + 1, levels);
      add(a[i], b[j], match);
      nextA = i + std::size_t{1};
      nextB = j + std::size_t{1};
    }
    alignKernels(a.subspan(nextA), b.subspan(nextB), level + 1, levels);
  }

  // Of operators without a partner, or of none: by the order on their streams.
  void alignOtherKernels() {
    const auto keys = [](SideCalls& side) {
      return [&](EventIndex event) { return side.kernelKey(event, RowMatch::Exact); };
    };
    const auto rest = [](const Calls& all, const std::unordered_set<std::uint32_t>& paired) {
      Calls free;
      std::ranges::copy_if(all, std::back_inserter(free),
                           [&](EventIndex event) { return !paired.contains(event.value); });
      return free;
    };
    for (const auto& [a, b] : pairedTracks(m_a.streams(), m_b.streams(), keys(m_a), keys(m_b))) {
      const Calls freeA = rest(m_a.streams().at(a), m_pairedA);
      const Calls freeB = rest(m_b.streams().at(b), m_pairedB);
      const std::size_t first = m_result.pairs.size();
      alignKernels(freeA, freeB, 0, kKernelLevels.size() - 1); // by position would be by chance
      for (std::size_t i = first; i < m_result.pairs.size(); ++i) {
        CallPair& pair = m_result.pairs[i];
        if (pair.match == RowMatch::Exact && (m_a.ownerOf(pair.a).valid() || m_b.ownerOf(pair.b).valid()))
          pair.match = RowMatch::NameOnly;
      }
    }
  }

  // Threads, or streams, that have the most in common; the rest in their order.
  template <class KeyOfA, class KeyOfB>
  static std::vector<std::pair<TrackIndex, TrackIndex>>
  pairedTracks(const CallsByTrack& a, const CallsByTrack& b, KeyOfA&& keyOfA, KeyOfB&& keyOfB) {
    struct Candidate {
      std::size_t common = 0;
      TrackIndex a;
      TrackIndex b;
    };
    std::vector<Candidate> candidates;
    if (a.size() * b.size() <= kMaxTrackPairs) {
      const auto countsOf = [](const CallsByTrack& tracks, auto& keyOf) {
        std::vector<std::unordered_map<std::uint64_t, std::size_t>> counts;
        for (const auto& [track, calls] : tracks) {
          auto& own = counts.emplace_back();
          for (const EventIndex call : calls) ++own[keyOf(call)];
        }
        return counts;
      };
      const auto countsA = countsOf(a, keyOfA);
      const auto countsB = countsOf(b, keyOfB);
      std::size_t i = 0;
      for (const auto& [trackA, callsA] : a) {
        std::size_t j = 0;
        for (const auto& [trackB, callsB] : b) {
          std::size_t common = 0;
          for (const auto& [key, count] : countsA[i]) {
            const auto other = countsB[j].find(key);
            if (other != countsB[j].end()) common += std::min(count, other->second);
          }
          candidates.push_back({common, trackA, trackB});
          ++j;
        }
        ++i;
      }
    }
    std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::common);
    std::vector<std::pair<TrackIndex, TrackIndex>> pairs;
    std::unordered_set<std::uint32_t> usedA, usedB;
    const auto take = [&](TrackIndex trackA, TrackIndex trackB) {
      pairs.emplace_back(trackA, trackB);
      usedA.insert(trackA.value);
      usedB.insert(trackB.value);
    };
    for (const Candidate& one : candidates) {
      if (one.common > 0 && !usedA.contains(one.a.value) && !usedB.contains(one.b.value)) take(one.a, one.b);
    }
    auto next = b.begin();
    for (const auto& [track, calls] : a) {
      if (usedA.contains(track.value)) continue;
      while (next != b.end() && usedB.contains(next->first.value)) ++next;
      if (next == b.end()) break;
      take(track, next->first);
    }
    return pairs;
  }

  void finish() {
    std::ranges::sort(m_result.pairs, {}, &CallPair::a);
    m_result.byB.resize(m_result.pairs.size());
    for (std::uint32_t i = 0; i < m_result.byB.size(); ++i) m_result.byB[i] = i;
    std::ranges::sort(m_result.byB, {}, [&](std::uint32_t i) { return m_result.pairs[i].b; });
    const auto rest = [](const Calls& all, const std::unordered_set<std::uint32_t>& paired, Calls& only) {
      std::ranges::copy_if(all, std::back_inserter(only),
                           [&](EventIndex event) { return !paired.contains(event.value); });
      std::ranges::sort(only);
    };
    rest(m_a.all(), m_pairedA, m_result.onlyA);
    rest(m_b.all(), m_pairedB, m_result.onlyB);
  }

  TextNumbers m_texts;
  SideCalls m_a;
  SideCalls m_b;
  CallAlignment m_result;
  std::unordered_set<std::uint32_t> m_pairedA;
  std::unordered_set<std::uint32_t> m_pairedB;
};

} // namespace

const CallPair* CallAlignment::pairOf(bool ofB, EventIndex event) const {
  if (!ofB) {
    const auto found = std::ranges::lower_bound(pairs, event, {}, &CallPair::a);
    return found != pairs.end() && found->a == event ? &*found : nullptr;
  }
  const auto found = std::ranges::lower_bound(byB, event, {}, [&](std::uint32_t i) { return pairs[i].b; });
  return found != byB.end() && pairs[*found].b == event ? &pairs[*found] : nullptr;
}

CallAlignment alignedCalls(const StepOfRank& a, const StepOfRank& b) {
  return Aligner(a, b).take();
}

} // namespace rankscope
