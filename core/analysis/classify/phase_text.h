// SPDX-License-Identifier: GPL-3.0-or-later
// The word for a phase in every table and query: "dataloader", "forward", "loss", "backward", "optimizer";
// empty for None and Step. Pure; constant time.
#pragma once

#include "core/model/event_kind.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace rankscope {

[[nodiscard]] inline std::string_view phaseText(Phase phase) {
  constexpr std::array<std::string_view, 7> kTexts{"",     "",         "dataloader", "forward",
                                                   "loss", "backward", "optimizer"};
  return kTexts[static_cast<std::size_t>(phase)];
}

} // namespace rankscope
