// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/child_process.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

namespace rankscope {
namespace {

struct Written {
  std::vector<std::string> output, errors;
  Result<ChildEnd> end{ChildEnd{}};
};

Written run(const ChildCommand& command) {
  Written all;
  const std::atomic<bool> cancel{false};
  all.end = runChild(
      command, [&](std::string_view line) { all.output.emplace_back(line); },
      [&](std::string_view line) { all.errors.emplace_back(line); }, cancel);
  return all;
}

} // namespace

TEST(ChildProcess, linesOfBothOutputsAndTheExitCodeArrive) {
  const Written all = run({"sh", {"-c", "echo one; echo two >&2; printf three; exit 7"}, {}, {}});
  ASSERT_TRUE(all.end);
  EXPECT_EQ(all.output, (std::vector<std::string>{"one", "three"}));
  EXPECT_EQ(all.errors, (std::vector<std::string>{"two"}));
  EXPECT_EQ(all.end->exitCode, 7);
  EXPECT_FALSE(all.end->cancelled);
}

TEST(ChildProcess, argumentsAreGivenAsTheyAre) {
  const Written all = run({"printf", {"%s\\n", "a b", "$HOME;`id`", "'\"*"}, {}, {}});
  EXPECT_EQ(all.output, (std::vector<std::string>{"a b", "$HOME;`id`", "'\"*"}));
}

TEST(ChildProcess, inputLargerThanAPipeReachesIt) {
  std::string input;
  for (int i = 0; i < 200'000; ++i) input += "line\n";
  const Written all = run({"wc", {"-l"}, {}, input});
  ASSERT_EQ(all.output.size(), 1U);
  EXPECT_NE(all.output[0].find("200000"), std::string::npos);
}

TEST(ChildProcess, aProgramThatReadsNothingDoesNotEndThisOne) {
  const Written all = run({"true", {}, {}, std::string(1 << 20, 'x')});
  ASSERT_TRUE(all.end);
  EXPECT_EQ(all.end->exitCode, 0);
}

TEST(ChildProcess, variablesAreAddedAndReplaced) {
  const Written all = run(
      {"sh", {"-c", "echo $HOME; echo $RANKSCOPE_CHILD"}, {{"HOME", "/h"}, {"RANKSCOPE_CHILD", "x y"}}, {}});
  EXPECT_EQ(all.output, (std::vector<std::string>{"/h", "x y"}));
}

TEST(ChildProcess, openFilesOfThisProcessStayHere) {
  const int file = dup(STDERR_FILENO); // not closed on exec
  const Written all =
      run({"sh", {"-c", "test -e /proc/self/fd/" + std::to_string(file) + " && echo open"}, {}, {}});
  close(file);
  EXPECT_TRUE(all.output.empty());
}

TEST(ChildProcess, aMissingProgramIsAnError) {
  const Written all = run({"rankscope-no-such-program", {}, {}, {}});
  ASSERT_FALSE(all.end);
  EXPECT_EQ(all.end.error().message, kProgramNotFound);
}

TEST(ChildProcess, cancelInterruptsIt) {
  std::atomic<bool> cancel{false};
  const auto end = runChild(
      {"sh", {"-c", "echo ready; exec sleep 600"}, {}, {}}, [&](std::string_view) { cancel = true; }, {},
      cancel);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->cancelled);
  EXPECT_EQ(end->signal, SIGINT);
}

TEST(ChildProcess, whatIsGivenUpIsInterruptedThoughNobodyCancelled) {
  bool ready = false;
  ChildCommand command{"sh", {"-c", "echo ready; exec sleep 600"}, {}, {}};
  command.givenUp = [&] { return ready; };
  const std::atomic<bool> cancel{false};
  const auto end = runChild(
      command, [&](std::string_view) { ready = true; }, {}, cancel);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->givenUp);
  EXPECT_FALSE(end->cancelled);
  EXPECT_EQ(end->signal, SIGINT);
}

TEST(ChildProcess, allAreKilledBeforeThisProcessEnds) {
  const std::atomic<bool> cancel{false};
  const auto end = runChild(
      {"sh", {"-c", "trap '' INT; echo ready; while :; do sleep 0.1; done"}, {}, {}},
      [&](std::string_view) { killChildren(); }, {}, cancel);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST(ChildProcess, whatIgnoresTheInterruptIsKilled) {
  std::atomic<bool> cancel{false};
  const auto end = runChild(
      {"sh",
       {"-c", "trap '' INT; echo ready; while :; do sleep 0.1; done"},
       {},
       {},
       std::chrono::milliseconds(50)},
      [&](std::string_view) { cancel = true; }, {}, cancel);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->cancelled);
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST(ChildProcess, aLongLineIsCut) {
  const Written all = run({"sh", {"-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end"}, {}, {}});
  ASSERT_EQ(all.output.size(), 2U);
  EXPECT_EQ(all.output[0].size(), std::size_t{1} << 20);
  EXPECT_EQ(all.output[1], "end");
}

} // namespace rankscope
