// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/text_scale.h"

#include <QFont>
#include <QFontInfo>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

// Desktop fonts of 12 to 15 logical pixels (9 to 11 points) count as the default size.
constexpr qreal kMaxUsualSize = 15.5;
constexpr qreal kUsual = 14;

qreal& scale() {
  static qreal now = 1;
  return now;
}

} // namespace

qreal textScaleOf(const QFont& desktop) {
  const qreal pixels = desktop.pixelSize() > 0 ? desktop.pixelSize() : QFontInfo(desktop).pixelSize();
  return pixels <= kMaxUsualSize ? 1 : std::min(pixels / kUsual, kMaxTextScale);
}

qreal textScale() {
  return scale();
}

void setTextScale(qreal wanted) {
  scale() = std::clamp<qreal>(wanted, 1, kMaxTextScale);
}

int scaledToText(int pixels) {
  return static_cast<int>(std::lround(pixels * scale()));
}

} // namespace rankscope::ui
