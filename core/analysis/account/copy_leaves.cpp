// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/copy_leaves.h"

#include <algorithm>
#include <initializer_list>

namespace rankscope {

Leaf leafOfCopy(std::string_view name) {
  const auto hasAny = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
  };
  if (hasAny({"HtoD", "HostToDevice", "Host2Device"})) return Leaf::CopyH2d;
  if (hasAny({"DtoH", "DeviceToHost", "Device2Host"})) return Leaf::CopyD2h;
  if (hasAny({"PtoP", "PeerToPeer", "Peer2Peer"})) return Leaf::CopyP2p;
  return Leaf::CopyD2d;
}

} // namespace rankscope
