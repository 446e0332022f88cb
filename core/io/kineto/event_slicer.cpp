// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_slicer.h"

#include <algorithm>
#include <cstring>

namespace rankscope {

namespace {

// Bytes after a window that a parser may read but does not use.
constexpr std::ptrdiff_t kPadding = 64;
// Additional bytes after a slice, enough for the event that follows it.
constexpr std::size_t kSlack = std::size_t{64} << 10;
// Maximum window without an event, in slices.
constexpr std::size_t kMaxStretch = 256;

// Whether only more root members and the end of the root follow (garbage after it is allowed); after a bare
// array, only white space. stop: position where this was decided.
bool isTail(const char* at, const char* end, bool bareArray, const char*& stop) {
  stop = at;
  if (bareArray) return skipJsonSpace(at, end) == end;
  for (at = skipJsonSpace(at, end); at < end && *at == ','; at = skipJsonSpace(at, end)) {
    at = skipJsonSpace(at + 1, end);
    stop = at;
    if (at == end || *at != '"') return false;
    const char* const key = skipJsonString(at, end);
    stop = key == nullptr ? end : key;
    if (key == nullptr) return false;
    at = skipJsonSpace(key, end);
    if (at == end || *at != ':') return false;
    at = skipJsonValue(skipJsonSpace(at + 1, end), end);
    stop = std::min(at, end);
    if (at > end) return false;
  }
  stop = at;
  if (at == end || *at != '}') return false;
  // Inside an event more of the event would follow; a second document or garbage begins differently.
  at = skipJsonSpace(at + 1, end);
  return at == end || (*at != ',' && *at != '}' && *at != ']');
}

// One past the closing bracket of the event array if damage in an event hides it; end + 1 if there is none.
// The total text examined is limited, because text that resembles the end everywhere would be examined
// repeatedly.
const char* arrayEndBehindDamage(const char* at, const char* end, bool bareArray) {
  constexpr std::ptrdiff_t kMaxLookups = 16;
  std::ptrdiff_t looks = kMaxLookups * (end - at) + (std::ptrdiff_t{1} << 20);
  while (looks > 0 && (at = static_cast<const char*>(
                           std::memchr(at, ']', static_cast<std::size_t>(end - at)))) != nullptr) {
    ++at;
    const char* stop = at;
    if (isTail(at, end, bareArray, stop)) return at;
    looks -= stop - at;
  }
  return end + 1;
}

} // namespace

EventSlicer::EventSlicer(const FileBytes& file, std::size_t sliceBytes)
    : m_file(file.bytes()), m_sliceBytes(sliceBytes) {
  if (file.compressed()) {
    m_inflater.emplace(m_file);
    return;
  }
  m_owner = file.owner();
  m_begin = m_at = m_file.data();
  m_end = m_begin + m_file.size();
  m_atEnd = true;
}

std::uint64_t EventSlicer::fileBytesRead() const {
  return m_inflater ? m_inflater->compressedBytesRead() : static_cast<std::uint64_t>(m_at - m_begin);
}

// Reads more text after m_at into the window. False at the end of the text.
bool EventSlicer::refill() {
  if (m_atEnd) return false;
  const auto carried = static_cast<std::size_t>(m_end - m_at);
  // If a full window is not sufficient, it grows by half.
  const std::size_t slack = std::min<std::size_t>(kSlack, m_sliceBytes + kPadding);
  const std::size_t space = std::max(m_sliceBytes + slack, carried + carried / 2 + slack);
  std::shared_ptr<char[]> buffer(new char[space + kPadding]);
  if (carried > 0) std::memcpy(buffer.get(), m_at, carried);
  m_textAt = textPosition(m_at);
  m_begin = m_at = buffer.get();
  const std::size_t read = m_inflater->read({m_begin + carried, space - carried});
  m_end = m_begin + carried + read;
  std::memset(m_end, 0, static_cast<std::size_t>(kPadding));
  m_owner = std::move(buffer);
  m_atEnd = carried + read < space;
  if (m_atEnd && !m_inflater->problem().empty()) {
    m_diagnostics.add(DiagnosticKind::Suspicious, SourceRef(textPosition(m_end)), m_inflater->problem());
  }
  return read > 0;
}

// The end of the value at m_at; reads more text if needed. Null if the text ends first.
const char* EventSlicer::valueEnd() {
  for (;;) {
    const char* end = skipJsonValue(m_at, m_end);
    // A number at the end of the window may continue after it.
    if (end < m_end || (end == m_end && m_atEnd)) return end;
    if (isTooLong() || !refill()) return nullptr;
  }
}

bool EventSlicer::startArray() {
  while (m_end - m_at < 256 && refill()) {
  }
  const char* brace = skipJsonSpace(m_at + 1, m_end);
  if (brace < m_end && *brace == '{') {
    const char* key = skipJsonSpace(brace + 1, m_end);
    if (key < m_end && *key == '"') {
      if (const char* after = skipJsonString(key, m_end)) m_firstKey.assign(key + 1, after - 1);
    }
  }
  m_boundary = EventBoundary(m_firstKey);
  return true;
}

bool EventSlicer::start() {
  while (m_end - m_at < 16 && refill()) {
  }
  if (std::string_view(m_at, static_cast<std::size_t>(m_end - m_at)).starts_with(kByteOrderMark)) m_at += 3;
  m_at += skipJsonSpace(m_at, m_end) - m_at;
  if (m_at == m_end) return false;
  if (*m_at == '[') {
    m_bareArray = true;
    return startArray();
  }
  const bool object = *m_at == '{';
  if (object) {
    ++m_at;
    if (readMembers()) return true;
  }
  // A complete document without events is a file of another kind.
  return !(object && isWholeWithoutEvents()) && findEvents();
}

// Searches for events after unreadable text. If found, the array or the rest of it is sliced next.
bool EventSlicer::findEvents() {
  constexpr std::string_view kArray = "traceEvents\"";
  constexpr std::ptrdiff_t kMaxMarkerLength = 256; // including white space
  const std::uint64_t damagedAt = textPosition(m_at);
  const char* found = nullptr;
  for (bool more = true; found == nullptr && more;) {
    const std::string_view text(m_at, static_cast<std::size_t>(m_end - m_at));
    const std::size_t key = text.find(kArray);
    if (key != std::string_view::npos) {
      const char* const colon = skipJsonSpace(m_at + key + kArray.size(), m_end);
      const char* const bracket = colon < m_end && *colon == ':' ? skipJsonSpace(colon + 1, m_end) : m_end;
      if (bracket < m_end && *bracket == '[') found = bracket;
    }
    for (const char* brace = m_at; found == nullptr && brace < m_end; ++brace) {
      brace = static_cast<const char*>(std::memchr(brace, '{', static_cast<std::size_t>(m_end - brace)));
      if (brace == nullptr) break;
      const char* const first = skipJsonSpace(brace + 1, m_end);
      const auto rest = std::string_view(first, static_cast<std::size_t>(m_end - first));
      if (brace > m_at && rest.starts_with("\"ph\"")) found = brace - 1;
    }
    if (found != nullptr) break;
    m_at += std::max<std::ptrdiff_t>(0, m_end - m_at - kMaxMarkerLength);
    more = refill();
  }
  if (found == nullptr) return false;
  m_at += found - m_at;
  m_diagnostics.add(DiagnosticKind::Skipped, SourceRef(damagedAt),
                    "the start of the file is damaged: reading continued at its events");
  return startArray();
}

// Stores root members from m_at on. True at the event array, which is sliced next.
bool EventSlicer::readMembers() {
  for (;;) {
    while (m_at < m_end && (isJsonSpace(*m_at) || *m_at == ',')) ++m_at;
    if (m_at == m_end) {
      if (refill()) continue;
      return false;
    }
    if (*m_at != '"') return false;
    const char* keyEnd = valueEnd();
    if (keyEnd == nullptr) return false;
    std::string key(m_at + 1, static_cast<std::size_t>(keyEnd - m_at) - 2);
    m_at += keyEnd - m_at;
    while (m_at == m_end || isJsonSpace(*m_at) || *m_at == ':') {
      if (m_at == m_end && !refill()) return false;
      if (m_at < m_end && (isJsonSpace(*m_at) || *m_at == ':')) ++m_at;
    }
    const std::uint64_t at = textPosition(m_at);
    if (key == "traceEvents" && *m_at == '[') {
      if (!m_done) return startArray();
      m_diagnostics.add(DiagnosticKind::Suspicious, SourceRef(at), "a second array of events was ignored");
    }
    const char* end = valueEnd();
    if (end == nullptr) {
      m_diagnostics.add(DiagnosticKind::Skipped, SourceRef(at),
                        isTooLong() ? "\"" + key + "\" is longer than anything known"
                                    : "the file ends inside \"" + key + "\"");
      return false;
    }
    if (key != "traceEvents")
      m_members.push_back({std::move(key), std::string(static_cast<const char*>(m_at), end), at});
    m_at += end - m_at;
  }
}

std::optional<TextSlice> EventSlicer::next() {
  if (m_done) return std::nullopt;
  for (;;) {
    const auto have = static_cast<std::size_t>(m_end - m_at);
    if (have > m_sliceBytes) {
      const char* first = m_boundary.find(m_at, m_at + m_sliceBytes, m_end);
      const char* second =
          first == m_end ? m_end : m_boundary.find(m_at, skipJsonSpace(first + 1, m_end) + 1, m_end);
      // The parser may read a few bytes beyond a slice, so these must exist.
      if (second != m_end && (m_inflater || m_end - second > kPadding))
        return cut(m_at + (first - m_at), m_at + (second - m_at));
    }
    if (isTooLong()) {
      if (auto slice = beforeStretch()) return slice;
    }
    if (!refill()) break;
  }
  m_done = true;
  return lastSlice();
}

// A decompressed text without events must not be kept in memory: a few kilobytes may decompress to gigabytes.
bool EventSlicer::isTooLong() const {
  return m_inflater && static_cast<std::size_t>(m_end - m_at) / kMaxStretch >= m_sliceBytes;
}

// The events before the long text as a slice; once they are processed, skips the text.
std::optional<TextSlice> EventSlicer::beforeStretch() {
  const char* second = nullptr;
  const char* first = nullptr;
  for (const char* at = m_boundary.find(m_at, m_at + 1, m_end); at != m_end;
       at = m_boundary.find(m_at, skipJsonSpace(at + 1, m_end) + 1, m_end)) {
    first = second;
    second = at;
  }
  if (first != nullptr) return cut(m_at + (first - m_at), m_at + (second - m_at));
  m_diagnostics.add(DiagnosticKind::Skipped, SourceRef(textPosition(m_at)),
                    "a section without events beyond the size limit");
  m_at = m_end - 1;
  return std::nullopt;
}

TextSlice EventSlicer::cut(char* comma, char* secondComma) {
  TextSlice slice;
  slice.begin = m_at;
  slice.end = comma + 1;
  slice.tailEnd = secondComma;
  slice.textAt = textPosition(m_at);
  slice.firstByte = *m_at;
  slice.lastByte = ',';
  slice.keep = m_owner;
  *slice.begin = '[';
  *comma = ']';
  m_at = secondComma;
  if (!m_atEnd) {
    // The slice now owns the window; the rest is copied to a new one.
    const bool more = refill();
    (void)more; // if the text ends here, the next slice is the last one
  }
  return slice;
}

// The text from m_at to the end of the array, as a copy, because the parser may read a few bytes beyond it.
TextSlice EventSlicer::lastSlice() {
  const char first = *m_at;
  *m_at = '[';
  const char* end = skipJsonValue(m_at, m_end);
  *m_at = first;
  // If the text after the end is not a valid tail, it was the end of a list inside an event, exposed by
  // damage or by a wrong cut.
  const char* stop = nullptr;
  if (end > m_end || !isTail(end, m_end, m_bareArray, stop)) {
    const char* behind = arrayEndBehindDamage(m_at, m_end, m_bareArray);
    if (behind <= m_end) end = behind;
  }
  TextSlice slice;
  slice.whole = end <= m_end;
  if (!slice.whole) end = m_end;
  const auto bytes = static_cast<std::size_t>(end - m_at);
  std::shared_ptr<char[]> copy(new char[bytes + 1 + kPadding]());
  std::memcpy(copy.get(), m_at, bytes);
  slice.begin = copy.get();
  slice.end = slice.tailEnd = slice.begin + bytes;
  slice.textAt = textPosition(m_at);
  slice.firstByte = first;
  slice.last = true;
  *slice.begin = '[';
  slice.keep = std::move(copy);
  m_at += end - m_at;
  if (slice.whole) readTail();
  return slice;
}

void EventSlicer::readTail() {
  if (m_bareArray) {
    const char* const rest = skipJsonSpace(m_at, m_end);
    if (rest != m_end)
      m_diagnostics.add(DiagnosticKind::Suspicious, SourceRef(textPosition(rest)),
                        "what follows the end of the trace was ignored");
    return;
  }
  // m_done prevents that a second event array is read as the first.
  const std::size_t reported = m_diagnostics.count(DiagnosticKind::Skipped);
  const bool more = readMembers();
  (void)more;
  if (m_diagnostics.count(DiagnosticKind::Skipped) > reported) return; // the file ends inside a member
  while (m_at < m_end && isJsonSpace(*m_at)) ++m_at;
  if (m_at == m_end) {
    m_diagnostics.add(DiagnosticKind::Repaired, SourceRef(textPosition(m_at)),
                      "the closing brace of the file is missing");
    return;
  }
  if (*m_at == '}') {
    const char* rest = skipJsonSpace(m_at + 1, m_end);
    if (rest == m_end) return;
    m_diagnostics.add(DiagnosticKind::Suspicious, SourceRef(textPosition(rest)),
                      "what follows the end of the trace was ignored");
    return;
  }
  m_diagnostics.add(DiagnosticKind::Suspicious, SourceRef(textPosition(m_at)),
                    "the end of the file is damaged");
}

} // namespace rankscope
