// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the paths of a digest, before hours are spent on reading.
#pragma once

#include "app/digest_options.h"

#include <string>

namespace rankscope {

// Of a folder that cannot be written, or that has other files, which would be taken for a digest then; and of
// digests that are to be digested. Empty if there is nothing. Writes nothing.
[[nodiscard]] std::string pathProblem(const DigestOptions& options);

} // namespace rankscope
