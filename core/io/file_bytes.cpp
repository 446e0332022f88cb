// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/file_bytes.h"

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

#include <isa-l/igzip_lib.h>

namespace rankscope {

namespace {

constexpr unsigned char kGzipMagic[] = {0x1f, 0x8b};

bool startsWithGzipMagic(std::span<const char> bytes) {
  return bytes.size() >= 2 && static_cast<unsigned char>(bytes[0]) == kGzipMagic[0] &&
         static_cast<unsigned char>(bytes[1]) == kGzipMagic[1];
}

} // namespace

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
    const ipc::file_mapping file(path.c_str(), ipc::read_only);
    auto region = std::make_shared<ipc::mapped_region>(file, ipc::copy_on_write);
    region->advise(ipc::mapped_region::advice_sequential);
    FileBytes bytes;
    bytes.m_path = path;
    bytes.m_bytes = {static_cast<char*>(region->get_address()), region->get_size()};
    bytes.m_owner = std::move(region);
    return bytes;
  } catch (const ipc::interprocess_exception& error) {
    return failed(std::string("cannot be mapped: ") + error.what());
  }
}

bool FileBytes::compressed() const {
  return startsWithGzipMagic(m_bytes);
}

struct Inflater::State {
  inflate_state inflate;
  std::span<const char> compressed;
  std::size_t fed = 0; // bytes handed to the inflater
  bool finished = false;
  std::string problem;

  // A new member, or the first.
  void startMember() {
    isal_inflate_init(&inflate);
    inflate.crc_flag = ISAL_GZIP;
  }

  // The inflater counts in 32 bits; large files are fed in pieces.
  void feed() {
    constexpr std::size_t kPiece = std::size_t{1} << 30;
    if (inflate.avail_in > 0 || fed == compressed.size()) return;
    const std::size_t piece = std::min(kPiece, compressed.size() - fed);
    inflate.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(compressed.data() + fed));
    inflate.avail_in = static_cast<std::uint32_t>(piece);
    fed += piece;
  }

  [[nodiscard]] std::size_t position() const { return fed - inflate.avail_in; }

  // After a member: another one, the end, or garbage.
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
  std::size_t done = 0;
  while (done < to.size() && !s.finished) {
    s.feed();
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() / 2;
    const auto room = static_cast<std::uint32_t>(std::min(kMost, to.size() - done));
    const std::size_t before = s.position();
    s.inflate.next_out = reinterpret_cast<std::uint8_t*>(to.data() + done);
    s.inflate.avail_out = room;
    const int code = isal_inflate(&s.inflate);
    const std::size_t made = room - s.inflate.avail_out;
    done += made;
    if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) {
      s.problem = "the compressed data is damaged";
      s.finished = true;
    } else if (s.inflate.block_state == ISAL_BLOCK_FINISH) {
      s.nextMember();
    } else if (made == 0 && s.position() == before && s.fed == s.compressed.size()) {
      s.problem = "the compressed data ends too early";
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
