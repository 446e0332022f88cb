// SPDX-License-Identifier: GPL-3.0-or-later
// A small export of Nsight Systems for tests: the tables of schema 3.25 (product 2026.2) as far as they are
// read, filled row by row. Times are nanoseconds since the capture began.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;

namespace rankscope::test {

class NsysFile {
 public:
  // Old: schema 2.9 (product 2022.1): export metadata under its old name, environment with NULs, no device
  // map, no monotonic clock, no ids of synchronization. New: schema 3.25 (product 2026.2).
  enum class Version { Old, New };

  // Creates the file with its tables. Errors end in an exception.
  explicit NsysFile(const std::string& path, Version version = Version::New);

  // Any SQL.
  void run(const std::string& sql);
  // The id of a string.
  std::int64_t string(std::string_view text);

  static constexpr std::int64_t kHost = std::int64_t{1} << 48;
  [[nodiscard]] static std::int64_t process(std::int64_t pid) { return kHost | (pid << 24); }
  [[nodiscard]] static std::int64_t thread(std::int64_t pid, std::int64_t tid) { return process(pid) | tid; }

  void session(std::int64_t utc, std::int64_t systemClock, std::string_view host);
  void capture(std::string_view name, std::string_view value);
  void environment(std::string_view name, std::string_view value);
  void call(std::int64_t thread, std::int64_t start, std::int64_t end, std::string_view name,
            std::int64_t correlation, int eventClass = 0);
  struct LaunchShape {
    std::array<std::int64_t, 3> grid{264, 1, 1}, block{128, 1, 1};
    std::int64_t registers = 32, sharedBytes = 0;
  };
  void kernel(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
              std::int64_t end, std::string_view name, std::int64_t correlation);
  void kernel(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
              std::int64_t end, std::string_view name, std::int64_t correlation, const LaunchShape& shape);
  void set(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
           std::int64_t end, std::int64_t bytes, std::int64_t correlation);
  void copy(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
            std::int64_t end, std::int64_t bytes, std::int64_t correlation, std::int64_t kind = 1,
            std::int64_t from = 1, std::int64_t to = 2);
  void range(std::int64_t thread, std::int64_t start, std::int64_t end, std::string_view text,
             std::int64_t domain = 0);

 private:
  struct Close {
    void operator()(sqlite3* file) const;
  };
  std::unique_ptr<sqlite3, Close> m_file;
  Version m_version;
  std::map<std::string, std::int64_t, std::less<>> m_strings;
};

// A text in single quotes for SQL.
[[nodiscard]] std::string sqlText(std::string_view text);

} // namespace rankscope::test
