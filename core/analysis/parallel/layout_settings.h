// SPDX-License-Identifier: GPL-3.0-or-later
// The axes along which ranks are numbered, and the degrees that a user gives: "tp=2,pp=4". Pure.
#pragma once

#include "core/analysis/collectives/group_names.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

enum class LayoutAxis : std::uint8_t { Pipeline, Data, Sharded, Context, Expert, Tensor };

inline constexpr std::size_t kLayoutAxisCount = 6;
inline constexpr std::array<LayoutAxis, kLayoutAxisCount> kLayoutAxes{
    LayoutAxis::Pipeline, LayoutAxis::Data,   LayoutAxis::Sharded,
    LayoutAxis::Context,  LayoutAxis::Expert, LayoutAxis::Tensor};

// "pp", "dp", "fsdp", "cp", "ep", "tp".
[[nodiscard]] std::string_view axisText(LayoutAxis axis);
[[nodiscard]] RankDimension dimensionOf(LayoutAxis axis);
[[nodiscard]] std::optional<LayoutAxis> axisOf(RankDimension dimension);

// Number of ranks along each axis; 1: the job is not divided along it.
struct LayoutDegrees {
  std::array<std::int64_t, kLayoutAxisCount> of{1, 1, 1, 1, 1, 1};

  [[nodiscard]] std::int64_t operator[](LayoutAxis axis) const { return of[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::int64_t& operator[](LayoutAxis axis) { return of[static_cast<std::size_t>(axis)]; }
  // Product without experts, which divide the ranks that have the same parameters once more; clamped.
  [[nodiscard]] std::int64_t product() const;
  bool operator==(const LayoutDegrees&) const = default;
};

// "TP 2 × DP 4" of the axes with more than one rank; empty without any. times: the sign between them.
[[nodiscard]] std::string layoutText(const LayoutDegrees& degrees, std::string_view times = " × ");

// As the user gave it; nothing given: the layout is recognized.
struct LayoutSettings {
  std::optional<LayoutDegrees> given;

  bool operator==(const LayoutSettings&) const = default;
};

// Of "tp=2,pp=4"; an empty text gives nothing.
[[nodiscard]] Result<LayoutSettings> layoutSettingsOf(std::string_view text);

} // namespace rankscope
