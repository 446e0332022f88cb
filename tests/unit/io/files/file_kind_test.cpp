// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/file_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

using namespace std::string_literals;

TEST(FileKind, knowsArchivesAndReportsByTheirNames) {
  for (const char* name : {"job.tar", "job.tar.gz", "JOB.TGZ", "job.zip", "job.7z", "job.tar.zst",
                           "rank0.pt.trace.json.zst", "rank0.json.xz"}) {
    EXPECT_TRUE(otherKindOfName(name)) << name;
    EXPECT_TRUE(isArchiveName(name)) << name;
  }
  for (const char* name : {"kernel.ncu-rep", "trace.pftrace", "job.perfetto-trace"}) {
    EXPECT_TRUE(otherKindOfName(name)) << name;
    EXPECT_FALSE(isArchiveName(name)) << name;
  }
  for (const char* name : {"rank0.json", "rank0.json.gz", "trace.gz", "notes.txt", ".zip", "zip", ""})
    EXPECT_FALSE(otherKindOfName(name)) << name;
}

TEST(FileKind, knowsByTheFirstBytesWhatHoldsNoTraceText) {
  std::string tar = "rank0.pt.trace.json" + std::string(238, '\0') + "ustar  \0"s;
  tar.resize(512);
  const auto expect = [](const std::string& start, std::string_view part) {
    const auto kind = otherKindOfStart(start);
    ASSERT_TRUE(kind) << part;
    EXPECT_NE(kind->find(part), std::string_view::npos) << *kind;
  };
  expect(tar + "{\"traceEvents\":[]}", "tar archive");
  expect("PK\x03\x04\x14\0\0\0rank0.json"s, "ZIP archive");
  expect("PK\x03\x04\x14\0\0\0archive/data.pkl"s, "PyTorch checkpoint");
  expect("7z\xbc\xaf\x27\x1c\0\4"s, "7-Zip");
  expect("\x28\xb5\x2f\xfd\4"s, "Zstandard");
  expect("\xfd"
         "7zXZ\0\0"s,
         "XZ");
  expect("BZh91AY&SY", "bzip2");
  expect("\x1f\x8b\x08"s, "twice");
  expect("SQLite format 3\0rest"s, "SQLite database");
  expect("SQLite format 3\0 CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL"s, "export of Nsight Systems");
  expect("NVIDIA Tegra Profiler Report 2024@5@1", "Nsight Systems report");
  expect("\x80\4\x95}\x94(\x8c\x08segments\x94]"s, "memory snapshot");
  expect("\x80\2}q\0(X\7\0\0\0versionX\4\0\0\0 2.9X\t\0\0\0pg_config"s, "Flight Recorder");
  expect("\x80\5]."s, "Python pickle");
  expect("\xef\xbb\xbf\n<!DOCTYPE html><html>", "HTML page");
}

TEST(FileKind, leavesTextToTheReadersAlsoWhereItIsDamaged) {
  for (const char* start :
       {"{\"traceEvents\":[]}", "[{\"ph\":\"X\"}]", "", "garbage {\"ph\":\"X\"}", "PK", "<x"})
    EXPECT_FALSE(otherKindOfStart(start)) << start;
}

TEST(FileKind, saysWhatTextIs) {
  EXPECT_EQ(kindOfText(" \n\t"), "white space alone");
  EXPECT_NE(kindOfText("<?xml version=\"1.0\"?>").find("XML"), std::string::npos);
  EXPECT_NE(kindOfText("a\0b"s).find("binary data"), std::string::npos);
  EXPECT_NE(kindOfText("Name  Self CPU %  # of Calls").find("printed table"), std::string::npos);
  EXPECT_NE(kindOfText("step 3, loss 0.1").find("text"), std::string::npos);
}

} // namespace
} // namespace rankscope
