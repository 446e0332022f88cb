// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_json_lines.h"

#include "core/base/whole_number.h"
#include "core/io/json/json_text.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rankscope {

namespace {

constexpr int kDeepest = 4;
constexpr std::int64_t kOsRuntimeClass = 27;

std::string plainKey(const char* key) {
  std::string plain;
  for (; *key != '"' && plain.size() < 64; ++key)
    if (*key != '_') plain += *key >= 'A' && *key <= 'Z' ? static_cast<char>(*key - 'A' + 'a') : *key;
  return plain;
}

std::string_view withoutSpace(std::string_view text) {
  while (!text.empty() && isJsonSpace(text.front())) text.remove_prefix(1);
  return text;
}

// {"Type":59,"NvtxEvent":{ ...
bool beginsLikeAnEvent(std::string_view line) {
  constexpr std::size_t kFront = 256;
  line = withoutSpace(line.substr(0, kFront));
  if (!line.starts_with("{\"Type\":") && !line.starts_with("{\"type\":")) return false;
  static constexpr std::array<std::string_view, 7> kWords{
      "NvtxEvent\"", "CudaEvent\"",    "TraceProcessEvent\"", "CommEvent\"",
      "\"String\"",  "\"ThreadName\"", "DiagnosticEvent\""};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return line.find(word) != line.npos; });
}

struct Alias {
  std::string_view column;
  std::array<std::string_view, 4> keys;
};

// Columns whose key in lines is another one.
const Alias* aliasOf(std::string_view column) {
  static constexpr std::array kAliases{
      Alias{"start", {"startns", "start", "timestamp", "ns"}},
      Alias{"end", {"endns", "end", "endtimestamp"}},
      Alias{"bytes", {"sizebytes", "bytes"}},
      Alias{"nameId", {"name", "nameid", "nameidx"}},
      Alias{"returnValue", {"returnvalue32", "returnvalue"}},
      Alias{"eventType", {"type"}},
      Alias{"demangledName", {"demangledname", "shortname", "mangledname"}},
  };
  const auto found = std::ranges::find(kAliases, column, &Alias::column);
  return found == kAliases.end() ? nullptr : &*found;
}

} // namespace

bool isNsysJsonLines(std::string_view text) {
  constexpr std::size_t kLongestTable = std::size_t{1} << 28;
  constexpr std::string_view kByteOrder = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrder)) text.remove_prefix(kByteOrder.size());
  text = withoutSpace(text);
  if (beginsLikeAnEvent(text)) return true;
  if (!text.starts_with("{\"data\":[")) return false;
  // The string table comes first: the line after it decides.
  const std::size_t end = text.substr(0, kLongestTable).find('\n');
  if (end == text.npos) return false;
  const std::string_view next = withoutSpace(text.substr(end));
  return beginsLikeAnEvent(next) || next.starts_with("{\"data\":[");
}

bool NsysJsonLine::read(std::string_view line, std::string_view text) {
  m_members.clear();
  m_objects.clear();
  const char* at = line.data();
  // Items of a copied line are not in the text.
  const bool inside =
      at >= text.data() && at + line.size() + JsonStructure::kPadding <= text.data() + text.size();
  if (!inside) {
    m_copy.assign(line).append(JsonStructure::kPadding, ' ');
    at = m_copy.data();
  }
  constexpr std::size_t kLongest = std::size_t{1} << 31;
  if (line.size() > kLongest || !m_structure.index(at, line.size())) return false;
  JsonCursor cursor = m_structure.cursor();
  return flatten(cursor, 0);
}

bool NsysJsonLine::flatten(JsonCursor& cursor, int depth) {
  return cursor.eachMember([&](const char* key, JsonCursor& at) {
    std::string name = plainKey(key);
    if (at.here() == '{' && depth < kDeepest) {
      m_objects.push_back(std::move(name));
      return flatten(at, depth + 1);
    }
    const std::string_view token = at.value();
    if (token.empty()) return false;
    m_members.push_back({std::move(name), token});
    return true;
  });
}

bool NsysJsonLine::holds(std::string_view object) const {
  return std::ranges::find(m_objects, object) != m_objects.end();
}

