// SPDX-License-Identifier: GPL-3.0-or-later
// Findings of the files beside traces: who makes the job hang, why memory ran out. They need no events, so
// that a digest has them instead of the files (SideFiles::digestedFindings). All are critical. Pure
// functions.
#pragma once

#include "core/analysis/findings/finding_kinds.h"
#include "core/base/byte_pack.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct DeviceReplay;
struct HangAnalysis;
struct SideFiles;

struct BesideFinding {
  FindingKind kind = FindingKind::HangHost;
  std::string leaf;
  std::vector<int> ranks; // of the job; some may have no recording
  std::optional<std::int64_t> costBytes;
  std::string title;
  std::string evidence;
  std::string fix;
};

struct BesideFindings {
  bool dumps = false; // there were some to look at
  bool snapshots = false;
  std::vector<BesideFinding> findings;
};

// Those that a digest has, and those of the files. hang: null without dumps. replays: of all devices of all
// snapshots.
[[nodiscard]] BesideFindings besideFindings(const SideFiles& files, const HangAnalysis* hang,
                                            std::span<const DeviceReplay* const> replays);
// The same, replaying the files.
[[nodiscard]] BesideFindings besideFindings(const SideFiles& files);

template <class Archive, Described<BesideFinding> T> void describe(Archive& archive, T& finding) {
  auto& [kind, leaf, ranks, costBytes, title, evidence, fix] = finding;
  archive(kind, leaf, ranks, costBytes, title, evidence, fix);
}

template <class Archive, Described<BesideFindings> T> void describe(Archive& archive, T& found) {
  auto& [dumps, snapshots, findings] = found;
  archive(dumps, snapshots, findings);
}

// SideFiles::digestedFindings.
[[nodiscard]] std::string packedBesideFindings(const BesideFindings& found);

// Whether Flight Recorder dumps or memory snapshots lie beside the traces, here or where they were digested.
[[nodiscard]] bool hasDumps(const SideFiles& files);
[[nodiscard]] bool hasSnapshots(const SideFiles& files);

} // namespace rankscope
