// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the head that NCCL writes before each line of its log, "host:pid:tid [dev] NCCL INFO ", wherever it
// stands in the line, and reads words and numbers of messages. Never throws, never reads beyond the text; for
// any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

enum class NcclLevel : std::uint8_t { Info, Warn, Trace, Call, Abort };

[[nodiscard]] std::string_view ncclLevelText(NcclLevel level); // "INFO"

struct NcclHead {
  std::string_view prefix; // before the host: of a launcher, or half a line of another process
  std::string_view host;
  std::int64_t pid = 0, tid = 0;
  int device = -1;
  NcclLevel level = NcclLevel::Info;
  std::string_view message;
  std::string_view place;       // file:line of warnings
  std::string_view firstPrefix; // of the first head
  int heads = 1;                // in the line; the last one counts
};

[[nodiscard]] inline bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Empty if the line has no whole head.
[[nodiscard]] std::optional<NcclHead> ncclHead(std::string_view line);
// Whether "NCCL INFO" or another level stands in the line, with or without the rest of a head.
[[nodiscard]] bool mentionsNcclLevel(std::string_view line);

// Task number in what a launcher writes before a line: " 8: ", "[1,3]<stdout>:", "[rank3]:".
[[nodiscard]] std::optional<int> launcherRankOf(std::string_view prefix);
// The prefix with each run of digits as '#'.
[[nodiscard]] std::string digitsHidden(std::string_view text);
// Without the escape sequences that color a terminal.
[[nodiscard]] std::string withoutColors(std::string_view text);

// Reads a text from left to right. Each function returns empty, and stays where it is, if something else
// stands there.
class NcclWords {
 public:
  explicit NcclWords(std::string_view text) : m_text(text) {}

  [[nodiscard]] std::string_view rest() const { return m_text; }
  [[nodiscard]] bool done() const { return m_text.empty(); }
  void skipBlanks();
  bool skip(std::string_view word);
  std::optional<std::int64_t> number();
  std::optional<double> decimal();
  // Up to the next blank or end.
  std::string_view word();
  // The value after " key ", anywhere in the rest; empty if there is none.
  [[nodiscard]] std::string_view valueOf(std::string_view key) const;

 private:
  std::string_view m_text;
};

[[nodiscard]] std::optional<std::int64_t> ncclNumber(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> hexNumber(std::string_view text); // with or without 0x

} // namespace rankscope
