// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/range_preview.h"

#include "ui/job/trace_session.h"

namespace rankscope::ui {

RangePreview& RangePreview::of(TraceSession& session) {
  auto* preview = session.findChild<RangePreview*>(QString(), Qt::FindDirectChildrenOnly);
  return preview != nullptr ? *preview : *new RangePreview(&session);
}

} // namespace rankscope::ui
