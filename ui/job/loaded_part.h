// SPDX-License-Identifier: GPL-3.0-or-later
// What of a job is open where it was not opened whole: some ranks, steps or kinds of events, or one capture.
// Plain data with its text and its form in session files; any thread.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>

namespace rankscope::ui {

struct LoadedPart {
  LoadFilter filter;
  std::optional<int> capture; // empty: all

  [[nodiscard]] bool everything() const { return filter.everything() && !capture; }
  bool operator==(const LoadedPart&) const = default;
};

[[nodiscard]] LoadedPart partOf(const LoadOptions& options);
[[nodiscard]] LoadOptions withPart(LoadOptions options, const LoadedPart& part);

// "without Python stack · steps 3 to 5 · ranks 0-3 · capture 2"; empty for everything.
[[nodiscard]] QString partText(const LoadedPart& part);

// Title and reasons where steps that were to be loaded are not in the job, or not all of them; else nothing.
[[nodiscard]] QStringList missingSteps(const Analysis& analysis, const LoadFilter& filter);

// Empty for everything. Of damaged JSON what can be read.
[[nodiscard]] QJsonObject toJson(const LoadedPart& part);
[[nodiscard]] LoadedPart loadedPartFromJson(const QJsonObject& json);

} // namespace rankscope::ui
