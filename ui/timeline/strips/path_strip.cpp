// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/path_strip.h"

#include "core/base/unit_text.h"
#include "ui/base/path_palette.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/lanes/lane_header.h"
#include "ui/timeline/lanes/track_label.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr int kLabelPadding = 5;  // left and right of a label
constexpr double kMinLabel = 22;  // narrower runs have no label
constexpr double kMinFramed = 12; // narrower runs have no line between them
constexpr double kMinTold = 6;    // narrower runs do not interrupt a label
constexpr int kAbove = 3;         // between the edge and the segments

QString utf8(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

PathStrip::PathStrip(TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_path(PathChoice::of(session)), m_texts(textFont(11)),
      m_ranks(new QToolButton(this)) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Critical path"));
  m_ranks->setObjectName(QStringLiteral("legend"));
  m_ranks->setText(tr("Ranks first"));
  m_ranks->setToolTip(tr("Sort ranks by their time on the critical path, expand the first three"));
  m_ranks->setAccessibleDescription(m_ranks->toolTip());
  m_ranks->setFocusPolicy(Qt::TabFocus);
  m_ranks->hide();
  connect(m_ranks, &QToolButton::clicked, this, &PathStrip::ranksWanted);
  connect(&m_path, &PathChoice::changed, this, &PathStrip::placeButton);
  const auto repaint = qOverload<>(&QWidget::update);
  connect(&session, &TraceSession::themeChanged, this, repaint);
  connect(&session, &TraceSession::windowChanged, this, repaint);
  connect(&session, &TraceSession::shiftsChanged, this, repaint);
  connect(&session, &TraceSession::traceChanged, this, repaint);
  connect(&m_path, &PathChoice::changed, this, repaint);
  connect(&m_path, &PathChoice::selectedChanged, this, repaint);
}

void PathStrip::setMargins(int left, int right) {
  m_leftMargin = left;
  m_rightMargin = right;
  placeButton();
  update();
}

// If there is space beside the title, and more than one rank.
void PathStrip::placeButton() {
  const QSize size = m_ranks->sizeHint();
  const int left = m_leftMargin - size.width() - 4;
  const bool several = m_session.trace() && m_session.trace()->ranks().size() > 1;
  m_ranks->setVisible(several && m_path.path() && !m_path.path()->segments().empty() &&
                      left > kHeaderTextLeft + m_texts.text(tr("Critical path")).width);
  m_ranks->setGeometry(left, (height() - size.height()) / 2, size.width(), size.height());
}

QRect PathStrip::lane() const {
  return {m_leftMargin, 0, std::max(1, width() - m_leftMargin - m_rightMargin), height()};
}

PixelScale PathStrip::scale() const {
  return PixelScale(m_session.window(), static_cast<int>(std::lround(lane().width() * devicePixelRatioF())));
}

std::vector<PathRun> PathStrip::runs() const {
  if (!m_path.path() || !m_session.trace() || m_session.window().empty()) return {};
  return pathRuns(*m_path.path(), m_session, scale());
}

QRectF PathStrip::boxOf(const PathRun& run) const {
  const double ratio = devicePixelRatioF();
  const double left = std::max(run.begin, 0) / ratio;
  const double right = std::min<double>(std::min(run.end, scale().width()) / ratio, lane().width());
  return {lane().left() + left, kAbove, std::max(0.0, right - left), height() - 2.0 * kAbove};
}

std::optional<std::size_t> PathStrip::segmentAt(QPointF position) const {
  if (!lane().contains(position.toPoint())) return std::nullopt;
  const auto pixel = static_cast<std::int32_t>((position.x() - lane().left()) * devicePixelRatioF());
  std::optional<std::size_t> found;
  for (const PathRun& run : runs())
    if (run.begin <= pixel && pixel < run.end) found = run.segment;
  return found;
}

std::optional<QPoint> PathStrip::middleOf(std::size_t segment) const {
  for (const PathRun& run : runs())
    if (run.segment == segment) return boxOf(run).center().toPoint();
  return std::nullopt;
}

// Runs of one rank and category are one label, also across what is too short to be told.
std::vector<PathStrip::Label> PathStrip::labels(const std::vector<PathRun>& runs) const {
  const auto& segments = m_path.path()->segments();
  const double least = kMinTold * devicePixelRatioF();
  std::vector<Label> labels;
  std::array<std::int32_t, kPathCategoryCount> others{}; // pixels of other categories since the label's own
  for (const PathRun& run : runs) {
    const PathSegment& segment = segments[run.segment];
    Label* const last = labels.empty() ? nullptr : &labels.back();
    const PathSegment* const before = last ? &segments[last->run.segment] : nullptr;
    if (before && before->rank == segment.rank && before->category == segment.category) {
      last->run.end = std::max(last->run.end, run.end);
      others = {};
      continue;
    }
    auto& other = others[static_cast<std::size_t>(segment.category)];
    other += run.end - run.begin;
    if (before && before->rank == segment.rank && other < least) continue;
    const std::int32_t begin =
        before && before->rank == segment.rank ? std::min(run.begin, run.end - other) : run.begin;
    labels.push_back({{begin, run.end, run.segment}});
    others = {};
  }
  return labels;
}

void PathStrip::paintLabel(QPainter& painter, const Theme& theme, const Label& label) const {
  const PathSegment& segment = m_path.path()->segments()[label.run.segment];
  const QRectF box = boxOf(label.run);
  const int room = static_cast<int>(box.width()) - 2 * kLabelPadding;
  if (room < kMinLabel) return;
  const QString rank = tr("rank %1").arg(m_session.trace()->rank(segment.rank).rank);
  const QString category = pathCategoryTitle(segment.category);
  QStringList texts{rank + QLatin1Char(' ') + category, category, rank};
  if (segment.category == PathCategory::Compute) texts = QStringList{rank};
  for (const QString& each : texts) {
    const TextCache::Text& text = m_texts.text(each);
    if (text.width > room) continue;
    painter.setPen(textOn(theme, pathCategoryColor(segment.category, theme)));
    m_texts.draw(painter, box.toAlignedRect().adjusted(kLabelPadding, 0, -kLabelPadding, 0), text);
    return;
  }
}

void PathStrip::paintRuns(QPainter& painter, const Theme& theme) const {
  const auto& segments = m_path.path()->segments();
  const std::vector<PathRun> runs = this->runs();
  for (const PathRun& run : runs) {
    const QRectF box = boxOf(run);
    painter.fillRect(box, pathCategoryColor(segments[run.segment].category, theme));
    if (box.width() >= kMinFramed) // neighbors of one category are distinguishable
      painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), theme.background);
  }
  for (const Label& label : labels(runs)) paintLabel(painter, theme, label);
  painter.setPen(QPen(theme.text, 2));
  painter.setBrush(Qt::NoBrush);
  for (const PathRun& run : runs)
    if (m_path.selected() == run.segment) painter.drawRect(boxOf(run));
}

