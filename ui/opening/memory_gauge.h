// SPDX-License-Identifier: GPL-3.0-or-later
// A bar of required memory with a marker at the available memory; the part above the limit is red. Takes no
// input.
#pragma once

#include <QWidget>

#include <cstdint>

namespace rankscope::ui {

class TraceSession;

class MemoryGauge : public QWidget {
  Q_OBJECT
 public:
  explicit MemoryGauge(const TraceSession& session, QWidget* parent = nullptr);

  // Bytes; `scaleMax` is the minimum length of the scale.
  void setFigures(std::uint64_t needed, std::uint64_t space, std::uint64_t scaleMax);

  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const TraceSession& m_session;
  std::uint64_t m_needed = 0;
  std::uint64_t m_available = 0;
  std::uint64_t m_max = 0;
};

} // namespace rankscope::ui
