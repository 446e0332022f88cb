// SPDX-License-Identifier: GPL-3.0-or-later
// The events of trace files that a digest keeps beside it, a file for each trace: so that single ranks can be
// looked at where the traces cannot be reached, and a run that was interrupted does not read them again. Read
// by the same version of the program only. Blocks; thread-safe.
#pragma once

#include "core/base/progress.h"
#include "core/io/load/file_loader.h"
#include "core/model/string_table.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// In the folder of the digest.
inline constexpr std::string_view kKeptEventsFolder = "events";

// Where the events of a trace are kept. tracePath: as in the files of the job. workingFolder: that it is
// relative to, if it is.
[[nodiscard]] std::string keptEventsPath(const std::string& digestFolder, const std::string& tracePath,
                                         const std::string& workingFolder);

// Changes with the content of the trace.
[[nodiscard]] std::string traceStamp(const std::string& tracePath);

// A file as loadFile gives it, with names of its own.
struct KeptFile {
  LoadedFile loaded;
  StringTable names;
};

// Empty if there is no such file, it is damaged, of another version, or of a trace with another stamp. stamp:
// empty if any trace will do. tracePath: where details of events are read.
[[nodiscard]] std::optional<KeptFile> openKeptEvents(const std::string& path, std::string_view stamp,
                                                     const std::string& tracePath, unsigned threadCount,
                                                     Progress& progress);
// Whether this program can read the file, by its first bytes.
[[nodiscard]] bool isKeptEvents(const std::string& path);
// The ids of names that are added to a job, by their position.
[[nodiscard]] std::vector<NameId> idsInJob(StringInterner& job, const StringTable& names);
// The file in a job that has given its names these ids.
[[nodiscard]] LoadedFile inJob(KeptFile kept, std::vector<NameId> ids);

// Removes what a run that was killed left of files that it was writing.
void removeAbandoned(const std::string& digestFolder);

// names: of the job that the file was loaded into. Creates the folder.
[[nodiscard]] std::optional<Error> keepEvents(const LoadedFile& loaded, const StringTable& names,
                                              const std::string& path, const std::string& stamp);

} // namespace rankscope
