// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/stacks/stacks_columns.h"

#include "ui/base/ui_text.h"

namespace rankscope::ui {

std::vector<ShownColumn> moduleColumns() {
  return {
      {.source = "module", .title = tr("Module")},
      {.source = "path", .title = tr("Path"), .hidden = true},
      {.source = "layer", .title = tr("Layer"), .hide = Hide::AllEmpty, .hidden = true},
      {.source = "total_us",
       .title = tr("Device"),
       .tip = tr("Device time of forward, recomputation and backward"),
       .needs = "total_us"},
      {.source = "host_us", .title = tr("Host"), .tip = tr("Time of its calls on the host")},
      {.source = "forward_us",
       .title = tr("Forward"),
       .tip = tr("Device time launched in the forward pass"),
       .needs = "total_us"},
      {.source = "recompute_us",
       .title = tr("Recomp."),
       .tip = tr("Device time of modules that ran again in the backward pass"),
       .needs = "recompute_us"},
      {.source = "backward_us",
       .title = tr("Backward"),
       .tip = tr("Device time of the backward functions of its operators"),
       .needs = "backward_us"},
      {.source = "self_us",
       .title = tr("Self"),
       .tip = tr("Device time of forward without submodules"),
       .needs = "total_us"},
      {.source = "calls", .title = tr("Calls")},
      {.source = "exposed_us",
       .title = tr("Exposed"),
       .tip = tr("Exposed communication that it launched"),
       .needs = "exposed_us"},
      {.source = "idle_us",
       .title = tr("GPU idle"),
       .tip = tr("Idle time of the device while the host was in it"),
       .needs = "idle_us"},
      {.source = "size_increase_bytes",
       .title = tr("Size increase"),
       .tip = tr("Bytes allocated in it less bytes freed"),
       .needs = "size_increase_bytes",
       .hidden = true},
  };
}

std::vector<ShownColumn> frameColumns() {
  return {
      {.source = "frame", .title = tr("Frame")},
      {.source = "total", .title = tr("Total"), .tip = tr("Of all stacks with the frame, each counted once")},
      {.source = "total_pct",
       .title = tr("Share"),
       .tip = tr("Total of the frame, of all stacks shown"),
       .share = true},
      {.source = "self", .title = tr("Self"), .tip = tr("Of the stacks that end with the frame")},
      {.source = "events", .title = tr("Events"), .tip = tr("Events whose stack has the frame")},
  };
}

} // namespace rankscope::ui