std::string_view NsysJsonLine::token(std::span<const std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (key.empty()) break;
    const auto found = std::ranges::find(m_members, key, &Member::key);
    if (found != m_members.end()) return found->token;
  }
  return {};
}

std::optional<std::int64_t> numberOfToken(std::string_view token) {
  if (token == "true") return 1;
  if (token == "false") return 0;
  if (const auto number = signedFromToken(token)) return number;
  if (const auto number = unsignedFromToken(token)) return static_cast<std::int64_t>(*number);
  if (const auto number = doubleFromToken(token)) return rounded(*number);
  return std::nullopt;
}

std::int64_t NsysJsonLine::integer(std::initializer_list<std::string_view> keys) const {
  return numberOfToken(token(keys)).value_or(0);
}

bool NsysJsonLine::eachItem(std::string_view list, const std::function<void(std::string_view)>& item) {
  const char* const end = list.data() + list.size();
  const char* at = skipJsonSpace(list.data(), end);
  if (at == end || *at != '[') return false;
  at = skipJsonSpace(at + 1, end);
  while (at < end && *at != ']') {
    const char* const next = skipJsonValue(at, end);
    if (next > end || next == at) return false;
    item({at, static_cast<std::size_t>(next - at)});
    at = skipJsonSpace(next, end);
    if (at < end && *at == ',') at = skipJsonSpace(at + 1, end);
  }
  return at < end;
}

std::optional<NsysTable> tableOfLine(const NsysJsonLine& line) {
  if (line.holds("nvtxevent")) return NsysTable::Nvtx;
  if (line.holds("traceprocessevent"))
    return line.integer({"eventclass"}) == kOsRuntimeClass ? NsysTable::OsRuntime : NsysTable::Runtime;
  if (!line.holds("cudaevent")) return std::nullopt;
  if (line.holds("kernel")) return NsysTable::Kernel;
  if (line.holds("memcpy")) return NsysTable::Memcpy;
  if (line.holds("memset")) return NsysTable::Memset;
  if (line.holds("sync")) return NsysTable::Sync;
  if (line.holds("cudaeventrecord")) return NsysTable::CudaEvent;
  return std::nullopt;
}

std::string_view tokenOfColumn(const NsysJsonLine& line, std::string_view column) {
  if (const Alias* const alias = aliasOf(column)) return line.token(alias->keys);
  std::string key;
  for (const char c : column) key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return line.token({std::string_view(key)});
}

void eachLine(std::string_view text, const std::function<bool(std::uint64_t, std::string_view)>& take) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const void* const found = std::memchr(text.data() + begin, '\n', text.size() - begin);
    const std::size_t end = found == nullptr
                                ? text.size()
                                : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    const bool blank = std::ranges::all_of(line, isJsonSpace);
    if (!blank && !take(begin, line)) return;
    begin = end + 1;
  }
}

std::map<std::int64_t, std::string> stringsOfLines(std::string_view text,
                                                   const std::set<std::int64_t>& wanted) {
  std::map<std::int64_t, std::string> found;
  if (wanted.empty()) return found;
  NsysJsonLine parsed;
  bool table = false;
  eachLine(text, [&](std::uint64_t, std::string_view line) {
    const std::string_view front = withoutSpace(line);
    const bool single =
        front.starts_with("{\"type\":\"String\"") || front.starts_with("{\"Type\":\"String\"");
    const bool list = !table && front.starts_with("{\"data\":[");
    if ((!single && !list) || !parsed.read(line, text)) return true;
    if (single) {
      const std::int64_t id = parsed.integer({"id"});
      if (wanted.contains(id)) found.try_emplace(id, unescaped(insideQuotes(parsed.token({"value"}))));
      return true;
    }
    std::int64_t id = 0;
    NsysJsonLine::eachItem(parsed.token({"data"}), [&](std::string_view token) {
      if (!isQuoted(token)) return;
      table = true;
      if (wanted.contains(id)) found.try_emplace(id, unescaped(insideQuotes(token)));
      ++id;
    });
    return true;
  });
  return found;
}

} // namespace rankscope
