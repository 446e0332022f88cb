// SPDX-License-Identifier: GPL-3.0-or-later
// Which Python frames are the user's own code and not a framework's: those of PyTorch (torch, functorch), of
// Triton, of NumPy and of Python itself are not; other installed packages are, because people install their
// own. By the text of a frame alone: "/data/me/train.py(12): step". Pure.
#pragma once

#include <string_view>

namespace rankscope {

// frame: "FILE(LINE): FUNCTION" as the profiler names Python calls. Not of "<built-in ...>" or "nn.Module:
// X".
[[nodiscard]] bool isOwnCode(std::string_view frame);

// The same of a path alone.
[[nodiscard]] bool isOwnPath(std::string_view path);

} // namespace rankscope
