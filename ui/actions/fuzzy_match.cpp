// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/fuzzy_match.h"

#include <QList>
#include <QString>

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kWhole = 120; // for a word that occurs contiguously
constexpr int kWordBegin = 30;
constexpr int kFollows = 12;
constexpr int kLetter = 2;

bool beginsWord(QStringView title, qsizetype at) {
  return at == 0 || !title[at - 1].isLetterOrNumber() || (title[at].isDigit() && !title[at - 1].isDigit());
}

std::optional<int> scoreOfWord(QStringView word, QStringView title) {
  for (qsizetype at = title.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;) {
    const qsizetype next = title.indexOf(word, at + 1, Qt::CaseInsensitive);
    if (beginsWord(title, at)) return kWhole + kWordBegin - static_cast<int>(std::min<qsizetype>(at, 20));
    if (next < 0) return kWhole - static_cast<int>(std::min<qsizetype>(at, 20));
    at = next;
  }
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
  return score >= static_cast<int>(word.size()) * (kLetter + kFollows) / 2 ? std::optional(score)
                                                                           : std::nullopt;
}

} // namespace

std::optional<int> fuzzyScore(QStringView pattern, QStringView title) {
  int total = 0;
  for (const QStringView word : pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const auto score = scoreOfWord(word, title);
    if (!score) return std::nullopt;
    total += *score;
  }
  // Among equal scores the shorter title wins.
  return total * 8 - static_cast<int>(std::min<qsizetype>(title.size(), 60)) / 8;
}

} // namespace rankscope::ui
