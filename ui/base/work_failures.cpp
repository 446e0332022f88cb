// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/work_failures.h"

namespace rankscope::ui {

WorkFailures& WorkFailures::ofProgram() {
  static WorkFailures failures;
  return failures;
}

void reportFailure(const Error& error) {
  emit WorkFailures::ofProgram().reported(error);
}

} // namespace rankscope::ui
