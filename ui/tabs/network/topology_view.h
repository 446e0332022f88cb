// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the picture of a communicator: hosts as boxes in rows, GPUs in them, links as arrows in the color of
// their transport. A click chooses a link. Needs as much height as its rows of hosts. UI thread; O(links).
#pragma once

#include "ui/tabs/network/topology_picture.h"

#include <QPolygonF>
#include <QWidget>

#include <vector>

namespace rankscope::ui {

class TraceSession;

class TopologyView : public QWidget {
  Q_OBJECT
 public:
  explicit TopologyView(const TraceSession& session, QWidget* parent = nullptr);

  void setPicture(TopologyPicture picture);
  [[nodiscard]] const TopologyPicture& picture() const { return m_picture; }
  [[nodiscard]] QRectF boxOf(std::size_t node) const { return m_nodeBoxes[node]; }
  [[nodiscard]] QRectF boxOfNic(std::size_t nic) const { return m_nicBoxes[nic]; }
  // A place on the link that belongs to no other thing.
  [[nodiscard]] QPointF placeOf(std::size_t edge) const;
  // The corners of a link's way from box to box.
  [[nodiscard]] const QPolygonF& routeOf(std::size_t edge) const { return m_routes[edge]; }
  // The same edge highlighted as if hovered; -1: none.
  void markEdge(int edge);

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void edgeClicked(int edge);
  // As its width needs.
  void heightChanged(int height);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  // Places boxes for a width; returns the height that they need.
  int layOut(int width, std::vector<QRectF>* hosts, std::vector<QRectF>* nodes) const;
  void place();
  void placeNics();
  void placeLinks();
  [[nodiscard]] int edgeAt(QPointF place) const;
  [[nodiscard]] int nodeAt(QPointF place) const;
  [[nodiscard]] int nicAt(QPointF place) const;
  void hover(int edge);
  void paintHost(QPainter& painter, std::size_t host) const;
  void paintNic(QPainter& painter, std::size_t nic) const;
  void paintEdge(QPainter& painter, std::size_t edge) const;

  const TraceSession& m_session;
  TopologyPicture m_picture;
  std::vector<QRectF> m_hostBoxes, m_nodeBoxes, m_nicBoxes;
  std::vector<QPolygonF> m_routes; // by edge
  int m_hovered = -1;
  int m_marked = -1;
};

} // namespace rankscope::ui
