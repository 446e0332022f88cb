// SPDX-License-Identifier: GPL-3.0-or-later
// The project's sources for tests: files, their includes, units and modules. A module is a folder. A unit is
// a header with its source; a source without its own header belongs to the header whose name is a prefix of
// its name (timeline_canvas_paint.cpp to timeline_canvas.h). Plain data; one pass over the files.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::test {

struct SourceFile {
  std::string path; // from the repository's root, with slashes
  std::string text;
};

// All *.h, *.cpp and *.txt in these folders, recursively, sorted by path.
[[nodiscard]] std::vector<SourceFile> sourceFilesUnder(const std::filesystem::path& root,
                                                       const std::vector<std::string>& folders);
[[nodiscard]] bool isCode(const SourceFile& file);
[[nodiscard]] std::vector<std::string> linesOf(std::string_view text);
// Paths of the includes.
[[nodiscard]] std::vector<std::string> includesOf(const SourceFile& file);
// The folder of a path: "core/io/json" of "core/io/json/json_scan.h"; "" of a file at the root.
[[nodiscard]] std::string folderOf(std::string_view path);

// By unit ("core/base/progress"): the other units that its files include.
using UnitGraph = std::map<std::string, std::set<std::string>>;
[[nodiscard]] UnitGraph unitsOf(const std::vector<SourceFile>& files);
// Groups of units with cyclic includes, each sorted; empty if there are no cycles.
[[nodiscard]] std::vector<std::vector<std::string>> circlesIn(const UnitGraph& units);

} // namespace rankscope::test
