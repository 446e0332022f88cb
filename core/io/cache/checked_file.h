// SPDX-License-Identifier: GPL-3.0-or-later
// A file of large arrays that is mapped, not read, and never trusted before it is proven: every byte of it is
// under a checksum. A header (magic, version, who wrote it, lengths), the identity of what it was made from,
// 64-byte aligned blocks of data, a directory of the blocks, and a table with a checksum for each
// MiB. It is written as an AtomicFile, so that no reader ever sees half of one. A writer belongs to one
// thread; an open file may be read from all.
#pragma once

#include "core/base/atomic_file.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kDataAlignment = 64;

class CheckedFileWriter {
 public:
  // Creates the temporary file beside its path. good() is false when it cannot be.
  CheckedFileWriter(std::string path, std::string_view identity);

  // False from the first byte on that could not be written.
  [[nodiscard]] bool good() const { return m_file.good(); }
  // Appends at the next aligned place and returns it.
  std::uint64_t addData(std::span<const std::byte> bytes);
  // For data that is made in pieces: the aligned place where it begins, then its pieces.
  std::uint64_t beginData();
  void append(std::span<const std::byte> bytes);
  // Adds the directory and the checksums and puts the file in its place; false when that failed. fingerprint:
  // of the program and the machine that may read it.
  [[nodiscard]] bool finish(std::string_view directory, std::uint64_t fingerprint);

 private:
  void flushBlock();

  AtomicFile m_file;
  std::uint64_t m_identityBytes = 0;
  std::uint64_t m_size = 0;
  std::vector<std::byte> m_block; // begun and not written
  std::vector<std::uint64_t> m_checksums;
};

enum class CheckedFileState : std::uint8_t { Absent, Foreign, Damaged, Whole };

class CheckedFile {
 public:
  // Maps the file and looks at its header only. Foreign: of another version, program or machine.
  [[nodiscard]] static CheckedFileState open(const std::string& path, std::uint64_t fingerprint,
                                             CheckedFile& file);

  [[nodiscard]] std::uint64_t size() const { return m_bytes.size(); }
  // Not yet proven: only fit to be compared.
  [[nodiscard]] std::string_view identity() const { return m_identity; }
  // Reads all of it once, on up to threadCount threads; false when a byte is not as it was written, or when
  // `proceed`, which is called with each block's bytes on any of them, returns false.
  [[nodiscard]] bool verify(unsigned threadCount, const std::function<bool(std::uint64_t)>& proceed) const;

  // REQUIRES of all below: verify() returned true.
  [[nodiscard]] std::string_view directory() const { return m_directory; }
  // What addData or beginData placed at `at`; empty when that is not inside of the data or not aligned.
  [[nodiscard]] std::span<const std::byte> data(std::uint64_t at, std::uint64_t size) const;
  // Keeps the mapping alive.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return m_owner; }

 private:
  std::shared_ptr<const void> m_owner;
  std::span<const std::byte> m_bytes;
  std::span<const std::byte> m_body; // under block checksums
  std::span<const std::byte> m_table;
  std::string_view m_identity;
  std::string_view m_directory;
};

} // namespace rankscope
