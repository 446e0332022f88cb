// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/part_choice.h"

#include "core/base/parallel_for.h"
#include "core/io/load/archived_traces.h"
#include "core/io/load/job_places.h"
#include "core/io/load/rank_choice.h"
#include "core/report/job_totals.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope::ui {

namespace {

// Also in archives and what is here of remotes.
std::vector<DiscoveredFile> filesOf(const Opening& opening) {
  Progress progress;
  auto found = discoverWithArchives(withPlaces(nativePaths(opening.paths)),
                                    archiveFolderSettings(opening.options.cache), progress);
  return found ? std::move(found->files) : std::vector<DiscoveredFile>();
}

// All ranks of a job have the same steps, so the smallest file that is not a mere fragment is read. Some file
// beside them, which is no trace, may be larger than all of them.
std::optional<LoadFilter::Steps> stepsOf(const Opening& opening, const std::atomic<bool>& cancel) {
  std::vector<DiscoveredFile> files = filesOf(opening);
  if (files.empty()) return std::nullopt;
  const auto middle = files.begin() + static_cast<std::ptrdiff_t>(files.size() / 2);
  std::ranges::nth_element(files, middle, {}, &DiscoveredFile::bytes);
  const auto weight = [usual = middle->bytes](const DiscoveredFile& file) {
    return file.bytes < usual / 2 ? std::numeric_limits<std::uint64_t>::max() : file.bytes;
  };
  return stepNumbers(std::ranges::min_element(files, {}, weight)->path, cancel);
}

} // namespace

std::uint64_t PartQuestion::needed(const LoadFilter& part) const {
  auto all =
      static_cast<std::uint64_t>(static_cast<double>(forecast.of(part).peakBytes) * shareOf(part.ranks));
  if (!part.steps || !marked) return all;
  const auto first = std::max(part.steps->first, marked->first);
  const auto last = std::min(part.steps->last, marked->last);
  const auto share = static_cast<double>(std::max<std::int64_t>(0, last - first + 1)) /
                     static_cast<double>(marked->last - marked->first + 1);
  return static_cast<std::uint64_t>(static_cast<double>(all) * share);
}

// Ranks of a job are alike, and files say how much they differ.
double PartQuestion::shareOf(const std::vector<int>& ranks) const {
  if (ranks.empty() || rankBytes.empty()) return 1;
  double all = static_cast<double>(otherBytes);
  double chosen = 0;
  for (const auto& [rank, bytes] : rankBytes) {
    all += static_cast<double>(bytes);
    if (std::ranges::binary_search(ranks, rank)) chosen += static_cast<double>(bytes);
  }
  return all > 0 ? chosen / all : 1;
}

PartChoice::PartChoice(PendingWork& pending, LoadJob& job, QObject* parent)
    : QObject(parent), m_forecast(pending), m_steps(pending), m_ranks(pending) {
  connect(&job, &LoadJob::started, this, &PartChoice::leave);
  connect(&job, &LoadJob::wouldNotFit, this, [this, &job](const LoadForecast& forecast) {
    m_opening = {job.paths(), job.options()};
    put(forecast, PartQuestion::Reason::WouldNotFit);
  });
}

PartChoice::~PartChoice() {
  if (m_cancelSearch) *m_cancelSearch = true;
}

void PartChoice::ask(const Opening& opening, PartQuestion::Reason reason, std::uint64_t givenBack) {
  m_opening = opening;
  const std::uint64_t available = m_available ? m_available().value_or(0) : 0;
  const unsigned wanted = opening.options.threadCount;
  const unsigned threads = wanted > 0 ? wanted : defaultThreadCount();
  m_forecast.ask(
      [opening, threads, free = available > 0 ? available + givenBack : 0] {
        return forecastLoad(filesOf(opening), threads, free);
      },
      [this, reason](LoadForecast forecast) { put(std::move(forecast), reason); });
}

void PartChoice::put(LoadForecast forecast, PartQuestion::Reason reason) {
  m_question = {};
  m_question.reason = reason;
  m_question.paths = m_opening.paths;
  m_question.forecast = std::move(forecast);
  m_question.filter = m_opening.options.filter;
  m_asking = true;
  findSteps();
  findRanks();
  emit asked();
}

void PartChoice::findSteps() {
  if (m_cancelSearch) *m_cancelSearch = true;
  m_cancelSearch = std::make_shared<std::atomic<bool>>(false);
  m_steps.ask([opening = m_opening, cancel = m_cancelSearch] { return stepsOf(opening, *cancel); },
              [this](std::optional<LoadFilter::Steps> steps) {
                m_question.marked = steps;
                m_question.stepsSought = true;
                emit foundMore();
              });
}

void PartChoice::findRanks() {
  const unsigned wanted = m_opening.options.threadCount;
  m_ranks.ask(
      [opening = m_opening, threads = wanted > 0 ? wanted : defaultThreadCount()] {
        const std::vector<DiscoveredFile> files = filesOf(opening);
        const std::vector<std::optional<int>> ranks = ranksBeforeReading(files, threads);
        FoundRanks found;
        for (std::size_t i = 0; i < files.size(); ++i)
          (ranks[i] ? found.bytes[*ranks[i]] : found.other) += files[i].bytes;
        return found;
      },
      [this](FoundRanks found) {
        m_question.rankBytes = std::move(found.bytes);
        m_question.otherBytes = found.other;
        m_question.ranksSought = true;
        emit foundMore();
      });
}

void PartChoice::leave() {
  m_forecast.drop();
  m_steps.drop();
  m_ranks.drop();
  if (m_cancelSearch) *m_cancelSearch = true;
  if (std::exchange(m_asking, false)) emit left();
}

void PartChoice::choose(const LoadFilter& filter) {
  Opening opening = m_opening;
  opening.options.filter = filter;
  opening.options.mayRead = [](std::span<const DiscoveredFile>) { return true; };
  const std::uint64_t available = m_available ? m_available().value_or(0) : 0;
  const bool closeFirst = available > 0 && m_question.needed(filter) > available - memoryReserve(available);
  emit openWanted(opening, closeFirst);
}

} // namespace rankscope::ui
