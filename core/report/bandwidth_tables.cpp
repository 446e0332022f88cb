// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/bandwidth_tables.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/text_table.h"

#include <fmt/format.h>
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
                                   {"verdict", Unit::Text}};
  if (crossover) columns.push_back({"crossover_bytes", Unit::Bytes});
  ResultTable table(std::string(name), std::move(columns));
  for (const BandwidthSeries& series : bandwidth.series) {
    if (series.curve.empty()) continue;
    const CurveFit& fit = series.curve.fit();
    std::int64_t samples = 0;
    for (const BandwidthSize& size : series.sizes) samples += size.samples;
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
                          Cell(rounded(fit.minBytes)),
                          Cell(rounded(fit.maxBytes)),
                          Cell(fitVerdict(fit))};
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
  const auto rate = [](double gbS) { return gbS > 0 ? rateText(gbS * 1e9) : std::string(); };
  for (const BandwidthSeries& series : bandwidth.series) {
    const BandwidthSize* largest = nullptr;
    for (const BandwidthSize& size : series.sizes) {
      if (size.samples > 0) largest = &size;
    }
    if (largest == nullptr) continue;
    const CurveFit& fit = series.curve.fit();
    table.addRow({printableText(series.group, 40), std::string(operationText(series.operation)),
                  series.ranks > 0 ? std::to_string(series.ranks) : "",
                  series.nodes > 0 ? std::to_string(series.nodes) : "",
                  std::to_string(series.curve.points().size()), bytesText(largest->bytes),
                  rate(largest->busbwGbS), rate(largest->expectedBusbwGbS.value_or(0)),
                  largest->efficiencyPct ? percentText(*largest->efficiencyPct) : std::string(),
                  std::string(fitVerdict(fit))});
  }
  return table.empty() ? std::string() : "\nBandwidth of the largest messages\n" + table.text();
}

std::string predictionsText(const JobBandwidth& bandwidth, std::span<const Prediction> predictions) {
  TextTable table({"<group", "<operation", "size", "ranks", "<by", "time", "from", "to", "<"});
  const auto time = [](double us) { return durationText(rounded(us * 1e3)); };
  for (const Prediction& of : predictions)
    table.addRow({printableText(of.group, 40), std::string(operationText(of.operation)), sizeText(of.bytes),
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
                                      {"coarse", Unit::Identity}});
  for (const BucketAdvice& of : advice)
    for (const CapAdvice& cap : of.caps)
      table.addRow({textCell(of.group), cellOf(cap.capMb), Cell(cap.buckets),
                    microseconds(cap.communicationUs), microseconds(cap.exposedUs), microseconds(cap.stepUs),
                    cap.gainUs ? microseconds(*cap.gainUs) : Cell(), Cell(of.replayErrorPct),
                    Cell(std::int64_t{of.coarse})});
  return table;
}

std::string bucketAdviceText(std::span<const BucketAdvice> advice) {
  std::string text;
  const auto time = [](double us) { return durationText(rounded(us * 1e3)); };
  for (const BucketAdvice& of : advice) {
    text += fmt::format("{}: {} ranks, {} steps of {}\n", printableText(of.group, 40), of.ranks, of.steps,
                        time(of.stepUs));
    TextTable table({"<bucket_cap_mb", "buckets", "communication", "exposed", "step", "gain"});
    for (const CapAdvice& cap : of.caps)
      table.addRow({cap.capMb ? fmt::format("{:g}", *cap.capMb) : std::string("as recorded, replayed"),
                    std::to_string(cap.buckets), time(cap.communicationUs), time(cap.exposedUs),
                    time(cap.stepUs), cap.gainUs ? time(*cap.gainUs) : std::string()});
    if (!table.empty()) text += table.text();
    if (!of.caps.empty())
      text += of.steps > 1
                  ? fmt::format("  The replay is off by {:.1f} % of the step.\n", of.replayErrorPct)
                  : std::string("  One step: its own transfers are replayed, which proves nothing.\n");
    if (!of.refused.empty())
      text += fmt::format("  No advice: {}.\n", of.refused);
    else if (of.best)
      text += fmt::format("  Try DistributedDataParallel(bucket_cap_mb={:g}).\n", *of.best);
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
