// SPDX-License-Identifier: GPL-3.0-or-later
// Names of frames as stacks merge them: steps lose their number, C calls the address of their object, and
// frames that say nothing are found. Pure functions of texts.
#pragma once

#include "core/analysis/stacks/stack_tree.h"
#include "core/model/event_kind.h"

#include <string>
#include <string_view>

namespace rankscope {

// Whether frames of Python are shown.
enum class PythonFrames : std::uint8_t {
  All,
  Own,     // the user's own code, and modules
  Modules, // nn.Module calls only
  None,
};

struct FrameOptions {
  PythonFrames python = PythonFrames::All;
  bool operators = true;       // and runtime calls
  bool foldPlumbing = true;    // leave out how torch calls a module
  bool stripAddresses = true;  // "... at 0x7f4f85497ec0>" as "...>"
  bool mergeLines = false;     // "f.py(12): g" as "f.py: g"
  bool inductorRecords = true; // record_function of Triton kernels by torch.compile
  bool foldRecursion = false;  // a frame directly below itself is that frame

  bool operator==(const FrameOptions&) const = default;
};

// "nn.Module: Linear_3".
[[nodiscard]] bool isModuleFrame(std::string_view name);
// "Linear_3" of it; the name itself of another.
[[nodiscard]] std::string_view moduleName(std::string_view name);
// "Linear" of "Linear_3".
[[nodiscard]] std::string_view moduleClass(std::string_view module);

// How torch gets from a module's call to its forward.
[[nodiscard]] bool isModulePlumbing(std::string_view name);

// What Inductor records around the launch of a Triton kernel that it made: "triton_poi_fused_add_0".
[[nodiscard]] bool isInductorRecord(std::string_view name);

[[nodiscard]] FrameKind frameKindOf(EventKind kind, std::string_view name);

// Whether calls of this name have a frame of their own.
[[nodiscard]] bool isShown(FrameKind kind, std::string_view name, const FrameOptions& options);

// The text by which frames are merged.
[[nodiscard]] std::string frameText(FrameKind kind, std::string_view name, const FrameOptions& options);

// Whether it is the call of a function of autograd by its engine.
[[nodiscard]] bool isBackwardCall(std::string_view name);

} // namespace rankscope
