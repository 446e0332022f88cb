// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline on a display with 1.25 device pixels to a logical one.
#include "tests/ui/timeline/fractional_scale.h"
#include "tests/ui/ui_test.h"

using namespace rankscope::ui;

class Scaled125Test : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("QT_SCALE_FACTOR", "1.25"); }

 private slots:
  void aSliceIsHitWhereItIsDrawn() { test_timeline::checkHits(1.25); }
  void partsArePaintedWithoutSeams() { test_timeline::checkPartialPainting(); }
};

RANKSCOPE_UI_TEST(Scaled125Test)
#include "scaled_125_test.moc"
