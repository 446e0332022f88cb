// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/fuzzy_match.h"

#include <QList>
#include <QString>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace rankscope::ui {
namespace {

constexpr int kWhole = 120; // for a word that occurs contiguously
// More than any other difference of scores, so that one scattered word outweighs everything.
constexpr int kScattered = 1'000'000;
constexpr int kWordBegin = 30;
constexpr int kFollows = 12;
constexpr int kLetter = 2;

bool beginsWord(QStringView title, qsizetype at) {
  return at == 0 || !title[at - 1].isLetterOrNumber() || (title[at].isDigit() && !title[at - 1].isDigit());
}

bool isSame(QChar a, QChar b) {
  return a.toCaseFolded() == b.toCaseFolded();
}

// Letters that follow each other with gaps in a single word, and begin it: "whl" in "whole".
std::optional<int> scoreWithinOneWord(QStringView letters, QStringView title) {
  std::optional<int> best;
  for (qsizetype begin = 0; begin < title.size(); ++begin) {
    if (!title[begin].isLetterOrNumber() || !beginsWord(title, begin) || !isSame(title[begin], letters[0]))
      continue;
    int score = kLetter + kWordBegin;
    qsizetype next = 1;
    qsizetype last = begin;
    for (qsizetype at = begin + 1; at < title.size() && next < letters.size(); ++at) {
      if (!title[at].isLetterOrNumber() || beginsWord(title, at)) break;
      if (!isSame(title[at], letters[next])) continue;
      score += kLetter + (at == last + 1 ? kFollows : 0);
      last = at;
      ++next;
    }
    if (next == letters.size()) best = std::max(best, std::optional(score));
  }
  return best;
}

// Letters that words begin with, at most one word between two of them: "fwt" in "Fit the whole trace".
std::optional<int> scoreOfInitials(QStringView letters, QStringView title) {
  QString initials;
  for (qsizetype at = 0; at < title.size(); ++at)
    if (title[at].isLetterOrNumber() && beginsWord(title, at)) initials.append(title[at]);
  // Places of the last letter so far: any initial for the first one.
  std::vector<bool> places(static_cast<std::size_t>(initials.size()), true);
  for (qsizetype letter = 0; letter < letters.size(); ++letter) {
    std::vector<bool> reached(places.size(), false);
    for (std::size_t at = 0; at < places.size(); ++at) {
      const bool near = letter == 0 || (at >= 1 && places[at - 1]) || (at >= 2 && places[at - 2]);
      reached[at] = near && isSame(initials[static_cast<qsizetype>(at)], letters[letter]);
    }
    places = std::move(reached);
  }
  if (std::ranges::find(places, true) == places.end()) return std::nullopt;
  return static_cast<int>(std::min<qsizetype>(letters.size(), 1000)) * (kLetter + kWordBegin);
}

std::optional<int> scoreOfWord(QStringView word, QStringView title, qsizetype titleLength) {
  qsizetype inside = -1; // the last place inside a word
  for (qsizetype at = title.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
       at = title.indexOf(word, at + 1, Qt::CaseInsensitive)) {
    if (beginsWord(title, at)) return kWhole + kWordBegin - static_cast<int>(std::min<qsizetype>(at, 20));
    if (at < titleLength) inside = at;
  }
  if (inside >= 0) return kWhole - static_cast<int>(std::min<qsizetype>(inside, 20));
  const auto score = std::max(scoreWithinOneWord(word, title), scoreOfInitials(word, title));
  return score ? std::optional(std::min(*score, kScattered / 2) - kScattered) : std::nullopt;
}

} // namespace

std::optional<int> fuzzyScore(QStringView pattern, QStringView title, QStringView more) {
  QString all = title.toString();
  if (!more.isEmpty()) all.append(QLatin1Char(' ')).append(more);
  std::int64_t total = 0;
  for (const QStringView word : pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const auto score = scoreOfWord(word, all, title.size());
    if (!score) return std::nullopt;
    total += *score;
  }
  // Among equal scores the shorter title wins.
  const std::int64_t score = total * 8 - std::min<qsizetype>(all.size(), 60) / 8;
  return static_cast<int>(std::clamp<std::int64_t>(score, std::numeric_limits<int>::min() / 2,
                                                   std::numeric_limits<int>::max() / 2));
}

bool isPoorMatch(int score) {
  return score < -kScattered;
}

} // namespace rankscope::ui
