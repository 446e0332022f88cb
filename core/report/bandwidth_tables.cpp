// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/bandwidth_tables.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace rankscope {

namespace {

Cell microseconds(double us) {
  return Cell(rounded(us * 1e3));
}

Cell spanCell(const BandwidthSeries& series) {
  return series.between ? Cell(std::string_view(*series.between ? "inter" : "intra")) : Cell();
}

Cell busCell(const BandwidthSeries& series, double algbw) {
  const auto factor = busFactor(series.operation, series.ranks);
  return factor ? Cell(algbw * *factor) : Cell();
}

std::string sizeText(double bytes) {
  return bytesText(rounded(bytes));
}

Cell crossoverCell(const BandwidthSeries& series) {
  const auto crossover = crossoverOf(series);
  return crossover ? Cell(rounded(crossover->bytes)) : Cell();
}

// Calls of a series that its fit is not of.
struct LeftOut {
  std::int64_t unmatched = 0, untimed = 0, first = 0, contended = 0;
  double compared = 0,
         longer = 0; // contended calls of sizes that others have too; sum of their times over these

  void add(const BandwidthSize& size) {
    unmatched += size.unmatched;
    untimed += size.untimed;
    first += size.first;
    contended += size.contended;
    if (size.contended == 0 || size.samples == 0 || size.medianUs <= 0) return;
    compared += static_cast<double>(size.contended);
    longer += static_cast<double>(size.contended) * size.contendedUs / size.medianUs;
  }

