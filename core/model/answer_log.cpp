// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/answer_log.h"

#include <utility>

namespace rankscope {

void AnswerLog::add(RankIndex rank, LoggedAnswer answer) {
  const std::scoped_lock lock(m_mutex);
  std::string question = answer.question;
  m_answers[rank].insert_or_assign(std::move(question), std::move(answer));
}

void AnswerLog::miss() {
  const std::scoped_lock lock(m_mutex);
  ++m_missing;
}

std::vector<LoggedAnswer> AnswerLog::of(RankIndex rank) const {
  const std::scoped_lock lock(m_mutex);
  std::vector<LoggedAnswer> answers;
  const auto found = m_answers.find(rank);
  if (found == m_answers.end()) return answers;
  answers.reserve(found->second.size());
  for (const auto& [question, answer] : found->second) answers.push_back(answer);
  return answers;
}

std::size_t AnswerLog::missing() const {
  const std::scoped_lock lock(m_mutex);
  return m_missing;
}

} // namespace rankscope
