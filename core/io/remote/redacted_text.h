// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what may be a credential in addresses, also in those that are mistyped: passwords before a host, and
// what stands behind ? & # , ; under a name such as secret_access_key, sig or token. What is found becomes
// "***". Rather too much is taken than too little. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// Of a name that was typed for a file or a remote and is not understood: everything behind the first thing
// that may be a credential goes.
[[nodiscard]] std::string redactedName(std::string_view typed);

// Of a text with such names in it: each up to the next space.
[[nodiscard]] std::string redacted(std::string_view text);

// Whether the text has a credential under a name: "&secret_access_key=".
[[nodiscard]] bool namesCredential(std::string_view text);

} // namespace rankscope
