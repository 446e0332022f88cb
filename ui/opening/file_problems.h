// SPDX-License-Identifier: GPL-3.0-or-later
// Texts for files that could not be loaded, or not completely.
#pragma once

#include "core/analysis/job/truncated_ranks.h"
#include "core/model/trace_set.h"

#include <QString>
#include <QStringList>

#include <span>
#include <vector>

namespace rankscope::ui {

enum class FileProblemKind : std::uint8_t {
  Unreadable, // nothing of the file is shown
  OtherJob,   // intact, but of another job
  Damaged,    // shown with events missing
};

// A file not loaded completely: "name: byte 123: reason".
struct FileProblem {
  FileProblemKind kind = FileProblemKind::Unreadable;
  QString path;
  QString name;
  QString line;
};
// The tab that lists them all.
inline constexpr const char* kProblemsTab = "files";

// By kind, worst first. cut: what is missing of ranks with truncated files, once that is known.
[[nodiscard]] std::vector<FileProblem> fileProblems(const TraceSet& trace, std::span<const CutRank> cut = {});
// A few lines that name them: one per damaged file, one for all files of other jobs.
[[nodiscard]] QStringList fileProblemLines(const std::vector<FileProblem>& fileProblemList);
// Counts by kind, in one line.
[[nodiscard]] QString fileProblemTitle(const std::vector<FileProblem>& fileProblemList);

} // namespace rankscope::ui
