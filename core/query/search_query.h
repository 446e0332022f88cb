// SPDX-License-Identifier: GPL-3.0-or-later
// The search query language. Terms are separated by spaces and must all match; a term with a leading - must
// not match. Case is ignored.
//
//   all reduce            names that contain "all" and "reduce"
//   "all reduce"          names that contain this text; \" and \\ are escapes
//   ~^nccl.*(sum|avg)     names that match a regular expression (base/text_pattern.h)
//   name:x name:~x name:="x"  the same two, and names equal to x, case included
//   dur>5ms dur<=20us dur:5ms..10ms   durations with their unit: ns, us, ms or s
//   start>1.2s start:0s..500ms        begin, relative to the job's first event
//   rank:3 rank:0-3,7     device:0        any of the listed numbers
//   kind:nccl,memcpy      kernel, nccl, memcpy, memset, device, op, runtime, annotation, python, host, ...
//   cat:cpu_op            the category in the file
//   phase:forward         data, forward, loss, backward, optimizer, step
//   track:"stream 7"  stream:7  stream:compute  thread:main  process:python
//   group:dp  collective:allreduce    events with the arguments of a collective
//
// A word with a colon but no known field is a text, so aten::mm and nccl:all_reduce need no quotes. Plain
// data, immutable and thread-safe.
#pragma once

#include "core/base/result.h"
#include "core/base/text_pattern.h"
#include "core/base/time_range.h"
#include "core/model/event_kind.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Of a mask of kinds.
[[nodiscard]] constexpr std::uint32_t bit(EventKind kind) {
  return 1u << static_cast<unsigned>(kind);
}

enum class QueryField : std::uint8_t {
  Name,
  Duration,
  Start,
  Rank,
  Device,
  Kind, // and category
  Phase,
  Track,
  Stream,
  Thread,
  Process,
  Group,
  Collective,
};

enum class TextTest : std::uint8_t { Holds, Is, Matches };

struct WantedText {
  TextTest test = TextTest::Holds;
  std::string text; // lower case, unless it must equal the name
  TextPattern pattern;

  [[nodiscard]] bool accepts(std::string_view candidate) const;
};

// A term of a query: matches if any of its alternatives does, unless it is negated.
struct SearchTerm {
  QueryField field = QueryField::Name;
  bool negated = false;
  std::vector<WantedText> texts;  // for text fields
  std::vector<TimeRange> numbers; // for other fields, half-open: nanoseconds, ranks or devices
  std::uint32_t kinds = 0;        // bit set of EventKind
  std::uint32_t phases = 0;       // bit set of Phase
};

struct SearchQuery {
  std::vector<SearchTerm> terms;

  // Whether the query has no terms.
  [[nodiscard]] bool empty() const { return terms.empty(); }
};

// Parses a query. The error has the position of the invalid term (byteOffset) and says what was expected.
[[nodiscard]] Result<SearchQuery> searchQueryFromText(std::string_view text);

// Name and example of a field, for completion and help.
struct SearchFieldHelp {
  std::string_view name;
  std::string_view example;
};
[[nodiscard]] std::span<const SearchFieldHelp> searchFields();

} // namespace rankscope
