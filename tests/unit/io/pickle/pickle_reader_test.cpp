// SPDX-License-Identifier: GPL-3.0-or-later
// Plain data of pickles and JSON, and pickles that mean harm. Covers core/io/pickle/value_tree,
// core/io/pickle/json_values, core/io/pickle/plain_data.
#include "core/io/pickle/pickle_reader.h"

#include "core/io/json/json_walk.h"
#include "core/io/pickle/json_values.h"
#include "core/io/pickle/plain_data.h"
#include "tests/support/mutation.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using test::PickleWriter;

std::string pickle(std::string_view instructions) {
  return std::string("\x80\x04") + std::string(instructions);
}

PickleReading readOf(const std::string& bytes) {
  auto read = readPickle(bytes);
  EXPECT_TRUE(read.ok()) << (read.ok() ? std::string() : read.error().text());
  return read.ok() ? std::move(read).value() : PickleReading();
}

std::string refusal(const std::string& bytes) {
  const auto read = readPickle(bytes);
  return read.ok() ? std::string("read") : read.error().text();
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

} // namespace

TEST(PickleReader, readsValues) {
  PickleWriter to;
  to.dictOf([&] {
    to.key("small", 7);
    to.key("negative", -5);
    to.key("large", std::int64_t{1} << 47);
    to.text("real");
    to.real(0.25);
    to.text("list");
    to.listOf([&] {
      to.none();
      to.boolean(true);
      to.text("small");
    });
    to.text("tuple");
    to.integer(1);
    to.integer(2);
    to.raw("\x86");
  });
  const std::string bytes = to.take() + std::string(3, '\0');
  const PickleReading read = readOf(bytes);
  const ValueTree& values = read.values;
  EXPECT_EQ(values.integer(values.member(read.root, "small")), 7);
  EXPECT_EQ(values.integer(values.member(read.root, "negative")), -5);
  EXPECT_EQ(values.integer(values.member(read.root, "large")), std::int64_t{1} << 47);
  EXPECT_EQ(values.real(values.member(read.root, "real")), 0.25);
  const ValueId list = values.member(read.root, "list");
  EXPECT_EQ(values.kind(values.item(list, 0)), ValueKind::None);
  EXPECT_TRUE(values.truth(values.item(list, 1)));
  EXPECT_EQ(values.text(values.item(list, 2)), "small");
  EXPECT_EQ(values.item(list, 3), kNoValue);
  EXPECT_EQ(values.integer(values.item(values.member(read.root, "tuple"), 1)), 2);
  EXPECT_EQ(values.member(read.root, "none"), kNoValue);
  EXPECT_EQ(read.protocol, 4);
  EXPECT_EQ(read.bytesAfterEnd, 3U);
  EXPECT_FALSE(read.truncated);
}

TEST(PickleReader, readsIntegersOfAnyLength) {
  const auto integer = [](std::string_view instructions) {
    const std::string bytes = pickle(instructions);
    const PickleReading read = readOf(bytes);
    return std::pair(read.values.kind(read.root), read.values.integer(read.root));
  };
  EXPECT_EQ(integer("\x8a\x00."sv).second, 0);
  EXPECT_EQ(integer("\x8a\x01\xff."sv).second, -1);
  EXPECT_EQ(integer("\x8a\x02\x00\x80."sv).second, -32768);
  EXPECT_EQ(integer("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\x00."sv).second, INT64_MAX);
  EXPECT_EQ(integer("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."sv).first, ValueKind::Big);
  EXPECT_EQ(integer("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\xfe."sv).second, INT64_MIN);
  EXPECT_EQ(integer("J\xff\xff\xff\xff."sv).second, -1);
  EXPECT_EQ(integer("M\xff\xff."sv).second, 65535);
}

TEST(PickleReader, theLastOfEqualKeysWins) {
  const std::string bytes = pickle("}(\x8c\x01"
                                   "aK\x01\x8c\x01"
                                   "aK\x02u."sv);
  const PickleReading read = readOf(bytes);
  EXPECT_EQ(read.values.integer(read.values.member(read.root, "a")), 2);
}

