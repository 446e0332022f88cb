// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/name_words.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace rankscope {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

} // namespace

std::optional<std::int64_t> momentOf(std::int64_t year, std::int64_t month, std::int64_t day,
                                     std::int64_t hour, std::int64_t minute, std::int64_t second) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{static_cast<int>(year)},
                            std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (year < 1970 || year > 2200 || !date.ok() || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * kNsPerSecond;
}

std::optional<std::int64_t> compactMoment(std::string_view digits) {
  if (digits.size() != 14 && digits.size() != 17) return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t length) {
    return wholeNumber(digits.substr(at, length)).value_or(99);
  };
  auto moment = momentOf(part(0, 4), part(4, 2), part(6, 2), part(8, 2), part(10, 2), part(12, 2));
  if (moment && digits.size() == 17) *moment += part(14, 3) * (kNsPerSecond / 1000);
  return moment;
}

std::optional<std::int64_t> epochMoment(std::string_view digits) {
  if (const auto moment = compactMoment(digits)) return moment;
  const auto value = wholeNumber(digits);
  if (!value || digits.size() < 10) return std::nullopt;
  const std::size_t size = digits.size();
  const std::int64_t scale = size <= 11   ? kNsPerSecond
                             : size <= 14 ? kNsPerSecond / 1000
                             : size <= 17 ? kNsPerSecond / 1'000'000
                                          : 1;
  if (*value > INT64_MAX / scale) return std::nullopt;
  return *value * scale;
}

std::optional<std::int64_t> takeMoment(NameTokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.isNumber(i, 4, 19)) continue;
    const std::string_view digits = tokens[i].text;
    std::optional<std::int64_t> moment;
    std::size_t last = i;
    if (digits.size() == 8 && tokens.isNumber(i + 2, 6, 6) &&
        (tokens.isMark(i + 1, "-_.") || tokens.isWord(i + 1, "t"))) {
      moment = compactMoment(std::string(digits) + std::string(tokens[i + 2].text));
      last = i + 2;
    } else if (digits.size() == 4 && i + 10 < tokens.size()) {
      std::array<std::int64_t, 6> part{tokens.number(i), 99, 99, 99, 99, 99};
      for (std::size_t k = 1; k < part.size(); ++k)
        if (tokens.isNumber(i + 2 * k, 2, 2)) part[k] = tokens.number(i + 2 * k);
      moment = momentOf(part[0], part[1], part[2], part[3], part[4], part[5]);
      last = i + 10;
    } else if (digits.size() >= 10 && (digits.front() == '1' || digits.front() == '2')) {
      moment = epochMoment(digits);
    }
    if (!moment) continue;
    tokens.take(i, last);
    return moment;
  }
  return std::nullopt;
}

std::optional<std::string> axisOf(const std::string& word) {
  constexpr std::array<std::string_view, 11> kAxes = {"dp",  "pp",  "tp", "ep",  "cp", "sp",
                                                      "dcp", "pcp", "mp", "etp", "edp"};
  constexpr std::array<std::array<std::string_view, 2>, 6> kLong = {{{"data", "dp"},
                                                                     {"tensor", "tp"},
                                                                     {"pipeline", "pp"},
                                                                     {"expert", "ep"},
                                                                     {"context", "cp"},
                                                                     {"model", "mp"}}};
  if (std::ranges::find(kAxes, word) != kAxes.end()) return word;
  for (const auto& [longName, axis] : kLong)
    if (word == longName) return std::string(axis);
  return std::nullopt;
}

