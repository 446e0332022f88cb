// SPDX-License-Identifier: GPL-3.0-or-later
// Runs rclone, the program that reads remotes: which ones are configured, what a remote has, fetching files.
// It is started only for a name that the user gave, with its own configuration and the user's credentials.
// Blocks; every function returns soon after `cancel` was set, and with an Error when a remote has said
// nothing for a minute. Thread-safe.
#pragma once

#include "core/io/remote/fetch_progress.h"
#include "core/io/remote/rclone_output.h"

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// What the name may refer to on this machine; starts rclone only if that depends on its configuration.
[[nodiscard]] Result<RemoteSurroundings> surroundingsOf(std::string_view typed,
                                                        const std::atomic<bool>& cancel);

// All files below a remote, in the order of their names. A remote that is one file gets the name of its
// folder. Tells `waiting` how long the remote says nothing.
[[nodiscard]] Result<std::vector<RemoteFile>> listRemote(RemoteName& remote, FetchProgress& waiting,
                                                         const std::atomic<bool>& cancel);

// Fetches files of a remote into a folder. arrived: of a file that is whole, on the calling thread. Counts in
// fetched.bytesDone, and tells how long the remote says nothing. An Error if not all could be fetched, and on
// cancel; those that arrived are whole.
[[nodiscard]] std::optional<Error> fetchFiles(const RemoteName& remote, std::span<const RemoteFile> files,
                                              const std::string& folder, FetchProgress& fetched,
                                              const std::atomic<bool>& cancel,
                                              const std::function<void(const std::string& path)>& arrived);

} // namespace rankscope
