// SPDX-License-Identifier: GPL-3.0-or-later
// HTA's TraceDiff over all iterations, CPU and GPU apart: number and total duration of the rows of a name.
#include "core/analysis/classify/normal_name.h"
#include "tests/peers/diff_set.h"
#include "tests/peers/figures.h"
#include "tests/peers/oracle_table.h"
#include "tests/peers/peer_hta.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <span>

namespace rankscope::peers {

namespace {

enum class DiffRule {
  RowsOfHta,      // what a row is, whether it is a device's, which are dropped
  ItsIterations,  // of a host row the marked step it begins in, of a device's row the one it was launched in
  EveryHostRow,   // Python frames, annotations and runtime calls, too
  WholeDurations, // a caller's time has that of its callees, so both change
  NamesAsWritten, // with addresses, parameters and numbers that differ from run to run
  Count
};

std::string_view textOf(DiffRule rule) {
  switch (rule) {
  case DiffRule::RowsOfHta:
    return "rows as HTA reads them";
  case DiffRule::ItsIterations:
    return "rows of marked steps, kernels by their launch";
  case DiffRule::EveryHostRow:
    return "every host row, not only operators";
  case DiffRule::WholeDurations:
    return "whole durations on the host, not self time";
  case DiffRule::NamesAsWritten:
    return "names as written";
  case DiffRule::Count:
    break;
  }
  return "";
}

using Rules = RuleSet<DiffRule>;

void add(Figures& to, const std::string& row, double calls, double microseconds) {
  for (const auto& [column, value] : {std::pair("counts", calls), std::pair("us", microseconds)}) {
    Figure& figure = to[{row, column}];
    figure = Figure(figure.low.value_or(0) + value);
  }
}

Figures ourFigures(const OpenSide& side) {
  Figures figures;
  for (const SideKernel& kernel : side.facts.kernels)
    add(figures, "gpu," + kernel.name, kernel.calls, kernel.time / 1000);
  for (const SideOperator& row : side.facts.operators) {
    if (!row.name.empty() && row.calls > 0) add(figures, "cpu," + row.name, row.calls, row.hostSelf / 1000);
  }
  return figures;
}

class TraceDiff {
 public:
  explicit TraceDiff(const OpenSide& side)
      : m_side(side), m_trace(*side.file.trace), m_self(m_trace.events.size()) {
    const OperatorTree& tree = side.analysis->operatorTree(side.rank);
    forEachOperator(m_trace, side.job->names(), [&](EventIndex call) {
      m_self[call.value] += m_trace.events.duration[call];
      if (const EventIndex outer = tree.enclosingOf(call); outer.valid())
        m_self[outer.value] -= m_trace.events.duration[call];
    });
  }

  [[nodiscard]] Figures figures(Rules rules) const {
    const bool theirs = rules.has(DiffRule::RowsOfHta);
    const HtaRules htaRules = theirs ? HtaRules::all().without(HtaRule::RoundedInwards) : HtaRules();
    Figures result;
    for (const HtaTrace& trace : htaTraces(std::span(&m_side.file, 1), htaRules)) {
      for (const HtaRow& row : trace.rows) {
        const EventIndex event = row.event->event;
        const bool isOurs =
            row.device ? isDeviceActivity(row.event->kind) : isOperator(m_trace, m_side.job->names(), event);
        if (!isOurs && !(row.device ? theirs : rules.has(DiffRule::EveryHostRow))) continue;
        const bool counts = rules.has(DiffRule::ItsIterations)
                                ? row.iteration >= 0
                                : m_side.isInSteps(m_trace.events.begin[event]);
        if (!counts) continue;
        const bool self = !row.device && isOurs && !rules.has(DiffRule::WholeDurations);
        add(result, rowName(row, rules), 1, self ? microsecondsOf(m_self[event.value]) : row.dur);
      }
    }
    return result;
  }

 private:
  static std::string rowName(const HtaRow& row, Rules rules) {
    const std::string_view name = row.event->name;
    if (rules.has(DiffRule::NamesAsWritten)) return fmt::format("{},{}", row.device ? "gpu" : "cpu", name);
    return row.device ? "gpu," + normalKernelName(name) : "cpu," + normalOperatorName(name);
  }

  const OpenSide& m_side;
  const RankTrace& m_trace;
  std::vector<TimeNs> m_self; // by event, of operators
};

// The columns of one side. A name that only the other side has is no row of this one.
Figures theirFigures(const CsvTable& csv, const std::string& side) {
  Figures figures;
  for (std::size_t row = 0; row < csv.rows.size(); ++row) {
    const double counts = numberOf(csv.cell(row, side + "_counts")).value_or(0);
    if (counts == 0) continue;
    add(figures, fmt::format("{},{}", csv.cell(row, "device"), csv.cell(row, "name")), counts,
        numberOf(csv.cell(row, side + "_us")).value_or(0));
  }
  return figures;
}

} // namespace

void compareTraceDiff(const OpenPair& pair, std::vector<Comparison>& to) {
  const CsvTable csv = readCsv(pair.oracles / fmt::format("hta_{}.csv", pair.name));
  if (csv.rows.empty()) return;
  for (const bool ofB : {false, true}) {
    const TraceDiff diff(pair.side(ofB));
    PeerTable<DiffRule> table{fmt::format("hta_{} {}", pair.name, ofB ? "test" : "control"),
                              theirFigures(csv, ofB ? "test" : "control"),
                              ourFigures(pair.side(ofB)),
                              {},
                              {DiffRule::RowsOfHta, DiffRule::ItsIterations, DiffRule::EveryHostRow,
                               DiffRule::WholeDurations, DiffRule::NamesAsWritten},
                              {},
                              {}};
    table.recompute = [&](Rules rules) { return diff.figures(rules); };
    table.tolerance = [](std::string_view column) {
      return column == "counts" ? Tolerance{1e-6, 0} : Tolerance{};
    };
    explainDifferences(pair.name, table, textOf, to);
  }
}

} // namespace rankscope::peers
