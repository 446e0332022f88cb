// SPDX-License-Identifier: GPL-3.0-or-later
// A job whose event arguments come from the test instead of files.
#pragma once

#include "core/model/trace_set.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope::test {

using ReadFieldsFunction = std::function<Result<std::vector<EventField>>(SourceRef)>;

class StubDetails final : public DetailSource {
 public:
  explicit StubDetails(ReadFieldsFunction readFields) : m_readFields(std::move(readFields)) {}

  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef event) const override {
    return m_readFields(event);
  }
  [[nodiscard]] std::optional<Error> arguments(std::span<const SourceRef>, EventArgument,
                                               const std::function<void(std::size_t, std::string_view)>&,
                                               const Progress*) const override {
    return std::nullopt;
  }

 private:
  ReadFieldsFunction m_readFields;
};

inline std::shared_ptr<const TraceSet> withDetails(const TraceSet& traces, ReadFieldsFunction readFields) {
  const auto details = std::make_shared<const StubDetails>(std::move(readFields));
  std::vector<RankEntry> ranks = traces.ranks();
  for (RankEntry& rank : ranks) rank.details = details;
  return std::make_shared<const TraceSet>(traces.jobName(), traces.names(), std::move(ranks), traces.files(),
                                          traces.origin());
}

} // namespace rankscope::test
