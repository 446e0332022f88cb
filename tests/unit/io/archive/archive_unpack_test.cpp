// SPDX-License-Identifier: GPL-3.0-or-later
// What is written of an archive, and what never is. Covers core/io/archive/member_names.
#include "core/io/archive/archive_unpack.h"

#include "core/io/archive/archive_folders.h"
#include "tests/support/archive_writer.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::ArchiveMember;
using test::TemporaryFolder;

bool everything(std::string_view) {
  return true;
}

std::string textOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class ArchiveUnpack : public testing::Test {
 protected:
  ArchiveUnpack() { fs::create_directory(m_to); }

  Result<Unpacked> unpack(const std::string& name, const UnpackLimits& limits = {}) {
    return unpackArchive((m_folder.path() / name).string(), m_to.string(), everything, m_progress, limits);
  }
  void write(const std::string& name, const std::vector<ArchiveMember>& members) {
    test::writeArchive(m_folder.path() / name, members);
  }
  // Leaves the first part of the file.
  void cut(const std::string& name, double share) {
    const fs::path file = m_folder.path() / name;
    fs::resize_file(file, static_cast<std::uint64_t>(static_cast<double>(fs::file_size(file)) * share));
  }

  TemporaryFolder m_folder;
  fs::path m_to = m_folder.path() / "unpacked";
  Progress m_progress;
};

// Text that no compressor makes much smaller.
std::string noise(std::size_t bytes) {
  std::string text(bytes, ' ');
  std::uint64_t state = 88172645463325252ULL;
  for (char& c : text) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    c = static_cast<char>('!' + state % 90);
  }
  return text;
}

} // namespace

