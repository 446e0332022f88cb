// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/progress_line.h"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include <pty.h>
#include <unistd.h>

namespace rankscope {

namespace {

// Standard error goes somewhere else while this lives.
class OtherStandardError {
 public:
  explicit OtherStandardError(int to) : m_before(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    dup2(to, STDERR_FILENO);
  }
  ~OtherStandardError() {
    std::fflush(stderr);
    dup2(m_before, STDERR_FILENO);
    close(m_before);
  }
  OtherStandardError(const OtherStandardError&) = delete;
  OtherStandardError& operator=(const OtherStandardError&) = delete;

 private:
  int m_before;
};

// Blocks until `text` was read, or the other side was closed.
std::string readUntil(int from, const std::string& text) {
  std::string read;
  char buffer[256];
  while (read.find(text) == std::string::npos) {
    const ssize_t count = ::read(from, buffer, sizeof buffer);
    if (count <= 0) break;
    read.append(buffer, static_cast<std::size_t>(count));
  }
  return read;
}

// Of this process. One that has ended may still be counted for a moment.
std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

void setReading(Progress& progress) {
  progress.stage = LoadStage::Reading;
  progress.filesDone = 1;
  progress.filesTotal = 3;
  progress.bytesDone = 250;
  progress.bytesTotal = 1000;
}

} // namespace

TEST(ProgressLine, showsTheProgressOnATerminalAndClearsItself) {
  int master = -1;
  int terminal = -1;
  ASSERT_EQ(openpty(&master, &terminal, nullptr, nullptr, nullptr), 0);
  Progress progress;
  setReading(progress);
  {
    const OtherStandardError redirected(terminal);
    const ProgressLine line(progress, true);
    const std::string shown = readUntil(master, "1 of 3");
    EXPECT_NE(shown.find("\r\033[K"), std::string::npos);
    EXPECT_NE((shown + readUntil(master, "%")).find("25"), std::string::npos);
  }
  // The last thing that is written clears the line.
  close(terminal);
  std::string rest = readUntil(master, "nothing writes this");
  EXPECT_TRUE(rest.ends_with("\r\033[K")) << rest;
  close(master);
}

// On a terminal, and in a log.
TEST(ProgressLine, saysThatARemoteDoesNotAnswer) {
  const Progress progress;
  FetchProgress fetched;
  fetched.stage = FetchProgress::Stage::Listing;
  fetched.waitFor("s3://bucket/job", FetchProgress::Clock::now() - std::chrono::seconds(12));
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  {
    const OtherStandardError redirected(ends[1]);
    const ProgressLine line(progress, true, &fetched);
    EXPECT_NE(readUntil(ends[0], " s\n").find("rankscope-cli: waiting for s3://bucket/job, no answer for 1"),
              std::string::npos);
  }
  close(ends[0]);
  close(ends[1]);
  int master = -1;
  int terminal = -1;
  ASSERT_EQ(openpty(&master, &terminal, nullptr, nullptr, nullptr), 0);
  {
    const OtherStandardError redirected(terminal);
    const ProgressLine line(progress, true, &fetched);
    EXPECT_NE(readUntil(master, " s").find("waiting for s3://bucket/job, no answer for 1"),
              std::string::npos);
  }
  close(terminal);
  close(master);
}

TEST(ProgressLine, hasNoThreadWithoutATerminalOrWhenItIsNotWanted) {
  const Progress progress;
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  {
    const OtherStandardError redirected(ends[1]);
    const std::ptrdiff_t before = threads();
    const ProgressLine line(progress, true);
    EXPECT_LE(threads(), before);
  }
  close(ends[0]);
  close(ends[1]);
  int master = -1;
  int terminal = -1;
  ASSERT_EQ(openpty(&master, &terminal, nullptr, nullptr, nullptr), 0);
  {
    const OtherStandardError redirected(terminal);
    const std::ptrdiff_t before = threads();
    const ProgressLine line(progress, false);
    EXPECT_LE(threads(), before);
  }
  close(terminal);
  close(master);
}

} // namespace rankscope
