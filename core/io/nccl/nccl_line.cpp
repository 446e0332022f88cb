// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_line.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 5> kLevels{"INFO", "WARN", "TRACE", "CALL", "ABORT"};
// How far before the level a head may begin: paths of warnings are long, but not endless.
constexpr std::size_t kMaxHead = 4096;

bool isHostChar(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

struct LevelAt {
  std::size_t at = std::string_view::npos; // of "NCCL"
  std::size_t end = 0;                     // after the level and its blank
  NcclLevel level = NcclLevel::Info;
};

LevelAt nextLevel(std::string_view line, std::size_t from) {
  // One letter after the other: memmem would make a table for each line.
  constexpr std::string_view kName = "NCCL ";
  for (std::size_t at = line.find(kName, from); at != std::string_view::npos; at = line.find(kName, at + 1)) {
    const std::string_view rest = line.substr(at + 5);
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      if (!rest.starts_with(kLevels[i])) continue;
      const std::size_t after = kLevels[i].size();
      if (rest.size() > after && rest[after] != ' ') continue;
      return {at, std::min(line.size(), at + 5 + after + 1), static_cast<NcclLevel>(i)};
    }
  }
  return {};
}

// Digits that end at `end`; their begin.
std::size_t digitsBefore(std::string_view text, std::size_t end) {
  while (end > 0 && isDigit(text[end - 1])) --end;
  return end;
}

// host:pid:tid that ends at the blank at `blank`.
bool placeBefore(std::string_view text, std::size_t blank, NcclHead& head) {
  const std::size_t tid = digitsBefore(text, blank);
  if (tid == blank || tid == 0 || text[tid - 1] != ':') return false;
  const std::size_t pid = digitsBefore(text, tid - 1);
  if (pid == tid - 1 || pid == 0 || text[pid - 1] != ':') return false;
  std::size_t host = pid - 1;
  while (host > 0 && isHostChar(text[host - 1])) --host;
  if (host == pid - 1) return false;
  const auto pidNumber = ncclNumber(text.substr(pid, tid - 1 - pid));
  const auto tidNumber = ncclNumber(text.substr(tid, blank - tid));
  if (!pidNumber || !tidNumber) return false;
  head.prefix = text.substr(0, host);
  head.host = text.substr(host, pid - 1 - host);
  head.pid = *pidNumber;
  head.tid = *tidNumber;
  return true;
}

// text: from the begin of the line, or of the part that belongs to this head, to "NCCL".
bool headBefore(std::string_view text, NcclHead& head) {
  const std::size_t first = text.size() > kMaxHead ? text.size() - kMaxHead : 0;
  for (std::size_t blank = text.size(); blank > first; --blank) {
    if (text[blank - 1] != ' ' || !placeBefore(text, blank - 1, head)) continue;
    std::string_view after = text.substr(blank);
    head.device = -1;
    if (after.starts_with('[')) {
      const std::size_t close = after.find(']');
      if (close != std::string_view::npos) {
        const auto device = ncclNumber(after.substr(1, close - 1));
        if (device) head.device = static_cast<int>(std::clamp<std::int64_t>(*device, -1, 1 << 20));
        after.remove_prefix(std::min(after.size(), close + 2));
      }
    }
    while (after.ends_with(' ')) after.remove_suffix(1);
    // Something between device and level is the source of a warning; else another line was written into this.
    if (after.find(' ') != std::string_view::npos && !after.starts_with('<')) return false;
    head.place = after;
    return true;
  }
  return false;
}

} // namespace

std::string_view ncclLevelText(NcclLevel level) {
  return kLevels[static_cast<std::size_t>(level)];
}

