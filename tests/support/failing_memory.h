// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated out of memory: an operator new that fails on request of a test.
#pragma once

#include <cstdint>

namespace rankscope::test {

// After this number of allocations all further ones fail, on all threads, until letMemoryLast(). Memory
// mapped without operator new is not affected.
void endMemoryAfter(std::int64_t requests);
// Only this one allocation fails.
void failOneRequestAfter(std::int64_t requests);
// All allocations fail except those of the calling thread.
void endMemoryOfOtherThreads();
void letMemoryLast();
// Number of allocations since one of these functions was called.
[[nodiscard]] std::int64_t memoryRequests();
// Number of failed allocations.
[[nodiscard]] std::int64_t refusedRequests();

} // namespace rankscope::test
