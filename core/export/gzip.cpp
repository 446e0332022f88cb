// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/gzip.h"

#include <cstdint>
#include <isa-l/igzip_lib.h>
#include <stdexcept>

namespace rankscope {

std::string gzipped(std::string_view bytes) {
  // The input is read only, but the library's type is not const.
  std::string input(bytes);
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  stream.next_in = reinterpret_cast<std::uint8_t*>(input.data());
  stream.avail_in = static_cast<std::uint32_t>(input.size());
  std::string output;
  std::string block(std::size_t{1} << 16, '\0');
  do {
    stream.next_out = reinterpret_cast<std::uint8_t*>(block.data());
    stream.avail_out = static_cast<std::uint32_t>(block.size());
    if (isal_deflate(&stream) != COMP_OK) throw std::runtime_error("cannot compress");
    output.append(block, 0, block.size() - stream.avail_out);
  } while (stream.avail_out == 0);
  return output;
}

} // namespace rankscope
