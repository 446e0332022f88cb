// SPDX-License-Identifier: GPL-3.0-or-later
// A job whose events say what a test has them say, instead of what is in their files.
#pragma once

#include "core/model/trace_set.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope::test {

using TellFields = std::function<Result<std::vector<EventField>>(SourceRef)>;

class ToldDetails final : public DetailSource {
 public:
  explicit ToldDetails(TellFields tell) : m_tell(std::move(tell)) {}

  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef event) const override {
    return m_tell(event);
  }
  [[nodiscard]] std::optional<Error> arguments(std::span<const SourceRef>, EventArgument,
                                               const std::function<void(std::size_t, std::string_view)>&,
                                               const Progress*) const override {
    return std::nullopt;
  }

 private:
  TellFields m_tell;
};

inline std::shared_ptr<const TraceSet> withDetails(const TraceSet& traces, TellFields tell) {
  const auto details = std::make_shared<const ToldDetails>(std::move(tell));
  std::vector<RankEntry> ranks = traces.ranks();
  for (RankEntry& rank : ranks) rank.details = details;
  return std::make_shared<const TraceSet>(traces.jobName(), traces.names(), std::move(ranks), traces.files(),
                                          traces.origin());
}

} // namespace rankscope::test
