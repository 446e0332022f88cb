// SPDX-License-Identifier: GPL-3.0-or-later
// Credentials that came with an address, kept in memory until the program ends, so that everything else that
// knows the address (lists, files, titles) has none. Thread-safe.
#pragma once

#include "core/io/remote/remote_name.h"

#include <string>

namespace rankscope {

// The address without its credentials, which are kept. Of what is no address that is understood, and no file,
// everything that may be a credential is dropped. Other texts stay as they are.
[[nodiscard]] std::string keepingCredentials(const std::string& typed);

// An argument of a command line likewise, also behind "--option=".
[[nodiscard]] std::string keepingCredentialsOfArgument(const std::string& argument);

// What was kept for a RemoteName::shown; empty if nothing was.
[[nodiscard]] EnvironmentEntries keptCredentials(const std::string& shown);

} // namespace rankscope
