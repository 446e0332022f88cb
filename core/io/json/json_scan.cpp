// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/json/json_scan.h"

#include <cstring>
#include <string_view>

namespace rankscope {

const char* skipJsonString(const char* at, const char* end) {
  for (++at; at < end;) {
    at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (at == nullptr) return nullptr;
    const char* slash = at;
    while (slash[-1] == '\\') --slash;
    if ((at - slash) % 2 == 0) return at + 1;
    ++at;
  }
  return nullptr;
}

const char* skipJsonValue(const char* at, const char* end) {
  int depth = 0;
  while (at < end) {
    switch (*at) {
    case '"': {
      at = skipJsonString(at, end);
      if (at == nullptr) return end + 1;
      if (depth == 0) return at;
      break;
    }
    case '{':
    case '[':
      ++depth;
      ++at;
      break;
    case '}':
    case ']':
      if (depth == 0) return at;
      ++at;
      if (--depth == 0) return at;
      break;
    case ',':
      if (depth == 0) return at;
      ++at;
      break;
    default:
      ++at;
    }
  }
  return end + 1;
}

bool EventBoundary::isFirstKey(const char* at, const char* end) const {
  struct Usual {
    std::string_view key;
    bool text; // whether its value is a string
  };
  static constexpr std::array<Usual, 6> kUsual{
      {{"ph", true}, {"name", true}, {"cat", true}, {"pid", false}, {"tid", false}, {"ts", false}}};
  const char* after = at < end && *at == '"' ? skipJsonString(at, end) : nullptr;
  if (after == nullptr) return false;
  const std::string_view key(at + 1, static_cast<std::size_t>(after - at) - 2);
  const char* colon = skipJsonSpace(after, end);
  if (colon == end || *colon != ':') return false;
  const char* value = skipJsonSpace(colon + 1, end);
  for (const Usual& usual : kUsual) {
    if (usual.key == key) return !usual.text || (value < end && *value == '"');
  }
  return !m_firstKey.empty() && key == m_firstKey;
}

const char* EventBoundary::findBrace(const char* begin, const char* from, const char* end) const {
  for (; from < end; ++from) {
    from = static_cast<const char*>(std::memchr(from, '{', static_cast<std::size_t>(end - from)));
    if (from == nullptr) return end;
    const char* before = from;
    while (before > begin && isJsonSpace(before[-1])) --before;
    // After a colon follows the value of a member.
    if ((before == begin || before[-1] != ':') && isFirstKey(skipJsonSpace(from + 1, end), end)) return from;
  }
  return end;
}

const char* EventBoundary::find(const char* begin, const char* from, const char* end) const {
  while (from < end) {
    const char* brace =
        static_cast<const char*>(std::memchr(from, '{', static_cast<std::size_t>(end - from)));
    if (brace == nullptr) return end;
    from = brace + 1;
    const char* comma = brace;
    while (comma > begin && isJsonSpace(comma[-1])) --comma;
    if (comma == begin || *--comma != ',') continue;
    const char* closing = comma;
    while (closing > begin && isJsonSpace(closing[-1])) --closing;
    if (closing == begin || closing[-1] != '}') continue;
    if (isFirstKey(skipJsonSpace(brace + 1, end), end)) return comma;
  }
  return end;
}

} // namespace rankscope
