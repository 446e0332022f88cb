// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/link_routes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr qreal kTrack = 5;       // between links beside each other
constexpr qreal kPort = 9;        // between links at a side of a box: room for their arrows
constexpr qreal kBehind = 8;      // between links one after the other on a track
constexpr qreal kEdge = 3;        // of a strip that stays free
constexpr qreal kBelow = 40;      // room below the last row
constexpr qreal kBend = 14;       // cost of a bend, as length
constexpr qreal kForeign = 1.5;   // cost of length within hosts that the link is not of
constexpr qreal kOwn = 0.4;       // and within its own, where links of GPUs are
constexpr qreal kNicEdge = 0.075; // of a node's width, beside its NICs

struct Span {
  qreal low = 0, high = 0;

  [[nodiscard]] qreal middle() const { return (low + high) / 2; }
  [[nodiscard]] bool meets(const Span& other) const { return low < other.high && other.low < high; }
};

Span ordered(qreal a, qreal b) {
  return {std::min(a, b), std::max(a, b)};
}

Span xOf(const QRectF& box) {
  return {box.left(), box.right()};
}
Span yOf(const QRectF& box) {
  return {box.top(), box.bottom()};
}

// What is between spans, from low to high.
std::vector<Span> gapsOf(std::vector<Span> spans, qreal low, qreal high) {
  std::ranges::sort(spans, {}, &Span::low);
  std::vector<Span> gaps;
  qreal at = low;
  for (const Span& span : spans) {
    if (span.low > at) gaps.push_back({at, span.low});
    at = std::max(at, span.high);
  }
  if (high > at) gaps.push_back({at, high});
  return gaps;
}

// Positions in a strip from its middle outwards.
std::vector<qreal> tracksOf(const Span& strip, qreal track) {
  std::vector<qreal> tracks{strip.middle()};
  const qreal room = (strip.high - strip.low) / 2 - kEdge;
  if (room < track && room > 1) track = room;
  for (qreal away = track; away <= room; away += track) {
    tracks.push_back(strip.middle() + away);
    tracks.push_back(strip.middle() - away);
  }
  return tracks;
}

// Lines of one direction that are taken.
class Tracks {
 public:
  // The first candidate without a line beside it, else the one with least in its way.
  qreal take(const std::vector<qreal>& candidates, const Span& along) {
    qreal best = candidates.front();
    qreal least = std::numeric_limits<qreal>::infinity();
    const Span wide{along.low - kBehind, along.high + kBehind};
    for (const qreal candidate : candidates) {
      qreal beside = 0;
      for (const auto& [at, span] : m_taken)
        if (span.meets(wide)) beside += std::max(0.0, 1 - std::abs(at - candidate) / (kTrack - 0.1));
      if (beside >= least) continue;
      least = beside;
      best = candidate;
      if (beside == 0) break;
    }
    m_taken.emplace_back(best, along);
    return best;
  }

 private:
  std::vector<std::pair<qreal, Span>> m_taken;
};

// Where a link leaves or enters: a side of a box, and the strip beyond.
struct End {
  QRectF box;
  bool top = false;
  std::size_t strip = 0;
  std::vector<qreal> ports; // candidates

  [[nodiscard]] qreal border() const { return top ? box.top() : box.bottom(); }
};

struct Way {
  End from, to;
  std::vector<std::size_t> strips; // horizontal ones in order
  std::vector<Span> gaps;          // vertical ones between them
  qreal cost = std::numeric_limits<qreal>::infinity();
};

class Router {
 public:
  explicit Router(const RouteMap& map) : m_map(map), m_hasNics(map.nodes.size(), false) {
    for (const std::size_t node : map.nodeOfNic) m_hasNics[node] = true;
    std::vector<Span> taken;
    qreal bottom = 0;
    for (const auto* boxes : {&map.nodes, &map.nics, &map.heads})
      for (const QRectF& box : *boxes) {
        m_obstacles.push_back(box);
        taken.push_back(yOf(box));
        bottom = std::max(bottom, box.bottom());
      }
    m_strips = gapsOf(std::move(taken), 0, bottom + kBelow);
    // What separates a NIC from its node is no way.
    std::erase_if(m_strips, [](const Span& strip) { return strip.high - strip.low < 2 * kEdge; });
  }

