// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli findings: what is wrong, what it costs and how to fix it.
#pragma once

#include "app/command.h"
#include "core/report/accepted_findings.h"

namespace rankscope {

// The findings that the file of --ignore accepts; none for an empty name. Nothing after the reason was
// printed why the file cannot be read.
[[nodiscard]] std::optional<std::vector<AcceptedFinding>> readAccepted(const std::string& file);
// Warns of entries of that file that match no finding of the report.
void warnOfUseless(const JobReport& report, const std::string& file,
                   const std::vector<AcceptedFinding>& accepted);

[[nodiscard]] Command addFindingsCommand(CLI::App& app);

} // namespace rankscope
