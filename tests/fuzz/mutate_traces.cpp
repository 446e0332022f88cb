// SPDX-License-Identifier: GPL-3.0-or-later
// Opens damaged copies of recorded traces, thousands of them: each copy is a piece of a recording (its front,
// a stretch of events from anywhere and its end) with one to six changes in its text or in its compressed
// bytes, and lies in a folder with two whole ranks. None may end the program or take longer than ten seconds;
// each is opened, or refused with a reason; the whole ranks must be what they are without it; and every table
// is made. A variant is told by its number alone: the same number gives the same bytes.
#include "core/io/files/file_bytes.h"
#include "core/io/json/json_scan.h"
#include "core/io/load/trace_loader.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/mutation.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rankscope;

namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxSeconds = 10;
constexpr std::uint64_t kBatch = 200; // variants a process
constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

struct Options {
  std::vector<std::string> sources;
  std::uint64_t first = 0;
  std::uint64_t variants = 1000;
  std::size_t pieceBytes = std::size_t{48} << 10;
  std::string keep; // where variants that broke something are left
};

// What the children tell. Lies in memory that they share with the parent.
struct Tally {
  std::uint64_t at = 0; // the variant at hand
  std::uint64_t openedQuietly = 0, openedWithWords = 0, refused = 0, wrong = 0;
  std::uint64_t repaired = 0, skipped = 0;
  std::uint64_t slowestMs = 0, slowest = 0;
};

std::vector<std::string> textsOf(const std::vector<std::string>& sources) {
  std::vector<std::string> paths;
  for (const DiscoveredFile& file : discoverTraceFiles(sources).files) paths.push_back(file.path);
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    const auto file = FileBytes::open(path);
    if (!file) continue;
    std::string text;
    if (file->compressed()) {
      text.resize(kMaxTextBytes);
      text.resize(Inflater(file->bytes()).read(text));
    } else {
      text.assign(file->bytes().begin(), file->bytes().end());
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

// The recording's front, a stretch of its events and its end, which together are a small recording.
std::string pieceOf(const std::string& text, std::size_t pieceBytes, test::Chance& chance) {
  if (text.size() <= 2 * pieceBytes) return text;
  constexpr std::size_t kEnd = 4096;
  const EventBoundary boundary("ph");
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* const frontEnd = boundary.find(begin, begin + pieceBytes / 4, end);
  const char* const from =
      boundary.find(begin, frontEnd + chance.below(static_cast<std::size_t>(end - frontEnd)), end);
  const char* const to = boundary.find(
      begin, from + std::min<std::ptrdiff_t>(end - from, static_cast<std::ptrdiff_t>(pieceBytes)), end);
  const char* const tail = boundary.find(begin, end - kEnd, end);
  std::string piece(begin, frontEnd);
  piece.append(from, to);
  piece.append(tail == end ? end - std::min<std::ptrdiff_t>(end - to, 64) : tail, end);
  return piece;
}

std::string contentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Everything that is known of a recording, in one number.
std::size_t fingerprintOf(const TraceSet& set, const FileRecord& file, const RankTrace& trace) {
  std::string text =
      fmt::format("{} {} {} {}\n", file.events, file.repaired, file.skipped, trace.rows.size());
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value)
    text += fmt::format("{} {} {}\n", trace.events.begin[e], trace.events.duration[e],
                        set.names()[trace.events.name[e]]);
  return std::hash<std::string>()(text);
}

// Of the two whole ranks, in order of their paths; fewer when one is not there.
std::vector<std::size_t> wholeRanks(const TraceSet& set) {
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const RankEntry& entry : set.ranks()) {
    const FileRecord& file = set.file(entry.file);
    if (fs::path(file.path).parent_path().filename() == "whole")
      found.emplace_back(file.path, fingerprintOf(set, file, *entry.trace));
  }
  std::ranges::sort(found);
  std::vector<std::size_t> numbers;
  for (const auto& [path, number] : found) numbers.push_back(number);
  return numbers;
}

std::shared_ptr<const TraceSet> open(const std::string& folder) {
  Progress progress;
  LoadOptions options;
  options.threadCount = 2;
  const auto loaded = loadTraces({folder}, options, progress);
  return loaded ? *loaded : nullptr;
}

