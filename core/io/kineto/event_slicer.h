// SPDX-License-Identifier: GPL-3.0-or-later
// Splits a file's event array at event boundaries into slices that are valid JSON arrays. The bytes before
// and after a slice are replaced by brackets in memory. The event between two slices belongs to the earlier
// one as its tail, so that the two commas around it can become brackets. Slices are the unit of parallel
// reading, allow files above 4 GB, and isolate damage. Other members of the root are kept as text. For one
// thread; a slice keeps its bytes alive. Decompression runs inside next().
#pragma once

#include "core/io/files/file_bytes.h"
#include "core/io/json/json_scan.h"
#include "core/model/diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct TextSlice {
  char* begin = nullptr;    // '[', replaces firstByte
  char* end = nullptr;      // one past the ']' that replaces lastByte
  char* tailEnd = nullptr;  // the tail event is [end, tailEnd); empty if equal to end
  std::uint64_t textAt = 0; // position of begin in the file's JSON text
  char firstByte = '[';
  char lastByte = ']';
  bool last = false; // whether this is the last slice
  bool whole = true; // false if the end of the array was not found
  std::shared_ptr<void> keep;

  [[nodiscard]] std::uint64_t endAt() const { return textAt + static_cast<std::uint64_t>(tailEnd - begin); }
};

struct RootMember {
  std::string key;
  std::string text; // the value as written
  std::uint64_t textAt = 0;
};

class EventSlicer {
 public:
  static constexpr std::size_t kSliceBytes = std::size_t{1} << 20;

  // sliceBytes: approximate length of a slice, at least 1.
  explicit EventSlicer(const FileBytes& file, std::size_t sliceBytes = kSliceBytes);

  // Reads up to the event array. False if the file has none.
  [[nodiscard]] bool start();
  // The next slice; empty after the last one.
  [[nodiscard]] std::optional<TextSlice> next();

  // After start() returned false: whether the whole root was read, so the file is of another kind.
  [[nodiscard]] bool isWholeWithoutEvents() const { return m_at < m_end && *m_at == '}'; }
  // Complete once next() has returned empty.
  [[nodiscard]] const std::vector<RootMember>& rootMembers() const { return m_members; }
  [[nodiscard]] const EventBoundary& boundary() const { return m_boundary; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return m_diagnostics; }
  [[nodiscard]] std::uint64_t textBytes() const {
    return m_textAt + static_cast<std::uint64_t>(m_end - m_begin);
  }
  [[nodiscard]] std::uint64_t fileBytesRead() const;

 private:
  [[nodiscard]] bool refill();
  [[nodiscard]] bool readMembers();
  [[nodiscard]] bool startArray();
  [[nodiscard]] bool findEvents();
  [[nodiscard]] const char* valueEnd();
  [[nodiscard]] bool isTooLong() const;
  [[nodiscard]] std::optional<TextSlice> beforeStretch();
  TextSlice cut(char* comma, char* secondComma);
  TextSlice lastSlice();
  void readTail();
  [[nodiscard]] std::uint64_t textPosition(const char* at) const {
    return m_textAt + static_cast<std::uint64_t>(at - m_begin);
  }

  std::span<char> m_file;
  std::size_t m_sliceBytes;
  std::optional<Inflater> m_inflater;
  std::shared_ptr<void> m_owner; // of the current window
  char* m_begin = nullptr;       // the window: a whole plain file, or a part of a decompressed one
  char* m_at = nullptr;          // where the next slice or member begins
  char* m_end = nullptr;
  std::uint64_t m_textAt = 0; // position of m_begin in the text
  bool m_atEnd = false;       // whether the window reaches the end of the text
  bool m_done = false;
  bool m_bareArray = false;
  std::string m_firstKey;
  EventBoundary m_boundary;
  std::vector<RootMember> m_members;
  Diagnostics m_diagnostics;
};

} // namespace rankscope
