// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the boxes of a flame graph, laid out once: of a frame one for each width in steps of a few pixels,
// and of a wide box one with what it weighs. Text is the most expensive part of a frame. Cleared when it
// grows large. UI thread.
#pragma once

#include "core/analysis/stacks/stack_tree.h"

#include <QFont>
#include <QFontMetricsF>
#include <QStaticText>
#include <QString>

#include <cstdint>
#include <functional>
#include <unordered_map>

namespace rankscope::ui {

class FlameLabels {
 public:
  explicit FlameLabels(const QFont& font);

  [[nodiscard]] const QFont& font() const { return m_font; }
  [[nodiscard]] double height() const { return m_metrics.height(); }
  // Forgets all texts, for another tree.
  void clear();
  // Of a frame, in at most this many pixels; null if nothing useful fits.
  [[nodiscard]] const QStaticText* label(std::uint32_t frame, const StackTree::Frame& of, double width);
  // With what the node weighs behind it; null if both do not fit.
  [[nodiscard]] const QStaticText* withWeight(std::uint32_t node, std::uint32_t frame,
                                              const StackTree::Frame& of, double width,
                                              const std::function<QString()>& weight);

 private:
  struct Text {
    QString text;
    double width = 0;
  };
  struct LaidOut {
    QStaticText text;
    double width = 0;
  };

  [[nodiscard]] const Text& textOf(std::uint32_t frame, const StackTree::Frame& of);
  void layOut(QStaticText& text, const QString& shown) const;

  QFont m_font;
  QFontMetricsF m_metrics;
  std::unordered_map<std::uint32_t, Text> m_texts;         // by frame
  std::unordered_map<std::uint64_t, QStaticText> m_labels; // by frame and width
  std::unordered_map<std::uint32_t, LaidOut> m_weighed;    // by node
};

} // namespace rankscope::ui
