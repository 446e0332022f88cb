// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/failing_memory.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include <pthread.h>

namespace rankscope::test {
namespace {

constexpr std::int64_t kNeverCritical = std::numeric_limits<std::int64_t>::max();

std::atomic<std::int64_t> requests{0};
std::atomic<std::int64_t> refused{0};
std::atomic<std::int64_t> firstFailing{kNeverCritical};
std::atomic<std::int64_t> lastFailing{kNeverCritical};
std::atomic<bool> sparesOneThread{false};
std::atomic<pthread_t> spared{};

void set(std::int64_t first, std::int64_t last, bool sparesCaller) {
  firstFailing = kNeverCritical;
  requests = 0;
  refused = 0;
  spared = pthread_self();
  sparesOneThread = sparesCaller;
  lastFailing = last;
  firstFailing = first;
}

bool fails(std::int64_t number) noexcept {
  if (number < firstFailing.load(std::memory_order_relaxed) ||
      number > lastFailing.load(std::memory_order_relaxed))
    return false;
  return !sparesOneThread || pthread_equal(spared, pthread_self()) == 0;
}

} // namespace

void endMemoryAfter(std::int64_t granted) {
  set(granted, kNeverCritical, false);
}

void failOneRequestAfter(std::int64_t granted) {
  set(granted, granted, false);
}

void endMemoryOfOtherThreads() {
  set(0, kNeverCritical, true);
}

void letMemoryLast() {
  firstFailing = kNeverCritical;
}

std::int64_t memoryRequests() {
  return requests;
}

std::int64_t refusedRequests() {
  return refused;
}

// Null if this allocation must fail, or if there is no memory.
void* requested(std::size_t size) noexcept {
  if (!fails(requests.fetch_add(1, std::memory_order_relaxed))) return std::malloc(size > 0 ? size : 1);
  refused.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

} // namespace rankscope::test

void* operator new(std::size_t size) {
  if (void* const memory = rankscope::test::requested(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return rankscope::test::requested(size);
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return rankscope::test::requested(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
