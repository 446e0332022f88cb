// SPDX-License-Identifier: GPL-3.0-or-later
//
// Buffered text output to a file, optionally compressed. Numbers are formatted from integers. Throws
// std::runtime_error if the file cannot be written.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::test {

inline void appendNumber(std::string& text, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, static_cast<std::size_t>(end.ptr - digits));
}

// Nanoseconds as microseconds: 1234567 is "1234.567".
inline void appendMicroseconds(std::string& text, std::int64_t ns) {
  if (ns < 0) {
    text += '-';
    ns = -ns;
  }
  appendNumber(text, ns / 1000);
  const auto rest = static_cast<int>(ns % 1000);
  const char fraction[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                            static_cast<char>('0' + rest % 10)};
  text.append(fraction, 4);
}

// The same without trailing zeros, like Python's floats: "1234.5", "1234.0".
inline void appendShortMicroseconds(std::string& text, std::int64_t ns) {
  appendMicroseconds(text, ns);
  for (int i = 0; i < 2 && text.back() == '0'; ++i) text.pop_back();
}

class OutputFile {
 public:
  OutputFile(const std::filesystem::path& path, bool gzip, int level);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void close();
  [[nodiscard]] std::int64_t bytesIn() const { return m_bytes; }

 private:
  void* m_handle = nullptr; // gzFile or FILE*
  bool m_gzip;
  std::filesystem::path m_path;
  std::int64_t m_bytes = 0;
};

} // namespace rankscope::test