void PathStrip::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.background);
  painter.fillRect(QRect(0, 0, m_leftMargin, height()), theme.panel);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
  painter.setPen(theme.accent);
  m_texts.draw(painter, QRect(kHeaderTextLeft, 0, m_leftMargin - kHeaderTextLeft, height()),
               m_texts.elided(tr("Critical path"), m_leftMargin - kHeaderTextLeft - 4));
  if (!m_session.trace() || m_session.window().empty()) return;
  const QString none = m_path.whyNone();
  if (none.isEmpty()) return paintRuns(painter, theme);
  painter.setPen(theme.muted);
  const QRect room = lane().adjusted(kHeaderTextLeft, 0, -kHeaderTextLeft, 0);
  m_texts.draw(painter, room, m_texts.elided(none, room.width()));
}

QString PathStrip::describe(std::size_t position) const {
  const TimelinePath& path = *m_path.path();
  const PathSegment& segment = path.segments()[position];
  const TraceSet& trace = *m_session.trace();
  const auto name = [&](EventIndex event) {
    return utf8(trace.names()[trace.rank(segment.rank).trace->events.name[event]]).left(200);
  };
  QStringList lines{
      tr("%1 · %2").arg(pathCategoryTitle(segment.category), utf8(durationText(segment.duration())))};
  lines += rankTitle(trace, segment.rank);
  if (segment.event.valid())
    lines +=
        TimelinePath::isOwnTime(segment) ? name(segment.event) : tr("before %1").arg(name(segment.event));
  if (const QString on = dependencyTitle(segment.edge); !on.isEmpty()) lines += tr("Ends with: %1").arg(on);
  if (path.isJump(position))
    lines += tr("from rank %1").arg(trace.rank(path.segments()[position - 1].rank).rank);
  return lines.join(QLatin1Char('\n'));
}

bool PathStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto segment = segmentAt(help->pos());
  if (segment)
    QToolTip::showText(help->globalPos(), describe(*segment), this);
  else if (help->pos().x() < m_leftMargin)
    QToolTip::showText(help->globalPos(),
                       tr("What decided how long each step took, over all ranks. C hides it; [ and ] walk "
                          "along it while a segment is selected."),
                       this);
  else
    QToolTip::hideText();
  return true;
}

void PathStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  const auto segment = segmentAt(event->position());
  m_path.select(segment);
  if (segment) emit m_path.segmentWanted();
}

void PathStrip::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto segment = segmentAt(event->position());
  if (event->button() != Qt::LeftButton || !segment) return;
  const PathSegment& of = m_path.path()->segments()[*segment];
  const TimeRange drawn = m_session.drawn(of.rank, JobRange::of(of.range));
  const TimeNs margin = drawn.length() + 1;
  m_session.setWindow({drawn.begin - margin, drawn.end + margin});
}

} // namespace rankscope::ui
