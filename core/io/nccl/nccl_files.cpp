// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_files.h"

#include "core/base/natural_order.h"
#include "core/io/files/file_bytes.h"
#include "core/io/files/trace_folder.h"
#include "core/io/nccl/nccl_line.h"
#include "core/io/nccl/nccl_log_reader.h"
#include "core/io/nccl/nccl_tests_reader.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kProbe = std::size_t{4} << 20;
constexpr std::size_t kMaxLine = std::size_t{256} << 10; // the rest of a longer line is left out

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

bool hasNcclText(std::string_view text) {
  for (const std::string_view mark : {"NCCL INFO ", "NCCL WARN ", "NCCL CALL ", "NCCL TRACE ",
                                      "NCCL version ", "RCCL version ", "NCCL ABORT"})
    if (memmem(text.data(), text.size(), mark.data(), mark.size()) != nullptr) return true;
  const std::size_t algbw = text.find("algbw");
  return algbw != std::string_view::npos && text.find("busbw", algbw) != std::string_view::npos;
}

// Reads lines of blocks of any size.
class LineSplitter {
 public:
  explicit LineSplitter(std::function<void(std::string_view)> line) : m_line(std::move(line)) {}

  void add(std::string_view block) {
    while (!block.empty()) {
      const auto* const end = static_cast<const char*>(std::memchr(block.data(), '\n', block.size()));
      if (end == nullptr) {
        m_rest.append(block.substr(0, kMaxLine - std::min(kMaxLine, m_rest.size())));
        return;
      }
      const auto length = static_cast<std::size_t>(end - block.data());
      if (m_rest.empty()) {
        m_line(block.substr(0, length));
      } else {
        m_rest.append(block.substr(0, std::min(length, kMaxLine - std::min(kMaxLine, m_rest.size()))));
        m_line(m_rest);
        m_rest.clear();
      }
      block.remove_prefix(length + 1);
    }
  }
  void finish() {
    if (!m_rest.empty()) m_line(m_rest);
    m_rest.clear();
  }

 private:
  std::function<void(std::string_view)> m_line;
  std::string m_rest;
};

} // namespace

class NcclText::Blocks {
 public:
  explicit Blocks(const std::string& path) {
    auto opened = FileBytes::open(path);
    if (!opened) {
      m_problem = opened.error().message;
      return;
    }
    m_bytes = std::make_unique<FileBytes>(std::move(*opened));
    if (m_bytes->compressed()) {
      m_inflater = std::make_unique<Inflater>(m_bytes->bytes());
      return;
    }
    // Read, not mapped: what has been read takes no memory.
    m_file.reset(std::fopen(path.c_str(), "rb"));
    if (m_file == nullptr) m_problem = "cannot be read";
  }

  [[nodiscard]] std::size_t read(std::span<char> to) {
    if (m_inflater != nullptr) {
      const std::size_t got = m_inflater->read(to);
      if (got < to.size()) m_problem = m_inflater->problem();
      return got;
    }
    if (m_file == nullptr) return 0;
    const std::size_t got = std::fread(to.data(), 1, to.size(), m_file.get());
    if (got < to.size() && std::ferror(m_file.get()) != 0) m_problem = "cannot be read to its end";
    return got;
  }
  [[nodiscard]] const std::string& problem() const { return m_problem; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<FileBytes> m_bytes;
  std::unique_ptr<Inflater> m_inflater;
  std::unique_ptr<std::FILE, Close> m_file;
  std::string m_problem;
};

NcclText::NcclText(const std::string& path) : m_blocks(std::make_unique<Blocks>(path)) {}
NcclText::~NcclText() = default;

std::size_t NcclText::read(std::span<char> to) {
  return m_blocks->read(to);
}

const std::string& NcclText::problem() const {
  return m_blocks->problem();
}

// Feeds the log and the table of one file.
class NcclIntake::File {
 public:
  File(NcclLogReader& log, const std::string& path)
      : m_log(log),
        m_table(path, [this](std::uint64_t line, std::string what) { m_log.damaged(line, std::move(what)); }),
        m_lines([this](std::string_view line) { add(line); }) {
    m_log.beginFile(path);
  }
  void block(std::string_view text) { m_lines.add(text); }
  std::vector<NcclTestTable> finish(std::string problem) {
    m_lines.finish();
    std::vector<NcclTestTable> tables = m_table.finish();
    if (const std::uint64_t wrong = m_table.wrongRows(); wrong > 0) {
      if (!problem.empty()) problem += "; ";
      problem += std::to_string(wrong);
      problem += wrong == 1 ? " row of its table has wrong results" : " rows of its table have wrong results";
    }
    m_log.endFile(std::move(problem));
    return tables;
  }

