// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/compare_diffs.h"

#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "core/report/compare_sides.h"
#include "tests/peers/diff_set.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace rankscope::peers {

namespace {

OpenSide opened(const std::filesystem::path& folder, const DiffSide& side) {
  std::vector<std::string> paths;
  for (const std::string& path : side.paths) paths.push_back((folder / path).string());
  Progress progress;
  auto loaded = loadTraces(paths, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  OpenSide open;
  open.job = *loaded;
  open.analysis = std::make_shared<const Analysis>(open.job, nullptr, AnalysisOptions{true, true});
  open.rank = RankIndex(0);
  for (std::size_t r = 0; r < open.job->ranks().size(); ++r) {
    if (open.job->ranks()[r].rank == side.rank) open.rank = RankIndex(r);
  }
  const int rank = open.job->rank(open.rank).rank;
  const std::array ranks{rank};
  const Analysis part(*open.analysis, onlyRanks(*open.analysis, wholeScope(*open.analysis), ranks));
  open.facts = sideOf(part, {.total = true});
  open.file = readPeerFile(*open.job, open.rank);
  return open;
}

} // namespace

bool OpenSide::isInSteps(TimeNs t) const {
  return std::ranges::any_of(facts.steps, [&](const SideStep& step) { return step.range.contains(t); });
}

std::vector<DiffPair> diffPairs() {
  const std::string first = "traces/resnet50-v100-workers0/worker0.1623143089861.pt.trace.json.gz";
  const std::string second = "traces/resnet50-v100-workers0/worker0.1623143566756.pt.trace.json.gz";
  const std::string dlrm = "traces/dlrm-8rank-v100";
  const std::string nccl = "traces/nccl-2ranks-derived";
  const std::string straggler = "captures/torch-2.6.0/ddp4_straggler";
  return {{"resnet50_same", {{first}}, {{second}}},
          {"resnet50_w0_w4", {{first}}, {{"traces/resnet50-v100-workers4"}}},
          {"dlrm_rank0_rank3", {{dlrm}, 0}, {{dlrm}, 3}},
          {"nccl2_rank0_rank1", {{nccl}, 0}, {{nccl}, 1}},
          {"unlike_a100_v100", {{"traces/a100-rank3of8"}}, {{"traces/v100-rank1of2"}}},
          {"h100_mi300_bert", {{"traces/h100-bert-small"}}, {{"traces/mi300-bert-small"}}},
          {"capture_straggler_rank0_rank2", {{straggler}, 0}, {{straggler}, 2}}};
}

SetComparison compareDiffs(const std::filesystem::path& folder, const DiffPair& pair) {
  SetComparison result;
  const OpenPair open{pair.name, folder / "oracles" / "compare", opened(folder, pair.a),
                      opened(folder, pair.b)};
  for (const OpenSide* side : {&open.a, &open.b})
    result.faults.insert(result.faults.end(), side->file.faults.begin(), side->file.faults.end());
  compareTraceDiff(open, result.figures);
  compareTensorBoardDiff(open, result.figures);
  return result;
}

} // namespace rankscope::peers
