// SPDX-License-Identifier: GPL-3.0-or-later
// What a tab offers that lays another job beside the open one. UI thread.
#pragma once

#include "core/io/load/trace_loader.h"

#include <QStringList>

namespace rankscope::ui {

class OpensBeside {
 public:
  OpensBeside() = default;
  OpensBeside(const OpensBeside&) = delete;
  OpensBeside& operator=(const OpensBeside&) = delete;
  virtual ~OpensBeside() = default;

  // Returns at once; the open job stays.
  virtual void openBeside(const QStringList& paths, const LoadOptions& options) = 0;
};

} // namespace rankscope::ui
