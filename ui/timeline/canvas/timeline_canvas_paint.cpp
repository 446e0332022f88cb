// SPDX-License-Identifier: GPL-3.0-or-later
// Overlays of TimelineCanvas: everything that changes without a change of the cached picture.
#include "ui/timeline/canvas/timeline_canvas.h"

#include "ui/base/text_scale.h"
#include "ui/timeline/picture/fold_marks.h"
#include "ui/timeline/picture/wrapped_name.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr int kMargin = 12;    // distance of notes from the edges
constexpr int kTipWidth = 460; // maximum width of the tooltip
constexpr int kTipPadding = 9;
constexpr int kTipNameLines = 4;
constexpr double kMinFramedWidth = 3;

} // namespace

void TimelineCanvas::paintEvent(QPaintEvent* event) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  if (!m_session.trace() || m_session.window().empty()) {
    painter.fillRect(rect(), theme.background);
    return paintEmpty(painter);
  }
  const QImage& picture = m_content.picture(contentView());
  // At an integer ratio, logical rectangles have whole device pixels, so they are copied instead of scaled.
  const double ratio = devicePixelRatioF();
  if (ratio == std::floor(ratio)) {
    for (const QRect& part : event->region()) {
      const int scale = static_cast<int>(ratio);
      painter.drawImage(part, picture, QRect(part.topLeft() * scale, part.size() * scale));
    }
  } else {
    painter.drawImage(QRectF(0, 0, picture.width() / ratio, picture.height() / ratio), picture);
  }
  paintFading(painter, picture, theme);
  for (const FoldMark& mark : foldMarks(
           m_session.folds(), m_session.window(), [this](TimeNs t) { return xOf(t); }, rect()))
    paintFold(painter, theme, mark.band);
  paintRange(painter, theme);
  paintHighlight(painter, theme);
  paintSlack(painter, theme);
  paintPath(painter, theme);
  paintLinks(painter, theme);
  paintGap(painter, theme);
  paintCollective(painter, theme);
  paintSelection(painter, theme);
  paintJumpNames(painter, theme);
  paintNotes(painter, theme);
  if (!m_mouse && m_guestCursor && m_session.window().contains(*m_guestCursor)) {
    painter.setPen(QPen(withAlpha(theme.muted, 110), 1));
    const double x = std::floor(xOf(*m_guestCursor)) + 0.5;
    painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  }
  if (m_mouse && m_drag != Drag::Pan) {
    painter.setPen(QPen(withAlpha(theme.muted, 150), 1));
    const double x = std::floor(m_mouse->x()) + 0.5;
    painter.drawLine(QPointF(x, 0), QPointF(x, height()));
    paintTip(painter, theme);
  }
}

void TimelineCanvas::paintEmpty(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QPoint middle = rect().center();
  const bool open = m_session.trace() != nullptr;
  painter.setPen(theme.text);
  painter.setFont(textFont(17, QFont::DemiBold));
  const QRect title(0, middle.y() - scaledToText(34), width(), scaledToText(26));
  painter.drawText(title, Qt::AlignCenter,
                   open ? tr("No slices to show") : tr("Drop a folder of traces here"));
  painter.setPen(theme.muted);
  painter.setFont(textFont(12));
  const QRect sentence(12, middle.y() - 2, width() - 24, scaledToText(80));
  painter.drawText(sentence, Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                   open ? tr("No event with a duration was recorded. Record at least one step with "
                             "torch.profiler.profile and export_chrome_trace or tensorboard_trace_handler.")
                        : tr("One file per rank, .json or .json.gz, as torch.profiler writes them. "
                             "Ctrl+O opens a folder."));
}

RankIndex TimelineCanvas::stickyRank() const {
  return m_layout.stickyRank(m_scrollTop);
}

void TimelineCanvas::paintNotes(QPainter& painter, const Theme& theme) const {
  for (const Section& section : m_layout.sectionsWithin(m_scrollTop, m_scrollTop + height()))
    paintNote(painter, theme, section, {0, section.top - m_scrollTop, width(), section.height});
  const RankIndex sticky = stickyRank();
  const Section* const header = sticky.valid() ? m_layout.sectionAt(m_layout.rankLane(sticky).top) : nullptr;
  if (!header) return;
  const QRect box(0, 0, width(), TrackLayout::headerHeight());
  painter.fillRect(box, theme.panel);
  painter.fillRect(QRect(0, box.bottom(), width(), 1), theme.line);
  paintNote(painter, theme, *header, box);
}

void TimelineCanvas::paintNote(QPainter& painter, const Theme& theme, const Section& section,
                               const QRect& box) const {
  const LaneNote note = section.kind->note(facts(), section);
  if (note.text.isEmpty()) return;
  painter.setPen(note.warns ? theme.bad : theme.muted);
  if (note.warns) {
    const TextCache::Text& text = m_texts.elided(note.text, box.width() - 2 * kMargin);
    return m_texts.draw(painter, box.adjusted(kMargin, 1, 0, 0), text);
  }
  painter.setFont(textFont(10));
  const QRect place = box.adjusted(0, 0, -kMargin, 0);
  constexpr int kFlags = Qt::AlignRight | Qt::AlignTop;
  // A curve would strike its own note through.
  if (section.kind->traits().shows == LaneShows::Counter) {
    QColor ground = theme.background;
    ground.setAlphaF(0.75F);
    painter.fillRect(painter.fontMetrics().boundingRect(place, kFlags, note.text), ground);
  }
  painter.drawText(place, kFlags, note.text);
}

