// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of an opened folder are not shown, or not whole, in words.
#pragma once

#include "core/model/trace_set.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace rankscope::ui {

enum class FileProblemKind : std::uint8_t {
  Unreadable, // nothing of the file is shown
  OtherJob,   // it is fine, and belongs to another job
  Damaged,    // it is shown, and events of it are missing
};

// A file that is not shown whole: "name: byte 123: reason".
struct FileProblem {
  FileProblemKind kind = FileProblemKind::Unreadable;
  QString path;
  QString name;
  QString line;
};
// The tab that lists them all.
inline constexpr const char* kProblemsTab = "files";

// By kind, worst first.
[[nodiscard]] std::vector<FileProblem> fileProblems(const TraceSet& trace);
// A few lines that name them: one for each file that something is wrong with, one for those of other jobs.
[[nodiscard]] QStringList fileProblemLines(const std::vector<FileProblem>& fileProblemList);
// How many of which kind, in one line.
[[nodiscard]] QString fileProblemTitle(const std::vector<FileProblem>& fileProblemList);

} // namespace rankscope::ui
