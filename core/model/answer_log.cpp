// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/answer_log.h"

#include <set>
#include <utility>

namespace rankscope {

void AnswerLog::add(RankIndex rank, const LoggedAnswer& answer) {
  const std::scoped_lock lock(m_mutex);
  std::string question = answer.question;
  const auto [known, isNew] = m_answers[rank].try_emplace(std::move(question), answer);
  if (!isNew && (known->second.bytes != answer.bytes || known->second.names != answer.names))
    m_ambiguous.insert(answer.question);
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

std::set<std::string> AnswerLog::ambiguous() const {
  const std::scoped_lock lock(m_mutex);
  return m_ambiguous;
}

} // namespace rankscope
