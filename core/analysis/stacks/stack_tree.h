// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks with equal beginnings merged: a tree of frames, and what each of its stacks weighs. A flame graph is
// drawn from it, exports list it. Parents stand before their children; node 0 is the root and no frame.
// Filled by one thread, then constant; O(1) a frame. Copies share their contents until one of them is filled
// further, so that a picture of a tree does not copy it.
#pragma once

#include "core/base/exact_sum.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope {

// What a frame is; palettes and filters go by it.
enum class FrameKind : std::uint8_t {
  Place, // a rank, a thread, a step
  Group, // what stands for a frame that is not known: "[no operator]"
  Module,
  OwnPython,
  OtherPython, // torch's, the standard library's, calls of C
  Annotation,
  Operator,
  Runtime,
  Backward, // a function of autograd
  Kernel,
  Communication,
  Copy, // and sets of memory
  Idle, // the cause of a gap
  Memory,
};

inline constexpr std::size_t kFrameKindCount = static_cast<std::size_t>(FrameKind::Memory) + 1;

// "module", "own_python", ...
[[nodiscard]] std::string_view frameKindText(FrameKind kind);

class StackTree {
 public:
  static constexpr std::uint32_t kRoot = 0;

  struct Frame {
    std::string text;
    FrameKind kind = FrameKind::Group;
  };
  struct Node {
    std::uint32_t parent = kRoot;
    std::uint32_t frame = 0; // of the root meaningless
  };

  StackTree() : m_contents(std::make_shared<Contents>()) {}

  // Frames are told apart by their text; the kind is the first one's.
  std::uint32_t frameOf(std::string_view text, FrameKind kind);
  // The node of this frame below a node; a new one where there is none.
  std::uint32_t below(std::uint32_t parent, std::uint32_t frame);
  std::uint32_t below(std::uint32_t parent, std::string_view text, FrameKind kind) {
    return below(parent, frameOf(text, kind));
  }
  // A new node of this frame that neither below() nor find() gives.
  std::uint32_t apart(std::uint32_t parent, std::uint32_t frame);

  [[nodiscard]] const std::vector<Node>& nodes() const { return m_contents->nodes; }
  [[nodiscard]] const std::vector<Frame>& frames() const { return m_contents->frames; }
  [[nodiscard]] const Frame& frameAt(std::uint32_t node) const { return frames()[nodes()[node].frame]; }
  [[nodiscard]] std::size_t size() const { return nodes().size(); }
  // The node of a frame below a node, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t parent, std::string_view text) const;
  // The frames from the outermost to the node; empty for the root.
  [[nodiscard]] std::vector<std::uint32_t> framesTo(std::uint32_t node) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Contents {
    std::vector<Node> nodes = std::vector<Node>(1);
    std::vector<Frame> frames;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> frameIds;
    std::unordered_map<std::uint64_t, std::uint32_t> nodeIds; // by parent and frame
  };
  // Those of this tree alone.
  [[nodiscard]] Contents& own();

  std::shared_ptr<Contents> m_contents;
};

// What the stacks of a tree weigh that end in a node, and how many events that is.
struct StackSum {
  ExactSum weight;
  std::int64_t count = 0;
};
using StackSums = std::vector<StackSum>; // by node

// Of all that lies below a node too.
[[nodiscard]] StackSums totalsOf(const StackTree& tree, const StackSums& sums);

// A frame wherever it occurs.
struct FrameSum {
  std::uint32_t frame = 0;
  ExactSum self;
  ExactSum total;         // a stack counts once, however often the frame recurs in it
  std::int64_t count = 0; // of events whose stack has it
};
// By total, then by text; frames without events are left out.
[[nodiscard]] std::vector<FrameSum> frameSums(const StackTree& tree, const StackSums& sums);

} // namespace rankscope
