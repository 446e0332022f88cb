// SPDX-License-Identifier: GPL-3.0-or-later
// The reserved memory of a device at one moment, by address: segments one after the other in rows, blocks in
// the colors of their roles, free memory hatched. UI thread; O(visible blocks).
#pragma once

#include "core/analysis/memory/snapshot_replay.h"
#include "ui/base/theme.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

class TraceSession;

// Made on a worker; refers to the replay.
struct AddressContents {
  struct Block {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::uint32_t life = 0;
  };
  SegmentMap map;
  std::vector<Block> blocks; // by address
};

[[nodiscard]] std::shared_ptr<const AddressContents> addressContents(const DeviceReplay& replay,
                                                                     std::int32_t entry);

class AddressMap : public QWidget {
  Q_OBJECT
 public:
  explicit AddressMap(const TraceSession& session, QWidget* parent = nullptr);

  // The replay must outlive what is shown. Null: nothing.
  void setContents(std::shared_ptr<const AddressContents> contents, const DeviceReplay* replay);
  [[nodiscard]] const std::shared_ptr<const AddressContents>& contents() const { return m_contents; }
  [[nodiscard]] QString tipAt(QPointF place) const;
  // The block at a place of the widget.
  [[nodiscard]] std::optional<std::uint32_t> lifeAt(QPointF place) const;

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void blockPicked(std::uint32_t life);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // A run of bytes as one line of pixels per row that it touches.
  struct Scale {
    double perPixel = 1; // bytes
    int rows = 1;
    int width = 1;
  };

  [[nodiscard]] Scale scale() const;
  [[nodiscard]] int rowHeight() const;
  // Where a segment begins, in pixels of all rows one after the other.
  [[nodiscard]] std::vector<double> begins(const Scale& scale) const;
  void paintRun(QPainter& painter, const Scale& scale, double from, double to, const QBrush& brush) const;
  [[nodiscard]] std::optional<std::size_t> segmentAt(QPointF place, std::uint64_t& address) const;

  const TraceSession& m_session;
  std::shared_ptr<const AddressContents> m_contents;
  const DeviceReplay* m_replay = nullptr;
};

} // namespace rankscope::ui
