// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/file_bytes.h"

#include "core/io/files/mapping_guard.h"
#include "core/model/cut_text.h"

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <sys/stat.h>

namespace rankscope {

namespace {

constexpr unsigned char kGzipMagic[] = {0x1f, 0x8b};

bool startsWithGzipMagic(std::span<const char> bytes) {
  return bytes.size() >= 2 && static_cast<unsigned char>(bytes[0]) == kGzipMagic[0] &&
         static_cast<unsigned char>(bytes[1]) == kGzipMagic[1];
}

} // namespace

struct FileBytes::Mapping {
  explicit Mapping(const std::string& path)
      : file(path.c_str(), boost::interprocess::read_only), region(file, boost::interprocess::copy_on_write),
        guard(region.get_address(), region.get_size()) {}

  boost::interprocess::file_mapping file;
  boost::interprocess::mapped_region region;
  MappingGuard guard;
};

FileBytes::Stamp FileBytes::stampOf(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return {};
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec, status.st_ino};
}

std::optional<FileChange> FileBytes::change() const {
  const Stamp now = stampOf(m_path);
  if (m_mapping->guard.faulted())
    return FileChange{DiagnosticKind::Skipped, std::min<std::uint64_t>(now.bytes, m_bytes.size()),
                      "the file was truncated or became unreadable while it was open"};
  if (now == m_stamp || now.file != m_stamp.file) return std::nullopt; // a different file at the same path
  return FileChange{DiagnosticKind::Suspicious, std::min(now.bytes, m_stamp.bytes),
                    "the file was changed while it was read"};
}

Result<FileBytes> FileBytes::open(const std::string& path) {
  namespace ipc = boost::interprocess;
  const auto failed = [&](std::string reason) {
    return Error{ErrorKind::Io, std::move(reason), path, std::nullopt};
  };
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (code) return failed(code.message());
  if (!std::filesystem::is_regular_file(status)) return failed("not a regular file");
  const auto size = std::filesystem::file_size(path, code);
  if (code) return failed(code.message());
  if (size == 0) return failed("the file is empty");
  try {
    FileBytes bytes;
    bytes.m_path = path;
    bytes.m_stamp = stampOf(path);
    auto mapping = std::make_shared<Mapping>(path);
    mapping->region.advise(ipc::mapped_region::advice_sequential);
    bytes.m_bytes = {static_cast<char*>(mapping->region.get_address()), mapping->region.get_size()};
    bytes.m_mapping = mapping.get();
    bytes.m_owner = std::move(mapping);
    return bytes;
  } catch (const ipc::interprocess_exception& error) {
    if (error.get_native_error() == ENOMEM)
      return Error{ErrorKind::OutOfMemory, "not enough memory to map this file", path, std::nullopt};
    return failed(std::string("cannot be mapped: ") + error.what());
  }
}

bool FileBytes::compressed() const {
  return startsWithGzipMagic(m_bytes);
}

struct Inflater::State {
  static constexpr std::size_t kSlackBytes = 64;

  inflate_state inflate;
  std::span<const char> compressed;
  std::size_t fed = 0;         // bytes passed to the inflater
  std::size_t piece = 0;       // of these, the size of the last piece
  std::vector<char> lastPiece; // copy of the end of the data, with padding
  bool finished = false;
  std::string problem;

  // Starts the first or the next member.
  void startMember() {
    isal_inflate_init(&inflate);
    inflate.crc_flag = ISAL_GZIP;
  }

  // The inflater counts in 32 bits, so large files are passed in pieces. Damaged data can make it read a few
  // bytes beyond its input, which may be unmapped; so the last piece is a copy with padding after it. Bytes
  // that the inflater returns may belong to the previous piece, so these must precede the copy.
  void feed() {
    constexpr std::size_t kPiece = std::size_t{1} << 30;
    constexpr std::size_t kLastPiece = std::size_t{4} << 10;
    if (inflate.avail_in > 0 || fed == compressed.size()) return;
    const std::size_t left = compressed.size() - fed;
    const char* from = compressed.data() + fed;
    if (left <= kLastPiece) {
      const std::size_t before = std::min(kSlackBytes, fed);
      lastPiece.assign(from - before, from + left);
      lastPiece.resize(before + left + kSlackBytes);
      from = lastPiece.data() + before;
    }
    piece = left <= kLastPiece ? left : std::min(kPiece, left - kLastPiece);
    inflate.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(from));
    inflate.avail_in = static_cast<std::uint32_t>(piece);
    fed += piece;
  }

  // Returns text before the damage that the inflater has decoded but not delivered.
  [[nodiscard]] std::size_t takeHeldBack(std::span<char> to) {
    if (problem.empty() || inflate.tmp_out_valid <= inflate.tmp_out_processed) return 0;
    const auto held = static_cast<std::size_t>(inflate.tmp_out_valid - inflate.tmp_out_processed);
    const std::size_t taken = std::min(held, to.size());
    std::memcpy(to.data(), inflate.tmp_out_buffer + inflate.tmp_out_processed, taken);
    inflate.tmp_out_processed += static_cast<std::int32_t>(taken);
    return taken;
  }

  [[nodiscard]] std::size_t position() const { return fed - inflate.avail_in; }

  // After a member: starts another one, or detects the end or garbage.
  void nextMember() {
    const std::size_t at = position();
    const auto rest = compressed.subspan(at);
    if (rest.empty()) {
      finished = true;
    } else if (startsWithGzipMagic(rest)) {
      const std::uint8_t* const nextIn = inflate.next_in;
      const std::uint32_t left = inflate.avail_in;
      startMember();
      inflate.next_in = const_cast<std::uint8_t*>(nextIn);
      inflate.avail_in = left;
    } else {
      finished = true;
      const bool padding = std::ranges::all_of(rest, [](char c) { return c == 0; });
      if (!padding) problem = std::to_string(rest.size()) + " bytes after the compressed data were ignored";
    }
  }
};

Inflater::Inflater(std::span<const char> compressed) : m_state(std::make_unique<State>()) {
  m_state->compressed = compressed;
  m_state->startMember();
}

Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

std::size_t Inflater::read(std::span<char> to) {
  State& s = *m_state;
  std::size_t done = s.finished ? s.takeHeldBack(to) : 0;
  while (done < to.size() && !s.finished) {
    s.feed();
    constexpr std::size_t kMax = std::numeric_limits<std::uint32_t>::max() / 2;
    const auto space = static_cast<std::uint32_t>(std::min(kMax, to.size() - done));
    const std::size_t before = s.position();
    s.inflate.next_out = reinterpret_cast<std::uint8_t*>(to.data() + done);
    s.inflate.avail_out = space;
    const int code = isal_inflate(&s.inflate);
    const std::size_t made = space - s.inflate.avail_out;
    done += made;
    if (s.inflate.avail_in > s.piece + State::kSlackBytes) s.inflate.avail_in = 0; // it read beyond its input
    if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) {
      s.problem = kCompressedIsDamaged;
      s.finished = true;
      done += s.takeHeldBack(to.subspan(done));
    } else if (s.inflate.block_state == ISAL_BLOCK_FINISH) {
      s.nextMember();
    } else if (made == 0 && s.position() == before && s.fed == s.compressed.size()) {
      s.problem = kCompressedEndsEarly;
      s.finished = true;
    }
  }
  return done;
}

std::uint64_t Inflater::compressedBytesRead() const {
  return m_state->position();
}
const std::string& Inflater::problem() const {
  return m_state->problem;
}

} // namespace rankscope
