// SPDX-License-Identifier: GPL-3.0-or-later
// A search query as text. Its terms are separated by spaces and must all hold; a
// part with - before it must not. Letters' case does not matter.
//
//   all reduce            names that hold "all" and "reduce"
//   "all reduce"          names that hold this very text; \" and \\ within it
//   ~^nccl.*(sum|avg)     names in which a regular expression is found (base/text_pattern.h)
//   name:x name:~x name:="x"  the same two, and names that are x, letter for letter
//   dur>5ms dur<=20us dur:5ms..10ms   durations with their unit: ns, us, ms or s
//   start>1.2s start:0s..500ms        when they begin, from the job's first event on
//   rank:3 rank:0-3,7     device:0        numbers, any of those listed
//   kind:nccl,memcpy      kernel, nccl, memcpy, memset, device, op, runtime, annotation, python, host, ...
//   cat:cpu_op            the category in the file
//   phase:forward         data, forward, loss, backward, optimizer, step
//   track:"stream 7"  stream:7  stream:compute  thread:main  process:python
//   group:dp  collective:allreduce    of events that carry a collective's arguments
//
// A word whose beginning is no field is a text, so that aten::mm and nccl:all_reduce need no quotes. Plain
// data, constant after it was made; any thread.
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
  std::string text; // folded, unless the whole name is meant
  TextPattern pattern;

  [[nodiscard]] bool accepts(std::string_view candidate) const;
};

// One part of a query: holds when any of its alternatives does, unless it is negated.
struct SearchTerm {
  QueryField field = QueryField::Name;
  bool negated = false;
  std::vector<WantedText> texts;  // of fields that are texts
  std::vector<TimeRange> numbers; // half-open, of the others: nanoseconds, ranks or devices
  std::uint32_t kinds = 0;        // a bit for each EventKind
  std::uint32_t phases = 0;       // a bit for each Phase
};

struct SearchQuery {
  std::vector<SearchTerm> terms;

  // Nothing is looked for.
  [[nodiscard]] bool empty() const { return terms.empty(); }
};

// The error's byteOffset is the position of the invalid term, and its message gives
// what was expected.
[[nodiscard]] Result<SearchQuery> searchQueryFromText(std::string_view text);

// A field as people write it, for completion and help.
struct SearchFieldHelp {
  std::string_view name;
  std::string_view example;
};
[[nodiscard]] std::span<const SearchFieldHelp> searchFields();

} // namespace rankscope