  std::vector<QPolygonF> routes(const std::vector<RouteEnds>& links) {
    std::vector<QPolygonF> routes(links.size());
    std::vector<std::size_t> order(links.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Short ones first: they have the least choice.
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return QLineF(m_map.nodes[links[i].from].center(), m_map.nodes[links[i].to].center()).length();
    });
    for (const std::size_t i : order) {
      routes[i] = straight(links[i]);
      if (routes[i].isEmpty()) routes[i] = around(links[i]);
    }
    return routes;
  }

 private:
  [[nodiscard]] bool isFree(const QRectF& area) const {
    return std::ranges::none_of(m_obstacles, [&](const QRectF& box) { return box.intersects(area); });
  }

  // A line between two nodes that see each other; empty: they do not.
  QPolygonF straight(const RouteEnds& link) {
    if (link.fromNic >= 0 || link.toNic >= 0) return {};
    const QRectF a = m_map.nodes[link.from], b = m_map.nodes[link.to];
    if (std::abs(a.center().y() - b.center().y()) < 1) {
      const bool right = a.center().x() < b.center().x();
      const Span between = right ? Span{a.right(), b.left()} : Span{b.right(), a.left()};
      if (between.high <= between.low ||
          !isFree(QRectF(between.low + 1, a.top(), between.high - between.low - 2, a.height())))
        return {};
      // Two directions are two lines.
      const qreal side = right ? -1 : 1;
      std::vector<qreal> tracks;
      for (qreal away = kTrack; away < a.height() / 2 - 2; away += kTrack)
        tracks.push_back(a.center().y() + side * (away - kTrack / 2));
      const qreal y =
          m_horizontal.take(tracks.empty() ? std::vector<qreal>{a.center().y()} : tracks, between);
      return right ? QPolygonF({{a.right(), y}, {b.left(), y}}) : QPolygonF({{a.left(), y}, {b.right(), y}});
    }
    const bool down = a.center().y() < b.center().y();
    const std::size_t upper = down ? link.from : link.to;
    const Span between = down ? Span{a.bottom(), b.top()} : Span{b.bottom(), a.top()};
    const Span shared{std::max(a.left(), b.left()), std::min(a.right(), b.right())};
    if (between.high <= between.low || shared.high - shared.low < 2 * kEdge) return {};
    std::vector<qreal> tracks;
    for (const qreal x : m_hasNics[upper] ? besideNics(m_map.nodes[upper]) : tracksOf(shared, kTrack))
      if (x > shared.low && x < shared.high &&
          isFree(QRectF(x - 0.5, between.low + 1, 1, between.high - between.low - 2)))
        tracks.push_back(x);
    if (tracks.empty()) return {};
    const qreal x = m_vertical.take(tracks, between);
    return down ? QPolygonF({{x, a.bottom()}, {x, b.top()}}) : QPolygonF({{x, a.top()}, {x, b.bottom()}});
  }

  [[nodiscard]] static std::vector<qreal> besideNics(const QRectF& node) {
    return {node.right() - kNicEdge * node.width(), node.left() + kNicEdge * node.width()};
  }

  // Sides at which a link may leave or enter.
  [[nodiscard]] std::vector<End> endsOf(std::size_t node, std::int32_t nic) const {
    std::vector<End> ends;
    const auto add = [&](const QRectF& box, bool top, std::vector<qreal> ports) {
      std::optional<std::size_t> strip;
      for (std::size_t i = 0; i < m_strips.size(); ++i) {
        if (top && m_strips[i].high <= box.top() + 1) strip = i;
        if (!top && !strip && m_strips[i].low >= box.bottom() - 1) strip = i;
      }
      if (strip) ends.push_back({box, top, *strip, std::move(ports)});
    };
    if (nic >= 0) {
      const QRectF& box = m_map.nics[static_cast<std::size_t>(nic)];
      add(box, false, tracksOf(xOf(box), kPort));
      return ends;
    }
    const QRectF& box = m_map.nodes[node];
    add(box, true, tracksOf(xOf(box), kPort));
    add(box, false, m_hasNics[node] ? besideNics(box) : tracksOf(xOf(box), kPort));
    return ends;
  }

  // The vertical strip for a line over this height that makes the way shortest.
  [[nodiscard]] std::optional<Span> gapFor(const Span& height, qreal fromX, qreal toX) const {
    std::vector<Span> taken;
    for (const QRectF& box : m_obstacles)
      if (yOf(box).meets(height)) taken.push_back(xOf(box));
    std::optional<Span> best;
    qreal least = std::numeric_limits<qreal>::infinity();
    for (const Span& gap : gapsOf(std::move(taken), 0, m_map.width)) {
      if (gap.high - gap.low < 2 * kEdge) continue;
      const qreal x = std::clamp(gap.middle(), gap.low + kEdge, gap.high - kEdge);
      const qreal length = std::abs(x - fromX) + std::abs(x - toX);
      if (length >= least) continue;
      least = length;
      best = gap;
    }
    return best;
  }

  // Cost of length within hosts.
  [[nodiscard]] qreal inside(const QLineF& line, std::size_t from, std::size_t to) const {
    const Span x = ordered(line.x1(), line.x2()), y = ordered(line.y1(), line.y2());
    qreal cost = 0;
    for (std::size_t host = 0; host < m_map.hosts.size(); ++host) {
      const QRectF& box = m_map.hosts[host];
      const qreal wide = std::min(x.high, box.right()) - std::max(x.low, box.left());
      const qreal high = std::min(y.high, box.bottom()) - std::max(y.low, box.top());
      if (wide >= 0 && high >= 0)
        cost += std::max(wide, high) * (host == from || host == to ? kOwn : kForeign);
    }
    return cost;
  }

  // Through these strips, with the vertical strips between them.
  void consider(Way& best, const RouteEnds& link, const End& from, const End& to,
                std::vector<std::size_t> strips) const {
    Way way{from, to, std::move(strips), {}, 0};
    qreal x = from.ports.front();
    const std::size_t hostA = m_map.hostOfNode[link.from], hostB = m_map.hostOfNode[link.to];
    const auto go = [&](QPointF a, QPointF b) {
      const QLineF line(a, b);
      way.cost += line.length() + inside(line, hostA, hostB);
    };
    qreal y = m_strips[way.strips.front()].middle();
    way.cost += std::abs(y - from.border());
    for (std::size_t i = 1; i < way.strips.size(); ++i) {
      const qreal next = m_strips[way.strips[i]].middle();
      const auto gap = gapFor(ordered(y, next), x, to.ports.front());
      if (!gap) return;
      go({x, y}, {gap->middle(), y});
      go({gap->middle(), y}, {gap->middle(), next});
      way.cost += 2 * kBend;
      x = gap->middle();
      y = next;
      way.gaps.push_back(*gap);
    }
    go({x, y}, {to.ports.front(), y});
    way.cost += 2 * kBend + std::abs(y - to.border());
    if (way.cost < best.cost) best = std::move(way);
  }

  QPolygonF around(const RouteEnds& link) {
    Way best;
    for (const End& from : endsOf(link.from, link.fromNic))
      for (const End& to : endsOf(link.to, link.toNic)) {
        if (from.strip == to.strip) {
          consider(best, link, from, to, {from.strip});
          continue;
        }
        consider(best, link, from, to, {from.strip, to.strip});
        // By a strip next to those of the ends, as that between rows of hosts.
        for (const std::size_t near : {from.strip, to.strip})
          for (std::size_t via = near < 2 ? 0 : near - 2; via < std::min(near + 3, m_strips.size()); ++via)
            if (via != from.strip && via != to.strip)
              consider(best, link, from, to, {from.strip, via, to.strip});
      }
    if (best.strips.empty())
      return QPolygonF({m_map.nodes[link.from].center(), m_map.nodes[link.to].center()});
    return placed(best);
  }

  // The way with a track of its own in each strip.
  QPolygonF placed(const Way& way) {
    const auto stub = [&](const End& end) {
      return m_vertical.take(end.ports, ordered(end.border(), m_strips[end.strip].middle()));
    };
    const qreal fromX = stub(way.from), toX = stub(way.to);
    std::vector<qreal> xs{fromX};
    for (std::size_t i = 0; i < way.gaps.size(); ++i) {
      const Span height = ordered(m_strips[way.strips[i]].middle(), m_strips[way.strips[i + 1]].middle());
      xs.push_back(m_vertical.take(tracksOf(way.gaps[i], kTrack), height));
    }
    xs.push_back(toX);
    QPolygonF route{QPointF(fromX, way.from.border())};
    for (std::size_t i = 0; i < way.strips.size(); ++i) {
      const qreal y = m_horizontal.take(tracksOf(m_strips[way.strips[i]], kTrack), ordered(xs[i], xs[i + 1]));
      route << QPointF(xs[i], y) << QPointF(xs[i + 1], y);
    }
    return route << QPointF(toX, way.to.border());
  }

  const RouteMap& m_map;
  std::vector<bool> m_hasNics; // by node
  std::vector<QRectF> m_obstacles;
  std::vector<Span> m_strips; // free of boxes over the whole width, downwards
  Tracks m_horizontal, m_vertical;
};

} // namespace

std::vector<QPolygonF> linkRoutes(const RouteMap& map, const std::vector<RouteEnds>& links) {
  return Router(map).routes(links);
}

qreal distanceTo(const QPolygonF& route, QPointF point) {
  qreal least = std::numeric_limits<qreal>::infinity();
  for (qsizetype i = 1; i < route.size(); ++i) {
    const QPointF along = route[i] - route[i - 1], to = point - route[i - 1];
    const qreal length = QPointF::dotProduct(along, along);
    const qreal share = length > 0 ? std::clamp(QPointF::dotProduct(to, along) / length, 0.0, 1.0) : 0;
    least = std::min(least, QLineF(route[i - 1] + share * along, point).length());
  }
  return least;
}

} // namespace rankscope::ui
