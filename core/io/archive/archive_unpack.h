// SPDX-License-Identifier: GPL-3.0-or-later
// Unpacks archives (tar, zip, 7z, each also compressed) and single compressed files (.json.zst, .json.xz,
// .json.bz2, .json.lz4) into a folder. Only regular files and links between them are written, only below that
// folder, and never more than the limits allow: an archive is not trusted. Streams; memory is that of the
// compressor's window. Thread-safe for different folders. Blocks on the disk.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct UnpackLimits {
  std::uint64_t bytes = std::uint64_t{1} << 40; // of all files together
  std::uint64_t files = 1'000'000;
  // Unpacked bytes for each packed one, where there are more than `ratioFrom`. Traces reach about 60; zip
  // bombs 1,000 and more.
  std::uint64_t ratio = 400;
  std::uint64_t ratioFrom = std::uint64_t{64} << 20;
  const std::atomic<bool>* cancel = nullptr; // besides that of the Progress
};

struct LeftOutMember {
  std::string name;
  std::string reason;
  bool operator==(const LeftOutMember&) const = default;
};

struct Unpacked {
  std::vector<std::string> files; // written, relative to the folder, in the order of the archive; '/'
  std::uint64_t bytes = 0;        // of these
  // Why not everything could be unpacked, as a sentence: damage after the files above, or a limit and what to
  // do. Empty if all is there.
  std::string problem;
  // Wanted, and yet not there as the archive has them, because of their names, types or each other.
  std::vector<LeftOutMember> leftOut; // the first of them
  std::uint64_t leftOutMore = 0;      // others
};

// wanted: whether a member of this name is written, without its folders. Of members with one name the last
// is. `folder` must exist. Counts packed bytes in progress.bytesDone. An Error if the archive cannot be
// opened, nothing at all can be read of it, the disk is full, or on cancel.
[[nodiscard]] Result<Unpacked> unpackArchive(const std::string& path, const std::string& folder,
                                             const std::function<bool(std::string_view fileName)>& wanted,
                                             Progress& progress, const UnpackLimits& limits = {});

} // namespace rankscope