 private:
  void add(std::string_view line) {
    m_log.line(line);
    if (line.size() > 2000) return;
    const std::size_t nccl = line.find("NCCL ");
    if (nccl == std::string_view::npos) return m_table.line(line, m_log.lineNumber());
    // Most lines begin with the name of a host, rows with a number.
    const std::string_view text = withoutLauncher(line);
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos || !(isDigit(text[first]) || text[first] == '-')) return;
    const auto head = ncclHead(line);
    if (!head || head->prefix.empty()) return;
    // What another line has left at its end is glued to the name of the host: a root of -1, or a count of
    // wrong results.
    std::string before(head->prefix);
    if (head->host.starts_with('-')) before.append("-1");
    m_table.line(before, m_log.lineNumber(), true);
  }

  NcclLogReader& m_log;
  NcclTestsReader m_table;
  LineSplitter m_lines;
};

NcclIntake::NcclIntake() : m_log(std::make_unique<NcclLogReader>()) {}
NcclIntake::~NcclIntake() = default;

void NcclIntake::begin(const std::string& path) {
  m_file = std::make_unique<File>(*m_log, path);
  m_records.paths.push_back(path);
}

void NcclIntake::block(std::string_view text) {
  m_file->block(text);
}

void NcclIntake::end(std::string problem) {
  std::vector<NcclTestTable> tables = m_file->finish(std::move(problem));
  std::ranges::move(tables, std::back_inserter(m_records.tables));
  m_file = nullptr;
}

NcclRecords NcclIntake::finish() {
  m_records.log = m_log->finish();
  return std::move(m_records);
}

bool mayBeNcclName(const std::string& path) {
  std::string name = lowered(fs::path(path).filename().string());
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".json")) return false;
  if (afterFlightRecorderPrefix(name)) return false;
  if (name.starts_with("nccl") || name.starts_with("rccl")) return true;
  return std::ranges::any_of(std::array{".log", ".txt", ".out", ".err"},
                             [&](const char* ending) { return name.ends_with(ending); });
}

bool isNcclFile(const std::string& path) {
  NcclText blocks(path);
  std::string start(kProbe, '\0');
  start.resize(blocks.read(start));
  return hasNcclText(start);
}

std::vector<std::string> findNcclFiles(std::span<const std::string> paths) {
  constexpr std::array<std::string_view, 1> kAll{""};
  std::vector<std::string> found;
  std::error_code failed;
  for (const DiscoveredFile& file : searchForFiles(paths, kAll).files) {
    const bool named = std::ranges::any_of(
        paths, [&](const std::string& path) { return path == file.path && !fs::is_directory(path, failed); });
    const bool json = lowered(file.path).find(".json") != std::string::npos;
    if ((named ? json : !mayBeNcclName(file.path)) || !isNcclFile(file.path)) continue;
    found.push_back(file.path);
  }
  return found;
}

std::vector<std::string> withoutNcclFiles(std::span<const std::string> paths) {
  std::vector<std::string> others;
  std::error_code failed;
  for (const std::string& path : paths) {
    const bool json = lowered(path).find(".json") != std::string::npos;
    if (json || !fs::is_regular_file(path, failed) || !isNcclFile(path)) others.push_back(path);
  }
  return others;
}

NcclRecords readNcclFiles(const std::vector<std::string>& files, const Progress* progress) {
  NcclIntake intake;
  std::string block(kBlock, '\0');
  for (const std::string& path : files) {
    intake.begin(path);
    NcclText text(path);
    for (std::size_t got = text.read(block); got > 0; got = text.read(block)) {
      if (progress != nullptr && progress->cancelled()) break;
      intake.block(std::string_view(block).substr(0, got));
    }
    intake.end(text.problem());
  }
  return intake.finish();
}

NcclRecords readNcclText(const std::string& path, std::string_view text) {
  NcclIntake intake;
  intake.begin(path);
  intake.block(text);
  intake.end({});
  return intake.finish();
}

} // namespace rankscope
