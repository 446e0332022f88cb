// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mapped_pages.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace rankscope {

namespace {

using Bytes = std::span<const std::byte>;

struct Registry {
  std::mutex mutex;
  std::vector<Bytes> mappings;
};

Registry& registry() {
  static Registry one;
  return one;
}

bool contains(Bytes mapping, Bytes bytes) {
  return mapping.data() <= bytes.data() && bytes.data() + bytes.size() <= mapping.data() + mapping.size();
}

} // namespace

MappedPages::MappedPages(Bytes bytes) : m_bytes(bytes) {
  const std::lock_guard lock(registry().mutex);
  registry().mappings.push_back(bytes);
}

MappedPages::~MappedPages() {
  const std::lock_guard lock(registry().mutex);
  std::vector<Bytes>& mappings = registry().mappings;
  mappings.erase(std::ranges::find(mappings, m_bytes.data(), [](Bytes bytes) { return bytes.data(); }));
}

void giveBackPages(Bytes bytes) {
  static const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::size_t before = (kPage - at % kPage) % kPage;
  if (bytes.size() < before + kPage) return;
  const Bytes pages = bytes.subspan(before, (bytes.size() - before) / kPage * kPage);
  const std::lock_guard lock(registry().mutex);
  const bool mapped =
      std::ranges::any_of(registry().mappings, [&](Bytes mapping) { return contains(mapping, pages); });
  // Not posix_madvise, which may do nothing.
  if (mapped) static_cast<void>(madvise(const_cast<std::byte*>(pages.data()), pages.size(), MADV_DONTNEED));
}

} // namespace rankscope
