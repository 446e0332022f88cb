// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_cells.h"

#include "ui/base/contrast.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/tables/shown_rows.h"

#include <QAbstractItemView>
#include <QFontMetrics>
#include <QGlyphRun>
#include <QHelpEvent>
#include <QPainter>
#include <QRawFont>
#include <QToolTip>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kShareWidth = 170;
constexpr int kShareText = 58; // width of the text next to the bar
constexpr int kBarHeight = 11;
constexpr int kMaxCachedNames = 2'000;
// Wider than any screen; laying out more would be wasted time.
constexpr qsizetype kMaxTextLength = 1'000;

const QFontMetrics& metricsOf(bool figure) {
  static const QFontMetrics text(table_look::cellFont(false));
  static const QFontMetrics digits(table_look::cellFont(true));
  return figure ? digits : text;
}

// Numbers need no shaping: their characters have fixed positions and widths. They are most of a table's
// cells, and shaping is most of the time of a frame.
class DigitPainter {
 public:
  DigitPainter()
      : m_font(QRawFont::fromFont(table_look::cellFont(true))),
        m_advance(metricsOf(true).horizontalAdvance(QLatin1Char('0'))), m_ascent(metricsOf(true).ascent()),
        m_height(metricsOf(true).height()) {
    m_fixed = m_advance > 0;
    for (const QChar c : QStringLiteral("1 mM.%"))
      m_fixed = m_fixed && metricsOf(true).horizontalAdvance(c) == m_advance;
  }

  // -1 if the text has to be measured.
  int width(const QString& text) const {
    return m_fixed && isPlain(text) ? static_cast<int>(text.size()) * m_advance : -1;
  }

  // False if the font lacks a character or the text does not fit.
  bool draw(QPainter& painter, QRect inner, bool right, const QString& text) const {
    const int width = this->width(text);
    if (width < 0 || width > inner.width()) return false;
    const QList<quint32> glyphs = m_font.glyphIndexesForString(text);
    if (glyphs.size() != text.size() || glyphs.contains(0)) return false;
    QList<QPointF> places;
    for (qsizetype i = 0; i < glyphs.size(); ++i)
      places.append(QPointF(static_cast<qreal>(i) * m_advance, 0));
    QGlyphRun run;
    run.setRawFont(m_font);
    run.setGlyphIndexes(glyphs);
    run.setPositions(places);
    const int left = right ? inner.right() + 1 - width : inner.left();
    const int top = inner.top() + (inner.height() - m_height) / 2;
    painter.drawGlyphRun(QPointF(left, top + m_ascent), run);
    return true;
  }

 private:
  // Letters, digits, the ASCII characters between them, and µ.
  static bool isPlain(const QString& text) {
    return std::ranges::all_of(text, [](QChar c) { return c.unicode() >= 0x20 && c.unicode() < 0x100; });
  }

  QRawFont m_font;
  int m_advance;
  int m_ascent;
  int m_height;
  bool m_fixed = false;
};

const DigitPainter& figureInk() {
  static const DigitPainter ink;
  return ink;
}

QString cutText(const QString& text, Qt::TextElideMode elision, int width) {
  // No letter is narrower than two pixels.
  const qsizetype most = std::min<qsizetype>(kMaxTextLength, width / 2 + 2);
  if (text.size() <= most) return metricsOf(false).elidedText(text, elision, width);
  const QString part = elision == Qt::ElideLeft ? text.right(most) : text.left(most);
  return metricsOf(false).elidedText(part, elision, width);
}

// The beginning of a name is elided if rows would look equal otherwise.
QString cutSameStart(const QString& text, int sameStart, int width) {
  QString cut = cutText(text, Qt::ElideRight, width);
  constexpr int kBeforeDifference = 6;
  const qsizetype visible = cut.size() - 1;
  if (sameStart == 0 || cut == text || sameStart + kBeforeDifference < visible) return cut;
  const qsizetype from = sameStart - kBeforeDifference;
  const QString tail = text.mid(from);
  const int tailWidth = metricsOf(false).horizontalAdvance(tail);
  // A short beginning rather than two cuts.
  const int share = tailWidth > width * 3 / 5 && tailWidth <= width * 3 / 4 ? width / 4 : 2 * width / 5;
  const QString head = metricsOf(false).elidedText(text.left(sameStart), Qt::ElideRight, share);
  if (from <= head.size()) return cut;
  const int room = width - metricsOf(false).horizontalAdvance(head);
  if (tailWidth > room) return head + cutText(tail, Qt::ElideRight, room);
  // All of the end fits: as much before it as there is room for.
  return head.chopped(1) + cutText(text.mid(head.size() - 1), Qt::ElideLeft,
                                   width - metricsOf(false).horizontalAdvance(head.chopped(1)));
}

// Behind the cells of a row that has a color.
QColor rowGround(const Theme& theme, QColor own, bool selected) {
  const QColor ground = onGround(own, theme.panel, table_look::kRowTint);
  return selected ? onGround(theme.accent, ground, table_look::kSelectedTint) : ground;
}

} // namespace

namespace table_look {

QString elidedName(const QString& text, Qt::TextElideMode elision, int sameStart, int width) {
  return elision == Qt::ElideLeft ? cutText(text, elision, width) : cutSameStart(text, sameStart, width);
}

const QFont& cellFont(bool figure) {
  static const QFont text = nameFont(12);
  static const QFont digits = numberFont(12);
  return figure ? digits : text;
}

int textWidth(const QString& text, bool figure) {
  const int width = figure ? figureInk().width(text) : -1;
  return width >= 0 ? width : metricsOf(figure).horizontalAdvance(text.left(kMaxTextLength));
}

} // namespace table_look

