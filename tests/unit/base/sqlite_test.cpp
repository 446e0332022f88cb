// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sqlite.h"

#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

TEST(Sqlite, writesAFileAndReadsItAgain) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "a?b#c%d.sqlite").string();
  {
    auto file = SqliteConnection::newFile(path);
    ASSERT_TRUE(file.ok()) << file.error().text();
    ASSERT_FALSE(file->run("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2.5, NULL)"));
  }
  ASSERT_TRUE(std::filesystem::exists(path));
  auto file = SqliteConnection::readOnly(path);
  ASSERT_TRUE(file.ok()) << file.error().text();
  std::string_view rest;
  auto rows = SqliteStatement::prepare(*file, "SELECT a, b FROM t; -- and no more", &rest);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rest, " -- and no more");
  ASSERT_EQ(rows->step(), SqliteStatement::Step::Row);
  EXPECT_EQ(rows->integer(0), 1);
  EXPECT_EQ(rows->text(1), "x");
  ASSERT_EQ(rows->step(), SqliteStatement::Step::Row);
  EXPECT_EQ(rows->real(0), 2.5);
  EXPECT_EQ(rows->type(1), SqliteType::Null);
  EXPECT_EQ(rows->step(), SqliteStatement::Step::Done);
  EXPECT_TRUE(file->run("INSERT INTO t VALUES (3, 4)")) << "the file is read only";
}

TEST(Sqlite, namesAFileThatIsNone) {
  const auto missing = SqliteConnection::readOnly("/nowhere/at/all.sqlite");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().text().find("/nowhere/at/all.sqlite"), std::string::npos);
}

TEST(Sqlite, stopsWhenCancelled) {
  auto memory = SqliteConnection::inMemory();
  ASSERT_TRUE(memory.ok());
  Progress progress;
  progress.cancel = true;
  memory->limitTo(&progress, std::nullopt);
  const auto error =
      memory->run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::Cancelled);
  EXPECT_EQ(memory->stoppedBy(), SqliteStop::Cancelled);
}

TEST(Sqlite, stopsAfterItsTime) {
  auto memory = SqliteConnection::inMemory();
  ASSERT_TRUE(memory.ok());
  memory->limitTo(nullptr, std::chrono::milliseconds(0));
  EXPECT_TRUE(
      memory->run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"));
  EXPECT_EQ(memory->stoppedBy(), SqliteStop::Time);
}

TEST(Sqlite, tellsWhereAStatementIsWrong) {
  auto memory = SqliteConnection::inMemory();
  ASSERT_TRUE(memory.ok());
  const auto statement = SqliteStatement::prepare(*memory, "SELECT 1 FORM t");
  ASSERT_FALSE(statement.ok());
  EXPECT_EQ(statement.error().byteOffset, 14u);
}

TEST(Sqlite, loadsNoExtensions) {
  auto memory = SqliteConnection::inMemory();
  ASSERT_TRUE(memory.ok());
  EXPECT_TRUE(memory->run("SELECT load_extension('x')"));
  EXPECT_TRUE(memory->run("ATTACH ':memory:' AS other"));
}

} // namespace

} // namespace rankscope
