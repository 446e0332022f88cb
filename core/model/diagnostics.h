// SPDX-License-Identifier: GPL-3.0-or-later
// What was repaired, skipped or found suspicious while reading a file, with its position. Counts are exact.
// Only the first kMaxStored of each kind are stored, so that a damaged file cannot fill the memory.
#pragma once

#include "core/model/source_ref.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

enum class DiagnosticKind : std::uint8_t {
  Repaired,   // the event was loaded after a repair
  Skipped,    // the event could not be read and is missing
  Suspicious, // the event was loaded as recorded, but looks wrong
};

struct Diagnostic {
  DiagnosticKind kind;
  SourceRef at;
  std::string text;
  std::string where = {}; // position as named by the reader, "byte 17"; set on publication

  // "byte 17: an event that is not readable"
  [[nodiscard]] std::string whereAndWhat() const { return where.empty() ? text : where + ": " + text; }
};

class Diagnostics {
 public:
  static constexpr std::size_t kMaxStored = 200;
  // Number of occurrences by kind.
  using Counts = std::array<std::uint64_t, 3>;

  Diagnostics() = default;
  // Restores diagnostics from the cache.
  Diagnostics(const Counts& counts, std::vector<Diagnostic> items)
      : m_counts(counts), m_items(std::move(items)) {}

  void add(DiagnosticKind kind, SourceRef at, std::string text) {
    if (m_counts[static_cast<std::size_t>(kind)]++ < kMaxStored)
      m_items.push_back({kind, at, std::move(text)});
  }
  // Adds the diagnostics of another part of the same file. Call in file order.
  void append(const Diagnostics& other);

  [[nodiscard]] std::uint64_t count(DiagnosticKind kind) const {
    return m_counts[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const Counts& counts() const { return m_counts; }
  [[nodiscard]] const std::vector<Diagnostic>& items() const { return m_items; }

 private:
  Counts m_counts{};
  std::vector<Diagnostic> m_items;
};

} // namespace rankscope
