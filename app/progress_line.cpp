// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/progress_line.h"

#include "core/base/caught.h"
#include "core/base/unit_text.h"

#include <chrono>
#include <cstdio>
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

std::string lineOf(const Progress& progress) {
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

ProgressLine::ProgressLine(const Progress& progress, bool wanted) : m_progress(progress) {
  if (wanted && isatty(STDERR_FILENO) != 0) m_writer.emplace(1, [this] { run(); });
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
    shown = !attempt([&] { show(lineOf(m_progress)); }) || shown;
  }
  if (shown) show({});
}

} // namespace rankscope
