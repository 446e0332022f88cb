// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/address_map.h"

#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/memory/role_bands.h"

#include <QEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kRow = 12;
constexpr int kRowSpace = 3;
constexpr double kGap = 2;          // pixels between segments
constexpr double kLeastStep = 0.25; // pixels from one block to the next

QString bytes(std::int64_t amount) {
  return QString::fromStdString(bytesText(amount));
}

} // namespace

std::shared_ptr<const AddressContents> addressContents(const DeviceReplay& replay, std::int32_t entry) {
  auto contents = std::make_shared<AddressContents>();
  contents->map = segmentsAt(replay, entry);
  for (std::uint32_t i = 0; i < replay.lives.size(); ++i) {
    const BlockLife& life = replay.lives[i];
    if (life.aliveAt(entry)) contents->blocks.push_back({life.address, life.rounded, i});
  }
  std::ranges::sort(contents->blocks, {}, &AddressContents::Block::address);
  return contents;
}

AddressMap::AddressMap(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void AddressMap::setContents(std::shared_ptr<const AddressContents> contents, const DeviceReplay* replay) {
  m_contents = std::move(contents);
  m_replay = replay;
  update();
}

QSize AddressMap::sizeHint() const {
  return {480, 10 * rowHeight()};
}

QSize AddressMap::minimumSizeHint() const {
  return {160, 4 * rowHeight()};
}

int AddressMap::rowHeight() const {
  return scaledToText(kRow) + kRowSpace;
}

// All of it fits: more bytes per pixel where there is more memory.
AddressMap::Scale AddressMap::scale() const {
  Scale scale;
  scale.width = std::max(1, width() - 2);
  scale.rows = std::max(1, height() / rowHeight());
  ExactSum sum;
  for (const SegmentState& segment : m_contents->map.segments) sum += segment.bytes;
  const double gaps = kGap * static_cast<double>(m_contents->map.segments.size());
  const double pixels = std::max(static_cast<double>(scale.width) * scale.rows - gaps - 1, scale.rows * 1.0);
  scale.perPixel = std::max(1.0, static_cast<double>(sum) / pixels);
  return scale;
}

std::vector<double> AddressMap::begins(const Scale& scale) const {
  std::vector<double> all;
  all.reserve(m_contents->map.segments.size());
  // Where gaps alone would not fit, there are none.
  const double space = static_cast<double>(scale.width) * scale.rows;
  const bool gaps = kGap * static_cast<double>(m_contents->map.segments.size()) < space / 4;
  double at = 0;
  for (const SegmentState& segment : m_contents->map.segments) {
    all.push_back(at);
    at += static_cast<double>(segment.bytes) / scale.perPixel + (gaps ? kGap : 0);
  }
  return all;
}

void AddressMap::paintRun(QPainter& painter, const Scale& scale, double from, double to,
                          const QBrush& brush) const {
  const double wide = scale.width;
  for (int row = static_cast<int>(from / wide); row < scale.rows && row * wide < to; ++row) {
    const double left = std::max(0.0, from - row * wide);
    const double right = std::min(wide, to - row * wide);
    if (right > left)
      painter.fillRect(QRectF(1 + left, row * rowHeight(), right - left, scaledToText(kRow)), brush);
  }
}

void AddressMap::paintEvent(QPaintEvent*) {
  if (!m_contents || m_contents->map.segments.empty()) return;
  QPainter painter(this);
  const Theme& theme = m_session.theme();
  const Scale sizes = scale();
  const std::vector<double> places = begins(sizes);
  QBrush hatch(theme.faint, Qt::BDiagPattern);
  std::size_t block = 0;
  double filled = -1;  // segments up to here
  double painted = -1; // blocks up to here
  for (std::size_t s = 0; s < places.size(); ++s) {
    const SegmentState& segment = m_contents->map.segments[s];
    const double end = places[s] + static_cast<double>(segment.bytes) / sizes.perPixel;
    if (end >= filled + kLeastStep) {
      filled = end;
      paintRun(painter, sizes, places[s], end, theme.raised);
      paintRun(painter, sizes, places[s], end, hatch);
    }
    const std::uint64_t segmentEnd = segment.address + static_cast<std::uint64_t>(segment.bytes);
    while (block < m_contents->blocks.size() && m_contents->blocks[block].address < segment.address) ++block;
    for (; block < m_contents->blocks.size() && m_contents->blocks[block].address < segmentEnd; ++block) {
      const AddressContents::Block& one = m_contents->blocks[block];
      const double from = places[s] + static_cast<double>(one.address - segment.address) / sizes.perPixel;
      const double to = std::min(end, from + static_cast<double>(one.bytes) / sizes.perPixel);
      // Of many within a pixel, the first ones are enough.
      if (to < painted + kLeastStep) continue;
      painted = to;
      QColor color = theme.*roleColor(m_replay->lives[one.life].role);
      if (one.life % 2 != 0) color = color.darker(112);
      paintRun(painter, sizes, from, std::max(to - (to - from > 3 ? 0.5 : 0), from + 0.2), color);
    }
  }
}

std::optional<std::size_t> AddressMap::segmentAt(QPointF place, std::uint64_t& address) const {
  if (!m_contents || m_contents->map.segments.empty()) return std::nullopt;
  const Scale sizes = scale();
  const int row = static_cast<int>(place.y()) / rowHeight();
  if (place.y() < 0 || row >= sizes.rows || place.x() < 1 || place.x() > sizes.width) return std::nullopt;
  const double at = row * static_cast<double>(sizes.width) + place.x() - 1;
  const std::vector<double> places = begins(sizes);
  const auto after = std::ranges::upper_bound(places, at);
  if (after == places.begin()) return std::nullopt;
  const auto index = static_cast<std::size_t>(after - places.begin()) - 1;
  const SegmentState& segment = m_contents->map.segments[index];
  const double offset = (at - places[index]) * sizes.perPixel;
  if (offset >= static_cast<double>(segment.bytes)) return std::nullopt;
  address = segment.address + static_cast<std::uint64_t>(std::max(0.0, offset));
  return index;
}

std::optional<std::uint32_t> AddressMap::lifeAt(QPointF place) const {
  std::uint64_t address = 0;
  if (!segmentAt(place, address)) return std::nullopt;
  const auto& blocks = m_contents->blocks;
  const auto after = std::ranges::upper_bound(blocks, address, {}, &AddressContents::Block::address);
  if (after == blocks.begin()) return std::nullopt;
  const AddressContents::Block& block = *std::prev(after);
  if (address - block.address >= static_cast<std::uint64_t>(block.bytes)) return std::nullopt;
  return block.life;
}

QString AddressMap::tipAt(QPointF place) const {
  std::uint64_t address = 0;
  const auto index = segmentAt(place, address);
  if (!index) return {};
  const SegmentState& segment = m_contents->map.segments[*index];
  QStringList lines;
  if (const auto life = lifeAt(place)) {
    const BlockLife& block = m_replay->lives[*life];
    lines << tr("block of %1 · %2").arg(bytes(block.bytes), roleName(block.role));
  } else {
    lines << tr("free");
  }
  lines << tr("segment of %1, %2 free, largest hole %3")
               .arg(bytes(segment.bytes), bytes(segment.bytes - segment.active), bytes(segment.largestHole));
  return lines.join(QStringLiteral("<br>"));
}

void AddressMap::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto life = lifeAt(event->position())) emit blockPicked(*life);
}

bool AddressMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this); // an empty one hides what is shown
  return true;
}

} // namespace rankscope::ui
