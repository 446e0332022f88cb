// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/fetch_progress.h"

#include <algorithm>

namespace rankscope {

namespace {

// Stores answer within a second; more is worth telling.
constexpr std::chrono::seconds kTold{3};

} // namespace

void FetchProgress::waitFor(const std::string& remote, Clock::time_point now) {
  const std::lock_guard lock(m_mutex);
  m_remote = remote;
  m_heard = now;
}

void FetchProgress::heard(Clock::time_point now) {
  const std::lock_guard lock(m_mutex);
  m_heard = now;
}

void FetchProgress::silenceEnds() {
  const std::lock_guard lock(m_mutex);
  m_remote.clear();
}

std::chrono::seconds FetchProgress::silentFor(Clock::time_point now) const {
  const std::lock_guard lock(m_mutex);
  if (m_remote.empty()) return std::chrono::seconds(0);
  return std::max(std::chrono::seconds(0), std::chrono::duration_cast<std::chrono::seconds>(now - m_heard));
}

std::optional<FetchProgress::Silence> FetchProgress::silence(Clock::time_point now) const {
  const std::chrono::seconds silent = silentFor(now);
  const std::lock_guard lock(m_mutex);
  if (silent < kTold || m_remote.empty()) return std::nullopt;
  return Silence{m_remote, silent.count()};
}

} // namespace rankscope