  // "8 first calls, 3 beside other communication (1.52 times as long), sizes far off the line: 8.0 KiB";
  // empty: none.
  [[nodiscard]] std::string text(const CurveFit& fit) const {
    std::vector<std::string> parts;
    const auto say = [&](std::int64_t count, std::string_view why) {
      if (count > 0) parts.push_back(fmt::format("{} {}", count, why));
    };
    say(first, first == 1 ? "first call" : "first calls");
    say(unmatched, "not on all ranks");
    say(untimed, "without a device time");
    say(contended, "beside other communication");
    if (compared > 0) parts.back() += fmt::format(" ({:.2f} times as long)", longer / compared);
    if (!fit.dropped.empty()) {
      std::vector<std::string> sizes;
      sizes.reserve(fit.dropped.size());
      for (const double bytes : fit.dropped) sizes.push_back(sizeText(bytes));
      parts.push_back(fmt::format("sizes far off the line: {}", fmt::join(sizes, " ")));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }
};

// "to 16 KiB 8.0 µs + S / 1.0 GB/s, to 2 MiB ...": NCCL changes protocol and algorithm with size, and each
// has a latency and a bandwidth of its own. Empty with too few sizes.
std::string piecesText(const TransferCurve& curve) {
  std::vector<std::string> texts;
  for (const CurvePiece& piece : threePieces(curve.points())) {
    std::string text =
        fmt::format("to {} {}", sizeText(piece.toBytes), durationText(rounded(piece.alphaUs * 1e3)));
    if (piece.betaGbS > 0) text += fmt::format(" + S / {:.3g} GB/s", piece.betaGbS);
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// "; contended 20.1 instead of 40.2 GB/s"; empty where that is not known.
std::string contentionText(const BandwidthSeries& series) {
  const double alone = series.curve.fit().betaGbS, beside = series.contendedFit.betaGbS;
  if (beside <= 0) return {};
  return alone > 0 ? fmt::format("; contended {:.3g} instead of {:.3g} GB/s", beside, alone)
                   : fmt::format("; contended {:.3g} GB/s", beside);
}

ResultTable fitsOf(const JobBandwidth& bandwidth, std::string_view name, bool crossover) {
  std::vector<TableColumn> columns{{"group", Unit::Text},
                                   {"operation", Unit::Text},
                                   {"span", Unit::Text},
                                   {"model", Unit::Text},
                                   {"alpha_us", Unit::Nanoseconds},
                                   {"beta_gb_s", Unit::GigabytesPerSecond},
                                   {"beta_bus_gb_s", Unit::GigabytesPerSecond},
                                   {"r2", Unit::Ratio},
                                   {"mean_error_pct", Unit::Percent},
                                   {"max_error_pct", Unit::Percent},
                                   {"max_error_bytes", Unit::Bytes},
                                   {"sizes", Unit::Count},
                                   {"samples", Unit::Count},
                                   {"min_bytes", Unit::Bytes},
                                   {"max_bytes", Unit::Bytes},
                                   {"verdict", Unit::Text},
                                   {"excluded", Unit::Count},
                                   {"contended", Unit::Count},
                                   {"outlier_sizes", Unit::Count},
                                   {"left_out", Unit::Text},
                                   {"contended_beta_gb_s", Unit::GigabytesPerSecond},
                                   {"pieces", Unit::Text}};
  if (crossover) columns.push_back({"crossover_bytes", Unit::Bytes});
  ResultTable table(std::string(name), std::move(columns));
  for (const BandwidthSeries& series : bandwidth.series) {
    const CurveFit& fit = series.curve.fit();
    std::int64_t samples = 0;
    LeftOut leftOut;
    for (const BandwidthSize& size : series.sizes) {
      samples += size.samples;
      leftOut.add(size);
    }
    // Where all calls are contended, the row says so.
    if (series.curve.empty() && leftOut.contended == 0) continue;
    const std::string leftOutText = leftOut.text(fit);
    const std::string pieces = piecesText(series.curve);
    const bool model = fit.model != FitModel::None;
    const bool latency = fit.model == FitModel::AlphaBeta || fit.model == FitModel::LatencyOnly;
    const bool beta = fit.betaGbS > 0;
    std::vector<Cell> row{textCell(series.group),
                          Cell(operationText(series.operation)),
                          spanCell(series),
                          Cell(fitModelText(fit.model)),
                          latency ? microseconds(fit.alphaUs) : Cell(),
                          beta ? Cell(fit.betaGbS) : Cell(),
                          beta ? busCell(series, fit.betaGbS) : Cell(),
                          model ? Cell(fit.r2) : Cell(),
                          model ? Cell(fit.meanErrorPct) : Cell(),
                          model ? Cell(fit.maxErrorPct) : Cell(),
                          model ? Cell(rounded(fit.maxErrorBytes)) : Cell(),
                          Cell(fit.sizes),
                          Cell(samples),
                          samples > 0 ? Cell(rounded(fit.minBytes)) : Cell(),
                          samples > 0 ? Cell(rounded(fit.maxBytes)) : Cell(),
                          Cell(fitVerdict(fit)),
                          Cell(leftOut.unmatched + leftOut.untimed + leftOut.first),
                          Cell(leftOut.contended),
                          Cell(static_cast<std::int64_t>(fit.dropped.size())),
                          textCell(leftOutText),
                          series.contendedFit.betaGbS > 0 ? Cell(series.contendedFit.betaGbS) : Cell(),
                          textCell(pieces)};
    if (crossover) row.push_back(crossoverCell(series));
    table.addRow(row);
  }
  return table;
}

} // namespace

ResultTable bandwidthTable(const JobBandwidth& bandwidth) {
  ResultTable table("bandwidth", {{"group", Unit::Text},
                                  {"operation", Unit::Text},
                                  {"span", Unit::Text},
                                  {"algorithm", Unit::Text},
                                  {"bytes", Unit::Bytes},
                                  {"samples", Unit::Count},
                                  {"excluded", Unit::Count},
                                  {"contended", Unit::Count},
                                  {"median_us", Unit::Nanoseconds},
                                  {"p10_us", Unit::Nanoseconds},
                                  {"p90_us", Unit::Nanoseconds},
                                  {"algbw_gb_s", Unit::GigabytesPerSecond},
                                  {"busbw_gb_s", Unit::GigabytesPerSecond},
                                  {"expected_busbw_gb_s", Unit::GigabytesPerSecond},
                                  {"efficiency_pct", Unit::Percent}});
  for (const BandwidthSeries& series : bandwidth.series)
    for (const BandwidthSize& size : series.sizes) {
      const bool known = size.samples > 0;
      table.addRow({textCell(series.group), Cell(operationText(series.operation)), spanCell(series),
                    textCell(size.algorithm), Cell(size.bytes), Cell(size.samples), Cell(size.excluded),
                    Cell(size.contended), known ? microseconds(size.medianUs) : Cell(),
                    known ? microseconds(size.p10Us) : Cell(), known ? microseconds(size.p90Us) : Cell(),
                    known ? Cell(size.algbwGbS) : Cell(),
                    known && size.busbwGbS > 0 ? Cell(size.busbwGbS) : Cell(), cellOf(size.expectedBusbwGbS),
                    cellOf(size.efficiencyPct)});
    }
  return table;
}

ResultTable fitsTable(const JobBandwidth& bandwidth) {
  return fitsOf(bandwidth, "fits", false);
}

ResultTable fitsView(const JobBandwidth& bandwidth) {
  return fitsOf(bandwidth, "fits_view", true);
}

ResultTable predictionsTable(std::span<const Prediction> predictions) {
  ResultTable table("predictions", {{"group", Unit::Text},
                                    {"operation", Unit::Text},
                                    {"bytes", Unit::Bytes},
                                    {"ranks", Unit::Count},
                                    {"nodes", Unit::Count},
                                    {"form", Unit::Text},
                                    {"predicted_low_us", Unit::Nanoseconds},
                                    {"predicted_us", Unit::Nanoseconds},
                                    {"predicted_high_us", Unit::Nanoseconds},
                                    {"extrapolated", Unit::Identity}});
  for (const Prediction& of : predictions)
    table.addRow({textCell(of.group), Cell(operationText(of.operation)), Cell(rounded(of.bytes)),
                  of.ranks > 0 ? Cell(of.ranks) : Cell(), of.nodes > 0 ? Cell(of.nodes) : Cell(),
                  textCell(of.form), microseconds(of.lowUs), microseconds(of.us), microseconds(of.highUs),
                  Cell(std::int64_t{of.extrapolated})});
  return table;
}

std::string bandwidthText(const JobBandwidth& bandwidth) {
  TextTable table(
      {"<group", "<operation", "ranks", "hosts", "sizes", "largest", "busbw", "expected", "reached", "<fit"});
  std::string leftOut;
  for (const BandwidthSeries& series : bandwidth.series) {
    const BandwidthSize* largest = nullptr;
    LeftOut left;
    for (const BandwidthSize& size : series.sizes) {
      if (size.samples > 0) largest = &size;
      left.add(size);
    }
    if (const std::string why = left.text(series.curve.fit()); !why.empty())
      leftOut += fmt::format("    {} {}: {}{}\n", printableText(series.group, 40),
                             operationText(series.operation), why, contentionText(series));
    if (largest == nullptr) continue;
    // NICs are named by Gbit/s.
    const auto rate = [&](double gbS) {
      if (gbS <= 0) return std::string();
      const std::string bytes = rateText(gbS * 1e9);
      return series.between.value_or(false) ? fmt::format("{} ({:.3g} Gbit/s)", bytes, 8 * gbS) : bytes;
    };
    const CurveFit& fit = series.curve.fit();
    table.addRow({printableText(series.group, 40), std::string(operationText(series.operation)),
                  series.ranks > 0 ? std::to_string(series.ranks) : "",
                  series.nodes > 0 ? std::to_string(series.nodes) : "",
                  std::to_string(series.curve.points().size()), bytesText(largest->bytes),
                  rate(largest->busbwGbS), rate(largest->expectedBusbwGbS.value_or(0)),
                  largest->efficiencyPct ? percentText(*largest->efficiencyPct) : std::string(),
                  std::string(fitVerdict(fit))});
  }
  std::string text;
  if (!table.empty()) text += fmt::format("\nBandwidth of the largest messages\n{}", table.text());
  if (!leftOut.empty())
    text += (table.empty() ? "\nCalls without a bandwidth\n" : "  Calls that these figures are not of\n") +
            leftOut;
  return text;
}

namespace {

// Sizes as short as tells them apart from the others of the same table.
class DistinctSizes {
 public:
  explicit DistinctSizes(std::span<const Prediction> predictions) {
    for (const Prediction& of : predictions) m_sizes[sizeText(of.bytes)].insert(of.bytes);
  }
  [[nodiscard]] std::string text(double bytes) const {
    std::string shown = sizeText(bytes);
    return m_sizes.at(shown).size() == 1 ? shown : groupedText(rounded(bytes)) + " B";
  }

 private:
  std::map<std::string, std::set<double>> m_sizes; // by text
};

} // namespace

std::string predictionsText(const JobBandwidth& bandwidth, std::span<const Prediction> predictions) {
  TextTable table({"<group", "<operation", "size", "ranks", "<by", "time", "from", "to", "<"});
  const auto time = [](double us) { return durationText(rounded(us * 1e3)); };
  const DistinctSizes sizes(predictions);
  for (const Prediction& of : predictions)
    table.addRow({printableText(of.group, 40), std::string(operationText(of.operation)), sizes.text(of.bytes),
                  of.ranks > 0 ? std::to_string(of.ranks) : "", of.form, time(of.us), time(of.lowUs),
                  time(of.highUs), of.extrapolated ? "extrapolation" : ""});
  std::string text = table.empty() ? std::string() : table.text();
  std::set<std::string_view> groups;
  for (const Prediction& of : predictions) groups.insert(of.group);
  for (const BandwidthSeries& series : bandwidth.series) {
    const auto crossover = crossoverOf(series);
    if (!crossover || !groups.contains(series.group)) continue;
    text += fmt::format("  {}: of {} ranks, an ideal tree is faster than an ideal ring below {} ({} to {})\n",
                        printableText(series.group, 40), series.ranks, sizeText(crossover->bytes),
                        sizeText(crossover->lowBytes), sizeText(crossover->highBytes));
  }
  return text;
}

ResultTable bucketAdviceTable(std::span<const BucketAdvice> advice) {
  ResultTable table("bucket_advice", {{"group", Unit::Text},
                                      {"cap_mb", Unit::Ratio},
                                      {"buckets", Unit::Count},
                                      {"communication_us", Unit::Nanoseconds},
                                      {"exposed_us", Unit::Nanoseconds},
                                      {"step_us", Unit::Nanoseconds},
                                      {"gain_us", Unit::Nanoseconds},
                                      {"replay_error_pct", Unit::Percent},
                                      {"coarse", Unit::Identity},
                                      {"waiting_us", Unit::Nanoseconds},
                                      {"steps", Unit::Count}});
  for (const BucketAdvice& of : advice)
    for (const CapAdvice& cap : of.caps)
      table.addRow({textCell(of.group), cellOf(cap.capMb), Cell(cap.buckets),
                    microseconds(cap.communicationUs), microseconds(cap.exposedUs), microseconds(cap.stepUs),
                    cap.gainUs ? microseconds(*cap.gainUs) : Cell(), cellOf(of.replayErrorPct),
                    Cell(std::int64_t{of.coarse}), microseconds(cap.waitingUs), Cell(of.steps)});
  return table;
}

std::string bucketAdviceText(std::span<const BucketAdvice> advice) {
  std::string text;
  const auto time = [](double us) { return durationText(rounded(us * 1e3)); };
  for (const BucketAdvice& of : advice) {
    text += fmt::format("{}: {} rank{}, {} step{} of {}\n", printableText(of.group, 40), of.ranks,
                        of.ranks == 1 ? "" : "s", of.steps, of.steps == 1 ? "" : "s", time(of.stepUs));
    TextTable table(
        {"<bucket_cap_mb", "buckets", "communication", "exposed", "of it waiting", "step", "gain"});
    for (const CapAdvice& cap : of.caps)
      table.addRow({cap.capMb ? fmt::format("{:g}", *cap.capMb) : std::string("as recorded, replayed"),
                    std::to_string(cap.buckets), time(cap.communicationUs), time(cap.exposedUs),
                    time(cap.waitingUs), time(cap.stepUs), cap.gainUs ? time(*cap.gainUs) : std::string()});
    if (!table.empty()) text += table.text();
    if (!of.caps.empty())
      text += of.replayErrorPct
                  ? fmt::format("  The replay is off by {:.1f} % of the step.\n", *of.replayErrorPct)
                  : std::string("  One step: its own transfers are replayed, which proves nothing.\n");
    if (std::ranges::any_of(of.caps, [](const CapAdvice& cap) { return cap.waitingUs >= 1; }))
      text += "  Waiting is for ranks that end their backward pass late: no cap changes it.\n";
    if (!of.refused.empty())
      text += fmt::format("  No advice: {}.\n", of.refused);
    else if (of.best)
      text += fmt::format("  Try DistributedDataParallel(bucket_cap_mb={:g}).\n", *of.best);
    else if (!of.replayErrorPct)
      text += "  No advice: record two steps or more, so that the replay tells how far this is off.\n";
    else
      text += "  No cap is better by more than 2 % and the error of the replay.\n";
    if (of.slowdown > 1 && of.refused.empty())
      text += fmt::format("  Computation beside communication takes {:.2f} times as long, as measured.\n",
                          of.slowdown);
    if (of.assumedAlphaUs && of.refused.empty())
      text += fmt::format("  Sizes that were not measured are taken with a latency of {}.\n",
                          time(*of.assumedAlphaUs));
    if (of.coarse && of.refused.empty())
      text += "  Gradients are taken as evenly ready within their bucket: smaller caps are coarse.\n";
  }
  return text;
}

} // namespace rankscope