void TimelineCanvas::paintHighlight(QPainter& painter, const Theme& theme) const {
  if (m_highlight.empty()) return;
  const double scale = devicePixelRatioF();
  const QColor glow = theme.name == ThemeName::Dark ? QColor(255, 255, 255, 80) : QColor(0, 0, 0, 60);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.text, 1));
  for (const auto& [box, hatched] : m_highlight) {
    const QRectF area(box.left() / scale, box.top() / scale, box.width() / scale, box.height() / scale);
    if (hatched && area.width() >= kMinFramedWidth)
      painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
    else
      painter.fillRect(area, glow);
  }
}

QRectF TimelineCanvas::outlineOf(EventRef event) const {
  const Lane* const lane = m_layout.laneOf(event);
  if (!lane) return {};
  const TimeRange range = m_session.rangeOf(event);
  const PixelScale scale = pixelScale();
  const double ratio = devicePixelRatioF();
  const double begin = std::max(scale.pixelAt(range.begin), -20) / ratio;
  const double end =
      std::min(std::max(scale.pixelAt(range.end), scale.pixelAt(range.begin) + 1), scale.width() + 20) /
      ratio;
  return {begin, static_cast<double>(lane->top - m_scrollTop), end - begin,
          static_cast<double>(lane->height)};
}

void TimelineCanvas::paintSelection(QPainter& painter, const Theme& theme) const {
  const QRectF box = outlineOf(m_session.selection());
  if (box.isNull() || box.right() < 0 || box.left() > width()) return;
  // Two lines that stand out on every color: the theme's text color outside, its background inside.
  const QRectF outer = box.width() < 3 ? box.adjusted(-1, 0, 1, 0) : box;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.background, 1));
  painter.drawRect(outer.adjusted(0.5, 0.5, -0.5, -0.5));
  painter.setPen(QPen(theme.text, 2));
  painter.drawRect(outer.adjusted(-1, -1, 1, 1));
}

int TimelineCanvas::tipTextWidth() const {
  return std::min(scaledToText(kTipWidth), std::max(120, width() - 40));
}

QRect TimelineCanvas::tipBox() const {
  if (!m_mouse || m_hoverText.isEmpty()) return {};
  const qsizetype nameEnd = m_hoverText.indexOf('\n');
  const QFontMetrics nameMetrics(nameFont(12, QFont::DemiBold));
  const QFontMetrics factMetrics(nameFont(11));
  const QRect most(0, 0, tipTextWidth(), kTipNameLines * nameMetrics.lineSpacing());
  const QRect name = nameMetrics.boundingRect(
      most, 0, wrappedName(m_hoverText.left(nameEnd), nameMetrics, most.width(), kTipNameLines));
  const QRect facts = factMetrics.boundingRect(QRect(0, 0, most.width(), 1000), Qt::TextWordWrap,
                                               m_hoverText.mid(nameEnd + 1));
  QRect box(0, 0, std::max(name.width(), facts.width()) + 2 * kTipPadding + 2,
            std::min(name.height(), most.height()) + facts.height() + 2 * kTipPadding - 1);
  box.moveTopLeft(m_mouse->toPoint() + QPoint(14, 18));
  if (box.right() > width() - 6) box.moveRight(std::max(box.width(), m_mouse->toPoint().x() - 10));
  if (box.bottom() > height() - 6) box.moveBottom(m_mouse->toPoint().y() - 8);
  box.moveTop(std::max(2, box.top()));
  return box;
}

void TimelineCanvas::paintTip(QPainter& painter, const Theme& theme) const {
  const QRect box = tipBox();
  if (box.isNull()) return;
  painter.setPen(QPen(theme.line, 1));
  painter.setBrush(theme.raised);
  painter.drawRect(box.adjusted(0, 0, -1, -1));
  const qsizetype nameEnd = m_hoverText.indexOf('\n');
  const QRect inner = box.adjusted(kTipPadding, kTipPadding - 2, -kTipPadding, -kTipPadding + 2);
  painter.setFont(nameFont(12, QFont::DemiBold));
  painter.setPen(theme.text);
  const QRect nameBox(inner.left(), inner.top(), inner.width(),
                      kTipNameLines * painter.fontMetrics().lineSpacing());
  QRect used;
  painter.drawText(
      nameBox, 0,
      wrappedName(m_hoverText.left(nameEnd), painter.fontMetrics(), tipTextWidth(), kTipNameLines), &used);
  painter.setFont(nameFont(11));
  painter.setPen(theme.muted);
  const QRect factBox(inner.left(), std::min(used.bottom(), nameBox.bottom()) + 3, inner.width(),
                      inner.height());
  painter.drawText(factBox, Qt::TextWordWrap, m_hoverText.mid(nameEnd + 1));
}

} // namespace rankscope::ui
