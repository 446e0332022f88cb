// SPDX-License-Identifier: GPL-3.0-or-later
// Cleaning up when a signal ends the program: SIGINT, SIGTERM, SIGHUP, or SIGPIPE (the reader of its output
// has ended). Afterwards the signal ends the program all the same; a second signal ends it at once. Signals
// that are ignored or handled otherwise stay so. Thread-safe.
#pragma once

namespace rankscope {

// cleanUp: called on a thread of its own while others still run; twice, because what one of these functions
// ends may have written meanwhile. The first call starts the thread; if it cannot be started, signals end the
// program as they would.
void onEndingSignal(void (*cleanUp)() noexcept);

} // namespace rankscope
