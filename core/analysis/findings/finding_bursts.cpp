// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about steps that do more than train: evaluation, checkpoints and logging, as trainers put them
// between steps. Their time is a finding of its own, because means leave most of them out.
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kLeastSteps = 4;
constexpr double kLeastShare = 0.01; // of the recorded steps
constexpr double kLongPart = 3;      // of the median of the part that is not forward
constexpr double kManyReads = 10;    // values that the host reads, for logging
constexpr double kMuchSaved = 100e6; // bytes from the device, for a checkpoint

enum class Burst : std::uint8_t { None, Evaluation, Checkpoint, Logging };
constexpr std::size_t kBurstCount = 4;

struct BurstText {
  const char* title;
  const char* evidence; // of one step
  const char* evidenceOfSeveral;
  const char* fix;
};

constexpr std::array<BurstText, kBurstCount> kBurstTexts{
    BurstText{"", "", "", ""},
    BurstText{
        "Evaluation in steps", "evaluates", "evaluate",
        "Evaluate less often (eval_steps), on fewer batches, under torch.inference_mode(), or in a job of "
        "its own."},
    BurstText{"Checkpoint in steps", "saves the model", "save the model",
              "torch.distributed.checkpoint.async_save, less often, to fast local storage first."},
    BurstText{"Logging in steps", "reads many values from the device", "read many values from the device",
              "Log every n steps (logging_steps), keep metrics on the device and read them once, together: "
              "torch.stack(values).cpu()."}};

// A step of the job that takes longer than the others for one of these.
struct LongStep {
  std::size_t step = 0; // a place in KeptSteps::steps
  Burst burst = Burst::None;
  double excess = 0; // ns, mean over its ranks
};

// What a step of a rank does beside its forward part.
struct StepPartFacts {
  double other = 0; // ns that are not forward
  double reads = 0;
  double saved = 0; // bytes copied from the device
  bool evaluates = false;
  bool saves = false;
};

} // namespace

template <class Archive, Described<StepPartFacts> T> void describe(Archive& archive, T& facts) {
  auto& [other, reads, saved, evaluates, saves] = facts;
  archive(other, reads, saved, evaluates, saves);
}

namespace {

class Bursts {
 public:
  explicit Bursts(FindingContext& context)
      : m_context(context), m_analysis(context.analysis()), m_steps(m_analysis.keptSteps()) {}

  void find() {
    if (m_steps.steps.size() < kLeastSteps) return;
    std::vector<double> kept;
    for (const JobStep& step : m_steps.steps)
      if (step.kept()) kept.push_back(step.time());
    if (kept.empty()) return;
    const double usual = median(kept);
    leftOut(usual);
    inTraining(usual);
    for (const Burst burst : {Burst::Evaluation, Burst::Checkpoint, Burst::Logging}) {
      add(burst, true);
      add(burst, false);
    }
  }

 private:
  // Evaluation and checkpoint steps are no part of means.
  void leftOut(double usual) {
    for (std::size_t i = 0; i < m_steps.steps.size(); ++i) {
      const JobStep& step = m_steps.steps[i];
      if (step.status != StepStatus::OtherKind) continue;
      const Burst burst = step.kind == StepKind::Evaluation   ? Burst::Evaluation
                          : step.kind == StepKind::Checkpoint ? Burst::Checkpoint
                                                              : Burst::None;
      // A step of evaluation takes all of its time, a checkpoint only what it adds.
      const double excess = burst == Burst::Evaluation ? step.time() : step.time() - usual;
      if (burst != Burst::None && excess > 0) m_long.push_back({i, burst, excess});
    }
  }

  // Trainers evaluate, log and save behind a step, within the mark of the next.
  void inTraining(double usual) {
    std::map<std::size_t, std::pair<Burst, std::vector<double>>> found;
    for (const RankIndex rank : m_context.ranks()) {
      const StepWindows& windows = m_analysis.wholeStepWindows(rank);
      const std::vector<std::size_t>& stepOf = m_steps.stepOfRank[rank.value];
      if (windows.steps.size() < kLeastSteps || stepOf.size() != windows.steps.size()) continue;
      auto facts = m_context.ofRank<std::vector<StepPartFacts>>(rank, "work of steps beside forward",
                                                                [&] { return partsOf(rank, windows); });
      if (facts.size() != windows.steps.size()) continue; // of a digest without the answer
      std::vector<double> others;
      for (std::size_t i = 0; i < facts.size(); ++i)
        if (isTraining(stepOf[i])) others.push_back(facts[i].other);
      if (others.size() < kLeastSteps) continue;
      const double part = median(others);
      const bool anyLong = std::ranges::any_of(others, [&](double of) { return of > kLongPart * part; });
      if (!anyLong) continue;
      facts = m_context.ofRank<std::vector<StepPartFacts>>(rank, "reads and copies of steps", [&] {
        std::vector<StepPartFacts> known = facts;
        addWork(rank, windows, known);
        return known;
      });
      if (facts.size() != windows.steps.size()) continue; // of a digest without the answer
      for (std::size_t i = 0; i < facts.size(); ++i) {
        if (!isTraining(stepOf[i]) || facts[i].other <= kLongPart * part) continue;
        const Burst burst = burstOf(facts, i);
        if (burst == Burst::None) continue;
        auto& [kind, excess] = found[stepOf[i]];
        kind = burst;
        excess.push_back(std::max(0.0, static_cast<double>(windows.steps[i].range.length()) - usual));
      }
    }
    for (const auto& [step, of] : found) m_long.push_back({step, of.first, mean(of.second)});
  }

