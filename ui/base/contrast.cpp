// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/contrast.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr float kShade = 0.02F; // of lightness

// Relative luminance, 0 to 1.
double luminance(QColor color) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

} // namespace

double contrast(QColor a, QColor b) {
  const double la = luminance(a);
  const double lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor onGround(QColor color, QColor ground, double share) {
  const auto part = [share](int a, int b) { return qRound(a * share + b * (1 - share)); };
  return {part(color.red(), ground.red()), part(color.green(), ground.green()),
          part(color.blue(), ground.blue())};
}

QColor readableOn(QColor color, QColor ground) {
  const float by = contrast(ground, Qt::black) > contrast(ground, Qt::white) ? -kShade : kShade;
  float lightness = color.lightnessF();
  while (contrast(color, ground) < kReadable && lightness + by >= 0 && lightness + by <= 1) {
    lightness += by;
    color = QColor::fromHslF(color.hslHueF(), color.hslSaturationF(), lightness);
  }
  return color;
}

} // namespace rankscope::ui
