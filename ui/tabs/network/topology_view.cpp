// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/topology_view.h"

#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/network/link_routes.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kCell = 46; // of a GPU
constexpr int kCellHeight = 30;
constexpr int kCellGap = 26;
constexpr int kPad = 18;
constexpr int kHead = 40; // name of a host, and room for links above its first row
constexpr int kName = 22;
constexpr int kHostGap = 44;
constexpr int kViewMargin = 8;
constexpr std::size_t kMostAcross = 4; // GPUs of a host in a row
constexpr int kNicHeight = 6;
constexpr int kNicGap = 3;         // below its GPU
constexpr qreal kMostGrowth = 1.6; // where the hosts need less than the width
constexpr qreal kArrow = 6;
constexpr qreal kNear = 5;
constexpr qreal kNicShare = 0.7; // of the width of its GPU, so that links pass beside it
constexpr qreal kCorner = 5;     // radius

// A route with rounded corners.
QPainterPath pathOf(const QPolygonF& route) {
  QPainterPath path;
  if (route.isEmpty()) return path;
  path.moveTo(route.front());
  for (qsizetype i = 1; i + 1 < route.size(); ++i) {
    const QLineF into(route[i - 1], route[i]), out(route[i], route[i + 1]);
    const qreal radius = std::min({kCorner, into.length() / 2, out.length() / 2});
    if (radius < 0.5) continue;
    path.lineTo(into.pointAt(1 - radius / into.length()));
    path.quadTo(route[i], out.pointAt(radius / out.length()));
  }
  path.lineTo(route.back());
  return path;
}

} // namespace