TEST(PickleReader, refusesCode) {
  for (const std::string_view code :
       {"cos\nsystem\n."sv, "\x8c\x02os\x8c\x06system\x93."sv, "(ios\nsystem\n."sv, "N)R."sv, "N)\x81."sv,
        "N}b."sv, "Pid\n."sv, "NQ."sv, "\x82\x01."sv, "(N)o."sv, "N)}\x92."sv}) {
    const std::string why = refusal(pickle(code));
    EXPECT_NE(why.find("contains code"), std::string::npos) << why;
    EXPECT_TRUE(why.starts_with("byte ")) << why;
  }
}

TEST(PickleReader, namesWhatCannotBeAndWhere) {
  EXPECT_EQ(refusal(pickle("a."sv)), "byte 2: a value for what is no container");
  EXPECT_EQ(refusal(pickle("u."sv)), "byte 2: no mark was set");
  EXPECT_EQ(refusal(pickle("NK\x01s."sv)), "byte 5: a value for what is no container");
  EXPECT_EQ(refusal(pickle("}(Nu."sv)), "byte 5: a key without a value");
  EXPECT_EQ(refusal(pickle("h\x07."sv)), "byte 2: no value 7 was remembered");
  EXPECT_EQ(refusal(pickle("Nr\xff\xff\xff\x7f."sv)),
            "byte 3: number 2147483647 of a remembered value is too large");
  EXPECT_EQ(refusal(pickle("X\xff\xff\xff\x7f"
                           "abc."sv)),
            "byte 2: a text of 2147483647 bytes is longer than the file");
  EXPECT_EQ(refusal(pickle("\x8b\xff\xff\xff\x00."sv)), "byte 2: an integer of 16777215 bytes");
  EXPECT_EQ(refusal(pickle("\x96."sv)), "byte 2: unknown pickle instruction 0x96");
  EXPECT_EQ(refusal(pickle("NN."sv)), "byte 4: the pickle ends with other than one value");
  EXPECT_EQ(refusal(pickle(std::string(1'000'001, 'N'))),
            "byte 1000002: more than a million values on the stack");
  EXPECT_EQ(refusal("\x80\x07."), "byte 0: not a pickle");
  EXPECT_EQ(refusal("abc"), "byte 0: not a pickle");
}

TEST(PickleReader, keepsWhatPrecedesTheEndOfATruncatedFile) {
  PickleWriter to;
  to.dictOf([&] {
    to.key("first", 1);
    to.text("list");
    to.listOf([&] {
      to.integer(1);
      to.integer(2);
      to.integer(300);
    });
  });
  const std::string whole = to.take();
  const std::string bytes = whole.substr(0, whole.size() - 5);
  const PickleReading read = readOf(bytes);
  EXPECT_TRUE(read.truncated);
  EXPECT_EQ(read.values.integer(read.values.member(read.root, "first")), 1);
  EXPECT_EQ(read.values.size(read.values.member(read.root, "list")), 2U);
}

TEST(PickleReader, sharesWhatAFileShares) {
  // A list that holds itself, and one that doubles 40 times.
  PickleReading itself = readOf(pickle("]\x94h\x00"
                                       "a."sv));
  EXPECT_EQ(itself.values.item(itself.root, 0), itself.root);
  std::string bombs = "]\x94";
  for (char i = 0; i < 40; ++i) {
    bombs += "](h";
    bombs += i;
    bombs += 'h';
    bombs += i;
    bombs += "e\x94";
  }
  const std::string bytes = pickle("(" + bombs + "t.");
  const PickleReading read = readOf(bytes);
  EXPECT_LT(read.values.nodeCount(), bytes.size());
}

TEST(PickleReader, appendsInPieces) {
  std::string instructions = "]\x94";
  for (int i = 0; i < 10; ++i)
    instructions += "(K\x01](K\x02"
                    "eK\x03"
                    "e";
  const PickleReading read = readOf(pickle(instructions + "."));
  ASSERT_EQ(read.values.size(read.root), 30U);
  EXPECT_EQ(read.values.integer(read.values.item(read.root, 29)), 3);
  EXPECT_EQ(read.values.size(read.values.item(read.root, 28)), 1U);
}

