// SPDX-License-Identifier: GPL-3.0-or-later
// Where an Error goes of work whose asker has no place of its own to tell it: to the window, which says so.
// One for the program. UI thread.
#pragma once

#include "core/base/result.h"

#include <QObject>

namespace rankscope::ui {

class WorkFailures : public QObject {
  Q_OBJECT
 public:
  static WorkFailures& ofProgram();

 signals:
  void reported(const rankscope::Error& error);

 private:
  WorkFailures() = default;
};

void reportFailure(const Error& error);

} // namespace rankscope::ui
