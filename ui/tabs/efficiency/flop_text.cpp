// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/efficiency/flop_text.h"

#include <array>

namespace rankscope::ui {

QString flopText(double flops) {
  static constexpr std::array<const char*, 6> kUnits{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  std::size_t unit = 0;
  while (flops >= 1'000 && unit + 1 < kUnits.size()) {
    flops /= 1'000;
    ++unit;
  }
  const int decimals = unit == 0 || flops >= 100 ? 0 : flops >= 10 ? 1 : 2;
  return QStringLiteral("%1 %2").arg(flops, 0, 'f', decimals).arg(QLatin1String(kUnits[unit]));
}

} // namespace rankscope::ui
