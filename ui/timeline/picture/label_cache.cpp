// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/label_cache.h"

#include "ui/base/short_name.h"

#include <cmath>

namespace rankscope::ui {
namespace {

constexpr std::size_t kMaxLabels = 20'000;
constexpr int kWidthStep = 4;
// Stands for an operation in place of a name.
constexpr auto kOperation = static_cast<EventKind>(0xff);

} // namespace

LabelCache::LabelCache(const QFont& font, const StringTable& names)
    : m_font(font), m_metrics(font), m_names(names) {}

const LabelCache::Name& LabelCache::nameOf(EventKind kind, NameId name) {
  const std::uint64_t key = (std::uint64_t{name.value} << 8) | static_cast<std::uint64_t>(kind);
  Name& entry = m_texts[key];
  if (entry.width < 0) {
    const std::string text = kind == kOperation
                                 ? std::string(operationText(static_cast<CollectiveOperation>(name.value)))
                                 : shortName(kind, m_names[name]);
    // Text on one line: no line breaks, and no more than fits on any screen.
    constexpr int kMaxLength = 600;
    entry.text =
        QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).left(kMaxLength).simplified();
    entry.width = m_metrics.horizontalAdvance(entry.text);
    const qsizetype scope = kind == EventKind::CpuOp ? entry.text.lastIndexOf(QLatin1String("::")) : -1;
    entry.tail = scope < 0 ? entry.text : entry.text.mid(scope + 2);
    entry.tailWidth = m_metrics.horizontalAdvance(entry.tail);
  }
  return entry;
}

const QStaticText* LabelCache::label(EventKind kind, NameId name, int width) {
  if (width < kMinLabelWidth) return nullptr;
  if (m_labels.size() > kMaxLabels) {
    m_labels.clear();
    m_texts.clear();
  }
  const Name& full = nameOf(kind, name);
  const bool fits = full.width <= width;
  const bool tailFits = full.tailWidth <= width;
  constexpr int kTailStep = 0xffff;
  const int step = fits ? 0 : tailFits ? kTailStep : width / kWidthStep;
  const std::uint64_t key = (std::uint64_t{name.value} << 24) | (std::uint64_t(step & 0xffff) << 8) |
                            static_cast<std::uint64_t>(kind);
  const auto [entry, fresh] = m_labels.try_emplace(key);
  if (fresh) {
    QStaticText& text = entry->second;
    text.setTextFormat(Qt::PlainText);
    text.setPerformanceHint(QStaticText::AggressiveCaching);
    const QString shown = fits       ? full.text
                          : tailFits ? full.tail
                                     : m_metrics.elidedText(full.tail, Qt::ElideRight, step * kWidthStep);
    // An ellipsis after one letter is useless.
    if (tailFits || shown.size() > 2) text.setText(shown);
    text.prepare({}, m_font);
  }
  return entry->second.text().isEmpty() ? nullptr : &entry->second;
}

const QStaticText* LabelCache::label(CollectiveOperation operation, int width) {
  return label(kOperation, NameId(static_cast<std::size_t>(operation)), width);
}

const TextCache::Text& TextCache::text(const QString& text) {
  constexpr std::size_t kMaxTexts = 4000;
  if (m_texts.size() > kMaxTexts) m_texts.clear();
  const auto [entry, fresh] = m_texts.try_emplace(text);
  if (fresh) {
    QStaticText& laidOut = entry->second.laidOut;
    laidOut.setText(text);
    laidOut.setTextFormat(Qt::PlainText);
    laidOut.setPerformanceHint(QStaticText::AggressiveCaching);
    laidOut.prepare({}, m_font);
    entry->second.width = static_cast<int>(std::ceil(laidOut.size().width()));
  }
  return entry->second;
}

const TextCache::Text& TextCache::elided(const QString& whole, int width) {
  const Text& full = text(whole);
  return full.width <= width ? full : text(m_metrics.elidedText(whole, Qt::ElideRight, width));
}

void TextCache::draw(QPainter& painter, const QRect& box, const Text& text) const {
  painter.setFont(m_font);
  const double y = box.top() + (box.height() - m_metrics.height()) / 2;
  painter.drawStaticText(QPointF(box.left(), std::round(y)), text.laidOut);
}

} // namespace rankscope::ui
