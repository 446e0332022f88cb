// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules behind findingsOf share: the account that times and gains are taken from, which rules apply
// to a recording at all, and how the same leaf on many ranks becomes one finding. Private to the findings.
#pragma once

#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/findings/leaf_use.h"
#include "core/analysis/findings/named_spans.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

// A rank's time and gain of a leaf, per kept step in nanoseconds.
struct RankCost {
  RankIndex rank;
  // Of what the account has. Less than 1 for a straggler, whose finding has what it takes more than the
  // others.
  double share = 1;
  double time = 0;
  double avoidable = 0; // of the time, see LeafUse
  double low = 0;
  double high = 0;
  LeafUse use; // over all kept steps
};

// A finding about one leaf, or all under an id.
struct LeafRule {
  FindingKind kind = FindingKind::CaptureQuality;
  std::string_view leaf;
  double minShare = 0.01; // of the step; less is not reported
  Confidence confidence = Confidence::Proven;
  double lowShare = 1; // of the time, the lower gain where nothing else bounds it
};

// With texts alone: it promises nothing and has no place yet.
[[nodiscard]] Finding infoAbout(FindingKind kind, std::string title, std::string evidence, std::string fix);

class FindingContext {
 public:
  // replayed must outlive this.
  FindingContext(const Analysis& analysis, const JobAccount& account, const GainSource& replayed);

  [[nodiscard]] const Analysis& analysis() const { return m_analysis; }
  [[nodiscard]] const RankTrace& traceOf(RankIndex rank) const {
    return *m_analysis.trace().rank(rank).trace;
  }
  [[nodiscard]] const JobAccount& account() const { return m_account; }
  [[nodiscard]] const KeptAccount& kept() const { return m_kept; }
  [[nodiscard]] const std::vector<RankIndex>& ranks() const { return m_analysis.ranks(); }
  [[nodiscard]] const LeafUses& uses(RankIndex rank) const { return m_uses[rank.value]; }
  // The place among the rank's kept windows of the one that a time is in.
  [[nodiscard]] std::optional<std::size_t> windowAt(RankIndex rank, TimeNs t) const;
  // What a rule asks about single events of a rank. question: see rankAnswer.
  template <class T, class Compute>
  [[nodiscard]] T ofRank(RankIndex rank, std::string_view question, Compute&& compute) const {
    return rankAnswer<T>(m_analysis.trace(), rank, question, std::forward<Compute>(compute));
  }
  // Empty for ranks whose events lie elsewhere.
  [[nodiscard]] const NamedSpans& spans(RankIndex rank) const { return m_spans[rank.value]; }
  // Nanoseconds of a kept step.
  [[nodiscard]] double perStep(RankIndex rank, TimeNs time) const;
  [[nodiscard]] double shareOf(double time) const { return m_kept.shareOf(time); }
  [[nodiscard]] bool hasDevices() const { return m_hasDevices; }
  [[nodiscard]] bool hasDevices(RankIndex rank) const;
  // Or late straggler: what its leaves have above other ranks is in the gain of that finding.
  [[nodiscard]] bool isStraggler(RankIndex rank) const;
  [[nodiscard]] JobRange toJob(RankIndex rank, RankRange range) const;
  [[nodiscard]] std::int64_t rankNumber(RankIndex rank) const;
  [[nodiscard]] std::string rankText(RankIndex rank) const; // "rank 3"
  // "rank 3", "ranks 1, 4 and 5", "12 ranks"; "all ranks" of a finding about all.
  [[nodiscard]] std::string ranksText(const Finding& finding) const;
  // "3.0 to 3.3 ms/step", without "/step" where the job has no steps.
  [[nodiscard]] std::string gainText(const Finding& finding) const;
  [[nodiscard]] std::string timeText(double time) const;

