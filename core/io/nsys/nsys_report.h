// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of Nsight Systems (.nsys-rep, .qdrep): their format is NVIDIA's own, but the version that wrote one
// stands in its first bytes. Says how to export it. Pure functions, but for the look at neighboring files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] bool isNsysReport(std::string_view start);

// "2026.1.3"; empty if the report does not say.
[[nodiscard]] std::string reportVersion(std::string_view start);

// Whether an nsys of this version knows --include-blobs. Versions that are not known do not.
[[nodiscard]] bool exportsBlobs(std::string_view version);

// The command that exports all reports of a folder. ending: of the report's name, ".nsys-rep" or ".qdrep".
[[nodiscard]] std::string exportCommand(std::string_view ending, std::string_view version);

// Why a report is not shown, and what to do. path: as opened.
[[nodiscard]] std::string reportMessage(const std::string& path, std::string_view start);

} // namespace rankscope
