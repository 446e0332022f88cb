// SPDX-License-Identifier: GPL-3.0-or-later
// Cached texts of events. A name is shortened once, measured once per font, and elided once per width in
// steps of a few pixels, because text is the most expensive part of a frame. The cache is cleared when it
// grows large. UI thread.
#pragma once

#include "core/analysis/collectives/collective_operation.h"
#include "core/model/event_kind.h"
#include "core/model/string_table.h"

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QStaticText>
#include <QString>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

class LabelCache {
 public:
  // Minimum width of a label in logical pixels.
  static constexpr int kMinLabelWidth = 24;

  LabelCache(const QFont& font, const StringTable& names);

  // The label for this width in logical pixels; null if nothing useful fits.
  [[nodiscard]] const QStaticText* label(EventKind kind, NameId name, int width);
  // The same of what a collective does, for kernels whose name does not say it.
  [[nodiscard]] const QStaticText* label(CollectiveOperation operation, int width);

  [[nodiscard]] const QFont& font() const { return m_font; }

 private:
  struct Name {
    QString text;
    qreal width = -1; // not measured yet
    QString tail;     // part of a scoped name after the scope, used if space is short
    qreal tailWidth = 0;
  };

  const Name& nameOf(EventKind kind, NameId name);

  QFont m_font;
  QFontMetricsF m_metrics;
  StringTable m_names;
  std::unordered_map<std::uint64_t, Name> m_texts;         // by (name, kind)
  std::unordered_map<std::uint64_t, QStaticText> m_labels; // by (name, kind, width)
};

// Short recurring texts of one font, laid out once.
class TextCache {
 public:
  explicit TextCache(const QFont& font) : m_font(font), m_metrics(font) {}

  struct Text {
    QStaticText laidOut;
    int width = 0;
  };
  [[nodiscard]] const Text& text(const QString& text);
  // The same, elided to this many pixels.
  [[nodiscard]] const Text& elided(const QString& text, int width);
  // Draws at a box's left edge, vertically centered, with this cache's font.
  void draw(QPainter& painter, const QRect& box, const Text& text) const;

 private:
  QFont m_font;
  QFontMetricsF m_metrics;
  std::unordered_map<QString, Text> m_texts;
};

} // namespace rankscope::ui
