// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/text_scale.h"

#include <QFont>
#include <QFontInfo>
#include <QSettings>
#include <QString>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

// Desktop fonts of 12 to 15 logical pixels (9 to 11 points) count as the default size.
constexpr qreal kMaxUsualSize = 15.5;
constexpr qreal kUsual = 14;

const QString kTextSizeKey = QStringLiteral("textSize");

qreal& scale() {
  static qreal now = 1;
  return now;
}

} // namespace

int savedTextSize(const QSettings& settings) {
  const int percent = settings.value(kTextSizeKey).toInt();
  return std::ranges::find(kTextSizes, percent) != kTextSizes.end() ? percent : 0;
}

void saveTextSize(QSettings& settings, int percent) {
  if (percent == 0)
    settings.remove(kTextSizeKey);
  else
    settings.setValue(kTextSizeKey, percent);
}

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
