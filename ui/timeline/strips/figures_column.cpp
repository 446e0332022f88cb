// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/figures_column.h"

#include "core/base/unit_text.h"
#include "ui/base/contrast.h"
#include "ui/base/text_scale.h"
#include "ui/timeline/lanes/group_lane.h"
#include "ui/timeline/ranks/rank_figures.h"
#include "ui/timeline/strips/time_ruler.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>

namespace rankscope::ui {
namespace {

constexpr int kUsualWidth = 62;
constexpr int kRightPadding = 8;
constexpr int kNoteMargin = 4;
constexpr int kPermilleOfLanes = 130; // maximum share of the lanes' width

constexpr int kRestMilliseconds = 80;
constexpr std::size_t kMostWhileMoving = 64; // ranks of a group, evenly spaced, of which a mean is drawn

// Priorities of the figures, in display order.
constexpr std::array<int, kFigurePriorities> kOrder{kComputeFigure, kCommunicationFigure, kOverlapFigure,
                                                    kExposedFigure, kIdleFigure};

int figureWidth() {
  return scaledToText(kUsualWidth);
}

// Of the note below the titles.
int noteHeight() {
  return scaledToText(15) + 3;
}

} // namespace

FiguresColumn::FiguresColumn(TraceSession& session, const TrackLayout& layout, const RankSummaries& summaries,
                             QWidget* parent)
    : QWidget(parent), m_session(session), m_path(PathChoice::of(session)), m_layout(layout),
      m_summaries(summaries), m_texts(textFont(11)) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  m_moving.setSingleShot(true);
  m_moving.setInterval(kRestMilliseconds);
  connect(&m_moving, &QTimer::timeout, this, &FiguresColumn::rest);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::windowChanged, this, &FiguresColumn::refresh);
  connect(&session, &TraceSession::rangeChanged, this, &FiguresColumn::refresh);
  connect(&session, &TraceSession::shiftsChanged, this, &FiguresColumn::refresh);
  for (const auto what : {&FiguresColumn::findValued, &FiguresColumn::refresh}) {
    connect(&session, &TraceSession::traceChanged, this, what);
    connect(&summaries, &RankSummaries::changed, this, what);
  }
}

int FiguresColumn::widthFor(int lanes, bool path) {
  const int count =
      std::clamp(lanes * kPermilleOfLanes / 1000 / figureWidth(), 1, kFigurePriorities) + (path ? 1 : 0);
  return count * figureWidth() + kRightPadding;
}

void FiguresColumn::setTitleHeight(int height) {
  m_titleHeight = height;
  update();
}

void FiguresColumn::setScrollTop(int top) {
  if (top == m_scrollTop) return;
  m_scrollTop = top;
  update();
}

std::vector<int> FiguresColumn::shownFigures() const {
  const int room = (width() - kRightPadding) / figureWidth() - static_cast<int>(firstFigure());
  std::vector<int> byWorth(kOrder.begin(), kOrder.end());
  std::ranges::sort(byWorth, {}, [&](int priority) {
    return std::pair(std::ranges::find(m_valued, priority) == m_valued.end(), priority);
  });
  byWorth.resize(static_cast<std::size_t>(std::clamp(room, 0, kFigurePriorities)));
  std::vector<int> shown;
  for (const int priority : kOrder)
    if (std::ranges::find(byWorth, priority) != byWorth.end()) shown.push_back(priority);
  return shown;
}

// A job without communication has nothing exposed, at any time: the only column of a small window is not for
// that.
void FiguresColumn::findValued() {
  m_valued.clear();
  if (!m_session.trace()) return;
  for (std::size_t i = 0; i < m_session.trace()->ranks().size(); ++i) {
    const auto of = inWindow(RankIndex(i));
    if (!of) continue;
    for (const RankFigure& figure : rankFigures(*of))
      if (!figure.value.isEmpty() && std::ranges::find(m_valued, figure.priority) == m_valued.end())
        m_valued.push_back(figure.priority);
    if (m_valued.size() == kOrder.size()) break;
  }
}

QRect FiguresColumn::cell(std::size_t column, int top, int height) const {
  return {static_cast<int>(column) * figureWidth(), top, figureWidth(), height};
}

std::size_t FiguresColumn::firstFigure() const {
  return m_path.shown() ? 1 : 0;
}

QString FiguresColumn::onPathOf(const Section& section) const {
  if (!m_path.path() || m_path.path()->segments().empty()) return {};
  TimeNs time = 0;
  const auto add = [&](RankIndex rank) {
    time +=
        m_path.path()->onPath(rank, m_session.placeOf(rank, m_session.range().value_or(m_session.window())));
  };
  if (section.group)
    for (const RankIndex rank : section.group->ranks) add(rank);
  else
    add(section.rank);
  return time > 0 ? QString::fromStdString(durationText(time)) : QStringLiteral("–");
}