TopologyView::TopologyView(const TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void TopologyView::setPicture(TopologyPicture picture) {
  m_picture = std::move(picture);
  m_hovered = m_marked = -1;
  setAccessibleDescription(tr("%1 hosts, %2 links").arg(m_picture.hosts.size()).arg(m_picture.edges.size()));
  place();
  updateGeometry();
}

int TopologyView::layOut(int width, std::vector<QRectF>* hosts, std::vector<QRectF>* nodes) const {
  int gap = scaledToText(kCellGap), high = scaledToText(kCellHeight);
  // NICs stand between the rows.
  const int nics = m_picture.nics.empty() ? 0 : scaledToText(kNicGap) + scaledToText(kNicHeight);
  const int pad = scaledToText(kPad);
  int wide = scaledToText(kCell);
  const QFontMetrics numbers(numberFont(11));
  for (const PictureNode& node : m_picture.nodes)
    wide = std::max(wide, numbers.horizontalAdvance(node.text) + scaledToText(16));
  std::size_t across = 1, down = 1;
  int names = 0;
  const QFontMetrics metrics(textFont(12, QFont::DemiBold));
  for (const PictureHost& host : m_picture.hosts) {
    const std::size_t row = std::min(host.nodes.size(), kMostAcross);
    across = std::max(across, row);
    down = std::max(down, (host.nodes.size() + kMostAcross - 1) / kMostAcross);
    names = std::max(names, metrics.horizontalAdvance(host.name));
  }
  const int hostGap = scaledToText(kHostGap), margin = scaledToText(kViewMargin);
  const int count = static_cast<int>(m_picture.hosts.size());
  const auto boxWidth = [&] {
    const int cells = static_cast<int>(across) * (wide + gap) - gap;
    return std::max(cells, std::min(names, scaledToText(150))) + 2 * pad;
  };
  const int inOneRow = count * (boxWidth() + hostGap) - hostGap + 2 * margin;
  if (count > 0 && inOneRow < width) {
    const qreal growth = std::min(kMostGrowth, static_cast<qreal>(width) / inOneRow);
    for (int* const length : {&wide, &gap, &high}) *length = static_cast<int>(*length * growth);
  }
  const int boxWide = boxWidth();
  const int rowHigh = high + nics + gap;
  const int boxHigh = static_cast<int>(down) * rowHigh - gap + pad + scaledToText(kHead);
  const int columns = std::max(1, (width - 2 * margin + hostGap) / (boxWide + hostGap));
  const int used = std::min(columns, std::max(1, count));
  const int left = std::max(margin, (width - used * (boxWide + hostGap) + hostGap) / 2);
  const int rows = (count + columns - 1) / columns;
  if (hosts != nullptr) {
    hosts->clear();
    nodes->assign(m_picture.nodes.size(), QRectF());
    for (int i = 0; i < count; ++i) {
      const int row = i / columns;
      // Rows run in turns, so that neighbors in the ring stay neighbors.
      const int column = row % 2 == 0 ? i % columns : used - 1 - i % columns;
      const QRectF box(left + column * (boxWide + hostGap), margin + row * (boxHigh + hostGap), boxWide,
                       boxHigh);
      hosts->push_back(box);
      const PictureHost& host = m_picture.hosts[static_cast<std::size_t>(i)];
      const int inRow = static_cast<int>(std::min(host.nodes.size(), kMostAcross));
      const qreal first = box.left() + (box.width() - inRow * (wide + gap) + gap) / 2;
      for (std::size_t k = 0; k < host.nodes.size(); ++k) {
        const auto x = static_cast<qreal>(k % kMostAcross), y = static_cast<qreal>(k / kMostAcross);
        (*nodes)[host.nodes[k]] =
            QRectF(first + x * (wide + gap), box.top() + scaledToText(kHead) + y * rowHigh, wide, high);
      }
    }
  }
  return rows > 0 ? rows * (boxHigh + hostGap) - hostGap + 2 * margin : 0;
}

void TopologyView::place() {
  int needed = layOut(width(), &m_hostBoxes, &m_nodeBoxes);
  placeNics();
  placeLinks();
  // Links of the last row pass below its boxes.
  for (const QPolygonF& route : m_routes)
    needed = std::max(needed, static_cast<int>(std::ceil(route.boundingRect().bottom())) + kViewMargin);
  if (minimumHeight() != needed) {
    setMinimumHeight(needed);
    emit heightChanged(needed);
  }
  update();
}

// Beside each other below their GPU.
void TopologyView::placeNics() {
  std::map<std::size_t, std::pair<int, int>> ofNode; // how many, and how many are placed
  for (const PictureNic& nic : m_picture.nics) ++ofNode[nic.node].first;
  m_nicBoxes.clear();
  m_nicBoxes.reserve(m_picture.nics.size());
  for (const PictureNic& nic : m_picture.nics) {
    auto& [count, placed] = ofNode[nic.node];
    const QRectF& box = m_nodeBoxes[nic.node];
    const qreal each = kNicShare * box.width() / count;
    m_nicBoxes.emplace_back(box.center().x() - kNicShare * box.width() / 2 + placed * each + 1,
                            box.bottom() + scaledToText(kNicGap), each - 2, scaledToText(kNicHeight));
    ++placed;
  }
}

QSize TopologyView::sizeHint() const {
  return {600, std::max(120, layOut(width(), nullptr, nullptr))};
}

QSize TopologyView::minimumSizeHint() const {
  return {200, 120};
}

void TopologyView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

void TopologyView::placeLinks() {
  RouteMap map;
  map.hosts = m_hostBoxes;
  map.nodes = m_nodeBoxes;
  map.nics = m_nicBoxes;
  map.width = width();
  for (const QRectF& host : m_hostBoxes)
    map.heads.emplace_back(host.left(), host.top(), host.width(), scaledToText(kName));
  for (const PictureNode& node : m_picture.nodes) map.hostOfNode.push_back(node.host);
  for (const PictureNic& nic : m_picture.nics) map.nodeOfNic.push_back(nic.node);
  std::vector<RouteEnds> ends;
  ends.reserve(m_picture.edges.size());
  for (const PictureEdge& edge : m_picture.edges)
    ends.push_back({edge.from, edge.to, edge.fromNic, edge.toNic});
  m_routes = linkRoutes(map, ends);
}

// The farthest from other links, of some on each part of its way.
QPointF TopologyView::placeOf(std::size_t edge) const {
  const QPolygonF& route = m_routes[edge];
  QPointF best = route.front();
  qreal most = -1;
  for (qsizetype i = 1; i < route.size(); ++i)
    for (const qreal share : {0.5, 0.3, 0.7}) {
      const QPointF place = QLineF(route[i - 1], route[i]).pointAt(share);
      if (nodeAt(place) >= 0 || nicAt(place) >= 0) continue;
      qreal away = std::numeric_limits<qreal>::infinity();
      for (std::size_t other = 0; other < m_routes.size(); ++other)
        if (other != edge) away = std::min(away, distanceTo(m_routes[other], place));
      if (away <= most) continue;
      most = away;
      best = place;
    }
  return best;
}

int TopologyView::nodeAt(QPointF place) const {
  const auto found =
      std::ranges::find_if(m_nodeBoxes, [&](const QRectF& box) { return box.contains(place); });
  return found == m_nodeBoxes.end() ? -1 : static_cast<int>(found - m_nodeBoxes.begin());
}

int TopologyView::nicAt(QPointF place) const {
  const auto found = std::ranges::find_if(m_nicBoxes, [&](const QRectF& box) { return box.contains(place); });
  return found == m_nicBoxes.end() ? -1 : static_cast<int>(found - m_nicBoxes.begin());
}

int TopologyView::edgeAt(QPointF place) const {
  int nearest = -1;
  qreal distance = kNear;
  for (std::size_t i = 0; i < m_routes.size(); ++i) {
    const qreal away = distanceTo(m_routes[i], place);
    if (away >= distance) continue;
    distance = away;
    nearest = static_cast<int>(i);
  }
  return nearest;
}

void TopologyView::paintEdge(QPainter& painter, std::size_t index) const {
  const Theme& theme = m_session.theme();
  const PictureEdge& edge = m_picture.edges[index];
  const bool lit = static_cast<int>(index) == m_hovered || static_cast<int>(index) == m_marked;
  const QColor color = theme.*linkClassColor(edge.kind);
  const qreal wide = (lit ? 2.4 : 1.4) + std::min(1.2, 0.15 * (edge.channels - 1));
  painter.setPen(QPen(color, wide, linkClassDashed(edge.kind) ? Qt::DashLine : Qt::SolidLine));
  painter.setBrush(Qt::NoBrush);
  const QPolygonF& route = m_routes[index];
  if (route.size() < 2) return;
  painter.drawPath(pathOf(route));
  const QPointF end = route.back();
  const QPointF last = end - route[route.size() - 2];
  const qreal angle = std::atan2(last.y(), last.x());
  QPolygonF head{end};
  for (const qreal side : {-0.45, 0.45})
    head << end - QPointF(std::cos(angle + side), std::sin(angle + side)) * (kArrow + wide);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(head);
}

void TopologyView::paintHost(QPainter& painter, std::size_t index) const {
  const Theme& theme = m_session.theme();
  const PictureHost& host = m_picture.hosts[index];
  const QRectF& box = m_hostBoxes[index];
  const bool known = !host.name.isEmpty();
  painter.setPen(QPen(host.problem.isEmpty() ? theme.line : theme.warn, 1));
  painter.setBrush(theme.background);
  painter.drawRoundedRect(box, 6, 6);
  QRectF head(box.left() + scaledToText(8), box.top(), box.width() - scaledToText(16), scaledToText(kName));
  if (!host.problem.isEmpty()) {
    const QFont small = textFont(11);
    painter.setFont(small);
    painter.setPen(theme.warn);
    const QString shown =
        QFontMetrics(small).elidedText(host.problem, Qt::ElideRight, static_cast<int>(head.width() * 0.6));
    painter.drawText(head, Qt::AlignVCenter | Qt::AlignRight, shown);
    head.setWidth(head.width() - QFontMetrics(small).horizontalAdvance(shown) - scaledToText(8));
  }
  const QFont font = textFont(12, QFont::DemiBold);
  painter.setFont(font);
  painter.setPen(known ? theme.text : theme.muted);
  painter.drawText(head, Qt::AlignVCenter,
                   QFontMetrics(font).elidedText(known ? host.name : tr("hosts without a log"),
                                                 Qt::ElideMiddle, static_cast<int>(head.width())));
}

void TopologyView::paintNic(QPainter& painter, std::size_t index) const {
  const Theme& theme = m_session.theme();
  const PictureNic& nic = m_picture.nics[index];
  painter.setPen(Qt::NoPen);
  painter.setBrush(nic.used ? theme.*linkClassColor(nic.kind) : theme.faint);
  painter.drawRoundedRect(m_nicBoxes[index], 2, 2);
}

void TopologyView::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < m_hostBoxes.size(); ++i) paintHost(painter, i);
  for (std::size_t i = 0; i < m_nicBoxes.size(); ++i) paintNic(painter, i);
  for (std::size_t i = 0; i < m_routes.size(); ++i)
    if (static_cast<int>(i) != m_hovered) paintEdge(painter, i);
  for (std::size_t i = 0; i < m_nodeBoxes.size(); ++i) {
    const PictureNode& node = m_picture.nodes[i];
    QColor fill = node.known ? theme.raised : theme.background;
    painter.setPen(
        QPen(node.known ? theme.muted : theme.faint, 1, node.known ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(fill);
    painter.drawRoundedRect(m_nodeBoxes[i], 4, 4);
    painter.setFont(numberFont(11));
    painter.setPen(node.known ? theme.text : theme.muted);
    painter.drawText(m_nodeBoxes[i], Qt::AlignCenter, node.text);
  }
  if (m_hovered >= 0) paintEdge(painter, static_cast<std::size_t>(m_hovered));
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1, Qt::DotLine));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