using namespace table_look;

TableCells::TableCells(const ShownRows& rows, const TraceSession& session, QObject* parent)
    : QStyledItemDelegate(parent), m_rows(rows), m_session(session), m_names(kMaxCachedNames) {}

QColor TableCells::rowColor(int tableRow) const {
  return m_rowColor && tableRow >= 0 ? m_rowColor(tableRow, m_session.theme()) : QColor();
}

void TableCells::paint(QPainter* painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index) const {
  const Theme& theme = m_session.theme();
  const int tableRow = m_rows.tableRow(index.row());
  const QVariant share = index.data(ResultTableModel::kBarRole);
  if (share.isValid()) paintBar(*painter, option.rect, share.toDouble(), tableRow);
  const bool figure = index.data(ResultTableModel::kFigureRole).toBool();
  const bool unknown = !index.data(ResultTableModel::kSortRole).isValid();
  const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
  const auto elision =
      index.data(ResultTableModel::kElideStartRole).toBool() ? Qt::ElideLeft : Qt::ElideRight;
  // Numbers take the color of a highlighted row; names stay readable.
  QColor own = alignment & Qt::AlignRight ? rowColor(tableRow) : QColor();
  if (own.isValid())
    own = readableOn(own, rowGround(theme, own, option.state.testFlag(QStyle::State_Selected)));
  const QRect inner = option.rect.adjusted(kCellMargin, 0, -kCellMargin, 0);
  const QString text = index.data(Qt::DisplayRole).toString();
  painter->setFont(cellFont(figure));
  painter->setPen(unknown ? theme.faint : own.isValid() ? own : theme.text);
  const bool right = alignment.testFlag(Qt::AlignRight);
  if (figure && figureInk().draw(*painter, inner, right, text)) return;
  if (!figure && !right)
    return paintName(*painter, inner, text, elision, index.data(ResultTableModel::kSameStartRole).toInt());
  painter->drawText(inner, static_cast<int>(alignment) | Qt::TextSingleLine,
                    metricsOf(figure).elidedText(text, elision, inner.width()));
}

void TableCells::paintName(QPainter& painter, QRect inner, const QString& text, Qt::TextElideMode elision,
                           int sameStart) const {
  constexpr qint64 kWiderThanAny = 1 << 20;
  const qint64 variant = inner.width() + kWiderThanAny * sameStart;
  const std::pair<QString, qint64> key(text, elision == Qt::ElideLeft ? -variant : variant);
  const QStaticText* name = m_names.object(key);
  if (!name) {
    auto* made = new QStaticText(elidedName(text, elision, sameStart, inner.width()));
    made->setTextFormat(Qt::PlainText);
    made->setPerformanceHint(QStaticText::AggressiveCaching);
    made->prepare({}, cellFont(false));
    m_names.insert(key, made);
    name = made;
  }
  const int top = inner.top() + (inner.height() - metricsOf(false).height()) / 2;
  painter.drawStaticText(QPoint(inner.left(), top), *name);
}

QSize TableCells::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  if (index.data(ResultTableModel::kShareRole).isValid()) return {scaledToText(kShareWidth), rowHeight()};
  const bool figure = index.data(ResultTableModel::kFigureRole).toBool();
  return {textWidth(index.data(Qt::DisplayRole).toString(), figure) + 2 * kCellMargin + 2, rowHeight()};
}

bool TableCells::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                           const QModelIndex& index) {
  if (event->type() != QEvent::ToolTip || !index.isValid()) return false;
  QString tip = index.data(Qt::ToolTipRole).toString();
  const QString shown = index.data(Qt::DisplayRole).toString();
  const bool figure = index.data(ResultTableModel::kFigureRole).toBool();
  const int width = textWidth(shown, figure);
  if (tip == shown && width <= option.rect.width() - 2 * kCellMargin) tip.clear();
  if (tip.isEmpty()) {
    QToolTip::hideText();
    return true;
  }
  if (!figure) {
    // Rich text is wrapped; names have no spaces to break at.
    const QString mayBreak(QChar(0x200b));
    tip = tip.toHtmlEscaped();
    tip.replace(QLatin1String("::"), mayBreak + QLatin1String("::"));
    tip.replace(QLatin1Char(','), QLatin1Char(',') + mayBreak);
    tip = QStringLiteral("<qt>%1</qt>").arg(tip);
  }
  QToolTip::showText(event->globalPos(), tip, view, option.rect);
  return true;
}

void TableCells::paintBar(QPainter& painter, QRect cell, double length, int tableRow) const {
  const Theme& theme = m_session.theme();
  QRectF track = QRectF(cell).adjusted(kCellMargin, 0, -kCellMargin - scaledToText(kShareText), 0);
  track.setTop(cell.center().y() + 0.5 - scaledToText(kBarHeight) / 2.0);
  track.setHeight(scaledToText(kBarHeight));
  if (track.width() < 4 || length <= 0) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const QColor own = m_barColor ? m_barColor(tableRow, theme) : QColor();
  QRectF bar = track;
  bar.setWidth(std::max(3.0, track.width() * std::clamp(length, 0.0, 1.0)));
  painter.setBrush(own.isValid() ? own : theme.gemm);
  painter.drawRoundedRect(bar, std::min(3.0, bar.width() / 2), 3);
  painter.restore();
}

} // namespace rankscope::ui
