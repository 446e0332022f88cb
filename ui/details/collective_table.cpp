// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/collective_table.h"

#include "core/base/statistics.h"
#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/picture/highlight_hatches.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kLineHeight = 18;
constexpr int kTitleHeight = 20;
constexpr int kMargin = 14;
constexpr int kMinBarWidth = 140;

struct ColumnLook {
  CollectiveTable::Column column;
  const char* title;
  const char* tip;
  int width;
  int priority; // columns of the lowest priority are hidden first if space is short
};

using Column = CollectiveTable::Column;
constexpr std::array kColumns{
    ColumnLook{Column::Rank, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Rank"),
               QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable",
                                 "Rank, and whether it arrived first, in the middle or last"),
               104, 9},
    ColumnLook{Column::Begins, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Start"),
               QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable",
                                 "Begin of the call on this rank, from the first event of the job"),
               104, 2},
    ColumnLook{
        Column::Late, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Lateness"),
        QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Begin of the call after that of the first rank"),
        84, 8},
    ColumnLook{Column::Waits, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Wait"),
               QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable",
                                 "Time until the last rank began: the call transfers nothing before"),
               84, 7},
    ColumnLook{Column::Transfer, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Transfer"),
               QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Duration of the call without the wait"),
               84, 6},
    ColumnLook{Column::Exposed, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "Exposed"),
               QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable",
                                 "Time of the call with no compute kernel beside it"),
               84, 5},
    ColumnLook{Column::Algbw, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "algbw"),
               QT_TRANSLATE_NOOP(
                   "rankscope::ui::CollectiveTable",
                   "Algorithm bandwidth: bytes of the call over its transfer time, in 10⁹ bytes per second"),
               92, 3},
    ColumnLook{Column::Busbw, QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable", "busbw"),
               QT_TRANSLATE_NOOP("rankscope::ui::CollectiveTable",
                                 "Bus bandwidth: algbw times the factor of nccl-tests for the operation and "
                                 "the number of ranks, in 10⁹ bytes per second"),
               92, 4}};

QString utf8(const std::string& text) {
  return QString::fromStdString(text);
}

// One period of the hatching, as a brush.
QBrush brushOf(const Hatch& hatch) {
  QImage tile(hatch.period, hatch.period, QImage::Format_RGB32);
  tile.fill(qRgb(0, 0, 0));
  SpanRaster(tile).hatch(0, hatch.period, 0, hatch.period, hatch);
  return QBrush(tile);
}

} // namespace

std::vector<CollectiveLine> collectiveLines(const JobHighlights& highlights,
                                            const CollectiveInstance& instance) {
  const Analysis& analysis = highlights.analysis();
  const JobGroup& group = analysis.collectives().match.group(instance);
  const auto factor = busFactor(instance.operation, group.size > 0 ? group.size : instance.count);
  std::vector<CollectiveLine> lines;
  for (const Participant& part : highlights.participants(instance)) {
    CollectiveLine line;
    line.event = highlights.eventOf(part);
    line.rank = analysis.trace().rank(part.rank).rank;
    line.range = part.range;
    line.matched = instance.matched();
    line.late = part.range.begin - instance.firstBegin;
    line.wait = part.wait;
    line.transfer = part.transfer;
    const RankRange own = analysis.clocks().of(part.rank).fromJob(part.range);
    line.exposed = analysis.exposedCommunication(part.rank).coveredWithin(own.ns());
    const JobRange waiting{part.range.begin, part.range.begin + part.wait};
    line.exposedWait = 2 * highlights.exposedWaits(part.rank).coveredWithin(waiting.ns()) > part.wait;
    if (instance.bytes && part.transfer > 0) {
      line.algbw = static_cast<double>(*instance.bytes) / static_cast<double>(part.transfer);
      if (factor) line.busbw = *line.algbw * *factor;
    }
    lines.push_back(std::move(line));
  }
  if (!instance.matched()) return lines;
  std::vector<std::size_t> byBegin(lines.size());
  std::iota(byBegin.begin(), byBegin.end(), std::size_t{0});
  std::ranges::stable_sort(byBegin, {}, [&](std::size_t i) { return lines[i].range.begin; });
  // No rank is first if all arrive at the same time.
  if (lines[byBegin.front()].range.begin == lines[byBegin.back()].range.begin) return lines;
  if (lines.size() > 2) lines[byBegin[medianPlace(lines.size())]].role = CollectiveTable::tr("median");
  lines[byBegin.front()].role = CollectiveTable::tr("first");
  lines[byBegin.back()].role = CollectiveTable::tr("last");
  return lines;
}

