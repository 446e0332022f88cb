// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/screenshot.h"

#include "core/base/unit_text.h"
#include "ui/base/theme.h"

#include <QCoreApplication>
#include <QLayout>
#include <QPainter>
#include <QRegularExpression>
#include <QWidget>

#include <vector>

namespace rankscope::ui {

namespace {

// Layouts react to a new size by posting requests: processes them until none is left.
void settleLayouts() {
  constexpr int kRounds = 8;
  for (int i = 0; i < kRounds; ++i) QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
}

} // namespace

QImage picture(QWidget& content, QSize size) {
  if (size.isEmpty()) return content.grab().toImage();
  polishWithChildren(content);
  settleLayouts();
  // The window's layout would answer changes of parts of the content by giving it its old size.
  QLayout* const around = content.isWindow() ? nullptr : content.parentWidget()->layout();
  if (around != nullptr) around->setEnabled(false);
  const QRect before = content.geometry();
  content.setGeometry(QRect(before.topLeft(), size));
  settleLayouts();
  QImage image(size, QImage::Format_RGB32);
  image.fill(content.palette().color(QPalette::Window));
  content.render(&image);
  content.setGeometry(before);
  if (around != nullptr) around->setEnabled(true);
  settleLayouts();
  return image;
}

std::optional<QSize> sizeFromText(const QString& text) {
  static const QRegularExpression pattern(QStringLiteral("^(\\d{1,6})\\s*[xX×]\\s*(\\d{1,6})$"));
  const auto match = pattern.match(text.trimmed());
  if (!match.hasMatch()) return std::nullopt;
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  const auto fits = [](int side) { return kMinPictureSize <= side && side <= kMaxPictureSize; };
  return fits(size.width()) && fits(size.height()) ? std::optional(size) : std::nullopt;
}

std::optional<TimeNs> timeFromText(const QString& text) {
  return durationFromText(text.toStdString());
}

std::optional<EventQuery> eventQueryFromText(const QString& text) {
  EventQuery query;
  // A name may contain commas, so it comes last.
  static const QRegularExpression pattern(QStringLiteral("^(?:rank=(\\d{1,9})(?:,|$))?(?:name=(.+))?$"));
  const auto match = pattern.match(text.trimmed());
  if (!match.hasMatch() || match.captured(2).isEmpty()) return std::nullopt;
  if (!match.captured(1).isEmpty()) query.rank = match.captured(1).toInt();
  query.name = match.captured(2);
  return query;
}

EventRef findEvent(const TraceSet& traces, const EventQuery& query, TimeRange within) {
  // Match by name: 2 equal, 1 contains, 0 neither.
  const std::string wanted = query.name.toStdString();
  std::vector<int> fits(traces.names().size(), 0);
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const std::string_view name = traces.names()[NameId(i)];
    fits[i] = name == wanted ? 2 : name.find(wanted) != std::string_view::npos ? 1 : 0;
  }
  EventRef best;
  int bestScore = 0;
  TimeNs bestBegin = 0;
  for (std::size_t rank = 0; rank < traces.ranks().size(); ++rank) {
    const RankEntry& entry = traces.ranks()[rank];
    if (query.rank && entry.rank != *query.rank) continue;
    const RankTrace& trace = *entry.trace;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const EventIndex event(i);
      const int fit = fits[trace.events.name[event].value];
      if (fit == 0 || !within.contains(trace.events.begin[event])) continue;
      const int score = 2 * fit + (trace.isDeviceEvent(event) ? 1 : 0);
      const TimeNs begin = trace.events.begin[event];
      if (score < bestScore) continue;
      if (score == bestScore && (best.rank != RankIndex(rank) || begin >= bestBegin)) continue;
      best = {RankIndex(rank), event};
      bestScore = score;
      bestBegin = begin;
    }
  }
  return best;
}

} // namespace rankscope::ui
