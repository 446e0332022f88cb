// SPDX-License-Identifier: GPL-3.0-or-later
// What an analysis of the job asks about the events of one rank: answered from the events where they are at
// hand, else from the rank's digest. The answer is plain data with a `describe` (core/base/byte_pack.h), of
// which a digest keeps all but event indices, which become invalid. It may depend on what the whole job says,
// but not on what a user asks about: a range, some ranks, settings. Thread-safe.
#pragma once

#include "core/analysis/digest/digest_archive.h"
#include "core/base/deflated.h"
#include "core/model/answer_log.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/model/trace_set.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

// Writes answers: names by their number in a list, events as none.
class AnswerPacker : public BasicPacker<AnswerPacker> {
 public:
  // names: those of the answer, by number.
  explicit AnswerPacker(const std::vector<NameId>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) m_numbers.emplace(names[i], static_cast<std::uint32_t>(i));
  }

  using BasicPacker::add;
  void add(const EventIndex& /*event*/) {}
  void add(const NameId& name) { add(name.valid() ? m_numbers.at(name) : NameId::kNone); }

 private:
  std::map<NameId, std::uint32_t> m_numbers;
};

// Reads them. A name that does not exist, a range that ends before it begins and a number that is none fail
// too.
class AnswerUnpacker : public CheckedUnpacker<AnswerUnpacker> {
 public:
  // names: by the number that the bytes use.
  AnswerUnpacker(std::string_view bytes, std::span<const NameId> names)
      : CheckedUnpacker(bytes), m_names(names) {}

  using CheckedUnpacker::get;
  void get(EventIndex& event) { event = {}; }
  void get(NameId& name) {
    get(name.value);
    if (name.valid() && name.value >= m_names.size()) fail();
    name = name.valid() && name.value < m_names.size() ? m_names[name.value] : NameId();
  }
  void get(TimeRange& range) {
    describe(*this, range);
    if (range.begin <= range.end) return;
    fail();
    range = {};
  }
  void get(double& number) {
    CheckedUnpacker::get(number);
    if (std::isfinite(number)) return;
    fail();
    number = 0;
  }

 private:
  std::span<const NameId> m_names;
};

template <class T>
[[nodiscard]] LoggedAnswer loggedAnswer(const T& answer, std::string_view question,
                                        const StringTable& names) {
  DigestCollector collector;
  collector(answer);
  std::vector<NameId> named(collector.names().begin(), collector.names().end());
  // So that they do not depend on the other ranks of the process.
  std::ranges::sort(named, {}, [&](NameId name) { return names[name]; });
  LoggedAnswer logged;
  logged.question = question;
  logged.names.reserve(named.size());
  for (const NameId name : named) logged.names.emplace_back(names[name]);
  AnswerPacker packer(named);
  packer(answer);
  logged.bytes = packer.takeBytes();
  return logged;
}

// For answers whose indices need no check.
struct AlwaysSound {
  template <class T> [[nodiscard]] bool operator()(const T& /*answer*/) const { return true; }
};

// Null if it was not asked.
[[nodiscard]] inline const RankAnswer* storedAnswer(const RankDigest& digest, std::string_view question) {
  const auto found = std::ranges::lower_bound(digest.answers, question, {}, &RankAnswer::question);
  return found != digest.answers.end() && found->question == question ? &*found : nullptr;
}

// What the digest answers to the question; empty without a sound answer. isSound: const T& -> bool, whether
// the indices in the answer exist.
template <class T, class IsSound = AlwaysSound>
[[nodiscard]] std::optional<T> answerOf(const RankDigest& digest, std::string_view question,
                                        const IsSound& isSound = {}) {
  const RankAnswer* const found = storedAnswer(digest, question);
  if (found == nullptr) return std::nullopt;
  T answer{};
  const std::string bytes = inflated(found->packed).value_or(std::string());
  AnswerUnpacker unpacker(bytes, found->names);
  unpacker(answer);
  return unpacker.ok() && unpacker.atEnd() && isSound(answer) ? std::optional(std::move(answer))
                                                              : std::nullopt;
}

// question: the name of what is asked, with everything that it depends on but the rank and the job. compute:
// () -> T, from the events. isSound: const T& -> bool, whether the indices in the answer of a digest exist.
// Without a sound answer in the digest: T{}.
template <class T, class Compute, class IsSound = AlwaysSound>
[[nodiscard]] T rankAnswer(const TraceSet& trace, RankIndex rank, std::string_view question,
                           Compute&& compute, const IsSound& isSound = {}) {
  AnswerLog* const log = trace.side().answerLog.get();
  const RankDigest* const digest = digestOf(trace, rank);
  if (digest == nullptr) {
    T answer = compute();
    if (log != nullptr) log->add(rank, loggedAnswer(answer, question, trace.names()));
    return answer;
  }
  if (log != nullptr && storedAnswer(*digest, question) == nullptr) log->miss();
  return answerOf<T>(*digest, question, isSound).value_or(T{});
}

// The same of arguments of events. Events that a digest kept have none, so that it answers also where its
// events were read since. asDigested: the whole recording is asked about, with the settings of digests.
template <class T, class Compute>
[[nodiscard]] T argumentAnswer(const TraceSet& trace, RankIndex rank, bool asDigested,
                               std::string_view question, Compute&& compute) {
  const auto& since = trace.side().readSince;
  const RankDigest* const digest = rank.value < since.size() ? since[rank.value].get() : nullptr;
  if (digest != nullptr && asDigested && storedAnswer(*digest, question) != nullptr)
    return answerOf<T>(*digest, question).value_or(T{});
  return rankAnswer<T>(trace, rank, question, std::forward<Compute>(compute));
}

// Whether the rank has device events, of which a digest may keep none.
[[nodiscard]] inline bool hasDeviceEvents(const TraceSet& trace, RankIndex rank) {
  return rankAnswer<bool>(trace, rank, "device events", [&] {
    const RankTrace& events = *trace.rank(rank).trace;
    return events.hasDeviceEvents();
  });
}

} // namespace rankscope
