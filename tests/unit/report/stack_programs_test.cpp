// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks that were written, read by the programs that they are for: speedscope of npm in a headless Chromium,
// its JSON schema, protoc, and the patterns of flamegraph.pl. Each is skipped where the program is missing;
// packaging/install_dependencies.sh --tests says what to install.
#include "core/analysis/stacks/job_stacks.h"
#include "core/export/whole_file.h"
#include "core/io/files/file_bytes.h"
#include "core/io/load/trace_loader.h"
#include "core/report/stack_files.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <regex>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status = -1;
  std::string output;
};

Outcome runShell(const std::string& command) {
  Outcome outcome;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr)
    outcome.output += part.data();
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

bool works(const std::string& command) {
  return runShell("(" + command + ") >/dev/null 2>&1").status == 0;
}

std::string browser() {
  for (const char* const name :
       {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}) {
    if (works("command -v " + std::string(name))) return name;
  }
  return {};
}

// The packaged speedscope; empty where it is not installed.
fs::path speedscope() {
  std::vector<fs::path> folders;
  if (const char* const own = std::getenv("RANKSCOPE_NODE_MODULES")) folders.emplace_back(own);
  if (const char* const home = std::getenv("HOME"))
    folders.push_back(fs::path(home) / ".cache" / "rankscope-tests" / "node_modules");
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "speedscope/dist/release/index.html")) return folder / "speedscope/dist/release";
  }
  return {};
}

std::string inflated(const std::string& bytes) {
  Inflater inflater(std::span<const char>(bytes.data(), bytes.size()));
  std::string text(std::size_t{1} << 26, '\0');
  text.resize(inflater.read(std::span<char>(text.data(), text.size())));
  EXPECT_EQ(inflater.problem(), "");
  return text;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = (bits << 8U) | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += at + i <= bytes.size() ? kDigits[(bits >> (18 - 6 * i)) & 63U] : '=';
  }
  return text;
}

// A recording with Python stacks and a backward pass, and one without.
std::vector<std::shared_ptr<const Analysis>> jobs() {
  std::vector<std::shared_ptr<const Analysis>> jobs;
  for (const fs::path& path : {test::captureFolder("torch-2.14.1/functional2_stack"),
                               fs::path(RANKSCOPE_SOURCE_DIR) / "tests/golden/overlap/input"}) {
    Progress progress;
    const auto loaded = loadTraces({path.string()}, {}, progress);
    EXPECT_TRUE(loaded) << path;
    if (loaded) jobs.push_back(std::make_shared<const Analysis>(*loaded));
  }
  return jobs;
}

WeighedStacks stacksOf(const Analysis& analysis, StackWeight weight) {
  StackOptions options;
  options.byRank = true;
  return weighedStacks(analysis, weight, options, false, 2);
}

std::int64_t totalOf(const WeighedStacks& stacks) {
  ExactSum total;
  for (const StackSum& sum : stacks.sums) total += sum.weight;
  return total;
}

constexpr std::array kWeights{StackWeight::HostSelf, StackWeight::Device, StackWeight::Calls};

// What pprof's profile.proto says of the fields that are written; fields of other numbers stay numbers.
constexpr const char* kProfileProto = R"(syntax = "proto3"; package perftools.profiles;
message Profile { repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4;
  repeated Function function = 5; repeated string string_table = 6; int64 time_nanos = 9; int64 duration_nanos = 10;
  ValueType period_type = 11; int64 period = 12; repeated int64 comment = 13; int64 default_sample_type = 14; }
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
message Label { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; bool is_folded = 5; }
message Line { uint64 function_id = 1; int64 line = 2; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
)";

} // namespace

TEST(StackPrograms, speedscopeShowsWhatWasWritten) {
  RANKSCOPE_SKIP_WITHOUT(!browser().empty(), "no Chromium is installed");
  RANKSCOPE_SKIP_WITHOUT(!speedscope().empty(),
                         "no speedscope is installed (npm install speedscope, RANKSCOPE_NODE_MODULES)");
  const test::TemporaryFolder folder;
  std::size_t number = 0;
  for (const auto& job : jobs()) {
    const WeighedStacks stacks = stacksOf(*job, StackWeight::HostSelf);
    if (totalOf(stacks) == 0) continue;
    const std::string title = "job " + std::to_string(++number);
    const std::string script = folder / ("profile" + std::to_string(number) + ".js");
    ASSERT_FALSE(writeWholeFile(script, "speedscope.loadFileFromBase64(\"stacks.speedscope.json\", \"" +
                                            base64(speedscopeText(stacks, title)) + "\")"));
    const Outcome shown = runShell(
        "timeout 100 " + browser() +
        " --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --allow-file-access-from-files"
        " --virtual-time-budget=20000 --dump-dom 'file://" +
        (speedscope() / "index.html").string() + "#localProfilePath=" + script + "' 2>/dev/null");
    EXPECT_NE(shown.output.find("<title>" + title + " - speedscope</title>"), std::string::npos)
        << shown.output.substr(0, 2000);
    EXPECT_NE(shown.output.find("rank 0"), std::string::npos);       // its first profile
    EXPECT_NE(shown.output.find("Left Heavy"), std::string::npos);   // and its views
    EXPECT_EQ(shown.output.find("Unrecognized"), std::string::npos); // what it says of other files
  }
  EXPECT_GT(number, 0U);
}