std::optional<NcclHead> ncclHead(std::string_view line) {
  NcclHead found;
  int heads = 0;
  std::size_t from = 0;
  for (LevelAt level = nextLevel(line, 0); level.at != std::string_view::npos;
       level = nextLevel(line, level.end)) {
    NcclHead head;
    if (headBefore(line.substr(from, level.at - from), head) &&
        (head.place.empty() || level.level != NcclLevel::Info)) {
      head.prefix = line.substr(0, static_cast<std::size_t>(head.host.data() - line.data()));
      head.firstPrefix = heads == 0 ? head.prefix : found.firstPrefix;
      head.level = level.level;
      head.message = line.substr(level.end);
      found = head;
      ++heads;
      from = level.end;
    }
  }
  if (heads == 0) return std::nullopt;
  found.heads = heads;
  return found;
}

bool mentionsNcclLevel(std::string_view line) {
  return nextLevel(line, 0).at != std::string_view::npos;
}

std::optional<int> launcherRankOf(std::string_view prefix) {
  while (prefix.ends_with(' ')) prefix.remove_suffix(1);
  if (!prefix.ends_with(':')) return std::nullopt;
  prefix.remove_suffix(1);
  for (const std::string_view stream : {"<stdout>", "<stderr>"})
    if (prefix.ends_with(stream)) prefix.remove_suffix(stream.size());
  const bool bracket = prefix.ends_with(']');
  if (bracket) prefix.remove_suffix(1);
  const std::size_t digits = digitsBefore(prefix, prefix.size());
  const auto number = ncclNumber(prefix.substr(digits));
  if (!number || *number > (1 << 24)) return std::nullopt;
  std::string_view before = prefix.substr(0, digits);
  if (bracket) {
    // "[1,3]", "[rank3]", "[default3]"
    const std::size_t open = before.rfind('[');
    if (open == std::string_view::npos) return std::nullopt;
    const std::string_view name = before.substr(open + 1);
    if (!name.ends_with(',') && name != "rank" && name != "default") return std::nullopt;
    return static_cast<int>(*number);
  }
  while (before.ends_with(' ')) before.remove_suffix(1);
  return before.empty() ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string digitsHidden(std::string_view text) {
  std::string hidden;
  hidden.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!isDigit(text[i]))
      hidden.push_back(text[i]);
    else if (i == 0 || !isDigit(text[i - 1]))
      hidden.push_back('#');
  }
  return hidden;
}

std::string withoutColors(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain.push_back(text[i]);
      continue;
    }
    if (i + 1 >= text.size() || text[i + 1] != '[') continue;
    // Up to the letter that ends the sequence.
    i += 2;
    while (i < text.size() && !(text[i] >= '@' && text[i] <= '~')) ++i;
  }
  return plain;
}

void NcclWords::skipBlanks() {
  while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == '\t')) m_text.remove_prefix(1);
}

bool NcclWords::skip(std::string_view word) {
  skipBlanks();
  if (!m_text.starts_with(word)) return false;
  m_text.remove_prefix(word.size());
  return true;
}

std::optional<std::int64_t> NcclWords::number() {
  skipBlanks();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
  if (error != std::errc()) return std::nullopt;
  m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
  return value;
}

std::optional<double> NcclWords::decimal() {
  skipBlanks();
  double value = 0;
  const auto [end, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
  if (error != std::errc()) return std::nullopt;
  m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
  return value;
}

std::string_view NcclWords::word() {
  skipBlanks();
  std::size_t end = 0; // words are short
  while (end < m_text.size() && m_text[end] != ' ') ++end;
  const std::string_view found = m_text.substr(0, end);
  m_text.remove_prefix(end);
  return found;
}

std::string_view NcclWords::valueOf(std::string_view key) const {
  for (std::size_t at = m_text.find(key); at != std::string_view::npos; at = m_text.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if ((at > 0 && m_text[at - 1] != ' ') || end >= m_text.size() || m_text[end] != ' ') continue;
    const std::string_view rest = m_text.substr(end + 1);
    return rest.substr(0, std::min(rest.find(' '), rest.size()));
  }
  return {};
}

std::optional<std::int64_t> ncclNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> hexNumber(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

} // namespace rankscope
