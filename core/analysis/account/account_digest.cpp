// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/account_digest.h"

#include "core/analysis/account/call_facts.h"
#include "core/analysis/digest/digest_archive.h"
#include "core/base/parallel_for.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rankscope {

constexpr bool isValid(TimeClass value) {
  return value <= TimeClass::Idle;
}

namespace {

struct PieceImage {
  TimeNs end = 0;
  TimeClass timeClass = TimeClass::Idle;
  Leaf leaf = Leaf::Ideal;
};

struct AccountImage {
  TimeNs begin = 0;
  std::vector<PieceImage> pieces;
  std::vector<StepAccount> steps;
};

std::vector<TimeNs> boundariesOf(const RankAccount& account, const DigestedResults& results) {
  const TimeRange range = account.pieces.range();
  std::vector<TimeNs> times{range.begin, range.end};
  const auto add = [&](TimeRange of) {
    for (const TimeNs time : {of.begin, of.end})
      if (range.begin < time && time < range.end) times.push_back(time);
  };
  for (const StepAccount& step : account.steps) add(step.range);
  for (const StepWindow& step : results.stepWindows.steps) add(step.range);
  for (const IdleGap& gap : results.gaps.ofDevices) add(gap.range);
  for (const IdleGap& gap : results.gaps.ofStreams) add(gap.range);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

} // namespace

template <class Archive, Described<LeafTime> T> void describe(Archive& archive, T& time) {
  auto& [timeClass, leaf, amount] = time;
  archive(timeClass, leaf, amount);
}

template <class Archive, Described<StepAccount> T> void describe(Archive& archive, T& step) {
  auto& [number, range, times] = step;
  archive(number, range, times);
}

template <class Archive, Described<PieceImage> T> void describe(Archive& archive, T& piece) {
  auto& [end, timeClass, leaf] = piece;
  archive(end, timeClass, leaf);
}

template <class Archive, Described<AccountImage> T> void describe(Archive& archive, T& account) {
  auto& [begin, pieces, steps] = account;
  archive(begin, pieces, steps);
}

template <class Archive, Described<CallFacts> T> void describe(Archive& archive, T& call) {
  auto& [event, matched, first, gathers, wait, slowLink, fragmented] = call;
  archive(event, matched, first, gathers, wait, slowLink, fragmented);
}

template <class Archive, Described<RankFacts> T> void describe(Archive& archive, T& facts) {
  auto& [calls, clockRatio] = facts;
  archive(calls, clockRatio);
}

RankAccount condensedAccount(const RankAccount& account, const DigestedResults& results) {
  RankAccount condensed;
  condensed.steps = account.steps;
  condensed.pieces = TimePieces(account.pieces.range().begin);
  const std::vector<TimeNs> times = boundariesOf(account, results);
  for (std::size_t i = 1; i < times.size(); ++i) {
    TimeNs end = times[i - 1];
    for (const LeafTime& part : account.pieces.within({times[i - 1], times[i]})) {
      end += part.time;
      condensed.pieces.addUntil(end, part.timeClass, part.leaf, {});
    }
  }
  return condensed;
}

std::string packedAccount(const RankAccount& condensed) {
  AccountImage image;
  image.begin = condensed.pieces.range().begin;
  image.pieces.reserve(condensed.pieces.size());
  for (std::size_t i = 0; i < condensed.pieces.size(); ++i) {
    const TimePieces::Piece& piece = condensed.pieces[i];
    image.pieces.push_back({condensed.pieces.rangeOf(i).end, piece.timeClass, piece.leaf});
  }
  image.steps = condensed.steps;
  Packer packer;
  packer(image);
  return packer.takeBytes();
}

std::optional<RankAccount> unpackedAccount(const RankDigest& digest) {
  const std::string bytes = digest.section(DigestSection::Account);
  DigestUnpacker unpacker(bytes, {}, 0, 0);
  AccountImage image;
  unpacker(image);
  if (!unpacker.ok() || !unpacker.atEnd()) return std::nullopt;
  std::optional<RankAccount> account(std::in_place);
  account->pieces = TimePieces(image.begin);
  for (const PieceImage& piece : image.pieces) {
    if (piece.end < kAllTime.begin || piece.end > kAllTime.end) return std::nullopt;
    account->pieces.addUntil(piece.end, piece.timeClass, piece.leaf, {});
  }
  account->steps = std::move(image.steps);
  return account;
}

JobAccount accountWithDigests(const Analysis& analysis, unsigned threadCount) {
  if (!hasDigests(analysis.trace())) return jobAccount(analysis, threadCount);
  JobAccount account;
  account.ranks.resize(analysis.trace().ranks().size());
  // Of ranks whose events were read since.
  const bool mixed = std::ranges::any_of(
      analysis.ranks(), [&](RankIndex rank) { return digestOf(analysis.trace(), rank) == nullptr; });
  const AccountFacts facts = mixed ? accountFacts(analysis, threadCount) : AccountFacts();
  parallelFor(analysis.ranks().size(), threadCount, [&](std::size_t i) {
    const RankIndex rank = analysis.ranks()[i];
    const RankDigest* const digest = digestOf(analysis.trace(), rank);
    account.ranks[rank.value] = digest != nullptr ? unpackedAccount(*digest).value_or(RankAccount())
                                                  : rankAccount(analysis, rank, facts);
  });
  return account;
}

std::string packedFacts(const Analysis& analysis, RankIndex rank, const AccountFacts& facts) {
  RankFacts told;
  told.clockRatio = facts.clockRatios[rank.value];
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  told.calls.reserve(calls.size());
  for (const CollectiveCall& call : calls)
    told.calls.push_back(
        callFacts(analysis, rank, facts.communication.first, facts.communication.transfers, call.event)
            .value_or(CallFacts()));
  Packer packer;
  packer(told);
  return packer.takeBytes();
}

std::shared_ptr<const RankFacts> unpackedFacts(std::string_view bytes,
                                               const std::vector<CollectiveCall>& calls) {
  RankFacts told;
  Unpacker unpacker(bytes);
  unpacker(told);
  if (!unpacker.ok() || !unpacker.atEnd() || told.calls.size() != calls.size()) return nullptr;
  for (std::size_t i = 0; i < calls.size(); ++i) told.calls[i].event = calls[i].event;
  std::ranges::sort(told.calls, {}, &CallFacts::event);
  return std::make_shared<const RankFacts>(std::move(told));
}

} // namespace rankscope
