// SPDX-License-Identifier: GPL-3.0-or-later
// What the processes of a digest send each other, as bytes that only the same program reads.
#pragma once

#include "core/base/byte_pack.h"

#include <string>
#include <string_view>

namespace rankscope {

template <class T> std::string packed(const T& value) {
  Packer packer;
  packer(value);
  return packer.takeBytes();
}

// What another process of this program packed.
template <class T> T unpacked(std::string_view bytes) {
  T value{};
  Unpacker unpacker(bytes);
  unpacker(value);
  return value;
}

} // namespace rankscope