class Tester {
 public:
  explicit Tester(const Options& options, Tally& tally) : m_options(options), m_tally(tally) {
    if (m_options.sources.empty()) {
      const test::JobOptions job = test::smallJob();
      test::generateJob(job, m_folder.path() / "made");
      fs::remove(m_folder.path() / "made" / "ground_truth.json"); // no recording
      m_options.sources.push_back(m_folder / "made");
    }
    m_texts = textsOf(m_options.sources);
    for (int rank = 0; rank < 2; ++rank) {
      test::TraceText text;
      text.distributedInfo(1000 + rank, 2000).baseTime(1'700'000'000'000'000'000).addStep(1, 0, 100'000);
      for (int i = 0; i < 10; ++i)
        text.addCpuOp(1, 100 + 1000 * i, 500, "aten::mm").addKernel(0, 7, 500 + 1000 * i, 900, "gemm", i + 1);
      test::writeTraceFile(m_folder / fmt::format("job/whole/rank{}.json", 1000 + rank), text.text());
    }
    m_whole = wholeRanks(*open(m_folder / "job"));
  }
  [[nodiscard]] bool ready() const { return !m_texts.empty() && m_whole.size() == 2; }
  [[nodiscard]] std::size_t sources() const { return m_texts.size(); }

  // Bytes and file name of a variant, and in words what was done to it.
  struct Variant {
    std::string bytes, name, what;
  };
  [[nodiscard]] Variant make(std::uint64_t number) const {
    test::Chance chance(number * 0x9e3779b97f4a7c15 + 1);
    const std::string piece = pieceOf(m_texts[chance.below(m_texts.size())], m_options.pieceBytes, chance);
    if (chance.below(4) != 0) {
      Variant variant{{}, "rank0.json", {}};
      variant.bytes = test::mutated(piece, chance, &variant.what);
      return variant;
    }
    Variant variant{{}, "rank0.json.gz", "compressed: "};
    const std::string path = m_folder / "packed.json.gz";
    test::writeTraceFile(path, piece);
    variant.bytes = test::mutated(contentOf(path), chance, &variant.what);
    return variant;
  }

  void run(std::uint64_t number) {
    const auto begin = std::chrono::steady_clock::now();
    const Variant variant = make(number);
    const std::string path = m_folder / ("job/" + variant.name);
    write(path, variant.bytes);
    const auto set = open(m_folder / "job");
    const bool fine = set != nullptr && judge(*set, path);
    if (set != nullptr) {
      const JobReport report(std::make_shared<const Analysis>(set));
      for (const TableSpec& spec : tableSpecs()) static_cast<void>(spec.make(report));
    }
    fs::remove(path);
    if (!fine) {
      ++m_tally.wrong;
      std::printf("variant %llu: not as it should be (%s)\n", static_cast<unsigned long long>(number),
                  variant.what.c_str());
      keep(number);
    }
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    if (static_cast<std::uint64_t>(took.count()) > m_tally.slowestMs) {
      m_tally.slowestMs = static_cast<std::uint64_t>(took.count());
      m_tally.slowest = number;
    }
  }

  void keep(std::uint64_t number) const {
    if (m_options.keep.empty()) return;
    const Variant variant = make(number);
    fs::create_directories(m_options.keep);
    write(fmt::format("{}/{}-{}", m_options.keep, number, variant.name), variant.bytes);
  }

 private:
  // The damaged file was opened or is refused in words, and the whole ones are as ever.
  bool judge(const TraceSet& set, const std::string& path) {
    const auto file = std::ranges::find(set.files(), path, &FileRecord::path);
    if (file == set.files().end()) return false;
    const bool told = !file->diagnostics.items().empty();
    if (file->events > 0 || file->rank) {
      ++(told ? m_tally.openedWithWords : m_tally.openedQuietly);
      m_tally.repaired += file->repaired;
      m_tally.skipped += file->skipped;
      if (told && file->note.find("byte ") == std::string::npos) return false;
    } else {
      ++m_tally.refused;
      if (file->note.empty()) return false;
    }
    return wholeRanks(set) == m_whole;
  }

  Options m_options;
  Tally& m_tally;
  test::TemporaryFolder m_folder;
  std::vector<std::string> m_texts;
  std::vector<std::size_t> m_whole;
};

// Runs variants [at, end) in a child. Returns where to go on; a variant that ended the child is passed over.
std::uint64_t runBatch(Tester& tester, Tally& tally, std::uint64_t at, std::uint64_t end,
                       std::uint64_t& broken) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    for (std::uint64_t i = at; i < end; ++i) {
      tally.at = i;
      alarm(kMaxSeconds);
      tester.run(i);
    }
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return end;
  ++broken;
  const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  std::printf("variant %llu: %s (%s)\n", static_cast<unsigned long long>(tally.at),
              hung ? "took longer than 10 s" : "ended the program", tester.make(tally.at).what.c_str());
  tester.keep(tally.at);
  return tally.at + 1;
}

bool take(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool more = i + 1 < argc;
    if (argument == "--variants" && more)
      options.variants = std::strtoull(argv[++i], nullptr, 10);
    else if (argument == "--first" && more)
      options.first = std::strtoull(argv[++i], nullptr, 10);
    else if (argument == "--piece" && more)
      options.pieceBytes = std::strtoull(argv[++i], nullptr, 10);
    else if (argument == "--keep" && more)
      options.keep = argv[++i];
    else if (argument.starts_with("--"))
      return false;
    else
      options.sources.push_back(argument);
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  if (!take(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: %s [TRACES...] [--variants N] [--first NUMBER] [--piece BYTES] [--keep FOLDER]\n"
                 "Without traces a made-up job is damaged.\n",
                 argv[0]);
    return 1;
  }
  void* const shared =
      mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  Tally& tally = *new (shared) Tally;
  Tester tester(options, tally);
  if (!tester.ready()) {
    std::fprintf(stderr, "nothing to damage was found\n");
    return 1;
  }
  std::uint64_t broken = 0;
  const std::uint64_t end = options.first + options.variants;
  for (std::uint64_t at = options.first; at < end;)
    at = runBatch(tester, tally, at, std::min(end, at + kBatch), broken);
  std::printf(
      "%llu variants of %zu files: %llu opened with repairs listed, %llu opened with nothing to say, %llu "
      "refused with a "
      "reason\n%llu repairs, %llu events skipped; slowest %llu ms (variant %llu)\n%llu ended the program or "
      "hung, "
      "%llu not as they should be\n",
      static_cast<unsigned long long>(options.variants), tester.sources(),
      static_cast<unsigned long long>(tally.openedWithWords),
      static_cast<unsigned long long>(tally.openedQuietly), static_cast<unsigned long long>(tally.refused),
      static_cast<unsigned long long>(tally.repaired), static_cast<unsigned long long>(tally.skipped),
      static_cast<unsigned long long>(tally.slowestMs), static_cast<unsigned long long>(tally.slowest),
      static_cast<unsigned long long>(broken), static_cast<unsigned long long>(tally.wrong));
  return broken + tally.wrong == 0 ? 0 : 1;
}
