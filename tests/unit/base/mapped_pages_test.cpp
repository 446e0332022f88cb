// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mapped_pages.h"

#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace ipc = boost::interprocess;
using Bytes = std::span<const std::byte>;

constexpr std::size_t kBytes = std::size_t{8} << 20;

// How much of the mapping that begins there is memory of the program, in KiB.
std::size_t residentAt(const std::byte* address) {
  std::ifstream maps("/proc/self/smaps");
  const std::string begin = fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(address));
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    found |= line.starts_with(begin);
    if (found && line.starts_with("Rss:")) return std::stoul(line.substr(4));
  }
  ADD_FAILURE() << "the mapping is not there";
  return 0;
}

class MappedPagesTest : public testing::Test {
 protected:
  MappedPagesTest() {
    const std::string path = m_folder / "file";
    std::ofstream(path, std::ios::binary) << std::string(kBytes, 'x');
    m_region.emplace(ipc::file_mapping(path.c_str(), ipc::read_only), ipc::read_only);
  }

  [[nodiscard]] Bytes bytes() const {
    return {static_cast<const std::byte*>(m_region->get_address()), m_region->get_size()};
  }
  [[nodiscard]] std::size_t readAll() const {
    return static_cast<std::size_t>(std::ranges::count(bytes(), std::byte{'x'}));
  }

  test::TemporaryFolder m_folder;
  std::optional<ipc::mapped_region> m_region;
};

} // namespace

TEST_F(MappedPagesTest, whatWasReadIsGivenBackAndReadAgain) {
  const MappedPages pages(bytes());
  EXPECT_EQ(readAll(), kBytes);
  EXPECT_GE(residentAt(bytes().data()), kBytes / 1024);
  giveBackPages(bytes());
  EXPECT_EQ(residentAt(bytes().data()), 0U);
  EXPECT_EQ(readAll(), kBytes);
  // A part that begins and ends within pages.
  giveBackPages(bytes().subspan(100, kBytes / 2));
  EXPECT_LE(residentAt(bytes().data()), kBytes / 1024 - kBytes / 2048 + 8);
  EXPECT_EQ(readAll(), kBytes);
}

TEST_F(MappedPagesTest, memoryThatIsNoMappingIsLeftAlone) {
  const std::vector<std::byte> own(kBytes, std::byte{7});
  {
    const MappedPages pages(bytes());
    giveBackPages(own);
    giveBackPages({});
  }
  EXPECT_EQ(readAll(), kBytes);
  giveBackPages(bytes());
  EXPECT_GE(residentAt(bytes().data()), kBytes / 1024);
  EXPECT_EQ(std::ranges::count(own, std::byte{7}), static_cast<std::ptrdiff_t>(kBytes));
}

} // namespace rankscope