// A snapshot refers to the same frames a million times, in lists that grow beyond one block of storage.
// Trees take the memory of those before them, which says nothing of what they held, and never that of one
// that is still there. Sizes are around those at which a tree grows.
TEST(PickleReader, treesOneAfterTheOtherAreApart) {
  const auto listOf = [](std::int64_t first, std::int64_t count) {
    PickleWriter to;
    to.listOf([&] {
      for (std::int64_t i = 0; i < count; ++i) to.integer(first + i);
    });
    return to.take();
  };
  const auto expectList = [](const PickleReading& read, std::int64_t first, std::int64_t count) {
    std::int64_t next = first;
    bool equal = true;
    read.values.eachItem(read.root,
                         [&](ValueId item) { equal = equal && read.values.integer(item) == next++; });
    EXPECT_TRUE(equal && next == first + count) << count;
  };
  const std::string kept = listOf(1'000'000, 300'000);
  const auto alive = readPickle(kept);
  ASSERT_TRUE(alive);
  for (const std::int64_t count : {1, 4'095, 4'096, 4'097, 131'071, 131'072, 131'073, 400'000, 16}) {
    const std::string bytes = listOf(5'000'000 + count, count);
    auto read = readPickle(bytes);
    ASSERT_TRUE(read);
    expectList(*read, 5'000'000 + count, count);
    const PickleReading moved = std::move(*read);
    expectList(moved, 5'000'000 + count, count);
  }
  expectList(*alive, 1'000'000, 300'000);
}

TEST(PickleReader, readsLongRunsOfReferences) {
  constexpr std::uint32_t kFirst = 300; // from here on numbers take four bytes
  constexpr std::uint32_t kDifferent = 7;
  constexpr std::uint32_t kPerPiece = 999;
  constexpr std::uint32_t kPieces = 150;
  PickleWriter to;
  to.raw("(");
  for (std::uint32_t i = 0; i < kFirst + kDifferent; ++i) {
    to.integer(i);
    static_cast<void>(to.remember());
  }
  to.raw("]");
  for (std::uint32_t piece = 0; piece < kPieces; ++piece) {
    to.raw("(");
    for (std::uint32_t i = 0; i < kPerPiece; ++i) to.again(kFirst + i % kDifferent);
    to.raw("e");
    if (piece % 40 == 0)
      to.raw("](K\x01K\x02"
             "e0"); // another list, between the pieces of this one
  }
  to.raw("t");
  const std::string bytes = to.take();
  const PickleReading read = readOf(bytes);
  const ValueId list = read.values.item(read.root, kFirst + kDifferent);
  ASSERT_EQ(read.values.size(list), kPerPiece * kPieces);
  std::uint32_t at = 0;
  std::uint32_t wrong = 0;
  read.values.eachItem(list, [&](ValueId item) {
    if (read.values.integer(item) != kFirst + at++ % kPerPiece % kDifferent) ++wrong;
  });
  EXPECT_EQ(at, kPerPiece * kPieces);
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(read.instructions, std::uint64_t{kPerPiece} * kPieces);
}

TEST(PickleReader, endsRunsOfReferencesWhereTheyAreWrong) {
  const std::string run = "]\x94(j\0\0\0\0j\0\0\0\0"s;
  EXPECT_EQ(refusal(pickle(run + "j\1\0\0\0e."s)), "byte 15: no value 1 was remembered");
  const std::string cut = pickle(run + "j\0\0"s);
  const PickleReading read = readOf(cut);
  EXPECT_TRUE(read.truncated);
  EXPECT_EQ(read.values.size(read.root), 2U);
  std::string many = "]\x94(";
  for (int i = 0; i < 1'000'000; ++i) many += "j\0\0\0\0"s;
  EXPECT_EQ(refusal(pickle(many)), "byte 5000000: more than a million values on the stack");
}

TEST(PickleReader, survivesDamage) {
  std::string bytes;
  test::writeSnapshot({.entries = 200, .stacks = 10, .frames = 5},
                      [&](std::string_view part) { bytes += part; });
  for (std::size_t length = 0; length < bytes.size(); length += bytes.size() / 200) {
    const auto read = readPickle(std::string_view(bytes).substr(0, length));
    if (read.ok()) {
      EXPECT_TRUE(read->truncated);
    }
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 4096); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(~changed[i]);
    static_cast<void>(readPickle(changed));
  }
  test::Chance chance(26);
  for (int i = 0; i < 500; ++i) static_cast<void>(readPickle(test::mutated(bytes, chance)));
}

TEST(JsonValues, readsValues) {
  const std::string text = R"({"a": [1, -2.5, "x\ny", null, true], "b": {}})";
  const std::string padded = text + std::string(JsonStructure::kPadding, '\0');
  const auto read = readJsonValues(padded.data(), text.size());
  ASSERT_TRUE(read.ok());
  const ValueTree& values = read->values;
  const ValueId list = values.member(read->root, "a");
  EXPECT_EQ(values.integer(values.item(list, 0)), 1);
  EXPECT_EQ(values.real(values.item(list, 1)), -2.5);
  EXPECT_EQ(values.text(values.item(list, 2)), "x\ny");
  EXPECT_EQ(values.kind(values.item(list, 3)), ValueKind::None);
  EXPECT_TRUE(values.truth(values.item(list, 4)));
  EXPECT_TRUE(values.isDict(values.member(read->root, "b")));
}

TEST(JsonValues, refusesDepthAndDamage) {
  const auto reads = [](const std::string& text) {
    const std::string padded = text + std::string(JsonStructure::kPadding, '\0');
    return readJsonValues(padded.data(), text.size()).ok();
  };
  EXPECT_TRUE(reads(std::string(30, '[') + std::string(30, ']')));
  EXPECT_FALSE(reads(std::string(1'000'000, '[') + std::string(1'000'000, ']')));
  EXPECT_FALSE(reads("{\"a\": }"));
  EXPECT_FALSE(reads("[1, 2"));
  EXPECT_FALSE(reads(""));
}

TEST(PlainData, recognizesFilesByContent) {
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  const std::filesystem::path folder = test::sharedFolder() / "memory";
  const auto kind = [&](const char* path) { return plainKindOf((folder / path).string()).kind; };
  EXPECT_EQ(kind("snapshots/small.pickle"), PlainKind::Snapshot);
  EXPECT_EQ(kind("snapshots/bare_list.pickle"), PlainKind::Snapshot);
  EXPECT_EQ(kind("snapshots/empty.pickle"), PlainKind::Snapshot);
  EXPECT_EQ(kind("snapshots/trace_plot.html.gz"), PlainKind::Snapshot);
  EXPECT_EQ(kind("snapshots/gpt_adamw_fullstep.pickle.gz"), PlainKind::Snapshot);
  EXPECT_EQ(kind("timelines/tk_modal_gpu_adam.html.gz"), PlainKind::TimelinePicture);
  EXPECT_EQ(kind("timelines/hta_memory_timeline.raw.gz"), PlainKind::Timeline);
  EXPECT_EQ(kind("timelines/paired_adam/timeline.json"), PlainKind::Timeline);
  EXPECT_EQ(kind("timelines/paired_adam/rank0.pt.trace.json.gz"), PlainKind::None);
  EXPECT_EQ(kind("flight_recorder/gloo_missing/gloo_trace_rank_0"), PlainKind::FlightRecorder);
  EXPECT_EQ(kind("flight_recorder/gloo_missing/gloo_trace_rank_0.json"), PlainKind::FlightRecorder);
  EXPECT_EQ(kind("flight_recorder/nccl_lock_gil_1st/_dump_9"), PlainKind::FlightRecorder);
  EXPECT_EQ(kind("oracles/small.pickle.oracle.json"), PlainKind::None);
}

// The ranks of 12,000 processes take more than what is looked at to recognize a file.
TEST(PlainData, recognizesDumpsOfJobsWithManyRanks) {
  const test::TemporaryFolder folder;
  std::string ranks = "[0";
  for (int rank = 1; rank < 12'000; ++rank) ranks += ", " + std::to_string(rank);
  ranks += ']';
  PickleWriter to;
  to.dictOf([&] {
    to.key("version", "2.9");
    to.text("pg_config");
    to.dictOf([&] {
      to.text("0");
      to.dictOf([&] {
        to.key("name", "0");
        to.key("desc", "default_pg");
        to.text("ranks");
        std::string length; // of four bytes, little-endian
        for (int i = 0; i < 4; ++i) length += static_cast<char>((ranks.size() >> (8 * i)) & 0xffU);
        to.raw("X" + length + ranks);
      });
    });
    to.text("entries");
    to.listOf([] {});
  });
  const std::string bytes = to.take();
  ASSERT_GT(ranks.size(), std::size_t{64} << 10);
  const std::string path = folder / "_dump_0";
  std::ofstream(path, std::ios::binary) << bytes;
  const PlainGuess guess = plainKindOf(path);
  EXPECT_EQ(guess.kind, PlainKind::FlightRecorder) << guess.reason;
  const auto read = readPlainFile(path);
  ASSERT_TRUE(read.ok()) << read.error().text();
  const ValueId group = read->values.member(read->values.member(read->root, "pg_config"), "0");
  EXPECT_EQ(read->values.text(read->values.member(group, "ranks")), ranks);
  // A file that ends within the text is still recognized; reading it says where it ends.
  std::filesystem::resize_file(path, 70'000);
  EXPECT_EQ(plainKindOf(path).kind, PlainKind::FlightRecorder);
  const auto cut = readPlainFile(path);
  EXPECT_TRUE(!cut.ok() || cut->truncated);
  // Of a short file, a text that is longer than the file is damage.
  std::filesystem::resize_file(path, 500);
  EXPECT_NE(plainKindOf(path).reason.find("is longer than the file"), std::string::npos);
  // The JSON form without entries begins with the groups.
  const std::string json = folder / "dump_0.json";
  std::ofstream(json) << R"({"pg_config":{"0":{"desc":"default_pg","name":"0","ranks":")" << ranks
                      << R"("}},"pg_status":{},"version":"2.9"})";
  EXPECT_EQ(plainKindOf(json).kind, PlainKind::FlightRecorder);
  // In a trace, pg_config is a list.
  std::ofstream(json) << R"({"distributedInfo":{"pg_config":[{"pg_name":"0","ranks":")" << ranks
                      << R"("}]},"schemaVersion":1,"traceEvents":[]})";
  EXPECT_EQ(plainKindOf(json).kind, PlainKind::None);
}

