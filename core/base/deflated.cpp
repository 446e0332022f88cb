// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/deflated.h"

#include <cstdint>
#include <cstring>
#include <isa-l/igzip_lib.h>
#include <limits>
#include <stdexcept>

namespace rankscope {

namespace {

// What a byte of DEFLATE can stand for.
constexpr std::uint64_t kMostRatio = 1032;
// A few bytes are stored as they are: less work than they are worth. This bit of the size says so.
constexpr std::size_t kFewBytes = 1024;
constexpr std::uint64_t kStored = std::uint64_t{1} << 63;

} // namespace

std::string deflated(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::runtime_error("too large to compress");
  const bool stored = bytes.size() <= kFewBytes;
  const std::uint64_t size = bytes.size() | (stored ? kStored : 0);
  std::string output(sizeof size, '\0');
  std::memcpy(output.data(), &size, sizeof size);
  if (stored) return output.append(bytes);
  // The input is read only, but the library's type is not const.
  std::string input(bytes);
  isal_zstream stream;
  isal_deflate_init(&stream);
  // Of levels 1 and 2, about one of 10,000 outputs depends on where the buffers lie; a digest is the same
  // bytes each time.
  std::string tables(ISAL_DEF_LVL3_DEFAULT, '\0');
  stream.level = 3;
  stream.level_buf = reinterpret_cast<std::uint8_t*>(tables.data());
  stream.level_buf_size = static_cast<std::uint32_t>(tables.size());
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  stream.next_in = reinterpret_cast<std::uint8_t*>(input.data());
  stream.avail_in = static_cast<std::uint32_t>(input.size());
  std::string block(std::size_t{1} << 16, '\0');
  do {
    stream.next_out = reinterpret_cast<std::uint8_t*>(block.data());
    stream.avail_out = static_cast<std::uint32_t>(block.size());
    if (isal_deflate(&stream) != COMP_OK) throw std::runtime_error("cannot compress");
    output.append(block, 0, block.size() - stream.avail_out);
  } while (stream.avail_out == 0);
  return output;
}

std::optional<std::string> inflated(std::string_view bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  if ((size & kStored) != 0) {
    const std::string_view rest = bytes.substr(sizeof size);
    return rest.size() == (size & ~kStored) ? std::optional(std::string(rest)) : std::nullopt;
  }
  std::string input(bytes.substr(sizeof size));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (input.size() > kMost || size > kMost || size > kMostRatio * (input.size() + 1)) return std::nullopt;
  std::string output(size, '\0');
  inflate_state state;
  isal_inflate_init(&state);
  state.next_in = reinterpret_cast<std::uint8_t*>(input.data());
  state.avail_in = static_cast<std::uint32_t>(input.size());
  state.next_out = reinterpret_cast<std::uint8_t*>(output.data());
  state.avail_out = static_cast<std::uint32_t>(output.size());
  state.crc_flag = ISAL_DEFLATE;
  if (isal_inflate_stateless(&state) != ISAL_DECOMP_OK || state.avail_out != 0 || state.avail_in != 0)
    return std::nullopt;
  return output;
}

} // namespace rankscope
