// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/fuzzy_match.h"

#include <QList>
#include <QString>

#include <algorithm>
#include <cstdint>
#include <limits>

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

std::optional<int> scoreOfWord(QStringView word, QStringView title, qsizetype titleLength) {
  qsizetype inside = -1; // the last place inside a word
  for (qsizetype at = title.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
       at = title.indexOf(word, at + 1, Qt::CaseInsensitive)) {
    if (beginsWord(title, at)) return kWhole + kWordBegin - static_cast<int>(std::min<qsizetype>(at, 20));
    if (at < titleLength) inside = at;
  }
  if (inside >= 0) return kWhole - static_cast<int>(std::min<qsizetype>(inside, 20));
  int score = 0;
  qsizetype from = 0;
  qsizetype last = -2;
  for (const QChar letter : word) {
    // Prefer the next word that begins with it, else the next occurrence.
    qsizetype found = -1;
    for (qsizetype at = from; at < title.size(); ++at) {
      if (title[at].toCaseFolded() != letter.toCaseFolded()) continue;
      if (found < 0) found = at;
      if (at == last + 1 || beginsWord(title, at)) {
        found = at;
        break;
      }
    }
    if (found < 0) return std::nullopt;
    score += kLetter + (found == last + 1 ? kFollows : 0) + (beginsWord(title, found) ? kWordBegin : 0);
    last = found;
    from = found + 1;
  }
  // Letters scattered inside words do not count as a match.
  return score >= static_cast<int>(word.size()) * (kLetter + kFollows) / 2
             ? std::optional(std::min(score, kScattered / 2) - kScattered)
             : std::nullopt;
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
