// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/straggler_badge.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kAfterBadge = 8;

int badgeWidth(HeaderPicture& picture, const QString& words) {
  return picture.texts.text(words).width + scaledToText(14);
}

void paintBadge(HeaderPicture& picture, const QString& words, const QRect& room) {
  QPainter& painter = picture.painter;
  const QRect box(room.left(), room.center().y() - scaledToText(16) / 2 + 1, badgeWidth(picture, words),
                  scaledToText(16));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QColor ground = picture.theme.bad;
  ground.setAlpha(46);
  painter.setPen(QPen(picture.theme.bad, 1));
  painter.setBrush(ground);
  painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), box.height() / 2.0, box.height() / 2.0);
  painter.restore();
  painter.setPen(picture.theme.bad);
  picture.texts.draw(painter, box.adjusted(scaledToText(7), 0, 0, 0), picture.texts.text(words));
}

// The longest words that leave room for a text of this width. Words without the gain are no better than what
// stands beside them, so those with it come first, then whatever fits.
QString badgeWords(HeaderPicture& picture, const Gain& gain, int room, int beside) {
  const QStringList words = stragglerBadges(gain);
  const auto fits = [&](int width) {
    return [&picture, width](const QString& each) { return badgeWidth(picture, each) <= width; };
  };
  const auto withGain = words.begin() + 2;
  const auto found = std::find_if(words.begin(), withGain, fits(room - kAfterBadge - beside));
  if (found != withGain) return *found;
  const auto alone = std::ranges::find_if(words, fits(room));
  return alone != words.end() ? *alone : QString();
}

} // namespace

// Totals of the visible time stand beside it, so each figure says that it is of a step.
QStringList stragglerBadges(const Gain& gain) {
  const QString cost = tr("%1/step").arg(textOf(gainText(gain)));
  return {tr("straggler: gain %1").arg(cost), tr("straggler: %1").arg(cost), tr("straggler"), cost};
}

QString stragglerText(const LaneFacts& facts, const StragglerNote& note) {
  QString text = tr("straggler: gain %1/step").arg(textOf(gainText(note.gain)));
  if (facts.highlights == nullptr) return text;
  const Analysis& analysis = facts.highlights->analysis();
  const auto numberOf = [&](std::size_t rank) { return analysis.trace().ranks()[rank].rank; };
  double waited = 0;
  std::int64_t steps = 0;
  const std::vector<RankPace>& ranks = analysis.stragglers().ranks;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (numberOf(rank) == numberOf(note.straggler.rank.value)) continue;
    for (const RankStep& step : ranks[rank].steps) {
      if (!step.kept) continue;
      waited += static_cast<double>(step.waited);
      ++steps;
    }
  }
  if (steps == 0) return text;
  return text + tr(", other ranks waited %1/step")
                    .arg(textOf(durationText(rounded(waited / static_cast<double>(steps)))));
}

void paintStraggler(HeaderPicture& picture, const Gain& gain, const QRect& header, const QRect& room,
                    const QStringList& beside) {
  picture.painter.fillRect(QRect(0, header.top() + 1, 3, header.height() - 1), picture.theme.bad);
  const int least = beside.isEmpty() ? 0 : picture.texts.text(beside.front()).width;
  const QString words = badgeWords(picture, gain, room.width(), least);
  QRect rest = room;
  if (!words.isEmpty()) {
    paintBadge(picture, words, room);
    rest.adjust(badgeWidth(picture, words) + kAfterBadge, 0, 0, 0);
  }
  for (QStringList shown = beside; !shown.isEmpty(); shown.removeLast()) {
    const TextCache::Text& text = picture.texts.text(shown.join(QStringLiteral(" · ")));
    if (text.width > rest.width()) continue;
    picture.painter.setPen(picture.theme.muted);
    picture.texts.draw(picture.painter, rest, text);
    return;
  }
}

} // namespace rankscope::ui
