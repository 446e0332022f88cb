// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of one file. A plain file is mapped copy-on-write: its text can be patched in place without
// touching the file, and pages that are not read cost nothing. A compressed file is recognized by its first
// bytes, never by its name, and is decompressed front to back by an Inflater, which may be created again as
// often as the file is read again.
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

// What happened to a file while it was open.
struct FileChange {
  DiagnosticKind kind; // Skipped: some of it could not be read
  std::uint64_t byte;  // of the file that it concerns
  std::string text;
};

class FileBytes {
 public:
  // Errors: not a regular file, empty, not readable.
  [[nodiscard]] static Result<FileBytes> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return m_path; }
  [[nodiscard]] std::span<char> bytes() const { return m_bytes; }
  [[nodiscard]] bool compressed() const;
  // Since it was opened; nothing while it is as it was.
  [[nodiscard]] std::optional<FileChange> change() const;
  // Keeps the mapping alive.
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
  const Mapping* m_mapping = nullptr; // what m_owner keeps
  std::span<char> m_bytes;
  std::shared_ptr<void> m_owner;
};

// Inflates a gzip file of one or several members in order. REQUIRES: the bytes outlive it.
class Inflater {
 public:
  explicit Inflater(std::span<const char> compressed);
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  // Fills `to` as far as the data goes; fewer bytes than asked for only at the end. When the data is damaged
  // or cut, returns what could be decompressed before it and gives the reason in problem().
  [[nodiscard]] std::size_t read(std::span<char> to);

  [[nodiscard]] std::uint64_t compressedBytesRead() const;
  // Empty while all is well; else what is wrong with the compressed data, at compressedBytesRead().
  [[nodiscard]] const std::string& problem() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace rankscope
