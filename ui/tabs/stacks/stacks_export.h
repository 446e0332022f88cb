// SPDX-License-Identifier: GPL-3.0-or-later
// What the stacks tab shows as a file: folded stacks, speedscope, pprof, CSV or SVG, by the name of the file.
// Pure but for writing.
#pragma once

#include "core/analysis/stacks/job_stacks.h"
#include "core/analysis/stacks/stack_difference.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <string>

namespace rankscope::ui {

// One of the two.
struct StacksToExport {
  std::shared_ptr<const WeighedStacks> stacks;
  std::shared_ptr<const StackDifference> difference;
  std::string title; // the job's name

  [[nodiscard]] bool any() const { return stacks != nullptr || difference != nullptr; }
};

// Filters of a file dialog: "Folded stacks (*.folded)".
[[nodiscard]] QStringList stackFileTypes(const StacksToExport& what);
// The content of a file of this name; folded stacks for names that say nothing.
[[nodiscard]] std::string stacksAsFile(const StacksToExport& what, const QString& fileName);
// What is to be said of it: "Wrote stacks.folded", or the error.
[[nodiscard]] QString writeStacks(const StacksToExport& what, const QString& path);

} // namespace rankscope::ui
