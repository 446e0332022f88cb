// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/block_scene.h"

#include "core/report/snapshot_tables.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/memory/role_bands.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::array<ThemeColor, BlockScene::kLines> kLineColors{
    &Theme::forward,   &Theme::backward,   &Theme::optimizer, &Theme::gemm,
    &Theme::attention, &Theme::dataLoader, &Theme::python,    &Theme::communication};
constexpr double kGround = 0.18;   // of the panel's color in that of a block
constexpr int kSeparated = 3;      // pixels from which on blocks are told apart by a line
constexpr double kEndSpace = 0.01; // after the last entry, so that its state is in view

QRgb mixed(const QColor& color, const QColor& with, double share) {
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
  return qRgb(mix(color.red(), with.red()), mix(color.green(), with.green()), mix(color.blue(), with.blue()));
}

// Neighbors of one color differ a little.
struct Shades {
  QRgb even, odd, edge;
};

Shades shadesOf(const Theme& theme, ThemeColor of) {
  const QColor color = theme.*of;
  return {mixed(color, theme.panel, kGround), mixed(color, theme.panel, kGround + 0.12),
          mixed(color, theme.panel, 0.62)};
}

// Draws columns into an image, from the bottom up.
class BlockPainter {
 public:
  BlockPainter(const BlockScene& scene, const BlockView& view)
      : m_scene(scene), m_view(view), m_theme(Theme::of(view.theme)),
        m_image(view.pixels, QImage::Format_ARGB32_Premultiplied),
        m_perByte(static_cast<double>(view.pixels.height()) / static_cast<double>(scene.top())) {
    m_image.fill(Qt::transparent);
  }

  void paint(int x, const BlockColumn& column) {
    int painted = m_image.height(); // rows below are done
    for (std::size_t i = 0; i < column.blocks.size(); ++i) {
      const StackedBlock& block = column.blocks[i];
      const Shades& shades = shadesFor(m_scene.colorOf(block.life, m_view.byLine));
      // To where the next one that is in the middle of a pixel begins.
      const std::int64_t end = i + 1 < column.blocks.size() ? column.blocks[i + 1].below : column.active;
      const int top = std::min(painted - 1, rowOf(end));
      for (int y = std::max(top, 0); y < painted; ++y)
        pixel(x, y, block.life % 2 == 0 ? shades.even : shades.odd);
      if (painted - top >= kSeparated) pixel(x, top, shades.edge);
      painted = top;
    }
  }

  [[nodiscard]] QImage take() { return std::move(m_image); }

 private:
  [[nodiscard]] int rowOf(std::int64_t bytes) const {
    const double row = m_image.height() - std::round(static_cast<double>(bytes) * m_perByte);
    return static_cast<int>(std::clamp(row, 0.0, static_cast<double>(m_image.height())));
  }

  void pixel(int x, int y, QRgb color) { reinterpret_cast<QRgb*>(m_image.scanLine(y))[x] = color; }

  const Shades& shadesFor(ThemeColor color) {
    for (const auto& [known, shades] : m_shades) {
      if (known == color) return shades;
    }
    return m_shades.emplace_back(color, shadesOf(m_theme, color)).second;
  }

  const BlockScene& m_scene;
  const BlockView& m_view;
  const Theme& m_theme;
  QImage m_image;
  double m_perByte;
  std::vector<std::pair<ThemeColor, Shades>> m_shades;
};

} // namespace

BlockScene::BlockScene(std::shared_ptr<const SideResults> results, std::size_t snapshot, std::size_t device)
    : m_results(std::move(results)), m_result(&m_results->snapshots[snapshot]),
      m_replay(&m_result->devices[device]), m_stack(*m_replay) {
  const std::vector<AllocatorEntry>& entries = m_replay->device->entries;
  constexpr std::int64_t kLongest = INT64_MAX / 2000;
  m_hasTimes = !entries.empty();
  std::int64_t before = entries.empty() ? 0 : entries.front().time;
  for (const AllocatorEntry& entry : entries) {
    m_hasTimes = m_hasTimes && entry.time != kNoMicroseconds && entry.time >= before &&
                 entries.front().time > 0 && entry.time - entries.front().time < kLongest;
    if (!m_hasTimes) break;
    before = entry.time;
  }
  m_top = std::max({m_replay->peakActive.bytes, m_replay->peakReserved.bytes, std::int64_t{1}});
  nameLines();
}

