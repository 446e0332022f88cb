// SPDX-License-Identifier: GPL-3.0-or-later
// A file during placement: what is known so far about its rank, process and job. Internal to the
// units behind placeFiles; candidates point into the caller's FileFacts and are in natural order of their
// paths.
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
  std::size_t input = 0; // its index in placeFiles' input
  bool leftOut = false;
  std::optional<int> rank;
  RankSource from = RankSource::Guess;
  Recording when;
  std::string runFolder;  // its folders without those that stand for a node, a step or a rank
  std::string nodeFolder; // the folder that stands for its node: so called, or called as its host
  std::string process;    // "host/pid" from the name, which recording of several, else empty
  std::vector<std::string> notes;
  int job = -1;
  int capture = 0;

  void note(std::string text) { notes.push_back(std::move(text)); }
  void decide(int value, RankSource source, std::string why = {}) {
    rank = value;
    from = source;
    if (!why.empty()) note(std::move(why));
  }
  [[nodiscard]] std::optional<int> worldSize() const {
    return facts->metadataWorldSize ? facts->metadataWorldSize : facts->name.worldSize;
  }
  // The node it ran on, as far as known: host_name, the name's host, the node's folder.
  [[nodiscard]] const std::string& host() const;
  // The same, but folders first: what identifies nodes when ranks are numbered within their node.
  [[nodiscard]] const std::string& node() const;
};

using RankCandidates = std::vector<RankCandidate*>; // always in natural order of path, unless noted otherwise

// The folder part of a path, "" without one.
[[nodiscard]] std::string_view folderOf(std::string_view path);

// Files that no common name holds together are of different jobs when they were recorded this far apart.
inline constexpr TimeNs kFarNs = 3'600'000'000'000;

// 0 when they overlap.
[[nodiscard]] TimeNs gapBetween(TimeRange a, TimeRange b);

// Whether b may be a later or earlier capture of the process that wrote a. False when unknown.
[[nodiscard]] bool otherCapture(const RankCandidate& a, const RankCandidate& b);

// By step, wall time, stamp or path, whichever all of them have.
[[nodiscard]] RankCandidates inOrderOfTime(RankCandidates candidates);

} // namespace rankscope
