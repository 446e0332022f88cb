// SPDX-License-Identifier: GPL-3.0-or-later
// The paces of a rank's kernels in its digest, by which ranks are compared. Pure functions.
#pragma once

#include "core/analysis/account/kernel_pace.h"
#include "core/model/rank_digest.h"

#include <string>
#include <vector>

namespace rankscope {

class DigestCollector;
struct DigestKeys;

void collectKeys(const std::vector<KernelPace>& paces, DigestCollector& collector);
[[nodiscard]] std::string packedPaces(const std::vector<KernelPace>& paces, const DigestKeys& keys);
// None if the bytes are something else.
[[nodiscard]] std::vector<KernelPace> unpackedPaces(const RankDigest& digest);

} // namespace rankscope