CollectiveTable::CollectiveTable(TraceSession& session, QWidget* parent)
    : QAbstractScrollArea(parent), m_session(session) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Collective on all ranks"));
  connect(&session, &TraceSession::themeChanged, viewport(), qOverload<>(&QWidget::update));
}

void CollectiveTable::setLines(std::vector<CollectiveLine> lines, EventRef selected) {
  m_lines = std::move(lines);
  m_selected = selected;
  m_pinned.clear();
  if (m_lines.size() > kManyRanks) {
    for (const QString& role : {tr("first"), tr("median"), tr("last")}) {
      const auto line = std::ranges::find(m_lines, role, &CollectiveLine::role);
      if (line != m_lines.end()) m_pinned.push_back(*line);
    }
  }
  m_hull = {};
  for (const CollectiveLine& line : m_lines) m_hull = m_hull.unitedWith(line.range);
  sortBy(m_sort);
  showSelected();
}

void CollectiveTable::showSelected() {
  const auto own = std::ranges::find(m_lines, m_selected, &CollectiveLine::event);
  if (own != m_lines.end()) {
    const int top = static_cast<int>(own - m_lines.begin()) * scaledToText(kLineHeight);
    const int page = viewport()->height() - firstLineTop();
    const int line = scaledToText(kLineHeight);
    if (top < verticalScrollBar()->value() || top + line > verticalScrollBar()->value() + page)
      verticalScrollBar()->setValue((top - page / 2) / line * line); // shows whole lines only
  }
}

void CollectiveTable::sortBy(Column column) {
  m_sort = column;
  const auto key = [column](const CollectiveLine& line) -> double {
    switch (column) {
    case Column::Begins:
    case Column::Late:
    case Column::Bar:
      return -static_cast<double>(line.late);
    case Column::Waits:
      return -static_cast<double>(line.wait);
    case Column::Transfer:
      return -static_cast<double>(line.transfer);
    case Column::Exposed:
      return -static_cast<double>(line.exposed);
    case Column::Algbw:
    case Column::Busbw: // slowest first
      return line.algbw.value_or(0);
    case Column::Rank:
      break;
    }
    return 0;
  };
  std::ranges::stable_sort(m_lines, {}, &CollectiveLine::rank);
  std::ranges::stable_sort(m_lines, {}, key);
  updateScrollBar();
  viewport()->update();
}

std::vector<int> CollectiveTable::shownRanks() const {
  std::vector<int> ranks;
  for (const CollectiveLine& line : m_lines) ranks.push_back(line.rank);
  return ranks;
}

int CollectiveTable::firstLineTop() const {
  return scaledToText(kTitleHeight) + static_cast<int>(pinnedCount()) * scaledToText(kLineHeight) +
         (m_pinned.empty() ? 0 : 6);
}

QPoint CollectiveTable::middleOfLine(std::size_t position) const {
  return {kMargin + 40, firstLineTop() + static_cast<int>(position) * scaledToText(kLineHeight) -
                            verticalScrollBar()->value() + scaledToText(kLineHeight) / 2};
}

void CollectiveTable::updateScrollBar() {
  const int page = std::max(1, viewport()->height() - firstLineTop());
  verticalScrollBar()->setPageStep(page);
  verticalScrollBar()->setSingleStep(scaledToText(kLineHeight));
  verticalScrollBar()->setRange(
      0, std::max(0, static_cast<int>(m_lines.size()) * scaledToText(kLineHeight) + 4 - page));
}

void CollectiveTable::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  updateScrollBar();
  showSelected();
}