TEST(StackPrograms, speedscopesSchemaHolds) {
  RANKSCOPE_SKIP_WITHOUT(!speedscope().empty(),
                         "no speedscope is installed (npm install speedscope, RANKSCOPE_NODE_MODULES)");
  RANKSCOPE_SKIP_WITHOUT(works("python3 -c 'import jsonschema'"), "no python3 with jsonschema is installed");
  const test::TemporaryFolder folder;
  for (const auto& job : jobs()) {
    for (const StackWeight weight : kWeights) {
      const std::string file = folder / "stacks.speedscope.json";
      ASSERT_FALSE(writeWholeFile(file, speedscopeText(stacksOf(*job, weight), "job")));
      const Outcome checked =
          runShell("python3 -c 'import json, jsonschema, sys; "
                   "jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' '" +
                   file + "' '" + (speedscope() / "file-format-schema.json").string() + "' 2>&1");
      EXPECT_EQ(checked.status, 0) << checked.output.substr(0, 2000);
    }
  }
}

TEST(StackPrograms, protocReadsTheProfileBack) {
  RANKSCOPE_SKIP_WITHOUT(works("protoc --version"), "no protoc is installed");
  const test::TemporaryFolder folder;
  ASSERT_FALSE(writeWholeFile(folder / "profile.proto", kProfileProto));
  for (const auto& job : jobs()) {
    for (const StackWeight weight : kWeights) {
      const WeighedStacks stacks = stacksOf(*job, weight);
      ASSERT_FALSE(writeWholeFile(folder / "profile.bytes", inflated(pprofBytes(stacks))));
      const Outcome read = runShell("cd '" + folder.path().string() +
                                    "' && protoc --decode=perftools.profiles.Profile profile.proto "
                                    "< profile.bytes 2>&1");
      ASSERT_EQ(read.status, 0) << read.output.substr(0, 2000);
      // The weight is the last value of each sample.
      std::int64_t total = 0;
      std::int64_t samples = 0;
      std::int64_t last = 0;
      const std::regex value("\n  value: (-?[0-9]+)");
      for (std::size_t at = read.output.find("sample {"); at != std::string::npos;) {
        const std::size_t next = read.output.find("\nsample {", at + 1);
        const std::string sample = read.output.substr(at, std::min(next, read.output.find("\n}", at)) - at);
        for (std::sregex_iterator found(sample.begin(), sample.end(), value), end; found != end; ++found)
          last = std::stoll((*found)[1]);
        total += last;
        ++samples;
        at = next;
      }
      EXPECT_EQ(total, totalOf(stacks));
      EXPECT_EQ(samples, static_cast<std::int64_t>(stacksTable(stacks).rowCount()));
      EXPECT_FALSE(std::regex_search(read.output, std::regex("(^|\n) *[0-9]+: "))) << "a field of its own";
    }
  }
}

// One profile holds several weights, which any reader can choose from.
TEST(StackPrograms, protocReadsEveryWeightOfOneProfile) {
  RANKSCOPE_SKIP_WITHOUT(works("protoc --version"), "no protoc is installed");
  const test::TemporaryFolder folder;
  ASSERT_FALSE(writeWholeFile(folder / "profile.proto", kProfileProto));
  for (const auto& job : jobs()) {
    const WeighedStacks shown = stacksOf(*job, kWeights[0]);
    const std::vector<WeighedStacks> more{stacksOf(*job, kWeights[1]), stacksOf(*job, kWeights[2])};
    ASSERT_FALSE(writeWholeFile(folder / "profile.bytes",
                                inflated(pprofBytes(shown, more, {1'000'000'000, 3'000'000'000}))));
    const Outcome read = runShell("cd '" + folder.path().string() +
                                  "' && protoc --decode=perftools.profiles.Profile profile.proto "
                                  "< profile.bytes 2>&1");
    ASSERT_EQ(read.status, 0) << read.output.substr(0, 2000);
    EXPECT_NE(read.output.find("time_nanos: 1000000000"), std::string::npos);
    EXPECT_NE(read.output.find("duration_nanos: 2000000000"), std::string::npos);
    std::array<std::int64_t, 4> totals{};
    std::size_t at = 0; // of the value in its sample
    const std::regex token("(sample \\{)|value: ([0-9]+)");
    for (std::sregex_iterator found(read.output.begin(), read.output.end(), token), end; found != end;
         ++found) {
      if ((*found)[1].matched)
        at = 0;
      else if (at < totals.size())
        totals[at++] += std::stoll((*found)[2]);
    }
    EXPECT_EQ(totals[1], totalOf(shown));
    EXPECT_EQ(totals[2], totalOf(more[0]));
    EXPECT_EQ(totals[3], totalOf(more[1]));
  }
}

// flamegraph.pl takes "(.*)\s+?(\d+(?:\.\d*)?)", speedscope "(.*) (\d+)".
TEST(StackPrograms, linesAreWhatFlamegraphReads) {
  const std::regex perl(R"((.*)\s+(\d+(?:\.\d*)?))");
  const std::regex speedscopes(R"((.*) (\d+))");
  for (const auto& job : jobs()) {
    for (const StackWeight weight : kWeights) {
      const WeighedStacks stacks = stacksOf(*job, weight);
      const std::string text = foldedText(stacks);
      std::int64_t total = 0;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        ASSERT_NE(end, std::string::npos);
        const std::string line = text.substr(at, end - at);
        std::smatch match;
        EXPECT_TRUE(std::regex_match(line, perl)) << line;
        ASSERT_TRUE(std::regex_match(line, match, speedscopes)) << line;
        total += std::stoll(match[2]);
        at = end + 1;
      }
      EXPECT_EQ(total, totalOf(stacks));
    }
  }
}

} // namespace rankscope
