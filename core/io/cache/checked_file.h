// SPDX-License-Identifier: GPL-3.0-or-later
// A file of large arrays that is mapped and protected by checksums over every byte. Layout: header (magic,
// version, writer, lengths), identity of the sources, 64-byte aligned data blocks, directory of the blocks,
// table with a checksum per MiB. Written as an AtomicFile, so readers never see an incomplete file. A writer
// is for one thread; an open file is thread-safe.
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
  // Creates the temporary file next to `path`. good() is false if that fails.
  // permissions: as for open(2).
  CheckedFileWriter(std::string path, std::string_view identity, mode_t permissions = 0600);

  // False after the first failed write.
  [[nodiscard]] bool good() const { return m_file.good(); }
  // The errno of the first failure; 0 if none.
  [[nodiscard]] int error() const { return m_file.error(); }
  // Appends at the next aligned position and returns that position.
  std::uint64_t addData(std::span<const std::byte> bytes);
  // For data written in pieces: returns the aligned position where it begins; then call append().
  std::uint64_t beginData();
  void append(std::span<const std::byte> bytes);
  // Writes the directory and the checksums, and renames the file to its final path; false on failure.
  // fingerprint: identifies the program and machine that may read the file.
  [[nodiscard]] bool finish(std::string_view directory, std::uint64_t fingerprint);

 private:
  void flushBlock();

  AtomicFile m_file;
  std::uint64_t m_identityBytes = 0;
  std::uint64_t m_size = 0;
  std::vector<std::byte> m_block; // data not written yet
  std::vector<std::uint64_t> m_checksums;
};

enum class CheckedFileState : std::uint8_t { Absent, Foreign, Damaged, Whole };

class CheckedFile {
 public:
  // Maps the file and checks its header only. Foreign: written by another version, program or machine.
  [[nodiscard]] static CheckedFileState open(const std::string& path, std::uint64_t fingerprint,
                                             CheckedFile& file);

  [[nodiscard]] std::uint64_t size() const { return m_bytes.size(); }
  // Not verified yet; only use it for comparison.
  [[nodiscard]] std::string_view identity() const { return m_identity; }
  // Verifies all checksums on up to threadCount threads. False if a byte differs, or if `proceed` returns
  // false; it is called on any of the threads with the number of bytes of each block.
  [[nodiscard]] bool verify(unsigned threadCount, const std::function<bool(std::uint64_t)>& proceed) const;

  // REQUIRES for all of the following: verify() returned true.
  [[nodiscard]] std::string_view directory() const { return m_directory; }
  // Data at a position returned by addData or beginData; empty if out of bounds or not aligned.
  [[nodiscard]] std::span<const std::byte> data(std::uint64_t at, std::uint64_t size) const;
  // Shared ownership of the mapping.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return m_owner; }

 private:
  std::shared_ptr<const void> m_owner;
  std::span<const std::byte> m_bytes;
  std::span<const std::byte> m_body; // covered by block checksums
  std::span<const std::byte> m_table;
  std::string_view m_identity;
  std::string_view m_directory;
};

} // namespace rankscope
