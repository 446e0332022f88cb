// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated out of memory: an operator new that fails on request of a test.
#pragma once

#include <cstdint>

namespace rankscope::test {

// After so many requests all further ones fail until letMemoryLast(), on all threads. Pages mapped without
// operator new are not affected.
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