std::vector<CollectiveTable::Place> CollectiveTable::places() const {
  const int room = viewport()->width() - 2 * kMargin - kMinBarWidth;
  int least = 1; // lowest priority that is shown
  const auto width = [&] {
    int sum = 0;
    for (const ColumnLook& look : kColumns) sum += look.priority >= least ? scaledToText(look.width) : 0;
    return sum;
  };
  while (least < 9 && width() > room) ++least;
  std::vector<Place> result;
  int left = kMargin;
  for (const ColumnLook& look : kColumns) {
    if (look.priority < least) continue;
    result.push_back({look.column, left, scaledToText(look.width)});
    left += scaledToText(look.width);
  }
  result.push_back({Column::Bar, left + 10, std::max(20, viewport()->width() - kMargin - left - 10)});
  return result;
}

QString CollectiveTable::textOf(const CollectiveLine& line, Column column) const {
  const auto rate = [](const std::optional<double>& gigabytes) {
    return gigabytes ? utf8(rateText(*gigabytes * 1e9)) : QStringLiteral("–");
  };
  const bool needsMatch = column == Column::Late || column == Column::Waits || column == Column::Transfer;
  if (needsMatch && !line.matched) return tr("unknown");
  switch (column) {
  case Column::Rank:
    return line.role.isEmpty() ? QString::number(line.rank)
                               : QStringLiteral("%1  %2").arg(line.rank).arg(line.role);
  case Column::Begins:
    return utf8(timeText(line.range.begin.ns() - m_session.trace()->extent().begin, 1'000));
  case Column::Late:
    return line.late == 0 ? QStringLiteral("0") : utf8(signedDurationText(line.late));
  case Column::Waits:
    return utf8(durationText(line.wait));
  case Column::Transfer:
    return utf8(durationText(line.transfer));
  case Column::Exposed:
    return utf8(durationText(line.exposed));
  case Column::Algbw:
    return rate(line.algbw);
  case Column::Busbw:
    return rate(line.busbw);
  case Column::Bar:
    break;
  }
  return {};
}

void CollectiveTable::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme.panel);
  if (m_lines.empty() || !m_session.trace()) return;
  const std::vector<Place> columns = places();
  painter.save();
  painter.setClipRect(0, firstLineTop(), viewport()->width(), viewport()->height());
  const int scroll = verticalScrollBar()->value();
  const auto first = static_cast<std::size_t>(scroll / scaledToText(kLineHeight));
  for (std::size_t i = first; i < m_lines.size(); ++i) {
    const int top = firstLineTop() + static_cast<int>(i) * scaledToText(kLineHeight) - scroll;
    if (top > viewport()->height()) break;
    paintLine(painter, m_lines[i], top, columns);
  }
  painter.restore();
  for (std::size_t i = 0; i < m_pinned.size(); ++i)
    paintLine(painter, m_pinned[i],
              scaledToText(kTitleHeight) + static_cast<int>(i) * scaledToText(kLineHeight), columns);
  if (!m_pinned.empty())
    painter.fillRect(kMargin, firstLineTop() - 3, viewport()->width() - 2 * kMargin, 1, theme.line);
  painter.setFont(textFont(11));
  for (const Place& place : columns) {
    const auto look = std::ranges::find(kColumns, place.column, &ColumnLook::column);
    if (look == kColumns.end()) continue;
    const bool leftBound = place.column == Column::Rank;
    painter.setPen(m_sort == place.column ? theme.text : theme.muted);
    painter.drawText(QRect(place.left, 0, place.width - (leftBound ? 0 : 8), scaledToText(kTitleHeight)),
                     (leftBound ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, tr(look->title));
  }
  if (hasFocus()) {
    painter.setPen(QPen(theme.accent, 1));
    painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
  }
}

void CollectiveTable::paintLine(QPainter& painter, const CollectiveLine& line, int top,
                                const std::vector<Place>& columns) const {
  const Theme& theme = m_session.theme();
  if (line.event == m_selected)
    painter.fillRect(kMargin - 6, top, viewport()->width() - 2 * kMargin + 12, scaledToText(kLineHeight),
                     theme.raised);
  const bool last = line.role == tr("last");
  for (const Place& place : columns) {
    const QRect box(place.left, top, place.width, scaledToText(kLineHeight));
    if (place.column == Column::Bar) {
      paintBar(painter, line, box);
      continue;
    }
    const bool leftBound = place.column == Column::Rank;
    painter.setFont(leftBound ? textFont(11, QFont::Medium) : numberFont(11));
    painter.setPen(last ? theme.bad : theme.text);
    painter.drawText(box.adjusted(0, 0, leftBound ? 0 : -8, 0),
                     (leftBound ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                     textOf(line, place.column));
  }
}

void CollectiveTable::paintBar(QPainter& painter, const CollectiveLine& line, const QRect& box) const {
  if (m_hull.empty()) return;
  const Theme& theme = m_session.theme();
  const auto x = [&](JobTime t) {
    return box.left() +
           static_cast<double>(t - m_hull.begin) * box.width() / static_cast<double>(m_hull.length());
  };
  const double begin = x(line.range.begin);
  const double end = std::max(x(line.range.end), begin + 1);
  const double waitEnd = std::min(x(line.range.begin + line.wait), end);
  const int top = box.top() + 4;
  const int height = scaledToText(kLineHeight) - 8;
  painter.fillRect(QRectF(box.left(), top, box.width(), height), theme.background);
  if (!line.matched) {
    constexpr int kPale = 115; // of 255: neither wait nor transfer
    painter.fillRect(QRectF(begin, top, end - begin, height), withAlpha(theme.communication, kPale));
    return;
  }
  painter.fillRect(QRectF(begin, top, waitEnd - begin, height),
                   brushOf(waitHatch(theme, 1, line.exposedWait)));
  painter.fillRect(QRectF(waitEnd, top, end - waitEnd, height), theme.communication);
}

const CollectiveLine* CollectiveTable::lineAt(QPoint at) const {
  if (at.y() < scaledToText(kTitleHeight)) return nullptr;
  const auto pinned =
      static_cast<std::size_t>((at.y() - scaledToText(kTitleHeight)) / scaledToText(kLineHeight));
  if (pinned < m_pinned.size()) return &m_pinned[pinned];
  if (at.y() < firstLineTop()) return nullptr;
  const auto line = static_cast<std::size_t>((at.y() - firstLineTop() + verticalScrollBar()->value()) /
                                             scaledToText(kLineHeight));
  return line < m_lines.size() ? &m_lines[line] : nullptr;
}

QString CollectiveTable::headTip(Column column) {
  const auto look = std::ranges::find(kColumns, column, &ColumnLook::column);
  return look == kColumns.end()
             ? tr("The call of each rank on one axis of time: hatched while it waits, then the transfer")
             : tr(look->tip);
}

bool CollectiveTable::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto columns = places();
  const auto place = std::ranges::find_if(columns, [&](const Place& each) {
    return help->pos().x() >= each.left && help->pos().x() < each.left + each.width;
  });
  if (m_lines.empty() || place == columns.end() || help->pos().y() >= scaledToText(kTitleHeight))
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), headTip(place->column), viewport());
  return true;
}

void CollectiveTable::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const QPoint at = event->position().toPoint();
  if (at.y() < scaledToText(kTitleHeight)) {
    for (const Place& place : places())
      if (at.x() >= place.left && at.x() < place.left + place.width) sortBy(place.column);
    return;
  }
  if (const CollectiveLine* const line = lineAt(at)) emit eventWanted(line->event);
}

void CollectiveTable::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Up:
    return step(-1);
  case Qt::Key_Down:
    return step(1);
  case Qt::Key_Home:
    return step(-static_cast<int>(m_lines.size()));
  case Qt::Key_End:
    return step(static_cast<int>(m_lines.size()));
  default:
    event->ignore(); // the timeline handles it
  }
}

void CollectiveTable::step(int count) {
  const auto own = std::ranges::find(m_lines, m_selected, &CollectiveLine::event);
  if (own == m_lines.end()) return;
  const auto at = static_cast<int>(own - m_lines.begin()) + count;
  emit eventWanted(
      m_lines[static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(m_lines.size()) - 1))].event);
}

} // namespace rankscope::ui
