// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/label_cache.h"

#include <cmath>
#include <cstdlib>
#include <memory>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

namespace rankscope::ui {
namespace {

constexpr std::size_t kMostLabels = 20'000;
constexpr int kWidthStep = 4;

std::string demangled(std::string_view name) {
  std::string text(name);
#if __has_include(<cxxabi.h>)
  if (name.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(
        abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
    if (status == 0 && readable) text = readable.get();
  }
#endif
  return text;
}

// Drops what stands between the brackets, nested ones too. An arrow's '>' closes nothing.
std::string withoutTemplateArguments(std::string_view name) {
  std::string kept;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) kept += c;
    if (c == '>' && depth > 0) --depth;
  }
  return depth == 0 ? kept : std::string(name);
}

std::string shortKernelName(std::string_view recorded) {
  std::string name = withoutTemplateArguments(demangled(recorded));
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (auto at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous))
    name.erase(at, kAnonymous.size());
  if (const auto arguments = name.find('('); arguments != std::string::npos && arguments > 0)
    name.resize(arguments);
  if (const auto scope = name.rfind("::"); scope != std::string::npos && scope + 2 < name.size())
    name.erase(0, scope + 2);
  if (const auto type = name.rfind(' '); type != std::string::npos && type + 1 < name.size())
    name.erase(0, type + 1);
  return name.empty() ? std::string(recorded) : name;
}

// "torch/nn/modules/module.py(1501): _call_impl" as "_call_impl module.py:1501".
std::string shortFrameName(std::string_view name) {
  const auto open = name.rfind("): ");
  if (open == std::string_view::npos) return std::string(name);
  const auto line = name.rfind('(', open);
  if (line == std::string_view::npos) return std::string(name);
  const auto folder = name.substr(0, line).find_last_of("/\\");
  const auto file = name.substr(0, line).substr(folder == std::string_view::npos ? 0 : folder + 1);
  return std::string(name.substr(open + 3)) + "  " + std::string(file) + ":" +
         std::string(name.substr(line + 1, open - line - 1));
}

} // namespace

std::string shortName(EventKind kind, std::string_view name) {
  constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
  switch (kind) {
  case EventKind::Kernel:
    return shortKernelName(name);
  case EventKind::Collective: {
    std::string text = shortKernelName(name);
    for (const std::string_view prefix : {"ncclDevKernel_", "ncclKernel_"}) {
      if (text.size() > prefix.size() && text.starts_with(prefix)) text.erase(0, prefix.size());
    }
    return text;
  }
  case EventKind::Python:
    return shortFrameName(name);
  case EventKind::CpuOp:
    if (name.starts_with(kEvaluate)) name.remove_prefix(kEvaluate.size());
    return std::string(name);
  default:
    return std::string(name);
  }
}

LabelCache::LabelCache(const QFont& font, const StringTable& names)
    : m_font(font), m_metrics(font), m_names(names) {}

const LabelCache::Name& LabelCache::nameOf(EventKind kind, NameId name) {
  const std::uint64_t key = (std::uint64_t{name.value} << 8) | static_cast<std::uint64_t>(kind);
  Name& entry = m_texts[key];
  if (entry.width < 0) {
    const std::string text = shortName(kind, m_names[name]);
    // A line of text has no line breaks; what is longer than any screen is not measured.
    constexpr int kLongest = 600;
    entry.text =
        QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).left(kLongest).simplified();
    entry.width = m_metrics.horizontalAdvance(entry.text);
    const qsizetype scope = kind == EventKind::CpuOp ? entry.text.lastIndexOf(QLatin1String("::")) : -1;
    entry.tail = scope < 0 ? entry.text : entry.text.mid(scope + 2);
    entry.tailWidth = m_metrics.horizontalAdvance(entry.tail);
  }
  return entry;
}

const QStaticText* LabelCache::label(EventKind kind, NameId name, int width) {
  if (width < kSmallestWidth) return nullptr;
  if (m_labels.size() > kMostLabels) {
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
    // An ellipsis after one letter says nothing.
    if (tailFits || shown.size() > 2) text.setText(shown);
    text.prepare({}, m_font);
  }
  return entry->second.text().isEmpty() ? nullptr : &entry->second;
}

const TextCache::Text& TextCache::text(const QString& text) {
  constexpr std::size_t kMostTexts = 4000;
  if (m_texts.size() > kMostTexts) m_texts.clear();
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
