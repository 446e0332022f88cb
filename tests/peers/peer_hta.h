// SPDX-License-Identifier: GPL-3.0-or-later
// Holistic Trace Analysis on our recordings: its table of rows and its figures, each place where it differs
// from our definitions a rule that can be switched. Without rules a row is a device's when our model says so
// and its class is our model's. Rows keep the order of the file, times are microseconds.
#pragma once

#include "tests/peers/figures.h"
#include "tests/peers/peer_file.h"
#include "tests/peers/rule_set.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope::peers {

enum class HtaRule {
  RoundedInwards,       // begins up and ends down to whole microseconds; an option of HTA
  HalvesUnread,         // events written as a begin and an end
  StreamMakesDeviceRow, // whatever its category
  HipIsCommunication,   // by name, copies too
  ClassesByName,        // its three patterns; a name of none of them is no class
  OneFileOfARank,       // of several the one read last
  UnlaunchedDropped,    // device rows without a host row of their correlation, with two steps or more
  LaunchesByName,       // only calls of certain names launch
  EveryHostRowIsACall,  // of a correlation, so a driver call below a runtime call counts again
  EqualTimesInAnyOrder, // of a queue: which of two changes at one time comes first is left to the sort
  BegunBeforeLaunched,  // a kernel that begins before its call does leaves the queue before it is in it
  SumsOfTimes,          // a length is the sum of ends less the sum of begins, in doubles
  WholeMicroseconds,    // each stretch is cut to whole microseconds before they are summed
  Count
};

[[nodiscard]] std::string_view ruleText(HtaRule rule);
using HtaRules = RuleSet<HtaRule>;

enum class HtaClass : std::uint8_t { Computation, Communication, Memory, Other };

struct HtaRow {
  const PeerEvent* event = nullptr;
  double ts = 0; // since the first row of all ranks
  double dur = 0;
  double end = 0; // in the file's time
  std::int64_t stream = -1;
  std::int64_t correlation = -1;
  std::int64_t partner = -1; // position of the row at the other end; 0 none found, -1 no correlation
  int iteration = -1;
  bool device = false; // counts as a device's row
  HtaClass kernelClass = HtaClass::Other;

  [[nodiscard]] double until() const { return ts + dur; }
};

struct HtaTrace {
  int rank = 0;
  const PeerFile* file = nullptr;
  std::vector<HtaRow> rows;
};

// Which rank HTA takes a file for: the first line that says so, else 0.
[[nodiscard]] int htaRankOf(const PeerFile& file);

// The ranks in order. chosen: of files that HTA takes for the same rank, the one that it kept (whichever its
// folder lists last); the last one where it is empty.
[[nodiscard]] std::vector<HtaTrace> htaTraces(std::span<const PeerFile> files, HtaRules rules,
                                              std::span<const std::size_t> chosen = {});

// As get_temporal_breakdown and get_comm_comp_overlap; rows by rank, columns as in hta_temporal.csv.
[[nodiscard]] Figures htaTemporal(std::span<const HtaTrace> traces, HtaRules rules);
// get_idle_time_breakdown with a delay of 30 us; rows by rank, stream and category.
[[nodiscard]] Figures htaIdle(std::span<const HtaTrace> traces);
// get_gpu_kernel_breakdown: per kernel name and rank, nothing folded.
[[nodiscard]] Figures htaKernels(std::span<const HtaTrace> traces);
// The same by combination of classes.
[[nodiscard]] Figures htaKernelTypes(std::span<const HtaTrace> traces, HtaRules rules);
// The name of a combination: bit 0 computation, 1 communication, 2 memory.
[[nodiscard]] std::string kernelTypeText(std::size_t running);
// get_cuda_kernel_launch_stats with memory events, summed; rows by rank.
[[nodiscard]] Figures htaLaunches(std::span<const HtaTrace> traces, HtaRules rules);
// get_queue_length_summary; rows by rank and stream.
[[nodiscard]] Figures htaQueues(std::span<const HtaTrace> traces, HtaRules rules);
// get_potential_stragglers for two candidates: one text of ranks, empty when HTA finds no kernel to judge by.
[[nodiscard]] Figures htaStragglers(std::span<const HtaTrace> traces);

} // namespace rankscope::peers