bool TopologyView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int node = nodeAt(help->pos());
  const int nic = nicAt(help->pos());
  const int edge = node >= 0 || nic >= 0 ? -1 : edgeAt(help->pos());
  if (nic >= 0)
    QToolTip::showText(help->globalPos(), m_picture.nics[static_cast<std::size_t>(nic)].tip, this);
  else if (node >= 0)
    QToolTip::showText(help->globalPos(), m_picture.nodes[static_cast<std::size_t>(node)].tip, this);
  else if (edge >= 0)
    QToolTip::showText(help->globalPos(), m_picture.edges[static_cast<std::size_t>(edge)].tip, this);
  else
    QToolTip::hideText();
  return true;
}

void TopologyView::markEdge(int edge) {
  if (m_marked == edge) return;
  m_marked = edge;
  update();
}

void TopologyView::hover(int edge) {
  setCursor(edge >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (m_hovered == edge) return;
  m_hovered = edge;
  update();
}

void TopologyView::mouseMoveEvent(QMouseEvent* event) {
  hover(nodeAt(event->position()) >= 0 ? -1 : edgeAt(event->position()));
}

void TopologyView::mouseReleaseEvent(QMouseEvent* event) {
  const int edge = nodeAt(event->position()) >= 0 ? -1 : edgeAt(event->position());
  if (event->button() == Qt::LeftButton && edge >= 0) emit edgeClicked(edge);
}

void TopologyView::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover(-1);
}

void TopologyView::keyPressEvent(QKeyEvent* event) {
  const int edges = static_cast<int>(m_picture.edges.size());
  if (edges == 0) return event->ignore();
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Right:
    hover(std::clamp(m_hovered + (event->key() == Qt::Key_Left ? -1 : 1), 0, edges - 1));
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_hovered >= 0) emit edgeClicked(m_hovered);
    return;
  default:
    return event->ignore();
  }
  QToolTip::showText(mapToGlobal(placeOf(static_cast<std::size_t>(m_hovered)).toPoint()),
                     m_picture.edges[static_cast<std::size_t>(m_hovered)].tip, this);
}

} // namespace rankscope::ui
