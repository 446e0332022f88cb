// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of the cache, one for each archive or remote: below one folder of all, shared by several processes.
// Those that a running program has open stay; of the others the least recently used leave when there are too
// many bytes. What is being written has a name of its own, so that what a program left that was ended in the
// middle is found and removed. Thread-safe. Blocks on the disk.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

// Keeps the folder from leaving until this program ends. Marks it as used now.
void keepOpen(const std::string& folder);

// Removes a folder that this program keeps open, unless another one has it open too.
void removeOpened(const std::string& folder);

// A new folder below `below`, only for its user, for what is not complete yet. Removes those that programs
// left there which have ended.
[[nodiscard]] Result<std::string> newStagingFolder(const std::string& below);
// Removes it. One that got another name is not there any more: that is fine.
void dropStagingFolder(const std::string& folder);
// Removes all of this process, which is about to end without dropping them.
void dropAllStagingFolders() noexcept;

// Bytes of all files below a folder.
[[nodiscard]] std::uint64_t bytesBelow(const std::string& folder);
// Removes folders of `all` until at most so many bytes are left there, first of all what ended programs left.
// Returns the bytes removed.
std::uint64_t removeLeastUsed(const std::string& all, std::uint64_t mostLeft);

// Name of a staging folder of a process: "" as host is this machine. Used by tests too.
[[nodiscard]] std::string stagingName(std::string_view host, int process, unsigned number);

} // namespace rankscope