  [[nodiscard]] bool isTraining(std::size_t step) const {
    const JobStep& of = m_steps.steps[step];
    return of.kept() && (of.kind == StepKind::Training || of.kind == StepKind::Accumulation);
  }

  [[nodiscard]] std::vector<StepPartFacts> partsOf(RankIndex rank, const StepWindows& windows) const {
    std::vector<StepPartFacts> facts(windows.steps.size());
    const IntervalSet& forward = m_analysis.wholePhases(rank).forward;
    for (std::size_t i = 0; i < facts.size(); ++i)
      facts[i].other =
          static_cast<double>(windows.steps[i].range.length() - forward.coveredWithin(windows.steps[i].host));
    return facts;
  }

  void addWork(RankIndex rank, const StepWindows& windows, std::vector<StepPartFacts>& facts) const {
    const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
    const StringTable& names = m_analysis.trace().names();
    const std::vector<StepFacts> known = stepFacts(trace, names, windows, m_analysis.wholePhases(rank));
    for (std::size_t i = 0; i < facts.size(); ++i) {
      facts[i].evaluates = known[i].evaluates;
      facts[i].saves = known[i].saves;
    }
    const auto stepAt = [&](TimeNs time) -> StepPartFacts* {
      const auto step = windows.indexAt(time);
      return step ? &facts[*step] : nullptr;
    };
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        if (names[trace.events.name[event]] != "aten::_local_scalar_dense") continue;
        if (StepPartFacts* const of = stepAt(trace.events.begin[event])) ++of->reads;
      }
    }
    for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
      if (trace.events.kind[event] != EventKind::Copy ||
          names[trace.events.name[event]].find("DtoH") == std::string_view::npos)
        continue;
      StepPartFacts* const of = stepAt(trace.events.begin[event]);
      const std::int64_t bytes = trace.deviceDetail(event).bytes;
      if (of != nullptr && bytes > 0) of->saved += static_cast<double>(bytes);
    }
  }

  static double medianOf(const std::vector<StepPartFacts>& facts, double StepPartFacts::*member) {
    std::vector<double> values;
    values.reserve(facts.size());
    for (const StepPartFacts& of : facts) values.push_back(of.*member);
    return median(std::move(values));
  }

  static Burst burstOf(const std::vector<StepPartFacts>& facts, std::size_t step) {
    const StepPartFacts& of = facts[step];
    if (of.evaluates) return Burst::Evaluation;
    if (of.saves || of.saved > kMuchSaved + medianOf(facts, &StepPartFacts::saved)) return Burst::Checkpoint;
    const double reads = medianOf(facts, &StepPartFacts::reads);
    return of.reads >= kManyReads && of.reads > kLongPart * reads ? Burst::Logging : Burst::None;
  }

  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }

  void add(Burst burst, bool kept) {
    double all = 0;
    for (const JobStep& step : m_steps.steps) all += step.time();
    double excess = 0;
    std::size_t count = 0;
    const LongStep* longest = nullptr;
    for (const LongStep& of : m_long) {
      if (of.burst != burst || m_steps.steps[of.step].kept() != kept) continue;
      excess += of.excess;
      ++count;
      if (longest == nullptr || of.excess > longest->excess) longest = &of;
    }
    if (longest == nullptr || all <= 0 || excess < kLeastShare * all) return;
    const auto& [title, does, doAll, fix] = kBurstTexts[static_cast<std::size_t>(burst)];
    Finding finding;
    finding.kind = FindingKind::StepBurst;
    finding.confidence = Confidence::Likely;
    const double perStep = excess / static_cast<double>(m_steps.steps.size());
    finding.time = std::llround(perStep);
    finding.title = fmt::format("{}: {}, {}", title, countedText(static_cast<std::int64_t>(count), "step"),
                                durationText(std::llround(excess)));
    finding.evidence = fmt::format(
        "{} of {} steps {}: {}{} {}, {:.0f} % of all recorded steps. {}", count, m_steps.steps.size(),
        count == 1 ? does : doAll, count == 1 ? "" : "together ", durationText(std::llround(excess)),
        burst == Burst::Evaluation && !kept ? std::string("of evaluation")
                                            : std::string("longer than the median"),
        100 * excess / all,
        kept ? "They are in the means." : "Means leave these steps out, so no gain is promised.");
    finding.fix = fix;
    placeAt(longest->step, finding);
    if (kept) m_context.setGain(finding, perStep, 0, perStep);
    m_context.addWithGain(std::move(finding));
  }

  void placeAt(std::size_t step, Finding& finding) const {
    if (m_steps.steps[step].number != Step::kUnknownNumber) finding.step = m_steps.steps[step].number;
    for (const RankIndex rank : m_context.ranks()) {
      const std::vector<std::size_t>& stepOf = m_steps.stepOfRank[rank.value];
      const auto at = std::ranges::find(stepOf, step);
      const std::vector<StepWindow>& windows = m_analysis.wholeStepWindows(rank).steps;
      const auto place = static_cast<std::size_t>(at - stepOf.begin());
      if (at == stepOf.end() || place >= windows.size()) continue;
      finding.place = m_context.toJob(rank, RankRange::of(windows[place].range));
      return;
    }
  }

  FindingContext& m_context;
  const Analysis& m_analysis;
  const KeptSteps& m_steps;
  std::vector<LongStep> m_long;
};

} // namespace

void findBurstFindings(FindingContext& context) {
  // A part of a job does not tell what its other steps take.
  const bool isWhole = std::ranges::all_of(
      context.ranks(), [&](RankIndex rank) { return context.analysis().window(rank) == kWholeRecording; });
  if (isWhole) Bursts(context).find();
}

} // namespace rankscope
