// SPDX-License-Identifier: GPL-3.0-or-later
// A job on one screen of a terminal: what was read and what not and why, the ranks, where device time went.
// Up to 16 recordings have a line each; of more, the least, median and greatest figures and the recordings
// that stand out. Plain UTF-8 text, the same for the same input.
#pragma once

#include "core/report/job_report.h"

#include <string>

namespace rankscope {

[[nodiscard]] std::string summaryText(const JobReport& report);

} // namespace rankscope
