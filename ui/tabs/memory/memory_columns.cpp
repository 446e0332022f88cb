// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/memory_columns.h"

#include "ui/base/ui_text.h"
#include "ui/tables/model_parts.h"

namespace rankscope::ui {

std::vector<ShownColumn> memoryOperatorColumns() {
  std::vector<ShownColumn> columns{
      {.source = "operator", .title = tr("Operator")},
      {.source = "calls", .title = tr("Calls"), .tip = tr("Calls that allocated or freed memory")},
      {.source = "self_allocation_bytes",
       .title = tr("Share"),
       .tip = tr("Self allocated as a share of all operators"),
       .share = true},
      {.source = "self_allocation_bytes",
       .title = tr("Self allocated"),
       .tip = tr("Sum of allocations, excluding child operators"),
       .footer = Footer::Sum},
      {.source = "self_size_increase_bytes",
       .title = tr("Self increase"),
       .tip = tr("Allocated minus freed, excluding child operators"),
       .footer = Footer::Sum},
      {.source = "self_allocations", .title = tr("Self allocations"), .footer = Footer::Sum},
      {.source = "size_increase_bytes", .title = tr("Increase"), .hidden = true},
      {.source = "allocation_bytes", .title = tr("Allocated"), .tip = tr("Including child operators")},
      {.source = "allocations", .title = tr("Allocations"), .tip = tr("Including child operators")},
  };
  const std::vector<ShownColumn> parts = modelPartColumns();
  columns.insert(columns.begin() + 1, parts.begin(), parts.end());
  return columns;
}

std::vector<ShownColumn> memoryBlockColumns() {
  return {
      {.source = "bytes", .title = tr("Size"), .footer = Footer::Sum},
      {.source = "operator", .title = tr("Allocated by")},
      {.source = "source",
       .title = tr("Line"),
       .tip = tr("Innermost user source line of the allocation"),
       .hide = Hide::AllEmpty},
      {.source = "allocated_us",
       .title = tr("Allocated at"),
       .tip = tr("From the job's first event; empty if before the recording")},
      {.source = "held_us",
       .title = tr("Lifetime"),
       .tip = tr("Empty if its allocation or its free was not recorded")},
  };
}

} // namespace rankscope::ui
