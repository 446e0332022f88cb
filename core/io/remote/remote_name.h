// SPDX-License-Identifier: GPL-3.0-or-later
// Remotes by name: what a user types for a place in a cloud store or on another machine, and what rclone
// calls it. Credentials in an address are taken out of it: they reach rclone by its environment only, and no
// text of a RemoteName has them. Pure functions of texts; nothing is looked up. Thread-safe.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

enum class RemoteStore : std::uint8_t { S3, GoogleCloud, AzureBlob, Sftp, Configured };

// NAME=value, for the environment of a program.
using EnvironmentEntries = std::vector<std::pair<std::string, std::string>>;

struct RemoteName {
  RemoteStore store = RemoteStore::Configured;
  std::string shown;          // as typed, without credentials
  std::string remote;         // for rclone: ":s3,env_auth=true,provider=AWS:bucket/prefix"
  std::string title;          // last part of the path, or what stands for it
  EnvironmentEntries secrets; // for rclone's environment
};

// What the name of a remote may refer to on this machine.
struct RemoteSurroundings {
  std::vector<std::string> configured; // names of rclone listremotes, without ':'
  bool sshAgent = false;
  std::string sshKey;     // private key for SFTP where there is no agent; empty: none
  std::string knownHosts; // hosts that SFTP accepts
};

// Whether a text has the form of an address or of NAME:path. A local file of that name comes first: ask the
// file system before. False for drive letters ("C:\traces").
[[nodiscard]] bool looksRemote(std::string_view typed);

// Whether what it refers to depends on the configured remotes.
[[nodiscard]] bool needsConfigured(std::string_view typed);

// REQUIRES: looksRemote(typed). An Error (which shows no credentials) says what is wrong with the name.
[[nodiscard]] Result<RemoteName> remoteNameOf(std::string_view typed, const RemoteSurroundings& around);

// A file of a remote in texts; path: below the remote, may be empty.
[[nodiscard]] std::string shownFile(const RemoteName& remote, std::string_view path);

// The name without credentials; the same text if there are none.
[[nodiscard]] std::string withoutCredentials(std::string_view typed);

// The same for a name of no known remote: "user:password@host/path" is NAME:path too.
[[nodiscard]] std::string shownUnresolved(std::string_view typed);

// The name of the folder that holds `remote`, for a remote that is a single file.
[[nodiscard]] RemoteName parentOf(const RemoteName& remote);

} // namespace rankscope
