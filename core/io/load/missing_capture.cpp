// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/missing_capture.h"

#include "core/base/number_ranges.h"

#include <map>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

constexpr std::string_view kNoCapture = "no rank has capture ";

std::string plural(std::string_view word, const std::vector<int>& numbers) {
  return std::string(word) + (numbers.size() == 1 ? " " : "s ") + numberRangesText(numbers);
}

} // namespace

std::optional<Error> missingCapture(std::span<const FileRecord> files, int capture, const std::string& path) {
  std::set<int> known;
  for (const FileRecord& file : files) {
    if (file.status == FileStatus::Shown && file.rank) known.insert(file.capture);
  }
  if (known.empty() || known.contains(capture)) return std::nullopt;
  const std::string has = plural("capture", {known.begin(), known.end()});
  return Error{ErrorKind::Unsupported,
               std::string(kNoCapture) + std::to_string(capture) + "; the job has " +
                   (known.size() == 1 ? "only " : "") + has,
               path, std::nullopt};
}

bool isMissingCapture(const Error& error) {
  return error.kind == ErrorKind::Unsupported && error.message.starts_with(kNoCapture);
}

std::string ranksWithoutCapture(const TraceSet& job, int capture, const std::optional<std::set<int>>& only) {
  std::map<int, bool> hasIt; // by rank
  for (const FileRecord& file : job.files()) {
    if (file.status != FileStatus::Shown || !file.rank) continue;
    if (only && !only->contains(*file.rank)) continue;
    bool& has = hasIt[*file.rank];
    has = has || file.capture == capture;
  }
  std::vector<int> without;
  for (const auto& [rank, has] : hasIt) {
    if (!has) without.push_back(rank);
  }
  if (without.empty()) return {};
  return plural("rank", without) + (without.size() == 1 ? " has" : " have") + " no capture " +
         std::to_string(capture);
}

} // namespace rankscope
