// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the boxes of a flame graph, laid out once: of a frame one for each width in steps of a few pixels,
// and of a wide box one with what it weighs. Text is the most expensive part of a frame, so that a frame may
// limit how many texts it lays out. Cleared when it grows large. UI thread.
#pragma once

#include "core/analysis/stacks/stack_tree.h"

#include <QFont>
#include <QFontMetricsF>
#include <QStaticText>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>

namespace rankscope::ui {

class FlameLabels {
 public:
  explicit FlameLabels(const QFont& font);

  [[nodiscard]] const QFont& font() const { return m_font; }
  [[nodiscard]] double height() const { return m_metrics.height(); }
  // Forgets all texts, for another tree.
  void clear();
  // From here on at most this many texts are measured, cut or laid out; those that miss are null.
  void beginFrame(std::size_t mostNew);
  // Whether a text missed since beginFrame().
  [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }
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

  // Null if it is not known yet and no more texts may be laid out.
  [[nodiscard]] const Text* textOf(std::uint32_t frame, const StackTree::Frame& of);
  // Whether one more text may be measured, cut or laid out.
  [[nodiscard]] bool takeNew();
  void layOut(QStaticText& text, const QString& shown);

  QFont m_font;
  QFontMetricsF m_metrics;
  std::unordered_map<std::uint32_t, Text> m_texts;         // by frame
  std::unordered_map<std::uint64_t, QStaticText> m_labels; // by frame and width
  std::unordered_map<std::uint32_t, LaidOut> m_weighed;    // by node
  std::size_t m_mostNew = std::numeric_limits<std::size_t>::max();
  bool m_isIncomplete = false;
};

} // namespace rankscope::ui
