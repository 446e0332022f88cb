// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/pace_digest.h"

#include "core/analysis/digest/digest_archive.h"

#include <algorithm>

namespace rankscope {

template <class Archive, Described<KernelPace> T> void describe(Archive& archive, T& pace) {
  auto& [kind, shapes, calls, durations] = pace;
  auto& [name, blocks, occupancy] = kind;
  archive(name, blocks, occupancy, shapes, calls, durations);
}

void collectKeys(const std::vector<KernelPace>& paces, DigestCollector& collector) {
  collector(paces);
}

std::string packedPaces(const std::vector<KernelPace>& paces, const DigestKeys& keys) {
  DigestPacker packer(keys);
  packer(paces);
  return packer.takeBytes();
}

std::vector<KernelPace> unpackedPaces(const RankDigest& digest) {
  const std::string bytes = digest.section(DigestSection::Paces);
  DigestUnpacker unpacker(bytes, digest.names, 0, 0);
  std::vector<KernelPace> paces;
  unpacker(paces);
  const auto isPossible = [](const KernelPace& pace) {
    return pace.calls > 0 && std::ranges::all_of(pace.durations, [](double d) { return d > 0; });
  };
  if (!unpacker.ok() || !unpacker.atEnd() || !std::ranges::all_of(paces, isPossible)) paces.clear();
  return paces;
}

} // namespace rankscope
