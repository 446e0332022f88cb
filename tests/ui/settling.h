// SPDX-License-Identifier: GPL-3.0-or-later
// Waits until nothing is under way any more.
#pragma once

#include "ui/base/pending_work.h"

#include <QSignalSpy>
#include <QTest>

namespace rankscope::ui {

// What tests wait for comes much earlier, unless the machine is busy.
inline constexpr int kTimeoutMs = 60'000;

// False when it takes longer than that.
[[nodiscard]] inline bool settles(PendingWork& work, int patienceMs = kTimeoutMs) {
  if (work.idle()) return true;
  QSignalSpy settled(&work, &PendingWork::settled);
  return QTest::qWaitFor([&] { return settled.count() > 0 && work.idle(); }, patienceMs);
}

} // namespace rankscope::ui
