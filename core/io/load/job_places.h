// SPDX-License-Identifier: GPL-3.0-or-later
// Where files of opened paths lie besides these paths: folders that archives were unpacked into and remotes
// were fetched into. Known to this program since it opened them. Thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace rankscope {

void rememberPlaces(std::span<const std::string> paths, std::span<const std::string> places);

// The paths, then their places.
[[nodiscard]] std::vector<std::string> withPlaces(std::span<const std::string> paths);

} // namespace rankscope
