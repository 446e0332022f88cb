// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/block_stacks.h"

#include "core/analysis/classify/own_code.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

bool isPython(std::string_view file) {
  return file.ends_with(".py") || file.starts_with("<");
}

// As the profiler names calls of Python, so that both read alike; native frames by their function.
std::string textOf(const StackPool& stacks, const StackFrame& frame) {
  const std::string_view file = stacks.text(frame.file);
  const std::string_view function = stacks.text(frame.function);
  if (isPython(file)) return fmt::format("{}({}): {}", file, frame.line, function);
  if (function.empty()) return file.empty() ? std::string("??") : std::string(file);
  return std::string(function);
}

FrameKind kindOf(std::string_view file) {
  if (!isPython(file)) return FrameKind::Operator;
  return isOwnPath(file) ? FrameKind::OwnPython : FrameKind::OtherPython;
}

// A source of CPython, of builds that tell it: "/usr/src/python-3.10/Objects/call.c".
bool isInterpreterFile(std::string_view file) {
  if (!file.ends_with(".c") && !file.ends_with(".h")) return false;
  constexpr std::array<std::string_view, 4> kFolders{"Python/", "Objects/", "Modules/", "Include/"};
  return std::ranges::any_of(kFolders, [&](std::string_view folder) {
    const std::size_t at = file.rfind(folder);
    if (at == std::string_view::npos || (at > 0 && file[at - 1] != '/')) return false;
    const std::string_view before = file.substr(0, at);
    return before.empty() || before == "./" || before.find("ython") != std::string_view::npos;
  });
}

// Functions of the interpreter whose names do not tell it; compilers add endings such as ".llvm.123".
bool isInterpreterFunction(std::string_view function) {
  constexpr std::array<std::string_view, 16> kFunctions{
      "pyrun_file",        "run_mod",
      "run_eval_code_obj", "cfunction_call",
      "do_call_core",      "slot_tp_call",
      "slot_tp_init",      "cfunction_vectorcall_FASTCALL",
      "type_call",         "partial_call",
      "object_vacall",     "cfunction_vectorcall_FASTCALL_KEYWORDS",
      "method_vectorcall", "partial_vectorcall",
      "gen_send_ex",       "builtin_exec_impl"};
  return std::ranges::find(kFunctions, function.substr(0, function.find('.'))) != kFunctions.end();
}

// Frames of the interpreter itself, of what records stacks and of what starts a thread: they say nothing of
// the program.
bool saysNothing(std::string_view file, std::string_view function) {
  constexpr std::array<std::string_view, 8> kBeginnings{
      "_Py",          "Py",          "pymain_",         "_start",
      "__libc_start", "__libc_init", "torch::unwind::", "torch::CapturedTraceback::"};
  constexpr std::array<std::string_view, 4> kOthers{"clone", "start_thread", "execute_native_thread_routine",
                                                    "torch::cuda::(anonymous namespace)::gather_with_cpp()"};
  if (isPython(file)) return false;
  return isInterpreterFile(file) || isInterpreterFunction(function) ||
         std::ranges::find(kOthers, function) != kOthers.end() ||
         std::ranges::any_of(kBeginnings, [&](std::string_view of) { return function.starts_with(of); });
}

class TreeBuilder {
 public:
  TreeBuilder(const SnapshotResults& result, BlockStacks& made)
      : m_stacks(result.snapshot->stacks), m_made(made), m_frames(m_stacks.frameCount(), kNone),
        m_nodes(m_stacks.stackCount(), kNone) {}

  void add(const BlockLife& life) {
    const std::uint32_t node = nodeOf(life);
    if (m_made.sums.size() < m_made.tree.size()) m_made.sums.resize(m_made.tree.size());
    m_made.sums[node].weight += life.bytes;
    ++m_made.sums[node].count;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  [[nodiscard]] std::uint32_t nodeOf(const BlockLife& life) {
    const auto frames = m_stacks.stack(life.stack);
    if (frames.empty())
      return m_made.tree.below(StackTree::kRoot,
                               life.recorded() ? "(native or backward)" : "(before recording)",
                               FrameKind::Group);
    std::uint32_t& known = m_nodes[life.stack];
    if (known != kNone) return known;
    known = StackTree::kRoot;
    // Frames are listed innermost first.
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      const StackFrame& of = m_stacks.frame(*frame);
      if (saysNothing(m_stacks.text(of.file), m_stacks.text(of.function))) continue;
      known = m_made.tree.below(known, frameOf(*frame));
    }
    // Nothing but the interpreter.
    if (known == StackTree::kRoot) known = m_made.tree.below(known, frameOf(frames.front()));
    return known;
  }

  [[nodiscard]] std::uint32_t frameOf(std::uint32_t frame) {
    std::uint32_t& known = m_frames[frame];
    if (known == kNone) {
      const StackFrame& of = m_stacks.frame(frame);
      known = m_made.tree.frameOf(textOf(m_stacks, of), kindOf(m_stacks.text(of.file)));
    }
    return known;
  }

  const StackPool& m_stacks;
  BlockStacks& m_made;
  std::vector<std::uint32_t> m_frames; // of the tree, by frame of the pool
  std::vector<std::uint32_t> m_nodes;  // by stack
};

} // namespace

BlockStacks blockStacks(const SnapshotResults& result, const DeviceReplay& replay, std::int32_t from,
                        std::int32_t to) {
  BlockStacks made;
  TreeBuilder builder(result, made);
  for (const BlockLife& life : replay.lives) {
    if (!life.aliveAt(to) || (from != kBeforeFirst && life.allocated <= from)) continue;
    builder.add(life);
  }
  made.sums.resize(made.tree.size());
  return made;
}

} // namespace rankscope
