// SPDX-License-Identifier: GPL-3.0-or-later
// Another text scale while this lives; a window takes the scale that holds when it is made.
#pragma once

#include "ui/base/text_scale.h"

namespace rankscope::ui {

class LargerTexts {
 public:
  explicit LargerTexts(qreal scale) { setTextScale(scale); }
  ~LargerTexts() { setTextScale(1); }
  LargerTexts(const LargerTexts&) = delete;
  LargerTexts& operator=(const LargerTexts&) = delete;
};

} // namespace rankscope::ui