namespace {

// Qualifier of a word "rank" ("local", "global", "dp", "tensor_parallel") and its position.
struct Qualifier {
  std::string word;
  std::size_t first = 0;
};

Qualifier qualifierOf(const NameTokens& tokens, std::size_t rankWord) {
  const std::string& word = tokens[rankWord].lower;
  if (word != "rank") return {word.substr(0, word.size() - 4), rankWord};
  if (rankWord < 2 || !tokens.isMark(rankWord - 1, "-_. ")) return {"", rankWord};
  const std::size_t before = rankWord - 2;
  if (tokens.isWord(before, "parallel") && before >= 2 && tokens.isMark(before - 1, "-_. ") &&
      axisOf(tokens[before - 2].lower))
    return {tokens[before - 2].lower, before - 2};
  if (tokens.isWordOf(before, {"local", "global", "world", "node", "host", "group"}) ||
      (tokens[before].kind == NameTokens::Kind::Word && axisOf(tokens[before].lower) &&
       tokens[before].lower.size() <= 3))
    return {tokens[before].lower, before};
  return {"", rankWord};
}

bool isRankWord(const NameTokens::Token& token) {
  if (token.kind != NameTokens::Kind::Word || token.taken || !token.lower.ends_with("rank")) return false;
  const std::string_view prefix = std::string_view(token.lower).substr(0, token.lower.size() - 4);
  if (prefix.empty() || prefix == "local" || prefix == "global" || prefix == "world" || prefix == "node" ||
      axisOf(std::string(prefix)))
    return true;
  // Accepts myRank0, but not a host named frank12.
  return token.text[prefix.size()] == 'R' && token.text[prefix.size() - 1] >= 'a';
}

void takeOneRank(NameTokens& tokens, std::size_t i, std::size_t at, RankWords& found) {
  const Qualifier qualifier = qualifierOf(tokens, i);
  const int value = static_cast<int>(tokens.number(at));
  std::size_t last = at;
  if (qualifier.word == "local") {
    found.localRank = found.localRank.value_or(value);
  } else if (qualifier.word == "node" || qualifier.word == "host" || qualifier.word == "group") {
    if (found.node.empty()) found.node = qualifier.word + std::to_string(value);
  } else if (const auto axis = axisOf(qualifier.word)) {
    found.coordinates.push_back({*axis, value});
  } else {
    if (found.rank) return;
    found.rank = value;
    if (tokens.isMark(last + 1, "])")) ++last;
    std::size_t of = tokens.isMark(last + 1, "-_. ") ? last + 2 : last + 1;
    const std::size_t total =
        tokens.isWord(of, "of") ? tokens.numberAfter(of, kRankDigits) : NameTokens::kNone;
    if (total != NameTokens::kNone && tokens.number(total) > value) {
      found.worldSize = static_cast<int>(tokens.number(total));
      last = total;
    }
  }
  tokens.take(qualifier.first, last);
}

} // namespace

RankWords takeRanks(NameTokens& tokens) {
  RankWords found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!isRankWord(tokens[i])) continue;
    const std::size_t at = tokens.numberAfter(i, kRankDigits);
    if (at != NameTokens::kNone) takeOneRank(tokens, i, at, found);
  }
  return found;
}

std::optional<std::int64_t> takeStep(NameTokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.isWordOf(i, {"step", "iteration", "iter", "capture", "cycle"})) continue;
    const std::size_t at = tokens.numberAfter(i, 12);
    if (at == NameTokens::kNone) continue;
    const std::int64_t step = tokens.number(at);
    const bool global = i >= 2 && tokens.isWord(i - 2, "global") && tokens.isMark(i - 1, "-_");
    const bool range = tokens.isWord(i, "iter") && tokens.isMark(at + 1, "-_") &&
                       tokens.isNumber(at + 2, 1, 12) && tokens.number(at + 2) >= step;
    tokens.take(global ? i - 2 : i, range ? at + 2 : at);
    return step;
  }
  return std::nullopt;
}

namespace {

std::string joined(const NameTokens& tokens, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i <= last; ++i) text += tokens[i].text;
  return text;
}

} // namespace

std::string takeNode(NameTokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.isWordOf(
            i, {"node", "host", "machine", "server", "pod", "instance", "worker", "master", "noderank"}))
      continue;
    const std::size_t at = tokens.numberAfter(i, kRankDigits);
    if (at == NameTokens::kNone) continue;
    tokens.take(i, at);
    return joined(tokens, i, at);
  }
  const std::size_t first = tokens.isWord(0, "ip") && tokens.isMark(1, "-_") ? 2 : 0;
  if (tokens.size() != first + 7) return {};
  for (std::size_t k = 0; k < 7; ++k) {
    const bool right = k % 2 == 0 ? tokens.isNumber(first + k, 1, 3) : tokens.isMark(first + k, ".-_");
    if (!right) return {};
  }
  if (first == 0 && !tokens.isMark(1, ".")) return {};
  tokens.take(0, tokens.size() - 1);
  return joined(tokens, 0, tokens.size() - 1);
}

} // namespace rankscope
