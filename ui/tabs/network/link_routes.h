// SPDX-License-Identifier: GPL-3.0-or-later
// Ways of links between the boxes of a picture: straight where nothing is between, else along the free strips
// between rows and columns of boxes, so that no link passes behind a box and both its ends are visible. Links
// beside each other have tracks of their own as far as there is room. Pure; O(links · (links + boxes)).
#pragma once

#include <QLineF>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::ui {

struct RouteMap {
  std::vector<QRectF> hosts; // with their heads, which links do not cross
  std::vector<QRectF> heads; // by host
  std::vector<QRectF> nodes;
  std::vector<std::size_t> hostOfNode;
  std::vector<QRectF> nics; // below their nodes
  std::vector<std::size_t> nodeOfNic;
  qreal width = 0; // of the picture
};

struct RouteEnds {
  std::size_t from = 0, to = 0;          // nodes
  std::int32_t fromNic = -1, toNic = -1; // -1: at the node itself
};

// From border to border, by link.
[[nodiscard]] std::vector<QPolygonF> linkRoutes(const RouteMap& map, const std::vector<RouteEnds>& links);

// Distance of a point from a route.
[[nodiscard]] qreal distanceTo(const QPolygonF& route, QPointF point);

} // namespace rankscope::ui
