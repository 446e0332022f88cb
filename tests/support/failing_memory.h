// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that runs out when a test says so: whoever links this has an operator new that fails as it was told.
#pragma once

#include <cstdint>

namespace rankscope::test {

// The request after so many more fails, and all after it do until letMemoryLast(): of the whole process,
// whatever the thread. Pages that are mapped without operator new are still given.
void endMemoryAfter(std::int64_t requests);
// Only the one request fails.
void failOneRequestAfter(std::int64_t requests);
// All requests fail but those of the thread that calls this.
void endMemoryOfOtherThreads();
void letMemoryLast();
// How many requests were made since one of these was called.
[[nodiscard]] std::int64_t memoryRequests();
// How many of them failed.
[[nodiscard]] std::int64_t refusedRequests();

} // namespace rankscope::test