TEST_F(ArchiveUnpack, everyFormGivesTheSameFiles) {
  for (const char* const name :
       {"a.tar", "a.tar.gz", "a.tgz", "a.tar.zst", "a.tar.xz", "a.tar.bz2", "a.zip", "a.7z"}) {
    write(name, {{"job/rank0.json", "zero", {}}, {"job/node1/rank1.json", noise(100'000), {}}});
    fs::remove_all(m_to);
    fs::create_directory(m_to);
    m_progress.bytesDone = 0;
    const auto unpacked = unpack(name);
    ASSERT_TRUE(unpacked) << name << ": " << unpacked.error().text();
    EXPECT_EQ(unpacked->files, (std::vector<std::string>{"job/rank0.json", "job/node1/rank1.json"})) << name;
    EXPECT_EQ(unpacked->problem, "") << name;
    EXPECT_EQ(unpacked->bytes, 100'004U) << name;
    EXPECT_EQ(textOf(m_to / "job/rank0.json"), "zero") << name;
    EXPECT_EQ(textOf(m_to / "job/node1/rank1.json"), noise(100'000)) << name;
    EXPECT_GT(m_progress.bytesDone.load(), 0U) << name;
  }
}

// Other programs mark names as UTF-8 in zip files; the tests run without a locale.
TEST_F(ArchiveUnpack, namesInUtf8AreKept) {
  const std::string zip = m_folder / "names.zip";
  test::writeArchive(zip, {{"r\xc3\xbcn/rank0.json", "{}", ""}, {"run/rank1.json", "[]", ""}});
  std::ifstream in(zip, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  constexpr char kUtf8 = 8; // in the upper byte of the flags of a member
  for (const auto& [header, flags] : {std::pair("PK\3\4", 7), std::pair("PK\1\2", 9)}) {
    for (std::size_t at = bytes.find(header); at != std::string::npos; at = bytes.find(header, at + 1))
      bytes[at + static_cast<std::size_t>(flags)] =
          static_cast<char>(bytes[at + static_cast<std::size_t>(flags)] | kUtf8);
  }
  std::ofstream(zip, std::ios::binary) << bytes;
  const test::TemporaryFolder to;
  Progress progress;
  const auto unpacked = unpackArchive(
      zip, to.path().string(), [](std::string_view) { return true; }, progress);
  ASSERT_TRUE(unpacked.ok()) << unpacked.error().text();
  EXPECT_TRUE(std::filesystem::exists(to / "r\xc3\xbcn/rank0.json"));
  EXPECT_TRUE(std::filesystem::exists(to / "run/rank1.json"));
}

TEST_F(ArchiveUnpack, aCompressedFileIsOneFile) {
  for (const char* const ending : {".zst", ".xz", ".bz2"}) {
    const std::string name = std::string("rank3.json") + ending;
    test::writeCompressed(m_folder.path() / name, "three");
    fs::remove_all(m_to);
    fs::create_directory(m_to);
    const auto unpacked = unpack(name);
    ASSERT_TRUE(unpacked) << name << ": " << unpacked.error().text();
    EXPECT_EQ(unpacked->files, std::vector<std::string>{"rank3.json"}) << name;
    EXPECT_EQ(textOf(m_to / "rank3.json"), "three") << name;
  }
}

TEST_F(ArchiveUnpack, nothingIsWrittenOutsideTheFolder) {
  write("evil.tar", {{"../out.json", "x", {}},
                     {"a/../../out.json", "x", {}},
                     {"link.json", "", "/etc/passwd"},
                     {"dir", "", ".."},
                     {"dir/out.json", "x", {}},
                     {"/absolute.json", "inside", {}},
                     {"good.json", "good", {}}});
  const auto unpacked = unpack("evil.tar");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_EQ(unpacked->files, (std::vector<std::string>{"dir/out.json", "absolute.json", "good.json"}));
  EXPECT_FALSE(fs::exists(m_folder.path() / "out.json"));
  EXPECT_FALSE(fs::exists(m_to / "link.json"));
  EXPECT_EQ(textOf(m_to / "dir/out.json"), "x");
  EXPECT_FALSE(fs::exists("/absolute.json"));
}

namespace {

std::string leftOutText(const Unpacked& unpacked) {
  std::string text;
  for (const LeftOutMember& member : unpacked.leftOut) text += member.name + ": " + member.reason + "\n";
  return text;
}

} // namespace

TEST_F(ArchiveUnpack, everyMemberThatIsLeftOutIsNamedWithItsReason) {
  const std::string longName = std::string(300, 'n') + ".json";
  write("odd.tar", {{"../up.json", "x", {}},
                    {"outside.json", "", "/etc/passwd"},
                    {"higher.json", "", "../../x.json"},
                    {"nowhere.json", "", "none.json"},
                    {"circle1.json", "", "circle2.json"},
                    {"circle2.json", "", "circle1.json"},
                    {longName, "x", {}},
                    {"good.json", "good", {}}});
  const auto unpacked = unpack("odd.tar");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_EQ(unpacked->files, std::vector<std::string>{"good.json"});
  EXPECT_EQ(unpacked->problem, "");
  EXPECT_EQ(leftOutText(*unpacked),
            "../up.json: its name leads out of the archive\n"
            "outside.json: a link that leads out of the archive\n"
            "higher.json: a link that leads out of the archive\n" +
                longName.substr(0, 120) +
                "...: its name is too long\n"
                "circle1.json: a link to 'circle2.json', which is no file of this archive\n"
                "circle2.json: a link to 'circle1.json', which is no file of this archive\n"
                "nowhere.json: a link to 'none.json', which is no file of this archive\n");
}

TEST_F(ArchiveUnpack, linksWithinTheArchiveAreThere) {
  write("links.tar", {{"node0/rank0.json", "zero", {}},
                      {"node1/rank0.json", "", "../node0/rank0.json"},
                      {"rank1.json", "", "store/0a1b2c"},
                      {"rank2.json", "", "rank1.json"},
                      {"rank3.json", "node0/rank0.json", {}, true},
                      {"store/0a1b2c", "one", {}},
                      {"store/other", "other", {}}});
  const auto traces = [](std::string_view name) { return name.ends_with(".json"); };
  const auto unpacked = unpackArchive(m_folder / "links.tar", m_to.string(), traces, m_progress);
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_EQ(leftOutText(*unpacked), "");
  EXPECT_EQ(textOf(m_to / "node1/rank0.json"), "zero");
  EXPECT_EQ(textOf(m_to / "rank1.json"), "one");
  EXPECT_EQ(textOf(m_to / "rank2.json"), "one");
  EXPECT_EQ(textOf(m_to / "rank3.json"), "zero");
  EXPECT_FALSE(fs::exists(m_to / "store/other"));
}

// As a folder would have them after unpacking.
TEST_F(ArchiveUnpack, theLastOfMembersWithOneNameIsOpened) {
  for (const char* const name : {"twice.tar", "twice.zip"}) {
    write(name, {{"a.json", "first", {}}, {"b.json", "b", {}}, {"a.json", "last", {}}});
    fs::remove_all(m_to);
    fs::create_directory(m_to);
    const auto unpacked = unpack(name);
    ASSERT_TRUE(unpacked) << unpacked.error().text();
    EXPECT_EQ(textOf(m_to / "a.json"), "last") << name;
    EXPECT_EQ(leftOutText(*unpacked), "a.json: an earlier file of this name; the last one is opened\n");
    EXPECT_EQ(unpacked->files, (std::vector<std::string>{"a.json", "b.json"})) << name;
  }
}

TEST_F(ArchiveUnpack, aFileAndAFolderOfOneNameLeaveTheRestOpen) {
  write("conflict.tar", {{"a.json", "a", {}},
                         {"a.json/b.json", "b", {}},
                         {"c.json/d.json", "d", {}},
                         {"c.json", "c", {}},
                         {"e.json", "e", {}}});
  const auto unpacked = unpack("conflict.tar");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_EQ(unpacked->files, (std::vector<std::string>{"a.json", "c.json/d.json", "e.json"}));
  EXPECT_EQ(leftOutText(*unpacked),
            "a.json/b.json: 'a.json' is a file in this archive and cannot be its folder\n"
            "c.json: the archive has a folder of the same name\n");
}

TEST_F(ArchiveUnpack, whatWasLeftOutIsToldEachTime) {
  const ArchiveFolderSettings settings{(m_folder.path() / "cache").string(), 1 << 20};
  write("odd.tar", {{"../up.json", "x", {}}, {"good.json", "good", {}}});
  for (int i = 0; i < 2; ++i) {
    const auto folder = archiveFolder(m_folder / "odd.tar", settings, everything, m_progress);
    ASSERT_TRUE(folder);
    ASSERT_EQ(folder->leftOut.size(), 1U);
    EXPECT_EQ(folder->leftOut[0], (LeftOutMember{"../up.json", "its name leads out of the archive"}));
  }
}

TEST_F(ArchiveUnpack, limitsEndItAndKeepWhatWasWhole) {
  write("bomb.tar.gz", {{"small.json", "small", {}}, {"big.json", std::string(4 << 20, '0'), {}}});
  UnpackLimits limits;
  limits.ratio = 20;
  limits.ratioFrom = 1 << 20;
  const auto unpacked = unpack("bomb.tar.gz", limits);
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_NE(unpacked->problem.find("too large when unpacked: more than 20 times its size"), std::string::npos)
      << unpacked->problem;
  EXPECT_NE(unpacked->problem.find("unpack it and open the folder"), std::string::npos);
  EXPECT_EQ(unpacked->problem.find("not whole"), std::string::npos) << unpacked->problem;
  EXPECT_EQ(unpacked->files, std::vector<std::string>{"small.json"});
  EXPECT_FALSE(fs::exists(m_to / "big.json"));

  write("many.tar", {{"0.json", "0", {}}, {"1.json", "1", {}}, {"2.json", "2", {}}});
  UnpackLimits few;
  few.files = 2;
  const auto two = unpack("many.tar", few);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->files.size(), 2U);
  EXPECT_NE(two->problem.find("more than 2 files"), std::string::npos) << two->problem;
}

TEST_F(ArchiveUnpack, damageIsToldWithItsPlaceAndWhatCameBeforeIsKept) {
  write("cut.tar.gz", {{"rank0.json", noise(200'000), {}}, {"rank1.json", noise(200'000), {}}});
  cut("cut.tar.gz", 0.75);
  const auto unpacked = unpack("cut.tar.gz");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  ASSERT_FALSE(unpacked->files.empty());
  EXPECT_EQ(unpacked->files.front(), "rank0.json");
  EXPECT_EQ(textOf(m_to / "rank0.json"), noise(200'000));
  EXPECT_TRUE(unpacked->problem.starts_with("the archive is not whole: byte ")) << unpacked->problem;
  EXPECT_NE(unpacked->problem.find("rank1.json"), std::string::npos) << unpacked->problem;

  std::ofstream(m_folder.path() / "none.zip") << "no archive at all";
  const auto none = unpack("none.zip");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().file, (m_folder.path() / "none.zip").string());
  EXPECT_FALSE(none.error().message.empty());
}

// rank0.json to rank7.json, of so many bytes each, which cannot be compressed.
std::vector<ArchiveMember> eightRanks(std::size_t bytes) {
  const std::string all = noise(8 * bytes);
  std::vector<ArchiveMember> ranks;
  for (std::size_t rank = 0; rank < 8; ++rank)
    ranks.push_back({"rank" + std::to_string(rank) + ".json", all.substr(rank * bytes, bytes), {}});
  return ranks;
}

// Whatever fits into a block of the decompressor.
TEST_F(ArchiveUnpack, smallMembersBeforeTheDamageAreKept) {
  const std::vector<ArchiveMember> ranks = eightRanks(5'000);
  write("cut.tar.gz", ranks);
  cut("cut.tar.gz", 0.5);
  const auto unpacked = unpack("cut.tar.gz");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  ASSERT_GE(unpacked->files.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(textOf(m_to / ranks[i].name), ranks[i].text) << i;
  EXPECT_NE(unpacked->problem.find("the archive is not whole: byte "), std::string::npos)
      << unpacked->problem;
}

TEST_F(ArchiveUnpack, halfOfAnArchiveOfZstdKeepsItsFirstMembers) {
  const std::vector<ArchiveMember> ranks = eightRanks(100'000);
  write("cut.tar.zst", ranks);
  cut("cut.tar.zst", 0.5);
  const auto unpacked = unpack("cut.tar.zst");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  ASSERT_GE(unpacked->files.size(), 2U);
  EXPECT_EQ(textOf(m_to / "rank0.json"), ranks[0].text);
  EXPECT_NE(unpacked->problem.find("the archive is not whole: byte "), std::string::npos)
      << unpacked->problem;
}

// Of which not one block can be decompressed.
TEST_F(ArchiveUnpack, anArchiveOfWhichNothingCanBeReadNamesTheDamage) {
  write("cut.tar.zst", {{"rank0.json", noise(50'000), {}}});
  cut("cut.tar.zst", 0.5);
  const auto unpacked = unpack("cut.tar.zst");
  ASSERT_FALSE(unpacked);
  EXPECT_NE(unpacked.error().message.find("Truncated zstd input"), std::string::npos)
      << unpacked.error().text();
}

TEST_F(ArchiveUnpack, aMemberOfWhichNothingWasReadLeavesNoFile) {
  write("cut.zip", {{"rank0.json", noise(200'000), {}}, {"rank1.json", noise(200'000), {}}});
  cut("cut.zip", 0.501); // within the head of the second
  const auto unpacked = unpack("cut.zip");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_EQ(unpacked->files, std::vector<std::string>{"rank0.json"});
  EXPECT_FALSE(unpacked->problem.empty());
  EXPECT_FALSE(fs::exists(m_to / "rank1.json"));
}

TEST_F(ArchiveUnpack, cancelEndsIt) {
  write("a.tar", {{"rank0.json", "zero", {}}});
  m_progress.cancel = true;
  const auto unpacked = unpack("a.tar");
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().kind, ErrorKind::Cancelled);
  // As part of something else that is cancelled.
  m_progress.cancel = false;
  const std::atomic<bool> whole{true};
  UnpackLimits limits;
  limits.cancel = &whole;
  const auto part = unpack("a.tar", limits);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().kind, ErrorKind::Cancelled);
}

TEST_F(ArchiveUnpack, anUnchangedArchiveIsUnpackedOnce) {
  const ArchiveFolderSettings settings{(m_folder.path() / "cache").string(), 1 << 20};
  const std::string archive = (m_folder.path() / "a.zip").string();
  write("a.zip", {{"rank0.json", "zero", {}}});
  const auto first = archiveFolder(archive, settings, everything, m_progress);
  ASSERT_TRUE(first);
  EXPECT_EQ(textOf(fs::path(first->path) / "rank0.json"), "zero");
  std::ofstream(fs::path(first->path) / "rank0.json") << "touched";
  const auto second = archiveFolder(archive, settings, everything, m_progress);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->path, first->path);
  EXPECT_EQ(textOf(fs::path(second->path) / "rank0.json"), "touched");

  write("a.zip", {{"rank0.json", "another zero", {}}});
  const auto changed = archiveFolder(archive, settings, everything, m_progress);
  ASSERT_TRUE(changed);
  EXPECT_NE(changed->path, first->path);
  EXPECT_EQ(textOf(fs::path(changed->path) / "rank0.json"), "another zero");
}

TEST_F(ArchiveUnpack, foldersOfEarlierProgramsLeaveButOpenOnesStay) {
  const fs::path cache = m_folder.path() / "cache";
  const ArchiveFolderSettings settings{cache.string(), 250'000};
  fs::create_directories(cache / "old/files");
  std::ofstream(cache / "old/files/rank0.json") << noise(100'000);
  std::vector<std::string> paths;
  for (const char* const name : {"a.tar", "b.tar", "c.tar"}) {
    write(name, {{"rank0.json", noise(100'000), {}}});
    const auto folder = archiveFolder((m_folder.path() / name).string(), settings, everything, m_progress);
    ASSERT_TRUE(folder);
    paths.push_back(folder->path);
  }
  EXPECT_FALSE(fs::exists(cache / "old"));
  for (const std::string& path : paths) EXPECT_TRUE(fs::exists(path));
}

TEST_F(ArchiveUnpack, aDamagedArchiveIsUnpackedAgainNextTime) {
  const ArchiveFolderSettings settings{(m_folder.path() / "cache").string(), 1 << 20};
  write("a.tar.gz", {{"rank0.json", noise(200'000), {}}, {"rank1.json", noise(200'000), {}}});
  cut("a.tar.gz", 0.75);
  const std::string archive = (m_folder.path() / "a.tar.gz").string();
  const auto first = archiveFolder(archive, settings, everything, m_progress);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->problem.empty());
  const auto second = archiveFolder(archive, settings, everything, m_progress);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->problem.empty());
}

} // namespace rankscope