// The window in the rank's own time, if ranks are shifted.
TimeRange FiguresColumn::windowOf(RankIndex rank) const {
  const TimeRange window = m_session.range().value_or(m_session.window());
  const TimeNs shift = m_session.shiftOf(rank);
  return {window.begin - shift, window.end - shift};
}

QStringList FiguresColumn::textsOf(RankIndex rank) const {
  const auto of = inWindow(rank);
  return of ? shownTexts(rankFigures(*of)) : QStringList();
}

std::optional<RankInWindow> FiguresColumn::inWindow(RankIndex rank) const {
  const DeviceActivity* const activity = m_summaries.communicatingOf(rank);
  if (activity == nullptr) return std::nullopt;
  const RankEntry& entry = m_session.trace()->rank(rank);
  RankInWindow of{entry.rank, activity, windowOf(rank)};
  if (m_session.range()) of.extent = entry.trace->extent;
  return of;
}

QStringList FiguresColumn::shownTexts(const std::vector<RankFigure>& figures) const {
  QStringList texts;
  for (const int priority : shownFigures()) {
    const auto figure = std::ranges::find(figures, priority, &RankFigure::priority);
    texts << (figure == figures.end() ? QString() : figure->value);
  }
  return texts;
}

std::vector<RankFigure> FiguresColumn::figuresOf(const Section& section) const {
  if (section.group) return figuresOf(*section.group);
  const auto of = section.key.isRank() ? inWindow(section.rank) : std::nullopt;
  return of ? rankFigures(*of) : std::vector<RankFigure>();
}

std::vector<RankFigure> FiguresColumn::figuresOf(const RankGroup& group) const {
  if (const auto known = m_exact.find(&group); known != m_exact.end()) return known->second;
  return meanOf(group, kMostWhileMoving);
}

// Of so many ranks of a group, evenly spaced, without what another profiler recorded a second time.
std::vector<RankFigure> FiguresColumn::meanOf(const RankGroup& group, std::size_t most) const {
  const TraceSet& traces = *m_session.trace();
  std::vector<RankInWindow> ranks;
  for (const RankIndex rank : someRecordings(traces, group.ranks, most))
    if (const auto of = inWindow(rank)) ranks.push_back(*of);
  return ranks.empty() ? std::vector<RankFigure>() : meanFigures(ranks);
}

// The timer begins anew while the window moves.
void FiguresColumn::refresh() {
  m_exact.clear();
  const bool large = std::ranges::any_of(m_layout.sections(), [](const Section& section) {
    return section.group != nullptr && section.group->ranks.size() > kMostWhileMoving;
  });
  if (large) {
    if (!m_waits) m_waits = m_session.pending().begin();
    m_moving.start();
  }
  update();
}

void FiguresColumn::rest() {
  m_exact.clear();
  for (const Section& section : m_layout.sections()) {
    if (section.group == nullptr || section.group->ranks.size() <= kMostWhileMoving) continue;
    m_exact[section.group] = meanOf(*section.group, section.group->ranks.size());
  }
  m_waits.release();
  update();
}

void FiguresColumn::paintSection(QPainter& painter, const Theme& theme, const Section& section, int top,
                                 int height) const {
  const QColor ground = section.group ? theme.raised : theme.panel;
  painter.fillRect(0, top, width(), height, ground);
  painter.fillRect(0, top, width(), 1, theme.line);
  const std::vector<RankFigure> figures = figuresOf(section);
  const std::vector<int> shown = shownFigures();
  if (m_path.shown()) {
    const QRect box = cell(0, top + 1, height - 1);
    const TextCache::Text& text = m_texts.elided(onPathOf(section), box.width());
    painter.setPen(theme.accent);
    m_texts.draw(painter, box.adjusted(box.width() - text.width, 0, 0, 0), text);
  }
  // A figure without a value is a sentence and takes the whole width.
  const bool alone = figures.size() == 1 && figures.front().value.isEmpty();
  for (std::size_t i = 0; i < (alone ? std::min<std::size_t>(1, shown.size()) : shown.size()); ++i) {
    const auto figure = alone ? figures.begin() : std::ranges::find(figures, shown[i], &RankFigure::priority);
    if (figure == figures.end()) continue;
    const int all = static_cast<int>(shown.size()) * figureWidth();
    const QRect box = alone ? QRect(cell(firstFigure(), 0, 0).left() + 6, top + 1, all - 6, height - 1)
                            : cell(i + firstFigure(), top + 1, height - 1);
    const TextCache::Text& text = m_texts.elided(alone ? figure->shortLabel : figure->value, box.width());
    painter.setPen(alone ? theme.muted : figure->warns ? readableOn(theme.exposed, ground) : theme.text);
    m_texts.draw(painter, alone ? box : box.adjusted(box.width() - text.width, 0, 0, 0), text);
  }
}

