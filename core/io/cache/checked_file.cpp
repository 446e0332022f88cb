// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/checked_file.h"

#include "core/base/mapped_pages.h"
#include "core/base/parallel_for.h"
#include "core/io/files/mapping_guard.h"

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>
#ifdef RANKSCOPE_XXH_DISPATCH
#include <xxh_x86dispatch.h> // the same sums by the widest registers of the machine
#else
#include <xxhash.h>
#endif

namespace rankscope {

namespace {

constexpr std::array<char, 8> kMagic{'R', 'a', 'n', 'k', 's', 'c', 'o', 'p'};
constexpr std::uint64_t kFormatVersion = 1;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint64_t version = kFormatVersion;
  std::uint64_t fingerprint = 0;
  std::uint64_t fileBytes = 0;
  std::uint64_t identityBytes = 0; // directly after the header
  std::uint64_t directoryAt = 0;
  std::uint64_t directoryBytes = 0;
  std::uint64_t tableAt = 0; // end of the body; the table extends to the end of the file
  std::uint64_t tableChecksum = 0;
  std::array<std::uint64_t, 6> reserved{};
  std::uint64_t checksum = 0; // of all previous members

  [[nodiscard]] std::uint64_t ownChecksum() const {
    return XXH3_64bits(this, sizeof *this - sizeof checksum);
  }
};
static_assert(sizeof(Header) == 128 && sizeof(Header) % kDataAlignment == 0);
static_assert(std::has_unique_object_representations_v<Header>);

std::uint64_t blocksOf(std::uint64_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes;
}

// Passes over larger files give back memory; those over smaller ones need not read pages again.
constexpr std::size_t kLargeBytes = std::size_t{1} << 30;

// Guards a mapping, because another process may truncate a cache file while it is checked.
struct Guarded {
  explicit Guarded(boost::interprocess::mapped_region mapped)
      : region(std::move(mapped)), guard(region.get_address(), region.get_size()) {
    if (region.get_size() >= kLargeBytes)
      pages.emplace(std::span(static_cast<const std::byte*>(region.get_address()), region.get_size()));
  }

