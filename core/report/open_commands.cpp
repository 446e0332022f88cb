// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/open_commands.h"

#include "core/io/files/common_folder.h"
#include "core/report/timeline_drawing.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace rankscope {

namespace {

constexpr std::size_t kPathsNamed = 4;

bool isPlain(char c) {
  constexpr std::string_view kPlain = "_./:=,@%+-";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kPlain.find(c) != std::string_view::npos;
}

// The files that are shown; of many their folder.
std::vector<std::string> pathsOf(const TraceSet& trace) {
  std::vector<std::filesystem::path> paths;
  for (const FileRecord& file : trace.files())
    if (file.status == FileStatus::Shown) paths.emplace_back(file.path);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<std::string> texts;
  if (paths.size() > kPathsNamed) {
    std::filesystem::path folder = paths.front().parent_path();
    for (const std::filesystem::path& path : paths) folder = commonFolder(folder, path.parent_path());
    texts.push_back(folder.string());
  } else {
    texts.reserve(paths.size());
    for (const std::filesystem::path& path : paths) texts.push_back(path.string());
  }
  return texts;
}

std::string wordsText(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += ' ';
    text += shellWord(word);
  }
  return text;
}

std::string argumentsText(const std::vector<std::string>& given, const JobReport& report,
                          const std::vector<std::string>& part) {
  return wordsText(given.empty() ? pathsOf(report.analysis().trace()) : given) + wordsText(part);
}

} // namespace

std::string shellWord(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, isPlain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + "'";
}

std::string OpenCommands::ofFinding(const JobReport& report, std::size_t position) const {
  if (whole)
    return fmt::format("rankscope{} --finding {}", argumentsText(arguments, report, windowPart),
                       position + 1);
  const auto place = timelinePlace(report.analysis(), &report.findings()[position]);
  return place && !place->marked.empty() ? ofRange(report, place->range) : std::string();
}

std::string OpenCommands::ofTab(const JobReport& report, std::string_view tab) const {
  return fmt::format("rankscope{} --view {}", argumentsText(arguments, report, windowPart), tab);
}

std::string OpenCommands::ofRange(const JobReport& report, JobRange range) const {
  const JobTime begin = origin.value_or(report.analysis().extent().begin);
  return fmt::format("rankscope{} --view timeline --from {}ns --to {}ns",
                     argumentsText(arguments, report, windowPart), std::max<TimeNs>(0, range.begin - begin),
                     std::max<TimeNs>(1, range.end - begin));
}

std::string OpenCommands::ofTable(const JobReport& report, std::string_view table) const {
  return fmt::format("rankscope-cli table {}{}", table, argumentsText(arguments, report, tablePart));
}

} // namespace rankscope
