// SPDX-License-Identifier: GPL-3.0-or-later
// What was repaired, skipped or suspicious while reading a file, and where: nothing is lost silently.
// Counts are exact; of each kind the first kMaxStored are kept with their place and text so that a broken
// file cannot fill the memory.
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
  Repaired,   // the event is loaded, something in it was repaired
  Skipped,    // the event could not be read and is missing
  Suspicious, // the event is loaded as recorded, but something about it is wrong
};

struct Diagnostic {
  DiagnosticKind kind;
  SourceRef at;
  std::string text;
  std::string where = {}; // the place as its reader calls it, "byte 17"; in what was published

  // "byte 17: an event that is not readable"
  [[nodiscard]] std::string whereAndWhat() const { return where.empty() ? text : where + ": " + text; }
};

class Diagnostics {
 public:
  static constexpr std::size_t kMaxStored = 200;
  // How often each kind occurred.
  using Counts = std::array<std::uint64_t, 3>;

  Diagnostics() = default;
  // Those of an earlier reading.
  Diagnostics(const Counts& counts, std::vector<Diagnostic> items)
      : m_counts(counts), m_items(std::move(items)) {}

  void add(DiagnosticKind kind, SourceRef at, std::string text) {
    if (m_counts[static_cast<std::size_t>(kind)]++ < kMaxStored)
      m_items.push_back({kind, at, std::move(text)});
  }
  // Adds everything that another part of the same file reported; call in the order of the file.
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