  boost::interprocess::mapped_region region;
  MappingGuard guard;
  std::optional<MappedPages> pages;
};

std::span<const std::byte> asBytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::span<const std::byte> bytesOf(const Header& header) {
  return std::as_bytes(std::span(&header, 1));
}

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

CheckedFileWriter::CheckedFileWriter(std::string path, std::string_view identity, mode_t permissions)
    : m_file(std::move(path), permissions), m_identityBytes(identity.size()) {
  m_block.reserve(kBlockBytes);
  // The header is written last; until then the file is not valid.
  const Header nothing{.magic = {}, .version = 0};
  m_file.append(bytesOf(nothing));
  m_size = sizeof nothing;
  append(asBytes(identity));
}

void CheckedFileWriter::flushBlock() {
  m_checksums.push_back(XXH3_64bits(m_block.data(), m_block.size()));
  m_file.append(m_block);
  m_block.clear();
}

void CheckedFileWriter::append(std::span<const std::byte> bytes) {
  m_size += bytes.size();
  while (!bytes.empty()) {
    const std::span<const std::byte> part = bytes.first(std::min(bytes.size(), kBlockBytes - m_block.size()));
    m_block.insert(m_block.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (m_block.size() == kBlockBytes) flushBlock();
  }
}

std::uint64_t CheckedFileWriter::beginData() {
  static constexpr std::array<std::byte, kDataAlignment> kZeros{};
  append(std::span(kZeros).first((kDataAlignment - m_size % kDataAlignment) % kDataAlignment));
  return m_size;
}

std::uint64_t CheckedFileWriter::addData(std::span<const std::byte> bytes) {
  const std::uint64_t at = beginData();
  append(bytes);
  return at;
}

bool CheckedFileWriter::finish(std::string_view directory, std::uint64_t fingerprint) {
  Header header;
  header.fingerprint = fingerprint;
  header.identityBytes = m_identityBytes;
  header.directoryAt = addData(asBytes(directory));
  header.directoryBytes = directory.size();
  header.tableAt = beginData();
  if (!m_block.empty()) flushBlock();
  const auto table = std::as_bytes(std::span(m_checksums));
  m_file.append(table);
  header.fileBytes = m_size + table.size();
  header.tableChecksum = XXH3_64bits(table.data(), table.size());
  header.checksum = header.ownChecksum();
  m_file.writeAt(0, bytesOf(header));
  // Does not wait for the disk: after a crash, incomplete data does not match its checksums.
  return m_file.commit();
}

CheckedFileState CheckedFile::open(const std::string& path, std::uint64_t fingerprint, CheckedFile& file) {
  namespace ipc = boost::interprocess;
  if (access(path.c_str(), F_OK) != 0) return CheckedFileState::Absent;
  try {
    const ipc::file_mapping mapping(path.c_str(), ipc::read_only);
    auto guarded = std::make_shared<const Guarded>(ipc::mapped_region(mapping, ipc::read_only));
    file.m_bytes = {static_cast<const std::byte*>(guarded->region.get_address()), guarded->region.get_size()};
    file.m_owner = std::move(guarded);
  } catch (const ipc::interprocess_exception& error) {
    if (error.get_native_error() == ENOMEM) throw std::bad_alloc(); // no addresses; the file may be valid
    return CheckedFileState::Damaged;                               // empty or unreadable
  }
  Header header;
  if (file.m_bytes.size() < sizeof header) return CheckedFileState::Damaged;
  std::memcpy(&header, file.m_bytes.data(), sizeof header);
  if (header.magic != kMagic || header.checksum != header.ownChecksum()) return CheckedFileState::Damaged;
  if (header.version != kFormatVersion || header.fingerprint != fingerprint) return CheckedFileState::Foreign;
  const std::uint64_t size = file.m_bytes.size();
  const auto within = [](std::uint64_t at, std::uint64_t bytes, std::uint64_t end) {
    return at <= end && bytes <= end - at;
  };
  if (header.fileBytes != size || header.tableAt < sizeof header || header.tableAt > size ||
      size - header.tableAt != blocksOf(header.tableAt - sizeof header) * sizeof(std::uint64_t) ||
      !within(sizeof header, header.identityBytes, header.tableAt) ||
      !within(header.directoryAt, header.directoryBytes, header.tableAt))
    return CheckedFileState::Damaged;
  file.m_body = file.m_bytes.subspan(sizeof header, header.tableAt - sizeof header);
  file.m_table = file.m_bytes.subspan(header.tableAt);
  if (XXH3_64bits(file.m_table.data(), file.m_table.size()) != header.tableChecksum)
    return CheckedFileState::Damaged;
  file.m_identity = asText(file.m_bytes.subspan(sizeof header, header.identityBytes));
  file.m_directory = asText(file.m_bytes.subspan(header.directoryAt, header.directoryBytes));
  return CheckedFileState::Whole;
}

bool CheckedFile::verify(unsigned threadCount, const std::function<bool(std::uint64_t)>& proceed) const {
  // The whole file is needed, so let the system read ahead.
  static_cast<void>(
      posix_madvise(const_cast<std::byte*>(m_bytes.data()), m_bytes.size(), POSIX_MADV_WILLNEED));
  std::atomic<bool> right{true};
  parallelFor(blocksOf(m_body.size()), threadCount, [&](std::size_t i) {
    if (!right) return;
    const std::size_t at = i * kBlockBytes;
    const auto block = m_body.subspan(at, std::min(kBlockBytes, m_body.size() - at));
    std::uint64_t checksum = 0;
    std::memcpy(&checksum, m_table.data() + i * sizeof checksum, sizeof checksum);
    if (XXH3_64bits(block.data(), block.size()) != checksum || !proceed(block.size())) right = false;
    giveBackPages(block);
  });
  return right;
}

std::span<const std::byte> CheckedFile::data(std::uint64_t at, std::uint64_t size) const {
  const std::uint64_t bodyAt = sizeof(Header);
  if (at < bodyAt || at % kDataAlignment != 0 || at - bodyAt > m_body.size() ||
      size > m_body.size() - (at - bodyAt))
    return {};
  return m_bytes.subspan(at, size);
}

} // namespace rankscope
