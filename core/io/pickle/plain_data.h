// SPDX-License-Identifier: GPL-3.0-or-later
// Plain data of a file: a pickle or a JSON text, compressed with gzip or not, or the pickle inside an HTML
// page that memory_viz wrote. Recognized by content, not by name. Thread-safe.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/pickle/value_tree.h"

#include <cstdint>
#include <memory>
#include <string>

namespace rankscope {

enum class PlainForm : std::uint8_t { Pickle, Json, Page };

// What a file may be, from its first bytes.
enum class PlainKind : std::uint8_t {
  None,
  Snapshot,
  FlightRecorder,
  Timeline,        // of export_memory_timeline, with numbers
  TimelinePicture, // of export_memory_timeline, as a picture
};

struct PlainGuess {
  PlainKind kind = PlainKind::None;
  std::string reason; // why not, of a pickle that cannot be opened
};

struct PlainFile {
  std::string path;
  std::uint64_t bytes = 0; // on disk
  PlainForm form = PlainForm::Pickle;
  int protocol = 0;
  bool truncated = false;
  ValueTree values; // its texts refer to `text`
  ValueId root = kNoValue;
  std::shared_ptr<const void> text; // keeps the bytes
};

// Decodes at most the first 64 KiB. None: another file, or one that cannot be read.
[[nodiscard]] PlainGuess plainKindOf(const std::string& path);

[[nodiscard]] Result<PlainFile> readPlainFile(const std::string& path, const Progress* progress = nullptr);

} // namespace rankscope
