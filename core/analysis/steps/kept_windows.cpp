// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/kept_windows.h"

#include <map>

namespace rankscope {

namespace {

// Places in KeptSteps::steps, half open.
struct StepRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool kept = true; // false: none is, so it is of all

  [[nodiscard]] std::size_t length() const { return end - begin; }
};

// By capture; of the steps that are asked about.
std::map<int, StepRun> longestRuns(const KeptSteps& kept, const std::vector<bool>& asked) {
  std::map<int, StepRun> longest;
  for (const bool keptOnly : {true, false}) {
    std::map<int, StepRun> found;
    StepRun run{0, 0, keptOnly};
    for (std::size_t i = 0; i < kept.steps.size(); ++i) {
      if (i > 0 && kept.steps[i].capture != kept.steps[i - 1].capture) run.begin = i;
      if (!asked[i] || (keptOnly && !kept.steps[i].kept())) {
        run.begin = i + 1;
        continue;
      }
      run.end = i + 1;
      StepRun& known = found[kept.steps[i].capture];
      if (run.length() > known.length()) known = run;
    }
    longest.merge(found); // what is kept comes first
  }
  return longest;
}

} // namespace

std::vector<RankRange> windowsOfKeptSteps(const KeptSteps& kept, std::span<const AskedRecording> recordings) {
  const auto forEachStep = [&](const AskedRecording& recording, const auto& visit) {
    if (!recording.steps->areSteps()) return;
    for (std::size_t i = 0; i < recording.steps->steps.size(); ++i)
      if (recording.window.contains(RankTime(recording.steps->steps[i].range.begin))) visit(i);
  };
  std::vector<bool> asked(kept.steps.size());
  for (const AskedRecording& recording : recordings)
    forEachStep(recording, [&](std::size_t i) { asked[kept.stepOfRank[recording.rank][i]] = true; });
  const std::map<int, StepRun> runs = longestRuns(kept, asked);
  std::vector<RankRange> windows;
  if (runs.empty()) return windows;
  for (const AskedRecording& recording : recordings) {
    RankRange& window = windows.emplace_back();
    const auto run = runs.find(recording.capture);
    if (run == runs.end()) continue;
    forEachStep(recording, [&](std::size_t i) {
      const std::size_t place = kept.stepOfRank[recording.rank][i];
      if (place < run->second.begin || place >= run->second.end) return;
      if (run->second.kept && kept.status(recording.rank, i) != StepStatus::Kept) return;
      window = window.unitedWith(RankRange::of(recording.steps->steps[i].range));
    });
  }
  return windows;
}

} // namespace rankscope
