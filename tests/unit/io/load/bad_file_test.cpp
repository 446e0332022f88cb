// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are no files, that are packed wrongly or enormously, that may not be read, or that somebody
// changes while they are open: each is named with the reason, costs no more than itself, and never the
// program. Covers core/io/files/file_bytes.
#include "core/io/kineto/event_reader.h"
#include "core/io/kineto/event_slicer.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_buffer.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::writeTraceFile;

std::string events(int count, int from = 0) {
  std::string text;
  for (int i = from; i < from + count; ++i)
    text += fmt::format(
        "{}{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op{}\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":5}}",
        i == from ? "" : ",\n", i, 10 * (i + 1));
  return text;
}

std::string whole(int count) {
  return "{\"traceEvents\":[" + events(count) + "]}";
}

std::string packed(const TemporaryFolder& folder, std::string_view text) {
  const std::string path = folder / "packed.gz";
  writeTraceFile(path, text);
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  fs::remove(path);
  return bytes.str();
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::shared_ptr<const TraceSet> load(const std::string& path) {
  Progress progress;
  const auto loaded = loadTraces({path}, {}, progress);
  return loaded ? *loaded : nullptr;
}

// The record of a file, which must be there.
const FileRecord& recordOf(const TraceSet& set, const std::string& path) {
  const auto found = std::ranges::find(set.files(), path, &FileRecord::path);
  EXPECT_NE(found, set.files().end()) << path;
  static const FileRecord none;
  return found == set.files().end() ? none : *found;
}

class BadFile : public testing::Test {
 protected:
  BadFile() { writeTraceFile(m_folder / "rank1.json", whole(3)); }

  // The job with the bad file in it, whose whole rank is as ever.
  void open() {
    m_set = load(m_folder.path().string());
    ASSERT_TRUE(m_set);
    const FileRecord& good = recordOf(*m_set, m_folder / "rank1.json");
    EXPECT_EQ(good.events, 3u);
    EXPECT_EQ(good.note, "");
  }
  void expectNote(const std::string& name, const std::string& note) const {
    EXPECT_EQ(recordOf(*m_set, m_folder / name).note, note);
  }

  TemporaryFolder m_folder;
  std::shared_ptr<const TraceSet> m_set;
};

TEST_F(BadFile, emptyFileIsNamed) {
  write(m_folder / "rank0.json", "");
  write(m_folder / "rank2.json", "\n \n");
  open();
  expectNote("rank0.json", "the file is empty");
  expectNote("rank2.json", "not a trace but white space alone");
}

TEST_F(BadFile, aTraceWithoutEventsIsNoRank) {
  write(m_folder / "rank0.json", "[]");
  write(m_folder / "rank2.json",
        R"({"traceEvents":[],"distributedInfo":{"backend":"nccl","rank":2,"world_size":3}})");
  open();
  expectNote("rank0.json", "holds no events");
  expectNote("rank2.json", "holds no events");
  EXPECT_EQ(m_set->ranks().size(), 1U);
  EXPECT_EQ(recordOf(*m_set, m_folder / "rank2.json").status, FileStatus::LeftOut);
  Progress progress;
  const auto alone = loadTraces({m_folder / "rank0.json"}, {}, progress);
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().text().find("holds no events"), std::string::npos) << alone.error().text();
}

