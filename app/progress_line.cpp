// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/progress_line.h"

#include "core/base/caught.h"
#include "core/base/unit_text.h"
#include "core/report/text_table.h"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace rankscope {

namespace {

constexpr std::chrono::milliseconds kInterval{100};

std::string unpackedText(const Progress& progress) {
  const std::uint64_t total = progress.bytesTotal.load();
  if (total == 0) return "unpacking archives";
  return "unpacking archives, " +
         percentText(100.0 * static_cast<double>(progress.bytesDone.load()) / static_cast<double>(total)) +
         " of " + bytesText(static_cast<std::int64_t>(total));
}

std::string fetchedText(const FetchProgress& fetched) {
  const std::uint64_t total = fetched.bytesTotal.load();
  const std::uint64_t done = fetched.bytesDone.load();
  const std::uint64_t speed = fetched.speed.load();
  std::string text = fmt::format("fetching {} of {}", bytesText(static_cast<std::int64_t>(done)),
                                 bytesText(static_cast<std::int64_t>(total)));
  if (speed > 0) text += fmt::format(", {}/s", bytesText(static_cast<std::int64_t>(speed)));
  if (speed > 0 && total > done) text += fmt::format(", {} s left", (total - done + speed - 1) / speed);
  return text;
}

std::string lineOf(const Progress& progress, const FetchProgress* fetched) {
  if (fetched != nullptr)
    if (const auto silence = fetched->silence()) return printableText(waitingText(*silence));
  if (fetched != nullptr && fetched->stage == FetchProgress::Stage::Listing) return "listing the remote";
  if (fetched != nullptr && fetched->stage == FetchProgress::Stage::Fetching) return fetchedText(*fetched);
  switch (progress.stage.load()) {
  case LoadStage::Finding:
    return "finding files";
  case LoadStage::Unpacking:
    return unpackedText(progress);
  case LoadStage::OpeningCache:
    return "opening from the cache";
  case LoadStage::Reading:
    break;
  case LoadStage::Placing:
    return "aligning clocks";
  case LoadStage::Done:
    return "analyzing";
  }
  const std::uint64_t total = progress.bytesTotal.load();
  const std::uint64_t done = progress.bytesDone.load();
  std::string line = "reading " + std::to_string(progress.filesDone.load()) + " of " +
                     std::to_string(progress.filesTotal.load()) + " files";
  if (total > 0)
    line += ", " + percentText(100.0 * static_cast<double>(done) / static_cast<double>(total)) + " of " +
            bytesText(static_cast<std::int64_t>(total));
  return line + ", " + countText(static_cast<std::int64_t>(progress.eventsDone.load())) + " events";
}

void show(const std::string& line) {
  // Carriage return, then clear to the end of the line.
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

} // namespace

std::string waitingText(const FetchProgress::Silence& silence) {
  return fmt::format("waiting for {}, no answer for {} s", silence.remote, silence.seconds);
}

ProgressLine::ProgressLine(const Progress& progress, bool wanted, const FetchProgress* fetched)
    : m_progress(progress), m_fetched(fetched) {
  if (!wanted) return;
  if (isatty(STDERR_FILENO) != 0)
    m_writer.emplace(1, [this] { run(); });
  else if (fetched != nullptr)
    m_writer.emplace(1, [this] { runWithoutTerminal(); });
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(m_mutex);
    m_done = true;
  }
  m_wake.notify_one();
}

void ProgressLine::run() noexcept {
  bool shown = false;
  std::unique_lock lock(m_mutex);
  while (!m_wake.wait_for(lock, kInterval, [this] { return m_done; })) {
    // If memory runs out, no progress line is shown.
    shown = !attempt([&] { show(lineOf(m_progress, m_fetched)); }) || shown;
  }
  if (shown) show({});
}

// First within seconds, then each time that the silence has doubled.
void ProgressLine::runWithoutTerminal() noexcept {
  std::int64_t next = 0; // seconds
  std::unique_lock lock(m_mutex);
  while (!m_wake.wait_for(lock, kInterval, [this] { return m_done; })) {
    static_cast<void>(attempt([&] {
      const auto silence = m_fetched->silence();
      if (!silence) next = 0;
      if (!silence || silence->seconds < next) return;
      const std::string line = "rankscope-cli: " + printableText(waitingText(*silence)) + "\n";
      std::fputs(line.c_str(), stderr);
      next = 2 * silence->seconds;
    }));
  }
}

} // namespace rankscope
