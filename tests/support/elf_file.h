// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of an executable: hardening and required libraries. 64-bit ELF only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::test {

struct ElfFacts {
  bool positionIndependent = false; // loaded at any address
  bool relocationsReadOnly = false; // PT_GNU_RELRO
  bool bindsAtStart = false;        // all of its jump table is filled, and read-only, before it runs
  bool stackNotExecutable = false;
  std::vector<std::string> libraries; // DT_NEEDED
  std::vector<std::string> imports;   // functions and data that it takes from them
};

// Nothing for a file that is no 64-bit ELF with a dynamic part.
[[nodiscard]] std::optional<ElfFacts> elfFacts(const std::filesystem::path& program);

} // namespace rankscope::test
