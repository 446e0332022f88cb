// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of one file. A plain file is mapped copy-on-write: its text can be patched in memory without
// changing the file, and unread pages cost nothing. A compressed file is recognized by its first bytes, not
// by its name, and is decompressed from the start by an Inflater. To read it again, create another Inflater.
#pragma once

#include "core/base/result.h"
#include "core/model/diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rankscope {

// A change or read error of a file while it is open.
struct FileChange {
  DiagnosticKind kind; // Skipped: some of the file could not be read
  std::uint64_t byte;  // position in the file
  std::string text;
};

class FileBytes {
 public:
  // Errors: not a regular file, empty, unreadable.
  [[nodiscard]] static Result<FileBytes> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return m_path; }
  [[nodiscard]] std::span<char> bytes() const { return m_bytes; }
  [[nodiscard]] bool compressed() const;
  // What has changed since the file was opened; empty if nothing.
  [[nodiscard]] std::optional<FileChange> change() const;
  // Shared ownership of the mapping.
  [[nodiscard]] const std::shared_ptr<void>& owner() const { return m_owner; }

 private:
  struct Mapping;
  struct Stamp {
    std::uint64_t bytes = 0;
    std::int64_t changed = 0; // nanoseconds
    std::uint64_t file = 0;   // number in its file system
    bool operator==(const Stamp&) const = default;
  };
  [[nodiscard]] static Stamp stampOf(const std::string& path);

  std::string m_path;
  Stamp m_stamp;
  const Mapping* m_mapping = nullptr; // owned by m_owner
  std::span<char> m_bytes;
  std::shared_ptr<void> m_owner;
};

// Decompresses a gzip file with one or more members, in order. REQUIRES: the bytes outlive the Inflater.
class Inflater {
 public:
  explicit Inflater(std::span<const char> compressed);
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  // Fills `to`. Returns fewer bytes only at the end. If the data is damaged or truncated, returns what could
  // be decompressed before it, and problem() gives the reason.
  [[nodiscard]] std::size_t read(std::span<char> to);

  [[nodiscard]] std::uint64_t compressedBytesRead() const;
  // Empty if there is no error; else describes the damage at compressedBytesRead().
  [[nodiscard]] const std::string& problem() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace rankscope
