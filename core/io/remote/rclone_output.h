// SPDX-License-Identifier: GPL-3.0-or-later
// What rclone writes: lines of a listing, lines of its JSON log, and its errors in plain words. Nothing of it
// is trusted: names that would leave a folder are refused, and credentials are taken out of its messages.
// Pure functions, thread-safe.
#pragma once

#include "core/base/result.h"
#include "core/io/remote/remote_name.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

struct RemoteFile {
  std::string path; // below the remote, with '/'
  std::uint64_t bytes = 0;
  std::string modified; // as the remote says; may be empty
  bool operator==(const RemoteFile&) const = default;
};

// A line of `rclone lsjson`; empty for others, as its brackets.
[[nodiscard]] std::optional<RemoteFile> listedFile(std::string_view line);

// Why a listed file cannot be fetched under its name; empty if it can.
[[nodiscard]] std::string_view nameProblem(std::string_view path);

// A line of the log of `rclone copy --use-json-log`.
struct CopyLine {
  std::string copied;  // the file that is whole now; empty: none
  std::string problem; // an error; empty: none
  bool stats = false;  // whether the figures below are there
  std::uint64_t bytes = 0;
  std::uint64_t bytesPerSecond = 0;
  std::uint64_t done = 0; // grows with bytes, files and whatever else rclone has done
};
[[nodiscard]] CopyLine copyLine(std::string_view line);

// What rclone said in the end, as an error of the remote. said: lines of its standard error.
[[nodiscard]] Error remoteError(const RemoteName& remote, std::span<const std::string> said);

// Of a remote that has said nothing for so long.
[[nodiscard]] Error noAnswer(const RemoteName& remote, std::chrono::seconds silence);

// Of a program that is not there.
[[nodiscard]] Error rcloneMissing(const std::string& shown);

// Without values of secrets and without what addresses carry behind '?'.
[[nodiscard]] std::string withoutSecrets(std::string text, const EnvironmentEntries& secrets);

} // namespace rankscope
