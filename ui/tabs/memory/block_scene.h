// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of one device of a memory snapshot as a picture: along x time or the order of entries, stacked
// in the order of their allocation, colored by role or by the line that allocated them. Immutable once made;
// pictures are drawn by a worker.
#pragma once

#include "core/analysis/memory/block_stack.h"
#include "core/report/side_results.h"
#include "ui/charts/chart_card.h"

#include <QImage>
#include <QPointF>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui {

struct BlockView {
  double from = 0; // along x
  double to = 1;
  QSize pixels;
  bool byTime = false; // else by the order of entries
  bool byLine = false; // colors; else by role
  ThemeName theme = ThemeName::Dark;

  bool operator==(const BlockView&) const = default;
};

struct BlockPicture {
  BlockView view;
  QImage image;
  QList<QPointF> reserved; // x, bytes
};

class BlockScene {
 public:
  // Lines with a color of their own.
  static constexpr std::size_t kLines = 8;

  // On a worker: O(entries).
  BlockScene(std::shared_ptr<const SideResults> results, std::size_t snapshot, std::size_t device);

  [[nodiscard]] const SnapshotResults& result() const { return *m_result; }
  [[nodiscard]] const DeviceReplay& replay() const { return *m_replay; }
  [[nodiscard]] const BlockStack& stack() const { return m_stack; }
  // Whether entries have times that do not step back.
  [[nodiscard]] bool hasTimes() const { return m_hasTimes; }
  // Of the y axis: the most that was allocated or reserved.
  [[nodiscard]] std::int64_t top() const { return m_top; }

  // In nanoseconds since the first entry, or its number.
  [[nodiscard]] double xOf(std::int32_t entry, bool byTime) const;
  [[nodiscard]] double xEnd(bool byTime) const;
  // The last entry that is not after x.
  [[nodiscard]] std::int32_t entryAt(double x, bool byTime) const;

  [[nodiscard]] ThemeColor colorOf(std::uint32_t life, bool byLine) const;
  // Of what was alive at the peak, the most first.
  [[nodiscard]] std::vector<LegendItem> legend(bool byLine) const;

 private:
  void nameLines();

  std::shared_ptr<const SideResults> m_results;
  const SnapshotResults* m_result;
  const DeviceReplay* m_replay;
  BlockStack m_stack;
  bool m_hasTimes = false;
  std::int64_t m_top = 1;
  std::vector<std::string> m_lines;       // by bytes at the peak
  std::vector<std::uint8_t> m_lineOfLife; // kLines: another one
};

[[nodiscard]] BlockPicture blockPicture(const BlockScene& scene, const BlockView& view);

} // namespace rankscope::ui
