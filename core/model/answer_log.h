// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about the events of ranks and their answers, while a digest is made: a process that has the
// events of some ranks answers about these, and notes where it would need the answer of another process.
// Thread-safe.
#pragma once

#include "core/base/strong_index.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// An answer outside of a job: its names are texts, by the number that the bytes use.
struct LoggedAnswer {
  std::string question;
  std::vector<std::string> names;
  std::string bytes;
};

class AnswerLog {
 public:
  void add(RankIndex rank, const LoggedAnswer& answer);
  // No answer to a question about a rank whose events lie elsewhere.
  void miss();

  // By question; each question once.
  [[nodiscard]] std::vector<LoggedAnswer> of(RankIndex rank) const;
  [[nodiscard]] std::size_t missing() const;
  // Questions that were answered in two ways, each once: two of a kind, or one that depends on more than it
  // says.
  [[nodiscard]] std::set<std::string> ambiguous() const;

 private:
  mutable std::mutex m_mutex;
  std::map<RankIndex, std::map<std::string, LoggedAnswer>> m_answers;
  std::size_t m_missing = 0;
  std::set<std::string> m_ambiguous;
};

} // namespace rankscope
