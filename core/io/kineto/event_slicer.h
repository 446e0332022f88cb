// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a file's event array at event boundaries into slices that are JSON arrays of their own: the byte
// before a slice and the one after it are patched to brackets in place, and the event between two slices
// travels with the earlier one as its tail, so that one comma can close one slice and another open the next.
// Slices make parallelism, files beyond 4 GB and a fresh start after damage. The root's other members are
// kept as text. One thread at a time; a slice owns or keeps alive its bytes. Inflation happens inside next().
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
  char* begin = nullptr;    // '[' in place of firstByte
  char* end = nullptr;      // one past the ']' in place of lastByte
  char* tailEnd = nullptr;  // the tail event is [end, tailEnd); none when equal to end
  std::uint64_t textAt = 0; // of begin, in the file's JSON text
  char firstByte = '[';
  char lastByte = ']';
  bool last = false; // no slice follows
  bool whole = true; // false: the array's end was not found
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

  // sliceBytes: about how long a slice is, at least 1.
  explicit EventSlicer(const FileBytes& file, std::size_t sliceBytes = kSliceBytes);

  // Reads up to the event array. False when the file has none.
  [[nodiscard]] bool start();
  // The next slice; none after the last one.
  [[nodiscard]] std::optional<TextSlice> next();

  // After start() returned false: whether all of the root was read, so that the file is of another kind.
  [[nodiscard]] bool isWholeWithoutEvents() const { return m_at < m_end && *m_at == '}'; }
  // Complete after next() returned none.
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
  char* m_begin = nullptr;       // the window: all of a plain file, a part of an decompressed one
  char* m_at = nullptr;          // where the next slice or member begins
  char* m_end = nullptr;
  std::uint64_t m_textAt = 0; // of m_begin
  bool m_atEnd = false;       // nothing follows the window
  bool m_done = false;
  bool m_bareArray = false;
  std::string m_firstKey;
  EventBoundary m_boundary;
  std::vector<RootMember> m_members;
  Diagnostics m_diagnostics;
};

} // namespace rankscope