  // Of all ranks; of a straggler no more than another rank has, because its finding has the rest.
  [[nodiscard]] std::vector<RankCost> costsOf(const LeafRule& rule) const;
  // Of all ranks: what has a time but no gain is the time of the account.
  [[nodiscard]] std::vector<RankCost> timesOf(const LeafRule& rule) const;
  using Describe = std::function<void(Finding&, const std::vector<RankCost>&)>;
  // One finding for all ranks where most have a share worth one, else one for those that do. describe is
  // given the finding with its numbers and the ranks it stands for, largest first, and fills the texts.
  void addForRanks(const LeafRule& rule, std::vector<RankCost> costs, const Describe& describe);
  void addLeaf(const LeafRule& rule, const Describe& describe) { addForRanks(rule, costsOf(rule), describe); }
  // As addLeaf, with the time of the account and without a gain.
  void addTime(const LeafRule& rule, const Describe& describe);
  // A finding with texts and, where it has a gain, its severity by that.
  void addWithGain(Finding finding);
  // With a severity of its own.
  void add(Finding finding) { m_findings.push_back(std::move(finding)); }
  // The first of the ranks that may wait for it, see connectedRanks.
  [[nodiscard]] RankIndex firstConnected(RankIndex rank) const { return m_connected[rank.value]; }
  // Of the ranks asked about those that are connected with one of these, 0 to 1: as much of what these gain
  // is a gain of the mean over all ranks.
  [[nodiscard]] double connectedShare(const std::vector<RankIndex>& with) const;
  // Says so in the evidence of a finding of some ranks, if it is less than all.
  void tellOfOthers(Finding& finding, double connectedShare) const;
  // By RankIndex: mean over the steps of the job of what that one of its connected ranks has that has least,
  // in nanoseconds. time: of a rank in a kept step. Ranks that never communicate are not asked: no other rank
  // waits for them.
  using TimeInWindow = std::function<TimeNs(RankIndex, const KeptWindow&)>;
  [[nodiscard]] std::vector<double> leastOfConnected(const TimeInWindow& time) const;
  // By RankIndex: what it would take less per kept step without communication: what is exposed on that one of
  // its connected ranks with the least. A rank that exposes more began earlier, and would wait for that one
  // without transfers too.
  [[nodiscard]] std::vector<double> exposedOnConnected() const;
  // Whether waiting can be told from transferring: not where one rank of its groups was recorded.
  [[nodiscard]] bool knowsWaits() const;
  // The rule, as a hint that promises nothing where waiting is in its time.
  [[nodiscard]] LeafRule withoutWaits(LeafRule rule) const;
  // Sets gain and what follows from it: by a replay where that has an answer, never above the time. Kind,
  // leaf and ranks come first.
  void setGain(Finding& finding, double time, double low, double high) const;
  // Places the finding at the longest stretch of the rank's use.
  void place(Finding& finding, RankIndex rank, const LeafUse& use) const;

  [[nodiscard]] std::vector<Finding> take() { return std::move(m_findings); }
  [[nodiscard]] const std::vector<Finding>& soFar() const { return m_findings; }
  // The first of these kinds that was found so far; null if none was.
  [[nodiscard]] const Finding* told(std::span<const FindingKind> kinds) const;
  // ' Included in "Eager dispatch".' of the first of these kinds that was found; empty if none was, or if it
  // is about another leaf than the one that is asked about.
  [[nodiscard]] std::string includedIn(std::span<const FindingKind> kinds, std::string_view leaf = {}) const;

 private:
  void limitStragglers(const LeafRule& rule, std::vector<RankCost>& costs) const;
  void raiseToCommon(const LeafRule& rule, std::vector<RankCost>& costs) const;
  static void shareCommon(const std::vector<RankCost*>& connected, double gain);
  [[nodiscard]] double commonGain(std::string_view leaf, const std::vector<RankCost*>& connected) const;
  [[nodiscard]] RankCost costOf(const LeafRule& rule, RankIndex rank) const;

  const Analysis& m_analysis;
  const JobAccount& m_account;
  const GainSource& m_replayed;
  KeptAccount m_kept;
  std::vector<RankIndex> m_connected; // by RankIndex, see connectedRanks
  std::vector<LeafUses> m_uses;       // by RankIndex
  std::vector<NamedSpans> m_spans;    // by RankIndex
  bool m_hasDevices = false;
  std::vector<Finding> m_findings;
};

// Of a finding's title, what comes before its figures.
[[nodiscard]] std::string headOf(const Finding& finding);

// "1 gap", "2 gaps".
[[nodiscard]] std::string countedText(std::int64_t count, std::string_view one);

// Sum of a member of the uses of several ranks.
template <class Member>
[[nodiscard]] std::int64_t sumOf(const std::vector<RankCost>& part, Member LeafUse::*member) {
  ExactSum sum;
  for (const RankCost& cost : part) sum += cost.use.*member;
  return sum;
}

} // namespace rankscope
