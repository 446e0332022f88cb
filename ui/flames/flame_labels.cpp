// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flames/flame_labels.h"

#include "ui/flames/flame_style.h"

namespace rankscope::ui {

namespace {

constexpr std::size_t kMaxLabels = 50'000;
constexpr int kWidthStep = 16;
constexpr int kMaxLength = 600;
constexpr double kLeastWeightWidth = 40; // of any text with a unit

} // namespace

FlameLabels::FlameLabels(const QFont& font) : m_font(font), m_metrics(font) {}

void FlameLabels::clear() {
  m_texts.clear();
  m_labels.clear();
  m_weighed.clear();
}

const FlameLabels::Text& FlameLabels::textOf(std::uint32_t frame, const StackTree::Frame& of) {
  const auto [entry, fresh] = m_texts.try_emplace(frame);
  if (fresh) {
    entry->second.text = frameLabel(of).left(kMaxLength).simplified();
    entry->second.width = m_metrics.horizontalAdvance(entry->second.text);
  }
  return entry->second;
}

void FlameLabels::layOut(QStaticText& text, const QString& shown) const {
  text.setTextFormat(Qt::PlainText);
  text.setPerformanceHint(QStaticText::AggressiveCaching);
  text.setText(shown);
  text.prepare({}, m_font);
}

const QStaticText* FlameLabels::label(std::uint32_t frame, const StackTree::Frame& of, double width) {
  if (m_labels.size() > kMaxLabels || m_weighed.size() > kMaxLabels) clear();
  const Text& full = textOf(frame, of);
  const int step = full.width <= width ? 0 : static_cast<int>(width) / kWidthStep;
  const auto [entry, fresh] =
      m_labels.try_emplace((std::uint64_t{frame} << 16U) | (static_cast<std::uint32_t>(step) & 0xffffU));
  if (fresh) {
    const QString shown =
        step == 0 ? full.text : m_metrics.elidedText(full.text, Qt::ElideRight, step * kWidthStep);
    // An ellipsis after one letter is useless.
    if (step == 0 || shown.size() > 2) layOut(entry->second, shown);
  }
  return entry->second.text().isEmpty() ? nullptr : &entry->second;
}

const QStaticText* FlameLabels::withWeight(std::uint32_t node, std::uint32_t frame,
                                           const StackTree::Frame& of, double width,
                                           const std::function<QString()>& weight) {
  const Text& full = textOf(frame, of);
  if (full.width + kLeastWeightWidth > width) return nullptr;
  const auto [entry, fresh] = m_weighed.try_emplace(node);
  if (fresh) {
    const QString shown = full.text + QStringLiteral("   ") + weight();
    entry->second.width = m_metrics.horizontalAdvance(shown);
    layOut(entry->second.text, shown);
  }
  return entry->second.width <= width ? &entry->second.text : nullptr;
}

} // namespace rankscope::ui
