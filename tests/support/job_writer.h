// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes one rank's file of one capture: events of a RankSimulation in the layout, vocabulary and damage
// selected by the options, and the truth about them. Memory is limited to one step. One thread each.
#pragma once

#include "tests/support/device_sums.h"
#include "tests/support/job_simulation.h"
#include "tests/support/text_buffer.h"

#include <map>

namespace rankscope::test {

// Start of the synthetic jobs, and base of their times, since the epoch.
inline constexpr std::int64_t kBaseNs = 1'790'857'026'000'000'000;
inline constexpr std::int64_t kOriginNs = kBaseNs + 4'350'591'000'000'000;

// The separators of a layout.
struct Separators {
  std::string_view eventOpen, eventClose, field, line, beforeArgs, argsOpen, argsSeparator, argsClose;
};

class JobWriter {
 public:
  JobWriter(const JobPlan& plan, int rank, int capture, const std::filesystem::path& folder,
            const std::string& relativePath);

  void begin(const RankSimulation& simulation);
  // waits: for each collective of the step, from its begin on this rank to its begin on the last rank.
  void step(const RankSimulation& simulation, int g, std::span<const Span> waits);
  // Writes the end of the file and returns the truth.
  FileTruth finish(const RankSimulation& simulation);

  // Number of JSON objects for the events of a step.
  [[nodiscard]] static std::int64_t countObjects(const JobOptions& options, const std::vector<Event>& events);

 private:
  [[nodiscard]] std::int64_t fileTime(std::int64_t trueTime) const;
  [[nodiscard]] std::int64_t writtenTime(std::int64_t trueTime) const { return fileTime(trueTime) - m_base; }
  [[nodiscard]] std::string groupRanks(Group group, bool cut) const;
  [[nodiscard]] bool exporter() const { return m_options.vocabulary == Vocabulary::Exporter; }
  [[nodiscard]] bool legacy() const { return m_options.vocabulary == Vocabulary::Legacy; }
  void makeRowTexts();
  void header();
  void metadata();
  void units();
  void deviceProperties();
  void distributedInfo();
  void key(std::string_view name);
  void value(std::string_view json);
  void text(std::string_view text);

  void openEvent();
  void closeEvent();
  void time(std::string_view key, std::int64_t ns);
  void head(std::string_view phase, std::string_view category, std::string_view name, std::int32_t number,
            std::string_view rowText, std::string_view spoiled = {});
  void openArgs();
  void closeArgs();
  void arg(std::string_view name);
  void arg(std::string_view name, std::int64_t value);
  void argJson(std::string_view name, std::string_view json);
  void json(std::string_view json, int depth);

  void hostEvent(const Event& e);
  void slice(const Event& e, std::string_view category);
  void opArgs(const Event& e);
  [[nodiscard]] std::string dimsOf(const OpInfo& op) const;
  void communicationArgs(const Event& e, bool onKernel);
  void runtimeArgs(const Event& e);
  void deviceEvent(const Event& e);
  void syncEvent(const Event& e);
  void kernelArgs(const Event& e);
  void copyArgs(const Event& e);
  void memoryEvent(const Event& e);
  void pythonArgs(const Event& e);
  void flow(std::string_view phase, std::string_view category, std::string_view name, std::int64_t id,
            Row row, std::int64_t time);
  void endOpenSlices(Row row, std::int64_t until);
  void meta(std::string_view name, std::string_view pid, std::string_view tid, std::string_view key,
            std::string_view jsonValue);
  void processRows();
  void spanEvents(std::int64_t begin, std::int64_t end);

  void locateDamage(int g, std::size_t events);
  void sum(const Event& e);
  void sumWaits(const RankSimulation& simulation, std::span<const Span> waits);
  void assignGaps(const RankSimulation& simulation, int g);
  void flush(bool all);

  const JobPlan& m_plan;
  const JobOptions& m_options;
  Separators m_separators;
  OutputFile m_file;
  std::string m_out;
  FileTruth m_truth;
  DeviceSums m_sums;
  std::map<std::string_view, NameTruth> m_names;
  std::int64_t m_base = 0, m_offset = 0, m_drift = 0, m_metaTime = 0;
  std::int64_t m_recordFrom = 0; // true time; earlier events are not written
  std::array<std::string, static_cast<std::size_t>(Row::Count)> m_rowText, m_flowRowText, m_tidText;
  std::string m_pidText;
  std::array<std::vector<std::int64_t>, static_cast<std::size_t>(Row::Count)> m_openEnds;
  bool m_firstEvent = true, m_firstArg = true, m_firstKey = true;
  std::size_t m_eventStart = 0;
  int m_step = 0;                           // g
  std::vector<std::int64_t> m_indexInGroup; // of each collective of a step
  std::array<std::int64_t, 3> m_countOfGroup{};
  bool m_stopped = false; // truncated: writes nothing more
  DamageKind m_damage = DamageKind::None;
  std::int64_t m_damageAfter = -1; // host events of the step before the damage; -1: not in this step
  std::string m_gzipPath;
};

// ground_truth.json.
void writeTruth(const JobTruth& truth, const std::filesystem::path& path);

} // namespace rankscope::test
