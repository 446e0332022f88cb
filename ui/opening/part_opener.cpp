// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/part_opener.h"

#include "core/base/parallel_for.h"
#include "ui/opening/recent_paths.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope::ui {

namespace {

std::vector<DiscoveredFile> filesOf(const QStringList& paths) {
  return discoverTraceFiles(nativePaths(paths)).files;
}

// Ranks of a job mark the same steps: of the smallest file that is no mere fragment beside the others.
std::optional<LoadFilter::Steps> stepsOf(const QStringList& paths, const std::atomic<bool>& enough) {
  const std::vector<DiscoveredFile> files = filesOf(paths);
  if (files.empty()) return std::nullopt;
  const std::uint64_t most = std::ranges::max(files, {}, &DiscoveredFile::bytes).bytes;
  const auto weight = [most](const DiscoveredFile& file) {
    return file.bytes < most / 2 ? std::numeric_limits<std::uint64_t>::max() : file.bytes;
  };
  const auto file = FileBytes::open(std::ranges::min_element(files, {}, weight)->path);
  return file ? stepNumbers(*file, enough) : std::nullopt;
}

} // namespace

PartOpener::PartOpener(LoadJob& job, PartPage& page, QObject* parent) : QObject(parent), m_page(page) {
  connect(&job, &LoadJob::started, this, &PartOpener::leave);
  connect(&job, &LoadJob::wouldNotFit, this, [this, &job](const LoadForecast& forecast) {
    m_opening = {job.paths(), job.options()};
    show(forecast, PartQuestion::Reason::WouldNotFit);
  });
  connect(&page, &PartPage::openWanted, this, &PartOpener::choose);
  connect(&page, &PartPage::leaveWanted, this, &PartOpener::leave);
}

PartOpener::~PartOpener() {
  if (m_enough) *m_enough = true;
}

void PartOpener::ask(const Opening& opening, PartQuestion::Reason reason, std::uint64_t givenBack) {
  m_opening = opening;
  const std::uint64_t available = m_available ? m_available().value_or(0) : 0;
  const unsigned wanted = opening.options.threadCount;
  const unsigned threads = wanted > 0 ? wanted : defaultThreadCount();
  m_forecast.ask(
      [paths = opening.paths, threads, free = available > 0 ? available + givenBack : 0] {
        return forecastLoad(filesOf(paths), threads, free);
      },
      [this, reason](LoadForecast forecast) {
        show(std::move(forecast), reason);
        emit forecastMade();
      });
}

void PartOpener::show(LoadForecast forecast, PartQuestion::Reason reason) {
  m_page.ask({reason, recentTitle(m_opening.paths), std::move(forecast), m_opening.options.filter});
  findSteps();
  m_asking = true;
  emit askingChanged();
}

void PartOpener::findSteps() {
  if (m_enough) *m_enough = true;
  m_enough = std::make_shared<std::atomic<bool>>(false);
  m_steps.ask([paths = m_opening.paths, enough = m_enough] { return stepsOf(paths, *enough); },
              [this](std::optional<LoadFilter::Steps> steps) { m_page.setSteps(steps); });
}

void PartOpener::leave() {
  m_forecast.drop();
  m_steps.drop();
  if (m_enough) *m_enough = true;
  if (std::exchange(m_asking, false)) emit askingChanged();
}

void PartOpener::choose(const LoadFilter& filter) {
  Opening opening = m_opening;
  opening.options.filter = filter;
  opening.options.mayRead = [](std::span<const DiscoveredFile>) { return true; };
  const std::uint64_t available = m_available ? m_available().value_or(0) : 0;
  const bool crowded = available > 0 && m_page.needed(filter) > available - memoryReserve(available);
  emit openWanted(opening, crowded);
}

} // namespace rankscope::ui
