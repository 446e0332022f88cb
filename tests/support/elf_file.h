// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of an executable: hardening and required libraries. 64-bit ELF only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::test {

struct ElfFacts {
  bool positionIndependent = false; // position-independent executable
  bool relocationsReadOnly = false; // PT_GNU_RELRO
  bool bindsAtStart = false;        // BIND_NOW: the jump table is filled at start and then read-only
  bool stackNotExecutable = false;
  std::vector<std::string> libraries; // DT_NEEDED
  std::vector<std::string> imports;   // functions and data imported from them
};

// Empty if the file is not a dynamically linked 64-bit ELF.
[[nodiscard]] std::optional<ElfFacts> elfFacts(const std::filesystem::path& program);

} // namespace rankscope::test
