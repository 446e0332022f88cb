// SPDX-License-Identifier: GPL-3.0-or-later
// What part of a model the calls of a rank belong to: module, class of modules, layer, phase of the pass, or
// graph that torch.compile made. The one owner of this question: tables that split their rows by it, in the
// window and on the command line, ask here. Device events belong to what the call that launched them belongs
// to. Constant; O(n log n) for the rank's events.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/operators/op_groups.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class CallGrouping : std::uint8_t {
  Module, // its path: "Bert_0/Encoder_0/Linear_3"; of the backward pass that of its forward operator
  Class,  // of the innermost module: "Linear"
  Layer,  // of the repeating module: "BertLayer 3"
  Phase,  // forward, recompute, backward, optimizer, loss, data_loader
  Graph,  // compiled: "0/0 fal4xpia", a region of TorchDynamo and the graph that ran in it
};
inline constexpr std::array kCallGroupings{CallGrouping::Module, CallGrouping::Class, CallGrouping::Layer,
                                           CallGrouping::Phase, CallGrouping::Graph};

// "module", "class", "layer", "phase", "graph": words of the command line, and columns of tables.
[[nodiscard]] std::string_view callGroupingText(CallGrouping grouping);
[[nodiscard]] std::optional<CallGrouping> callGroupingNamed(std::string_view text);
// What calls without one belong to: "[no module]".
[[nodiscard]] std::string_view noGroupText(CallGrouping grouping);

struct CallGroups {
  std::vector<std::string> texts;      // the first is that of calls without a group
  std::vector<std::uint32_t> ofCalls;  // by host event up to the last call: a place in texts
  std::vector<std::uint32_t> ofDevice; // by device event

  // Whether any call has a group.
  [[nodiscard]] bool known() const { return texts.size() > 1; }
  // Of a call or device event; 0 of another and of none.
  [[nodiscard]] std::uint32_t of(const RankTrace& trace, EventIndex event) const;
};

// Of all its ranks, with the same number for the same text.
struct JobCallGroups {
  std::vector<std::string> texts;
  std::vector<CallGroups> ofRank; // by RankIndex, without texts; empty for ranks that are not asked about
};

// Of the whole recording; which modules are layers is seen in the analysis's window.
[[nodiscard]] CallGroups callGroups(const Analysis& analysis, RankIndex rank, CallGrouping grouping);

// Of the analysis's ranks, on up to threadCount threads.
[[nodiscard]] JobCallGroups jobCallGroups(const Analysis& analysis, CallGrouping grouping,
                                          unsigned threadCount);

// The operators of a rank by name and group.
[[nodiscard]] OperatorGroups operatorGroups(const RankTrace& trace, const StringTable& names,
                                            const CallGroups& groups);

} // namespace rankscope