TEST(PlainData, saysWhyAPickleIsNotOpened) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "model.pkl").string();
  std::ofstream(path, std::ios::binary) << pickle("}(\x8c\x08segmentscos\nsystem\nu."sv);
  const PlainGuess guess = plainKindOf(path);
  EXPECT_EQ(guess.kind, PlainKind::None);
  EXPECT_EQ(guess.reason, "a Python pickle, byte 14: contains code (GLOBAL), not opened; "
                          "memory snapshots and Flight Recorder dumps contain none");
  const auto read = readPlainFile(path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().file, path);
  std::ofstream(path, std::ios::binary) << pickle("}(\x8c\x07weightsK\x01u."sv);
  EXPECT_EQ(plainKindOf(path).kind, PlainKind::None);
  EXPECT_NE(plainKindOf(path).reason.find("torch.cuda.memory._dump_snapshot"), std::string::npos)
      << plainKindOf(path).reason;
}

TEST(PickleReader, survivesDamageOfRealFiles) {
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  const std::filesystem::path folder = test::sharedFolder() / "memory";
  for (const char* name : {"snapshots/small.pickle", "flight_recorder/gloo_missing/gloo_trace_rank_0",
                           "flight_recorder/nccl_gpu_error_1st/_dump_14"}) {
    const std::string bytes = contents(folder / name);
    ASSERT_FALSE(bytes.empty());
    for (std::size_t i = 0; i < 200; ++i) {
      const auto read = readPickle(std::string_view(bytes).substr(0, bytes.size() * i / 200));
      if (read.ok()) {
        EXPECT_TRUE(read->truncated);
      }
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 4096); ++i) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(~changed[i]);
      static_cast<void>(readPickle(changed));
    }
  }
}

} // namespace rankscope
