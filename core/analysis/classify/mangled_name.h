// SPDX-License-Identifier: GPL-3.0-or-later
// Functions in names as compilers mangle them for the Itanium C++ ABI (GCC, Clang, NVCC and HIP). Any thread.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// The scopes, the name and the template arguments of a mangled function: "ck_tile::kentry<,
// _::Rmsnorm2dFwd<>>". Built-in types and values are empty, and a part that is named before is "_" where it
// is a scope and empty elsewhere: written out, such parts may double with every few characters, so that a
// name of 150 characters would take minutes. Empty if it is no mangled name, or has expressions. Linear in
// the name.
[[nodiscard]] std::string functionOfMangled(std::string_view mangled);

} // namespace rankscope
