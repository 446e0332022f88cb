// SPDX-License-Identifier: GPL-3.0-or-later
// Options of peaks and models that have no effect say so on standard error; what is no peak is refused.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

struct OptionAnswer {
  int exitCode = -1;
  std::string err;
};

// Of a table of a small job; options hold no quotes.
OptionAnswer answerTo(const std::string& options, const std::string& table = "mfu") {
  const std::string job =
      (fs::path(RANKSCOPE_SOURCE_DIR) / "tests" / "golden" / "overlap" / "input").string();
  const fs::path err =
      fs::path(testing::TempDir()) / ("efficiency_options_" + std::to_string(getpid()) + ".err");
  const std::string command = std::string("'" RANKSCOPE_CLI "' table ")
                                  .append(table)
                                  .append(" '")
                                  .append(job)
                                  .append("' ")
                                  .append(options)
                                  .append(" >/dev/null 2>'")
                                  .append(err.string())
                                  .append("' </dev/null");
  const int status = std::system(command.c_str());
  std::ostringstream text;
  text << std::ifstream(err).rdbuf();
  fs::remove(err);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str()};
}

constexpr const char* kProgram = "rankscope-cli: ";

void expectOneLine(const std::string& options, const std::string& line) {
  const OptionAnswer answer = answerTo(options);
  EXPECT_EQ(answer.exitCode, 0) << options;
  EXPECT_EQ(answer.err, kProgram + line + "\n") << options;
}

} // namespace

TEST(EfficiencyOptions, sayWhichHasNoEffect) {
  expectOneLine("--model-params 7e9", "--model-params has no effect on MFU without --tokens-per-step");
  expectOneLine("--active-params 7e9", "--active-params has no effect on MFU without --tokens-per-step");
  expectOneLine("--flops-per-token 7e9", "--flops-per-token has no effect on MFU without --tokens-per-step");
  expectOneLine("--tokens-per-step 100",
                "--tokens-per-step has no effect on MFU without --model-params or --flops-per-token");
  const std::string model = "--model-params 7e9 --tokens-per-step 100 ";
  expectOneLine(model + "--layers 32", "--layers has no effect on MFU without --hidden and --seq");
  expectOneLine(model + "--causal", "--causal has no effect on MFU without --layers, --hidden and --seq");
  expectOneLine(model + "--vocab 32000", "--vocab has no effect on MFU without --hidden");
  expectOneLine(model + "--active-params 8e9",
                "--active-params is above --model-params: a token passes no more than all of them");
  expectOneLine(model + "--flops-per-token 1e9",
                "--model-params has no effect on MFU: --flops-per-token goes before it");
  expectOneLine(model + "--vocab 1e6 --hidden 8000",
                "the model has no effect on MFU: --vocab times --hidden is not below its parameters");
}

TEST(EfficiencyOptions, sayNothingWhereAllCount) {
  for (const char* options : {"", "--peak-tflops 100", "--model-params 7e9 --tokens-per-step 100",
                              "--model-params 7e9 --active-params 2e9 --tokens-per-step 100 --layers 32 "
                              "--hidden 4096 --seq 2048 --vocab 32000 --causal",
                              "--flops-per-token 1e9 --tokens-per-step 100"})
    EXPECT_EQ(answerTo(options).err, "") << options;
  // Memory needs no tokens.
  EXPECT_EQ(answerTo("--model-params 7e9 --layers 32", "memory_expected").err, "");
}

TEST(EfficiencyOptions, refuseWhatIsNoPeak) {
  for (const char* wrong : {"--peak-tflops nan", "--peak-tflops 1e-4", "--peak-tflops 0", "--peak-tflops inf",
                            "--peak-gb-s nan", "--model-params nan"}) {
    const OptionAnswer answer = answerTo(wrong);
    EXPECT_EQ(answer.exitCode, 1) << wrong;
    EXPECT_NE(answer.err.find("not in range"), std::string::npos) << answer.err;
  }
  EXPECT_EQ(answerTo("--peak-tflops 0.001").exitCode, 0);
}
