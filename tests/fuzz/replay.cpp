// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for libFuzzer where there is none: gives a fuzz target each of its seeds, then a fixed number of
// changed copies of them, the same ones on every run. An input that breaks the target stays behind in the
// file that is named when it does.
#include "tests/support/mutation.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::string lastInput;
std::string lastInputPath;

void writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Nothing but system calls: the program may be in any state.
void keepLastInput(int signal) {
  const int file = ::open(lastInputPath.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) {
    writeAll(file, lastInput);
    ::close(file);
    writeAll(STDERR_FILENO, "broken by the input that lies now in ");
    writeAll(STDERR_FILENO, lastInputPath);
    writeAll(STDERR_FILENO, "\n");
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void give(std::string input) {
  lastInput = std::move(input);
  alarm(10);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(lastInput.data()), lastInput.size());
  alarm(0);
}

std::vector<std::string> readAll(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FOLDER_OF_SEEDS RUNS [SEED]\n", argv[0]);
    return 1;
  }
  lastInputPath = std::string(argv[0]) + ".input";
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    ::signal(signal, keepLastInput);
  const std::vector<std::string> seeds = readAll(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 1;
  }
  for (const std::string& seed : seeds) give(seed);
  const long runs = std::strtol(argv[2], nullptr, 10);
  rankscope::test::Chance chance(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  for (long i = 0; i < runs; ++i) give(rankscope::test::mutated(seeds[chance.below(seeds.size())], chance));
  std::printf("%zu seeds and %ld changed copies of them\n", seeds.size(), runs);
  return 0;
}
