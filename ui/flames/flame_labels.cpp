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

void FlameLabels::beginFrame(std::size_t mostNew) {
  m_mostNew = mostNew;
  m_isIncomplete = false;
}

bool FlameLabels::takeNew() {
  if (m_mostNew == 0) {
    m_isIncomplete = true;
    return false;
  }
  --m_mostNew;
  return true;
}

const FlameLabels::Text* FlameLabels::textOf(std::uint32_t frame, const StackTree::Frame& of) {
  if (const auto known = m_texts.find(frame); known != m_texts.end()) return &known->second;
  if (!takeNew()) return nullptr;
  Text& text = m_texts[frame];
  text.text = frameLabel(of).left(kMaxLength).simplified();
  text.width = m_metrics.horizontalAdvance(text.text);
  return &text;
}

void FlameLabels::layOut(QStaticText& text, const QString& shown) {
  text.setTextFormat(Qt::PlainText);
  text.setPerformanceHint(QStaticText::AggressiveCaching);
  text.setText(shown);
  text.prepare({}, m_font);
}

const QStaticText* FlameLabels::label(std::uint32_t frame, const StackTree::Frame& of, double width) {
  if (m_labels.size() > kMaxLabels || m_weighed.size() > kMaxLabels) clear();
  const Text* const full = textOf(frame, of);
  if (full == nullptr) return nullptr;
  const int step = full->width <= width ? 0 : static_cast<int>(width) / kWidthStep;
  const std::uint64_t key = (std::uint64_t{frame} << 16U) | (static_cast<std::uint32_t>(step) & 0xffffU);
  auto entry = m_labels.find(key);
  if (entry == m_labels.end()) {
    if (!takeNew()) return nullptr;
    entry = m_labels.try_emplace(key).first;
    const QString shown =
        step == 0 ? full->text : m_metrics.elidedText(full->text, Qt::ElideRight, step * kWidthStep);
    // An ellipsis after one letter is useless.
    if (step == 0 || shown.size() > 2) layOut(entry->second, shown);
  }
  return entry->second.text().isEmpty() ? nullptr : &entry->second;
}

const QStaticText* FlameLabels::withWeight(std::uint32_t node, std::uint32_t frame,
                                           const StackTree::Frame& of, double width,
                                           const std::function<QString()>& weight) {
  const Text* const full = textOf(frame, of);
  if (full == nullptr || full->width + kLeastWeightWidth > width) return nullptr;
  auto entry = m_weighed.find(node);
  if (entry == m_weighed.end()) {
    if (!takeNew()) return nullptr;
    entry = m_weighed.try_emplace(node).first;
    const QString shown = full->text + QStringLiteral("   ") + weight();
    entry->second.width = m_metrics.horizontalAdvance(shown);
    layOut(entry->second.text, shown);
  }
  return entry->second.width <= width ? &entry->second.text : nullptr;
}

} // namespace rankscope::ui
