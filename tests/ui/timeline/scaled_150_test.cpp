// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline on a display with 1.5 device pixels to a logical one.
#include "tests/ui/timeline/fractional_scale.h"
#include "tests/ui/ui_test.h"

using namespace rankscope::ui;

class Scaled150Test : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("QT_SCALE_FACTOR", "1.5"); }

 private slots:
  void aSliceIsHitWhereItIsDrawn() { test_timeline::checkHits(1.5); }
  void partsArePaintedWithoutSeams() { test_timeline::checkPartialPainting(); }
};

RANKSCOPE_UI_TEST(Scaled150Test)
#include "scaled_150_test.moc"
