// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/pipeline_labels.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rankscope {

namespace {

struct KindWord {
  std::string_view text;
  ActionKind kind;
};

// Longer words first, since F begins no other but B and W might.
constexpr std::array kWords{KindWord{"REDUCE_GRAD", ActionKind::ReduceGradient},
                            KindWord{"SEND_F", ActionKind::SendForward},
                            KindWord{"RECV_F", ActionKind::RecvForward},
                            KindWord{"SEND_B", ActionKind::SendBackward},
                            KindWord{"RECV_B", ActionKind::RecvBackward},
                            KindWord{"UNSHARD", ActionKind::Unshard},
                            KindWord{"RESHARD", ActionKind::Reshard},
                            KindWord{"F", ActionKind::Forward},
                            KindWord{"B", ActionKind::Backward},
                            KindWord{"I", ActionKind::InputGradient},
                            KindWord{"W", ActionKind::WeightGradient}};

// The number at the begin of the text, which it is taken from.
std::optional<std::int64_t> takeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || after == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()));
  return number;
}

// "2B1", whole.
std::optional<ActionLabel> actionOf(std::string_view text) {
  ActionLabel action;
  const auto stage = takeNumber(text);
  if (!stage) return std::nullopt;
  action.stage = *stage;
  const auto word = std::ranges::find_if(kWords, [&](const KindWord& w) { return text.starts_with(w.text); });
  if (word == kWords.end()) return std::nullopt;
  action.kind = word->kind;
  text.remove_prefix(word->text.size());
  if (const auto microbatch = takeNumber(text)) action.microbatch = *microbatch;
  if (!text.empty()) return std::nullopt;
  if (isComputeAction(action.kind) && action.microbatch == ActionLabel::kUnknown) return std::nullopt;
  return action;
}

std::vector<ActionLabel> overlapped(std::string_view text) {
  const std::size_t end = text.find(')');
  if (end == std::string_view::npos) return {};
  text = text.substr(1, end - 1);
  std::vector<ActionLabel> actions;
  while (!text.empty()) {
    const std::size_t next = std::min(text.find(';'), text.size());
    const auto action = actionOf(text.substr(0, next));
    if (!action) return {};
    actions.push_back(*action);
    text.remove_prefix(std::min(next + 1, text.size()));
  }
  return actions;
}

} // namespace

std::string_view actionKindText(ActionKind kind) {
  constexpr std::array<std::string_view, 11> kTexts{
      "F", "B", "I", "W", "SEND_F", "RECV_F", "SEND_B", "RECV_B", "UNSHARD", "RESHARD", "REDUCE_GRAD"};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::optional<ActionKind> chunkPartOfLabel(std::string_view name) {
  constexpr std::size_t kKind = 3; // "(F)"
  if (name.size() <= kKind || !name.ends_with(')') || name[name.size() - kKind] != '(') return std::nullopt;
  const std::string_view part = name.substr(0, name.size() - kKind);
  const bool isWord = std::ranges::all_of(part, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  if (!isWord) return std::nullopt;
  switch (name[name.size() - 2]) {
  case 'F':
    return ActionKind::Forward;
  case 'B':
    return ActionKind::Backward;
  case 'W':
    return ActionKind::WeightGradient;
  default:
    return std::nullopt;
  }
}

std::vector<ActionLabel> actionsOfLabel(std::string_view name) {
  constexpr std::string_view kRuntime = "PP:";
  constexpr std::string_view kForward = "Forward ";
  constexpr std::string_view kBackward = "Backward ";
  if (name.starts_with(kRuntime)) {
    std::string_view text = name.substr(kRuntime.size());
    if (text.starts_with('(')) return overlapped(text);
    const auto action = actionOf(text);
    return action ? std::vector{*action} : std::vector<ActionLabel>{};
  }
  const bool forward = name.starts_with(kForward);
  if (!forward && !name.starts_with(kBackward)) return {};
  std::string_view text = name.substr(forward ? kForward.size() : kBackward.size());
  const auto microbatch = takeNumber(text);
  if (!microbatch || !text.empty()) return {};
  return {{forward ? ActionKind::Forward : ActionKind::Backward, ActionLabel::kUnknown, *microbatch}};
}

} // namespace rankscope
