// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flames/flame_style.h"

#include "core/base/unit_text.h"
#include "ui/base/event_palette.h"
#include "ui/base/short_name.h"
#include "ui/base/theme.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/picture/span_raster.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr double kFullChange = 0.05; // of the whole, in full color

EventKind kindOfFrame(FrameKind kind) {
  switch (kind) {
  case FrameKind::Kernel:
    return EventKind::Kernel;
  case FrameKind::Communication:
    return EventKind::Collective;
  case FrameKind::Copy:
    return EventKind::Copy;
  case FrameKind::Module:
  case FrameKind::OwnPython:
  case FrameKind::OtherPython:
    return EventKind::Python;
  default:
    return EventKind::CpuOp;
  }
}

} // namespace

QColor mixedColor(const QColor& color, const QColor& with, std::uint32_t alpha) {
  return QColor::fromRgb(mixed(color.rgb(), with.rgb(), alpha));
}

QString weightText(StackWeight weight, std::int64_t value) {
  switch (unitOf(weight)) {
  case StackUnit::Nanoseconds:
    return QString::fromStdString(durationText(value));
  case StackUnit::Bytes:
    return QString::fromStdString(bytesText(value));
  case StackUnit::Count:
    break;
  }
  return QString::fromStdString(groupedText(value));
}

QString frameLabel(const StackTree::Frame& frame) {
  if (frame.kind == FrameKind::Module) return textOf(frame.text).section(QStringLiteral(": "), 1);
  const bool isShort = frame.kind == FrameKind::Kernel || frame.kind == FrameKind::Communication ||
                       frame.kind == FrameKind::OwnPython || frame.kind == FrameKind::OtherPython;
  return isShort ? QString::fromStdString(shortName(kindOfFrame(frame.kind), frame.text))
                 : textOf(frame.text);
}

QString changeText(StackWeight weight, const FlameLayout& difference, std::uint32_t node) {
  const std::int64_t change = difference.change(node);
  if (change == 0) return tr("no change");
  const QString amount = weightText(weight, change < 0 ? -change : change);
  if (std::int64_t{difference.totalsB[node].weight} == 0) return tr("%1 only in A").arg(amount);
  if (std::int64_t{difference.totalsA[node].weight} == 0) return tr("%1 only in B").arg(amount);
  return (change > 0 ? tr("%1 more in B") : tr("%1 less in B")).arg(amount);
}

QColor changeColor(const Theme& theme, double share) {
  const double part = std::min(1.0, std::abs(share) / kFullChange);
  const QColor same = mixedColor(theme.faint, theme.panel, 110);
  const QColor& full = share > 0 ? theme.exposed : theme.accent;
  return mixedColor(full, same, static_cast<std::uint32_t>(std::lround(255 * (1 - part))));
}

QColor frameColor(const Theme& theme, const StackTree::Frame& frame) {
  switch (frame.kind) {
  case FrameKind::Place:
  case FrameKind::Group:
    return mixedColor(theme.faint, theme.panel, 110);
  case FrameKind::Module:
    return theme.forward;
  case FrameKind::OwnPython:
    return theme.python;
  case FrameKind::OtherPython:
    return mixedColor(theme.python, theme.panel, 120);
  case FrameKind::Annotation:
    return theme.annotation;
  case FrameKind::Operator:
    return theme.cpuOp;
  case FrameKind::Runtime:
    return theme.runtime;
  case FrameKind::Backward:
    return theme.backward;
  case FrameKind::Kernel:
    return theme.*colorRole(EventKind::Kernel, frame.text);
  case FrameKind::Communication:
    return theme.communication;
  case FrameKind::Copy:
    return theme.memoryCopy;
  case FrameKind::Idle:
    return theme.bad;
  case FrameKind::Memory:
    return theme.dataLoader;
  }
  return theme.faint;
}

QColor moduleColor(const Theme& theme, std::string_view moduleClass) {
  if (moduleClass.empty()) return mixedColor(theme.faint, theme.panel, 110);
  std::uint32_t hash = 2166136261U; // FNV-1a: the same in every run
  for (const char c : moduleClass) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  const QColor like = theme.forward;
  return QColor::fromHsl(static_cast<int>(hash % 360U), std::min(like.hslSaturation(), 150),
                         like.lightness());
}

} // namespace rankscope::ui
