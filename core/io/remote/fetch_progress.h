// SPDX-License-Identifier: GPL-3.0-or-later
// How far fetching from remotes is, and how long a remote has said nothing. The load writes, any thread reads
// at any time; each number is exact, and numbers read together may be from slightly different moments.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace rankscope {

struct FetchProgress {
  enum class Stage : std::uint8_t { None, Listing, Fetching };
  using Clock = std::chrono::steady_clock;

  std::atomic<Stage> stage{Stage::None};
  std::atomic<std::uint64_t> bytesDone{0};
  std::atomic<std::uint64_t> bytesTotal{0}; // with those that are done
  std::atomic<std::uint64_t> speed{0};      // bytes per second; 0: unknown

  // An answer of a remote is waited for from now on, until silenceEnds(). remote: its name in texts.
  void waitFor(const std::string& remote, Clock::time_point now = Clock::now());
  void heard(Clock::time_point now = Clock::now());
  void silenceEnds();

  // Since the last sign of a remote that is waited for; 0 if none is.
  [[nodiscard]] std::chrono::seconds silentFor(Clock::time_point now = Clock::now()) const;

  struct Silence {
    std::string remote;
    std::int64_t seconds = 0;
  };
  // Of a remote that has said nothing for so long that it should be told; empty otherwise.
  [[nodiscard]] std::optional<Silence> silence(Clock::time_point now = Clock::now()) const;

 private:
  mutable std::mutex m_mutex; // of what follows
  std::string m_remote;       // empty: none is waited for
  Clock::time_point m_heard;
};

} // namespace rankscope
