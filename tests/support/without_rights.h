// SPDX-License-Identifier: GPL-3.0-or-later
// Drops root privileges for tests of file permissions: during its lifetime the process is a user who owns
// only the given folder.
#pragma once

#include <filesystem>
#include <stdexcept>

#include <unistd.h>

namespace rankscope::test {

class WithoutRights {
 public:
  explicit WithoutRights(const std::filesystem::path& folder) : m_wasRoot(geteuid() == 0) {
    if (!m_wasRoot) return;
    if (chown(folder.c_str(), kAbsent, kAbsent) != 0 || setresuid(kAbsent, kAbsent, 0) != 0)
      throw std::runtime_error("root cannot be somebody else here");
  }
  ~WithoutRights() {
    if (m_wasRoot && setresuid(0, 0, 0) != 0) std::terminate();
  }
  WithoutRights(const WithoutRights&) = delete;
  WithoutRights& operator=(const WithoutRights&) = delete;

 private:
  static constexpr uid_t kAbsent = 65534;
  bool m_wasRoot;
};

} // namespace rankscope::test