void FiguresColumn::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.background);
  if (m_session.trace()) {
    painter.setClipRect(0, m_titleHeight, width(), height() - m_titleHeight);
    const int visible = height() - m_titleHeight;
    for (const Section& section : m_layout.sectionsWithin(m_scrollTop, m_scrollTop + visible)) {
      if (section.key.isRank() || section.group)
        paintSection(painter, theme, section, m_titleHeight + section.top - m_scrollTop, section.height);
    }
    const RankIndex sticky = m_layout.stickyRank(m_scrollTop);
    const Section* const header =
        sticky.valid() ? m_layout.sectionAt(m_layout.rankLane(sticky).top) : nullptr;
    if (header) paintSection(painter, theme, *header, m_titleHeight, TrackLayout::headerHeight());
    painter.setClipping(false);
    const std::vector<int> shown = shownFigures();
    const auto title = [&](std::size_t column, const QString& name, QColor color) {
      const QRect box = cell(column, 0, TimeRuler::ticksHeight());
      const TextCache::Text& text = m_texts.elided(name, box.width());
      painter.setPen(color);
      m_texts.draw(painter, box.adjusted(box.width() - text.width, 0, 0, 0), text);
    };
    if (m_path.shown()) title(0, tr("on path"), theme.accent);
    for (std::size_t i = 0; i < shown.size(); ++i)
      title(i + firstFigure(), figureTitle(shown[i]), theme.muted);
    // A note below the titles says of what time they are.
    const QRect below = cell(0, TimeRuler::ticksHeight(), m_titleHeight - TimeRuler::ticksHeight());
    if (!shown.empty() && below.height() >= noteHeight()) {
      const int right = cell(shown.size() - 1 + firstFigure(), 0, 0).right();
      const bool ofRange = m_session.range().has_value();
      const QString note = ofRange ? tr("selected range") : tr("visible range");
      // Over a single figure it takes the width of the scroll bar as well.
      const bool fits = m_texts.text(note).width <= right - kNoteMargin;
      const int end = fits ? right + 1 : width() - kNoteMargin;
      const TextCache::Text& text = m_texts.elided(note, end - kNoteMargin);
      painter.setPen(ofRange ? theme.accent : theme.muted);
      m_texts.draw(painter, QRect(end - text.width, below.top(), text.width, noteHeight()), text);
    }
  }
  painter.fillRect(QRect(0, m_titleHeight, width(), 1), theme.line);
  painter.fillRect(QRect(0, 0, 1, height()), theme.line);
}

bool FiguresColumn::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  QString tip = m_session.range() ? tr("In the selected range") : tr("In the visible range");
  const bool aboveLanes = help->pos().y() < m_titleHeight;
  const int line = help->pos().y() - m_titleHeight + m_scrollTop;
  const Section* section = aboveLanes ? nullptr : m_layout.sectionAt(line);
  if (const RankIndex rank = aboveLanes ? RankIndex() : m_layout.rankAt(line); rank.valid())
    section = m_layout.sectionAt(m_layout.rankLane(rank).top);
  const std::vector<RankFigure> figures = section ? figuresOf(*section) : std::vector<RankFigure>();
  const QString onPath = section && m_path.shown() ? onPathOf(*section) : QString();
  if (!figures.empty() || !onPath.isEmpty()) {
    tip += section->group ? (section->group->captures ? tr(", sum of %1:") : tr(", mean of %1:"))
                                .arg(section->group->title(*m_session.trace()))
                          : tr(", rank %1:").arg(m_session.trace()->rank(section->rank).rank);
    for (const RankFigure& figure : figures)
      tip += QLatin1Char('\n') +
             (figure.value.isEmpty() ? figure.label : figure.label + QLatin1Char(' ') + figure.value);
    if (!onPath.isEmpty())
      tip += QLatin1Char('\n') + (section->group ? tr("on the critical path, all of them: %1").arg(onPath)
                                                 : tr("on the critical path: %1").arg(onPath));
  } else {
    if (m_path.shown()) tip += QLatin1Char('\n') + tr("on path: time of the rank on the critical path");
    for (const int priority : shownFigures()) tip += QLatin1Char('\n') + figureDefinition(priority);
  }
  QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

} // namespace rankscope::ui