void BlockScene::nameLines() {
  for (const auto& [name, bytes] : bytesByFrame(*m_result, *m_replay, m_replay->peakActive.entry)) {
    if (m_lines.size() == kLines) break;
    m_lines.push_back(name);
  }
  // Names are of stacks, of which there are few.
  const StackPool& stacks = m_result->snapshot->stacks;
  std::vector<std::optional<std::uint8_t>> known(2 * stacks.stackCount());
  m_lineOfLife.reserve(m_replay->lives.size());
  for (const BlockLife& life : m_replay->lives) {
    auto& line = known[2 * life.stack + (life.recorded() ? 1 : 0)];
    if (!line) {
      const std::string name = blockName(stacks, m_result->roles, life.stack, life.recorded());
      line = static_cast<std::uint8_t>(std::ranges::find(m_lines, name) - m_lines.begin());
      if (*line == m_lines.size()) line = static_cast<std::uint8_t>(kLines);
    }
    m_lineOfLife.push_back(*line);
  }
}

double BlockScene::xOf(std::int32_t entry, bool byTime) const {
  if (entry < 0) return 0;
  if (!byTime || !m_hasTimes) return entry;
  const std::vector<AllocatorEntry>& entries = m_replay->device->entries;
  return 1000.0 * static_cast<double>(entries[static_cast<std::size_t>(entry)].time - entries.front().time);
}

double BlockScene::xEnd(bool byTime) const {
  const double last = xOf(m_replay->last(), byTime);
  return std::max(1.0, byTime && m_hasTimes ? last * (1 + kEndSpace) : last + 1);
}

std::int32_t BlockScene::entryAt(double x, bool byTime) const {
  const std::int32_t last = m_replay->last();
  if (last < 0 || x < 0) return kBeforeFirst;
  if (!byTime || !m_hasTimes) return static_cast<std::int32_t>(std::min(x, static_cast<double>(last)));
  std::int32_t low = 0;
  std::int32_t high = last;
  while (low < high) {
    const std::int32_t middle = low + (high - low + 1) / 2;
    if (xOf(middle, true) <= x)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

ThemeColor BlockScene::colorOf(std::uint32_t life, bool byLine) const {
  if (!byLine) return roleColor(m_replay->lives[life].role);
  const std::uint8_t line = m_lineOfLife[life];
  return line < kLines ? kLineColors[line] : &Theme::faint;
}

std::vector<LegendItem> BlockScene::legend(bool byLine) const {
  std::vector<LegendItem> items;
  if (byLine) {
    for (std::size_t i = 0; i < m_lines.size(); ++i)
      items.push_back({QString::fromStdString(m_lines[i]), kLineColors[i]});
    items.push_back({tr("other lines"), &Theme::faint});
  } else {
    std::array<bool, kMemoryRoleCount> any{};
    for (const BlockLife& life : m_replay->lives) any[static_cast<std::size_t>(life.role)] = true;
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
      const auto role = static_cast<MemoryRole>(r);
      if (any[r]) items.push_back({roleName(role), roleColor(role)});
    }
  }
  items.push_back({tr("reserved"), &Theme::warn, false, true});
  return items;
}

BlockPicture blockPicture(const BlockScene& scene, const BlockView& view) {
  BlockPicture picture{view, {}, {}};
  if (view.pixels.isEmpty() || scene.replay().last() < 0) return picture;
  const int width = view.pixels.width();
  const double perPixel = (view.to - view.from) / width;
  std::vector<std::int32_t> ends;
  ends.reserve(static_cast<std::size_t>(width));
  for (int x = 0; x < width; ++x)
    ends.push_back(scene.entryAt(view.from + (x + 0.999) * perPixel, view.byTime));
  const double bytesPerPixel = static_cast<double>(scene.top()) / view.pixels.height();
  const std::int32_t begin = scene.entryAt(view.from, view.byTime) + 1;
  BlockPainter painter(scene, view);
  int x = 0;
  std::int32_t before = begin - 1;
  for (const BlockColumn& column : scene.stack().columns(begin, ends, bytesPerPixel)) {
    painter.paint(x, column);
    std::int64_t reserved = scene.replay().reservedAt(before);
    const std::int32_t end = ends[static_cast<std::size_t>(x)];
    for (; before < end; ++before) reserved = std::max(reserved, scene.replay().reservedAt(before + 1));
    picture.reserved << QPointF(view.from + x * perPixel, static_cast<double>(reserved));
    ++x;
  }
  picture.image = painter.take();
  return picture;
}

} // namespace rankscope::ui
