// SPDX-License-Identifier: GPL-3.0-or-later
// A mapped file that is shortened under the reader's hands.
#include "core/io/files/mapping_guard.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace rankscope {

namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20;

// A private mapping of a file full of x.
class MappedFile {
 public:
  MappedFile() : m_path(m_folder / "file") {
    std::ofstream(m_path, std::ios::binary) << std::string(kBytes, 'x');
    const int file = open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    m_begin = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
  }
  ~MappedFile() { munmap(m_begin, kBytes); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] void* begin() const { return m_begin; }
  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(m_begin), kBytes}; }
  void shorten(std::size_t to) { std::filesystem::resize_file(m_path, to); }

 private:
  test::TemporaryFolder m_folder;
  std::string m_path;
  void* m_begin = nullptr;
};

std::size_t countOf(char c, std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, c));
}

} // namespace

TEST(MappingGuard, isNotStruckWhileAllCanBeRead) {
  const MappedFile file;
  const MappingGuard guard(file.begin(), kBytes);
  EXPECT_EQ(countOf('x', file.text()), kBytes);
  EXPECT_FALSE(guard.faulted());
}

TEST(MappingGuard, givesZerosForWhatIsGone) {
  MappedFile file;
  const MappingGuard guard(file.begin(), kBytes);
  file.shorten(kBytes / 2);
  EXPECT_EQ(countOf('x', file.text().substr(0, kBytes / 2)), kBytes / 2);
  EXPECT_FALSE(guard.faulted());
  EXPECT_EQ(countOf('\0', file.text().substr(kBytes / 2)), kBytes / 2);
  EXPECT_TRUE(guard.faulted());
}

TEST(MappingGuard, ofOneMappingSaysNothingOfAnother) {
  MappedFile shortened;
  const MappedFile whole;
  const MappingGuard first(shortened.begin(), kBytes);
  const MappingGuard second(whole.begin(), kBytes);
  shortened.shorten(0);
  EXPECT_EQ(shortened.text()[0], '\0');
  EXPECT_EQ(whole.text()[0], 'x');
  EXPECT_TRUE(first.faulted());
  EXPECT_FALSE(second.faulted());
}

} // namespace rankscope
