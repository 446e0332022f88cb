// SPDX-License-Identifier: GPL-3.0-or-later
// A bar of what is needed beside what may be taken: filled in the accent while it fits, in red where it does
// not. Takes no input.
#pragma once

#include <QWidget>

#include <cstdint>

namespace rankscope::ui {

class TraceSession;

class MemoryGauge : public QWidget {
  Q_OBJECT
 public:
  explicit MemoryGauge(const TraceSession& session, QWidget* parent = nullptr);

  // Bytes; `most` is the longest bar that is to be compared with.
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
