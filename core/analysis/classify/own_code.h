// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a Python frame is the user's own code. Not own: PyTorch (torch, functorch), Triton, NumPy and the
// Python standard library. Other installed packages are own, because people install their own code as
// packages. By the text of a frame only: "/data/me/train.py(12): step". Pure.
#pragma once

#include <string_view>

namespace rankscope {

// frame: "FILE(LINE): FUNCTION", the profiler's name of a Python call. False for "<built-in ...>" and
// "nn.Module: X".
[[nodiscard]] bool isOwnCode(std::string_view frame);

// The same for a path.
[[nodiscard]] bool isOwnPath(std::string_view path);

} // namespace rankscope
