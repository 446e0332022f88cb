// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/two_host_job.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rankscope {

namespace {

constexpr double kDrift = static_cast<double>(TwoHostJob::kDriftPpb) * 1e-9;

bool isOnSecondHost(int rank) {
  return rank >= TwoHostJob::kRanksOfHost;
}

} // namespace

TwoHostJob::TwoHostJob() {
  test::JobOptions options;
  options.ranks = 2 * kRanksOfHost;
  options.ranksPerNode = kRanksOfHost;
  options.steps = 6;
  options.clockOffsetNs = {0, kAhead};
  options.clockDriftPpb = {0, kDriftPpb};
  options.straggler = {kStraggler, 3'000'000, 0, test::StragglerKind::Compute};
  options.gaps = {{kStraggler, 2, 30'000'000, test::GapCause::Sync}};
  const test::TemporaryFolder folder;
  truth = generateJob(options, folder.path());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  analysis = std::make_shared<const Analysis>(*loaded);
}

JobTime TwoHostJob::jobTime(TimeNs time) const {
  return JobTime(time);
}

RankTime TwoHostJob::rankTime(int rank, TimeNs time) const {
  if (!isOnSecondHost(rank)) return RankTime(time);
  return RankTime(time + kAhead + std::llround(static_cast<double>(time - truth.originNs) * kDrift));
}

TimeNs TwoHostJob::trueTime(int rank, RankTime time) const {
  if (!isOnSecondHost(rank)) return time.ns();
  const TimeNs elapsed = time.ns() - kAhead - truth.originNs;
  return truth.originNs + std::llround(static_cast<double>(elapsed) / (1 + kDrift));
}

JobRange TwoHostJob::placeOf(const test::CollectiveTruth& collective) const {
  const auto& parts = collective.participants;
  return {jobTime(std::ranges::min_element(parts, {}, &test::ParticipantTruth::beginNs)->beginNs),
          jobTime(std::ranges::max_element(parts, {}, &test::ParticipantTruth::endNs)->endNs)};
}

} // namespace rankscope
