// SPDX-License-Identifier: GPL-3.0-or-later
// The project's own sources as tests look at them: which files there are, what they include, to which unit
// and module they belong. A module is a folder. A unit is a header with its source; a source without a header
// of its own belongs to the header whose name it begins with (timeline_canvas_paint.cpp to
// timeline_canvas.h). Plain data; reading costs one pass over the files.
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

// All *.h, *.cpp and *.txt under these folders of the root, sorted by path.
[[nodiscard]] std::vector<SourceFile> sourceFilesUnder(const std::filesystem::path& root,
                                                       const std::vector<std::string>& folders);
[[nodiscard]] bool isCode(const SourceFile& file);
[[nodiscard]] std::vector<std::string> linesOf(std::string_view text);
// The paths of the includes.
[[nodiscard]] std::vector<std::string> includesOf(const SourceFile& file);
// The folder of a path: "core/io/json" of "core/io/json/json_scan.h"; "" of a file at the root.
[[nodiscard]] std::string folderOf(std::string_view path);

// By unit ("core/base/progress"), the units among the files that its files include; never itself.
using UnitGraph = std::map<std::string, std::set<std::string>>;
[[nodiscard]] UnitGraph unitsOf(const std::vector<SourceFile>& files);
// Groups of units that include each other in a circle, each sorted; none in a sound tree.
[[nodiscard]] std::vector<std::vector<std::string>> circlesIn(const UnitGraph& units);

} // namespace rankscope::test
