// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/rank_choice.h"

#include <QSignalBlocker>

#include <algorithm>
#include <set>

namespace rankscope::ui {

namespace {

// What an entry shows next to the rank number.
constexpr qint64 kTogether = -1;
constexpr qint64 kEach = -2;

constexpr std::size_t kManyRanks = 100;

} // namespace

RankChoice::RankChoice(QWidget* parent) : QComboBox(parent) {
  setObjectName(QStringLiteral("rankChoice"));
  setToolTip(tr("Ranks shown"));
  setAccessibleName(tr("Ranks"));
  setRanks(nullptr);
  connect(this, &QComboBox::currentIndexChanged, this, &RankChoice::rowsChanged);
}

void RankChoice::setRanks(const Analysis* analysis) {
  std::set<qint64> ranks;
  if (analysis != nullptr)
    for (const RankIndex rank : analysis->ranks()) ranks.insert(analysis->trace().rank(rank).rank);
  const RecordingRows before = rows();
  m_captures = analysis != nullptr && analysis->trace().severalCaptures();
  {
    const QSignalBlocker quiet(this);
    clear();
    // Measuring thousands of entries takes long.
    const bool many = ranks.size() > kManyRanks;
    setSizeAdjustPolicy(many ? AdjustToMinimumContentsLengthWithIcon : AdjustToContents);
    if (many) setMinimumContentsLength(static_cast<int>(titleOfAll().size()));
    addItem(titleOfAll(), kTogether);
    addItem(tr("Each rank"), kEach);
    for (const qint64 rank : ranks) addItem(tr("Rank %1").arg(rank), rank);
    const qint64 wanted = before.rank ? *before.rank : before.each ? kEach : kTogether;
    setCurrentIndex(std::max(0, findData(wanted)));
    setVisible(ranks.size() > 1);
  }
  if (rows() != before) emit rowsChanged();
}

void RankChoice::setPerStep(bool perStep) {
  m_perStep = perStep;
  setItemText(findData(kTogether), titleOfAll());
}

QString RankChoice::titleOfAll() const {
  return m_perStep ? tr("Mean over ranks") : tr("Sum over ranks");
}

RecordingRows RankChoice::rows() const {
  const QVariant chosen = currentData();
  if (!chosen.isValid() || chosen.toLongLong() == kTogether) return {};
  if (chosen.toLongLong() == kEach) return {.each = true, .rank = std::nullopt, .joined = m_captures};
  return {.each = false, .rank = static_cast<int>(chosen.toLongLong())};
}

} // namespace rankscope::ui
