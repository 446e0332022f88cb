// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a compressed file: what comes out of it is the same whether it is asked for in large or in
// small pieces, but for the last bytes before damage; damage is named, and nothing is written beyond what was
// asked for.
#include "core/io/files/file_bytes.h"
#include "tests/fuzz/memory_file.h"

#include <string>
#include <vector>

using namespace rankscope;

namespace {

constexpr std::size_t kMax = std::size_t{1} << 20; // of text: a bomb need not be blown up wholly

struct Inflated {
  std::string text;
  std::string problem;
};

Inflated inflate(std::span<const char> packed, std::size_t piece) {
  Inflater inflater(packed);
  Inflated out;
  std::vector<char> buffer(piece);
  for (std::size_t got = piece; got == piece && out.text.size() < kMax;) {
    got = inflater.read(buffer);
    test::require(got <= piece);
    out.text.append(buffer.data(), got);
    test::require(inflater.compressedBytesRead() <= packed.size());
  }
  out.problem = inflater.problem();
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const char> packed(reinterpret_cast<const char*>(data), size);
  const Inflated large = inflate(packed, kMax);
  const Inflated small = inflate(packed, 1000);
  if (large.text.size() >= kMax || small.text.size() >= kMax) return 0;
  test::require(large.problem == small.problem);
  // Of damaged data the inflater may keep the last few bytes for itself when there was no room for them.
  constexpr std::size_t kKept = 1024;
  test::require(large.text.starts_with(small.text) && large.text.size() - small.text.size() <= kKept &&
                (large.text == small.text || !large.problem.empty()));
  return 0;
}
