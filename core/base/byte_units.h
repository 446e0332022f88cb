// SPDX-License-Identifier: GPL-3.0-or-later
// In which units sizes are shown: GiB and MiB as torch and nvidia-smi print memory, or GB and MB. A setting
// of the program; rates stay decimal (GB/s) as NCCL prints them. Any thread.
#pragma once

#include <cstdint>

namespace rankscope {

enum class ByteUnits : std::uint8_t { Binary, Decimal };

// Binary by default.
[[nodiscard]] ByteUnits byteUnits();
void setByteUnits(ByteUnits units);

} // namespace rankscope
