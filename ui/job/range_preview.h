// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the job that a new range selects, at once: tabs that need little of it show it while the range
// is dragged, before findings and tables of the range are known. One for each session, which owns it; made
// when first asked for. UI thread.
#pragma once

#include "core/analysis/job/analysis.h"

#include <QObject>

#include <memory>

namespace rankscope::ui {

class TraceSession;

class RangePreview : public QObject {
  Q_OBJECT
 public:
  [[nodiscard]] static RangePreview& of(TraceSession& session);

  void offer(const std::shared_ptr<const Analysis>& part) { emit offered(part); }

 signals:
  // Nothing of it is computed yet.
  void offered(std::shared_ptr<const Analysis> part);

 private:
  using QObject::QObject;
};

} // namespace rankscope::ui
