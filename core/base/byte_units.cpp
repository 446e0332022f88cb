// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/byte_units.h"

#include <atomic>

namespace rankscope {

namespace {

std::atomic<ByteUnits>& setting() {
  static std::atomic<ByteUnits> units = ByteUnits::Binary;
  return units;
}

} // namespace

ByteUnits byteUnits() {
  return setting().load(std::memory_order_relaxed);
}

void setByteUnits(ByteUnits units) {
  setting().store(units, std::memory_order_relaxed);
}

} // namespace rankscope
