// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/mapping_guard.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace rankscope {

namespace {

// Size of the range that is replaced by zeros at once. Large enough that a truncated file of many gigabytes
// raises few signals, small enough that one unreadable page does not affect much data.
constexpr std::uintptr_t kStretch = std::uintptr_t{2} << 20;

std::array<MappingGuard::Place, 1024> places;
std::uintptr_t pageBytes = 4096;
struct sigaction before;

// Runs in a signal handler: uses only system calls and atomics.
bool mapZeroPages(std::uintptr_t at) {
  for (MappingGuard::Place& place : places) {
    const std::uintptr_t begin = place.begin.load(std::memory_order_acquire);
    const std::uintptr_t end = place.end.load(std::memory_order_acquire);
    if (begin == 0 || at < begin || at >= end) continue;
    const std::uintptr_t page = at - at % pageBytes;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the signal reports an address
    void* const from = reinterpret_cast<void*>(page);
    if (mmap(from, std::min(kStretch, end - page), PROT_READ | PROT_WRITE,
             MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
      return false;
    place.faulted.store(true, std::memory_order_release);
    return true;
  }
  return false;
}

void onBusError(int signal, siginfo_t* info, void* context) {
  if (mapZeroPages(reinterpret_cast<std::uintptr_t>(info->si_addr))) return;
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else {
    // The read is retried and then terminates the program as it would without a guard.
    sigaction(SIGBUS, &before, nullptr);
  }
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    pageBytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
  });
}

} // namespace

MappingGuard::MappingGuard(void* begin, std::size_t bytes) {
  install();
  for (Place& place : places) {
    if (place.taken.exchange(true)) continue;
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    place.faulted = false;
    place.end.store(at + (bytes + pageBytes - 1) / pageBytes * pageBytes, std::memory_order_release);
    place.begin.store(at, std::memory_order_release);
    m_place = &place;
    return;
  }
}

MappingGuard::~MappingGuard() {
  if (m_place == nullptr) return;
  m_place->begin = 0;
  m_place->end = 0;
  m_place->taken = false;
}

bool MappingGuard::faulted() const {
  return m_place != nullptr && m_place->faulted.load(std::memory_order_acquire);
}

} // namespace rankscope