TEST_F(BadFile, foldersSocketsPipesAndDevicesInTheNameOfATraceAreNamed) {
  fs::create_directories(m_folder / "rank0.json");
  ASSERT_EQ(mkfifo((m_folder / "rank2.json").c_str(), 0600), 0);
  const int plug = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = m_folder / "rank3.json";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::ranges::copy(path, address.sun_path);
  ASSERT_EQ(bind(plug, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  fs::create_symlink("/dev/zero", m_folder / "rank4.json");
  open();
  close(plug);
  expectNote("rank0.json", "not loaded: a folder with the name of a file; searched as a folder");
  expectNote("rank2.json", "not loaded: a pipe, not a file");
  expectNote("rank3.json", "not loaded: a socket, not a file");
  expectNote("rank4.json", "not loaded: a device, not a file");
}

TEST_F(BadFile, circlesOfLinksAreNamedAndEnd) {
  fs::create_symlink("rank2.json", m_folder / "rank0.json");
  fs::create_symlink("rank0.json", m_folder / "rank2.json");
  fs::create_directory_symlink(m_folder.path(), m_folder / "again");
  open();
  EXPECT_EQ(m_set->ranks().size(), 1u);
  expectNote("rank0.json", "not loaded: a link that leads nowhere");
}

// Root may read everything: whoever asks here is somebody else, in a process of his own.
TEST_F(BadFile, whatMayNotBeReadIsNamed) {
  writeTraceFile(m_folder / "rank0.json", whole(2));
  ASSERT_EQ(chmod((m_folder / "rank0.json").c_str(), 0), 0);
  ASSERT_EQ(chmod(m_folder.path().c_str(), 0755), 0);
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kAbsent = 65534;
    if (geteuid() == 0 && setuid(kAbsent) != 0) _exit(3);
    const auto set = load(m_folder.path().string());
    if (!set || set->ranks().size() != 1) _exit(1);
    _exit(recordOf(*set, m_folder / "rank0.json").note == "not loaded: permission denied" ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(BadFile, membersOfAnArchiveFollowOneAnother) {
  const std::string text = whole(40);
  write(m_folder / "rank0.json.gz",
        packed(m_folder, text.substr(0, 1000)) + packed(m_folder, text.substr(1000)));
  open();
  EXPECT_EQ(recordOf(*m_set, m_folder / "rank0.json.gz").events, 40u);
  expectNote("rank0.json.gz", "");
}

TEST_F(BadFile, aCutMemberGivesWhatCameBefore) {
  const std::string text = whole(400);
  const std::string first = text.substr(0, text.find("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op10\""));
  const std::string second = packed(m_folder, text.substr(first.size()));
  write(m_folder / "rank0.json.gz", packed(m_folder, first) + second.substr(0, 20));
  open();
  const FileRecord& record = recordOf(*m_set, m_folder / "rank0.json.gz");
  EXPECT_GE(record.events, 10u);
  EXPECT_LT(record.events, 400u);
  EXPECT_NE(record.note.find(fmt::format("byte {}: the compressed data ends too early", record.textBytes)),
            std::string::npos)
      << record.note;
}

TEST_F(BadFile, garbageBehindAnArchiveIsReported) {
  const std::string text = whole(4);
  write(m_folder / "rank0.json.gz", packed(m_folder, text) + "garbage");
  write(m_folder / "rank2.json.gz", packed(m_folder, text) + std::string(512, '\0'));
  open();
  EXPECT_EQ(recordOf(*m_set, m_folder / "rank0.json.gz").events, 4u);
  expectNote("rank0.json.gz",
             fmt::format("byte {}: 7 bytes after the compressed data were ignored", text.size()));
  expectNote("rank2.json.gz", "");
}

TEST_F(BadFile, aDamagedArchiveGivesEveryByteBeforeTheDamage) {
  const std::string text = whole(3000);
  std::string bytes = packed(m_folder, text);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  const auto inflated = [&](std::size_t piece) {
    Inflater inflater(bytes);
    std::string out;
    std::vector<char> buffer(piece);
    for (std::size_t got = piece; got == piece;) {
      got = inflater.read(buffer);
      out.append(buffer.data(), got);
    }
    EXPECT_EQ(inflater.problem(), "the compressed data is damaged");
    EXPECT_LE(inflater.compressedBytesRead(), bytes.size());
    return out;
  };
  const std::string large = inflated(std::size_t{1} << 20);
  EXPECT_GT(large.size(), text.size() / 4);
  EXPECT_EQ(large.compare(0, 1000, text, 0, 1000), 0);
  EXPECT_EQ(inflated(100), large) << "how it is asked for makes no difference";
}

// A header of tar, then what it packs: JSON of a trace lies in it, as in a file whose front is damaged.
std::string tarOf(std::string_view text) {
  std::string header("rank0.pt.trace.json");
  header.resize(257, '\0');
  header += "ustar  ";
  header.resize(512, '\0');
  return header + std::string(text) + std::string(1024, '\0');
}

TEST_F(BadFile, anArchiveIsRefusedByNameAndByContent) {
  write(m_folder / "job.tar.gz", packed(m_folder, tarOf(whole(20))));
  write(m_folder / "rank0.json.gz", packed(m_folder, tarOf(whole(20))));
  write(m_folder / "rank2.json", tarOf(whole(20)));
  open();
  EXPECT_EQ(m_set->ranks().size(), 1u);
  const std::string kind = "a tar archive; unpack it (tar -xf) and open the folder";
  expectNote("job.tar.gz", "not loaded: an archive beside other files; open it by itself");
  expectNote("rank0.json.gz", "not a trace but " + kind);
  expectNote("rank2.json", "not a trace but " + kind);
}

TEST_F(BadFile, filesOfOtherProgramsAreNamedWithWhatOpensThem) {
  write(m_folder / "rank0.json", R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": []})");
  write(m_folder / "rank2.json", "[[1, 2], [3, 4]]");
  write(m_folder / "rank3.json", "step 1, loss 0.3\n");
  write(m_folder / "rank4.json", "<!doctype html><script>var t = " + whole(3) + "</script>");
  write(m_folder / "rank5.json", R"({"schemaVersion": 1,)");
  open();
  EXPECT_EQ(m_set->ranks().size(), 1u);
  for (const auto& [name, part] : {std::pair{"rank0.json", "execution trace"},
                                   {"rank2.json", "memory timeline"},
                                   {"rank3.json", "text"},
                                   {"rank4.json", "an HTML page"},
                                   {"rank5.json", "ends, or is damaged, before any event"}}) {
    const FileRecord& record = recordOf(*m_set, m_folder / name);
    EXPECT_NE(record.note.find(part), std::string::npos) << record.note;
    EXPECT_FALSE(record.note.starts_with("byte")) << record.note;
    // A timeline is read beside the traces, so this one is missed.
    const bool timeline = name == std::string_view("rank2.json");
    EXPECT_EQ(record.status, timeline ? FileStatus::LeftOut : FileStatus::NotATrace) << name;
  }
}

TEST(BadFiles, aFolderOfThemNamesThemAll) {
  const TemporaryFolder folder;
  write(folder / "rank0.json", "");
  write(folder / "rank1.json", "no trace");
  write(folder / "job.zip", "PK\x03\x04");
  write(folder / "report.html", "<!doctype html>");
  write(folder / "notes.txt", "step 1");
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_FALSE(loaded);
  const std::string text = loaded.error().text();
  EXPECT_TRUE(text.starts_with(folder.path().string() + ": none of its 5 files could be read:")) << text;
  for (const char* line : {"rank0.json: the file is empty", "rank1.json: not a trace but text",
                           "job.zip: not loaded: an archive beside other files",
                           "report.html: not read: no trace has such a name", "notes.txt: not read"})
    EXPECT_NE(text.find(line), std::string::npos) << line << " in " << text;
}

TEST(BadFiles, aFolderWithoutAnyNameOfATraceNamesAHundredAndCountsTheRest) {
  const TemporaryFolder folder;
  for (int i = 0; i < 250; ++i) write(folder / ("image" + std::to_string(i) + ".png"), "");
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_FALSE(loaded);
  const std::string text = loaded.error().text();
  EXPECT_NE(text.find("no trace files were found"), std::string::npos) << text;
  EXPECT_NE(text.find("none of its 250 files could be read"), std::string::npos) << text;
  EXPECT_NE(text.find("image99.png: not read"), std::string::npos) << text;
  EXPECT_EQ(text.find("image100.png"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n  and 150 more")) << text;
}

TEST(BadFiles, archivesThatCannotBeOpenedAreNamed) {
  const TemporaryFolder folder;
  write(folder / "a.tar.gz", "");
  write(folder / "b.tgz", "");
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_FALSE(loaded);
  for (const char* const line :
       {"a.tar.gz: not loaded: cannot be opened", "b.tgz: not loaded: cannot be opened"})
    EXPECT_NE(loaded.error().text().find(line), std::string::npos) << loaded.error().text();
}

// The places of a slicer whose slices are tiny, so that its limits are.
TEST(PackedBomb, aStretchWithoutEventsIsPassedOverAndNeverHeldWhole) {
  const TemporaryFolder folder;
  constexpr std::size_t kSlice = 1000;
  constexpr std::size_t kMaxHeld = 512 * kSlice;
  const std::string path = folder / "rank0.json.gz";
  std::size_t bombAt = 0, bombEnd = 0;
  {
    test::OutputFile out(path, true, 1);
    const std::string front = "{\"traceEvents\":[" + events(5) + ",{\"ph\":\"X\",\"name\":\"";
    out.write(front);
    bombAt = front.size();
    const std::string part(std::size_t{1} << 20, 'a');
    for (int i = 0; i < 40; ++i) out.write(part);
    out.write("\"},\n" + events(5, 5) + "]}");
    bombEnd = bombAt + 40 * part.size();
    out.close();
  }
  const auto file = FileBytes::open(path);
  ASSERT_TRUE(file);
  EventSlicer slicer(*file, kSlice);
  ASSERT_TRUE(slicer.start());
  ReaderTables tables;
  EventReader reader(tables);
  std::size_t seen = 0;
  while (const auto slice = slicer.next()) {
    EXPECT_LT(static_cast<std::size_t>(slice->tailEnd - slice->begin), kMaxHeld);
    seen += reader.read(*slice, slicer.boundary()).events.events.size();
  }
  EXPECT_EQ(seen, 10u) << "those before it and those behind it";
  const Diagnostics& reported = slicer.diagnostics();
  ASSERT_GT(reported.count(DiagnosticKind::Skipped), 0u);
  EXPECT_LT(reported.items().front().at.readerBits(), bombAt);
  EXPECT_LT(reported.items().back().at.readerBits(), bombEnd);
}

TEST(PackedBomb, aRootMemberLongerThanAnythingIsPassedOver) {
  const TemporaryFolder folder;
  const std::string path = folder / "rank0.json.gz";
  writeTraceFile(path,
                 "{\"host_name\":\"" + std::string(std::size_t{8} << 20, 'a') + "\",\"traceEvents\":[]}");
  const auto file = FileBytes::open(path);
  ASSERT_TRUE(file);
  EventSlicer slicer(*file, 1000);
  EXPECT_TRUE(slicer.start()) << "the events behind it are found";
  ASSERT_FALSE(slicer.diagnostics().items().empty());
  EXPECT_EQ(slicer.diagnostics().items().front().text, "\"host_name\" is longer than anything known");
  EXPECT_EQ(slicer.diagnostics().items().front().at.readerBits(), 13u);
}

TEST_F(BadFile, brackets100000DeepAreRead) {
  const std::string deep(100'000, '[');
  const std::string closed = deep + std::string(100'000, ']');
  writeTraceFile(
      m_folder / "rank0.json",
      "{\"distributedInfo\":" + closed + ",\"traceEvents\":[" + events(2) +
          R"(,{"ph":"X","cat":"kernel","name":"deep","pid":0,"tid":7,"ts":90,"dur":1,"args":{"Input Dims":)" +
          closed + "}}]}");
  writeTraceFile(m_folder / "rank2.json", "{\"traceEvents\":[" + events(2) + R"(,{"ph":"X","args":)" + deep);
  open();
  EXPECT_EQ(recordOf(*m_set, m_folder / "rank0.json").events, 3u);
  expectNote("rank0.json", "byte 19: \"distributedInfo\" is not readable");
  EXPECT_EQ(recordOf(*m_set, m_folder / "rank2.json").skipped, 1u);
}

TEST_F(BadFile, aNameOfTenMegabytesIsRead) {
  const std::string name(std::size_t{10} << 20, 'n');
  writeTraceFile(m_folder / "rank0.json",
                 "{\"traceEvents\":[" + events(2) + R"(,{"ph":"X","cat":"cpu_op","name":")" + name +
                     R"(","pid":1,"tid":1,"ts":50,"dur":1},)" + events(2, 10) + "]}");
  open();
  EXPECT_EQ(recordOf(*m_set, m_folder / "rank0.json").events, 5u);
  expectNote("rank0.json", "");
  const auto names = m_set->names();
  bool found = false;
  for (std::size_t i = 0; i < names.size(); ++i) found = found || names[NameId(i)] == name;
  EXPECT_TRUE(found);
}

TEST(ChangedFile, whatIsCutOffWhileItIsOpenReadsAsNothingAndIsReported) {
  const TemporaryFolder folder;
  const std::string path = folder / "rank0.json";
  const std::string text = whole(60'000);
  writeTraceFile(path, text);
  const auto file = FileBytes::open(path);
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->change());
  constexpr std::uint64_t kLeft = 10'000;
  fs::resize_file(path, kLeft);
  EventSlicer slicer(*file);
  ASSERT_TRUE(slicer.start());
  ReaderTables tables;
  EventReader reader(tables);
  std::size_t seen = 0;
  while (const auto slice = slicer.next())
    seen += reader.read(*slice, slicer.boundary()).events.events.size();
  EXPECT_GT(seen, 50u);
  EXPECT_LT(seen, 1000u);
  const auto change = file->change();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, DiagnosticKind::Skipped);
  EXPECT_EQ(change->byte, kLeft);
}

TEST(ChangedFile, whatIsWrittenWhileItIsOpenIsReported) {
  const TemporaryFolder folder;
  const std::string path = folder / "rank0.json";
  writeTraceFile(path, whole(10));
  const auto file = FileBytes::open(path);
  ASSERT_TRUE(file);
  std::ofstream(path, std::ios::app) << "more";
  const auto change = file->change();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, DiagnosticKind::Suspicious);
  EXPECT_EQ(change->byte, whole(10).size());
}

// All of it, through a load: the file loses its end between being found and being read.
TEST(ChangedFile, aLoadTellsOfIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "rank0.json";
  writeTraceFile(path, whole(50));
  writeTraceFile(folder / "rank1.json", whole(50));
  Progress progress;
  LoadOptions options;
  options.mayRead = [&](std::span<const DiscoveredFile>) {
    fs::resize_file(path, 1000);
    return true;
  };
  const auto loaded = loadTraces({folder.path().string()}, options, progress);
  ASSERT_TRUE(loaded);
  const FileRecord& record = recordOf(**loaded, path);
  EXPECT_GT(record.events, 5u);
  EXPECT_LT(record.events, 50u);
  EXPECT_FALSE(record.note.empty());
  EXPECT_EQ(recordOf(**loaded, folder / "rank1.json").events, 50u);
}

} // namespace
} // namespace rankscope
