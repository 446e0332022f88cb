// SPDX-License-Identifier: GPL-3.0-or-later
// Reports errors of background work whose requester cannot show them: the window shows them. One per
// program. UI thread.
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
