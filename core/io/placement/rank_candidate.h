// SPDX-License-Identifier: GPL-3.0-or-later
// A file during placement, with what is known about its rank, process and job. Internal to placeFiles.
// Candidates point to the caller's FileFacts and are in natural order of their paths.
#pragma once

#include "core/io/placement/capture_order.h"
#include "core/io/placement/file_facts.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct RankCandidate {
  const FileFacts* facts = nullptr;
  std::size_t input = 0; // index in the input of placeFiles
  bool leftOut = false;
  std::optional<int> rank;
  RankSource from = RankSource::Guess;
  Recording when;
  std::string runFolder;  // folders of the path except those of a node, step or rank
  std::string nodeFolder; // folder of its node: named as a node or as its host
  std::string process;    // "host/pid" from the name, or index of the recording; may be empty
  std::vector<std::string> notes;
  int job = -1;
  int capture = 0;

  void note(std::string text) { notes.push_back(std::move(text)); }
  void leaveOut(std::string why) {
    leftOut = true;
    note(std::move(why));
  }
  void decide(int value, RankSource source, std::string why = {}) {
    rank = value;
    from = source;
    if (!why.empty()) note(std::move(why));
  }
  [[nodiscard]] std::optional<int> worldSize() const {
    return facts->metadataWorldSize ? facts->metadataWorldSize : facts->name.worldSize;
  }
  // The node it ran on, if known: from host_name, the name, or the node's folder.
  [[nodiscard]] const std::string& host() const;
  // The node, preferring folder names. Distinguishes nodes if ranks are numbered within their node.
  [[nodiscard]] const std::string& node() const;
};

using RankCandidates = std::vector<RankCandidate*>; // in natural order of path, unless noted otherwise

// The folder of a path; "" if none.
[[nodiscard]] std::string_view folderOf(std::string_view path);

// Files without a common name belong to different jobs if they were recorded this far apart.
inline constexpr TimeNs kFarNs = 3'600'000'000'000;

// Time between two ranges; 0 if they overlap.
[[nodiscard]] TimeNs gapBetween(TimeRange a, TimeRange b);

// Whether b may be another capture of the process that wrote a. False if unknown.
[[nodiscard]] bool otherCapture(const RankCandidate& a, const RankCandidate& b);

// Sorts by step, wall time, stamp or path: the first that all of them have.
[[nodiscard]] RankCandidates inOrderOfTime(RankCandidates candidates);

} // namespace rankscope
