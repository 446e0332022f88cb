// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/text_source.h"

#include <algorithm>
#include <vector>

namespace rankscope {

Result<std::string> readText(const FileBytes& file, std::uint64_t textAt, std::uint64_t length) {
  const auto beyond = [&] {
    return Error{ErrorKind::Io, "the file is shorter than it was when it was loaded", file.path(), textAt};
  };
  if (!file.compressed()) {
    const std::span<char> bytes = file.bytes();
    if (textAt >= bytes.size()) return beyond();
    return std::string(bytes.data() + textAt, std::min<std::uint64_t>(length, bytes.size() - textAt));
  }
  Inflater inflater(file.bytes());
  std::vector<char> skipped(std::size_t{1} << 18);
  for (std::uint64_t at = 0; at < textAt;) {
    const std::size_t wanted = std::min<std::uint64_t>(skipped.size(), textAt - at);
    const std::size_t read = inflater.read({skipped.data(), wanted});
    if (read < wanted) return beyond();
    at += read;
  }
  std::string text(length, '\0');
  text.resize(inflater.read({text.data(), text.size()}));
  if (text.empty()) return beyond();
  return text;
}

} // namespace rankscope
