// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a folder or file of traces, as a command of the program makes it.
#pragma once

#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"

#include <filesystem>
#include <memory>
#include <stdexcept>

namespace rankscope {

// Throws the loader's message.
[[nodiscard]] inline std::unique_ptr<JobReport> reportOf(const std::filesystem::path& path) {
  Progress progress;
  const auto loaded = loadTraces({path.string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return std::make_unique<JobReport>(std::make_shared<const Analysis>(*loaded));
}

} // namespace rankscope
