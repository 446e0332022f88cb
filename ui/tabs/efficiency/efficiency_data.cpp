// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/efficiency/efficiency_data.h"

#include "core/analysis/efficiency/mfu_difference.h"
#include "core/analysis/job/graph_capture.h"
#include "core/analysis/job/scope.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/model/rank_digest.h"
#include "core/report/reported_part.h"
#include "ui/base/capitalized.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/efficiency/flop_text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostDots = 2'000;
constexpr double kLowMfuPct = 30;
constexpr double kAbovePct = 101; // of a roof: more than rounding

// Two digits of small shares, which are common here: 0.023 %.
QString percent(const std::optional<double>& value) {
  if (!value) return {};
  if (*value > 0 && *value < 0.1) return QStringLiteral("%1 %").arg(*value, 0, 'g', 2);
  return textOf(percentText(*value));
}

QString rate(double tflops) {
  return tflops >= 100 ? QString::number(tflops, 'f', 0) : QString::number(tflops, 'f', 1);
}

QString bounded(const EfficiencyView& view, const QString& text) {
  const bool low = view.coveragePct && *view.coveragePct < kGoodCoveragePct && !text.isEmpty();
  return low ? QStringLiteral("≥ ") + text : text;
}

void addFigures(const QString& whole, const EfficiencyView& view, EfficiencyData& data) {
  const QString why = textOf(whyNoMfu(view));
  const QString whyHfu = textOf(whyNoHfu(view));
  const auto figure = [&](EfficiencyFigure of) -> Figure& {
    return data.figures[static_cast<std::size_t>(of)];
  };
  const std::string implausible = whyImplausible(view);
  Figure& mfu = figure(EfficiencyFigure::Mfu);
  mfu.value = view.fromModel ? percent(view.mfuPct) : bounded(view, percent(view.mfuPct));
  mfu.level = !view.mfuPct                ? FigureLevel::Unknown
              : *view.mfuPct < kLowMfuPct ? FigureLevel::Warning
                                          : FigureLevel::Fine;
  // What cannot be is no headline.
  if (!implausible.empty() && view.mfuPct)
    mfu = {{}, tr("%1: %2").arg(mfu.value, textOf(implausible)), FigureLevel::Unknown};
  else
    mfu.note = !view.mfuPct     ? why
               : view.fromModel ? tr("by the model: %1").arg(textOf(view.convention))
                                : tr("of %1 TFLOP/s, from shapes").arg(rate(view.peak));
  Figure& hfu = figure(EfficiencyFigure::Hfu);
  hfu.value = bounded(view, percent(view.hfuPct));
  hfu.level = view.hfuPct ? FigureLevel::Fine : FigureLevel::Unknown;
  hfu.note = !view.hfuPct ? whyHfu
             : view.recomputedPct.value_or(0) > 0
                 ? tr("%1 of the FLOPs recomputed").arg(percent(view.recomputedPct))
                 : tr("nothing recomputed");
  if (!implausible.empty() && view.hfuPct)
    hfu = {{}, tr("%1: %2").arg(hfu.value, textOf(implausible)), FigureLevel::Unknown};
  Figure& busy = figure(EfficiencyFigure::Computing);
  busy.value = bounded(view, percent(view.busyHfuPct));
  busy.level = view.busyHfuPct ? FigureLevel::Fine : FigureLevel::Unknown;
  if (!view.busyHfuPct)
    busy.note = whyHfu;
  else
    busy.note = tr("of the peak in %1 of kernels").arg(textOf(durationText(rounded(view.computeTime))));
  Figure& flops = figure(EfficiencyFigure::Flops);
  if (view.flopsPerStep) {
    flops.value = bounded(view, flopText(*view.flopsPerStep));
    const QString ranks = counted(static_cast<qint64>(view.ranks), tr("1 rank"), tr("%1 ranks"));
    flops.note = (view.areSteps ? tr("per %1 of %2") : tr("in the %1 of %2")).arg(whole, ranks);
  } else {
    flops.level = FigureLevel::Unknown;
    flops.note = whyHfu;
  }
  Figure& coverage = figure(EfficiencyFigure::Coverage);
  coverage.value = percent(view.coveragePct);
  coverage.level = !view.coveragePct                      ? FigureLevel::Unknown
                   : *view.coveragePct < kGoodCoveragePct ? FigureLevel::Warning
                                                          : FigureLevel::Fine;
  coverage.note =
      view.coveragePct ? tr("of kernel time has FLOPs") : tr("no compute kernel in the %1").arg(whole);
}

// Tokens when the user said how many, else the FLOP rate.
void addThroughput(const JobReport& report, const QString& whole, EfficiencyData& data) {
  Figure& figure = data.figures[static_cast<std::size_t>(EfficiencyFigure::Throughput)];
  const EfficiencyView& view = data.view;
  const std::optional<double>& tokens = data.settings.model.tokensPerStep;
  if (tokens && view.stepTime > 0) {
    const double all = *tokens / (view.stepTime * 1e-9);
    const auto gpus = static_cast<double>(gpusOfJob(report.analysis(), data.settings.model));
    figure.value = tr("%1 tok/s").arg(textOf(groupedText(std::llround(all / gpus))));
    figure.note = tr("per GPU, %1 tok/s the job").arg(textOf(groupedText(std::llround(all))));
  } else if (view.tflopsPerGpu) {
    figure.value = bounded(view, *view.tflopsPerGpu < 1 ? flopText(*view.tflopsPerGpu * 1e12) + tr("/s")
                                                        : tr("%1 TFLOP/s").arg(rate(*view.tflopsPerGpu)));
    figure.note = (view.hasKernels ? tr("per GPU over the %1") : tr("per rank over the %1")).arg(whole);
  } else {
    figure.level = FigureLevel::Unknown;
    figure.note = tokens ? QString() : textOf(whyNoHfu(view));
  }
}

struct PartText {
  EfficiencyPart part;
  const char* label;
  const char* tip;
  WaterfallFill fill;
};

// In the order of the account; what remains comes first, as on the Gains tab.
const std::vector<PartText>& partTexts() {
  static const std::vector<PartText> kTexts{
      {EfficiencyPart::ModelFlops,
       "FLOPs at the peak",
       "Model FLOPs at the peak rate: its share is MFU",
       {&Theme::gemm, false, 1}},
      {EfficiencyPart::Recompute,
       "Recomputed FLOPs",
       "At the peak; checkpointed activations",
       {&Theme::gemm, true, 0.6}},
      {EfficiencyPart::Inefficient,
       "Products below the peak",
       "GEMM, convolution with layout conversions, attention: time beyond FLOPs at the peak",
       {&Theme::warn, false, 1}},
      {EfficiencyPart::MemoryBound,
       "Memory-bound products",
       "GEMM, convolution, attention left of the ridge point: time × (1 − intensity / ridge), however far "
       "below "
       "the roof they run",
       {&Theme::attention, false, 1}},
      {EfficiencyPart::Unmodelled,
       "Products without FLOPs",
       "Kernels that multiply matrices, but whose operator or shapes are not known",
       {&Theme::kernel, true, 0.8}},
      {EfficiencyPart::NonGemm, "Other kernels", "Elementwise, norms, optimizer", {&Theme::kernel, false, 1}},
      {EfficiencyPart::ExposedMemory, "Memcpy", "memcpy and memset alone", {&Theme::memoryCopy, false, 1}},
      {EfficiencyPart::ExposedCommunication,
       "Exposed communication",
       "Communication without compute",
       {&Theme::exposed, true, 1}},
      {EfficiencyPart::Idle, "Idle", "Nothing runs on the device", {&Theme::bad, true, 1}},
  };
  return kTexts;
}

constexpr PartText kEdges{EfficiencyPart::Idle,
                          "Edge of the recording",
                          "At the ends of the recording, where unrecorded work may run",
                          {&Theme::faint, false, 0.45}};

// edge: idle time at the ends of the recording, ns of a step; a part of its own, as on the Gains tab.
void addAccount(const QString& whole, double edge, EfficiencyData& data) {
  const EfficiencyView& view = data.view;
  if (!view.partsKnown || view.stepTime <= 0) return;
  double begin = 0;
  const double atEdges = std::clamp(edge, 0.0, view.part(EfficiencyPart::Idle));
  std::vector<std::pair<PartText, double>> parts;
  for (const PartText& of : partTexts())
    parts.emplace_back(of, view.part(of.part) - (of.part == EfficiencyPart::Idle ? atEdges : 0));
  parts.emplace_back(kEdges, atEdges);
  for (const auto& [of, time] : parts) {
    if (time <= 0) continue;
    WaterfallRow row;
    row.label = tr(of.label);
    row.begin = begin;
    row.amount = time;
    row.fill = of.fill;
    row.value = textOf(durationText(rounded(time)));
    row.share = textOf(percentText(100 * time / view.stepTime));
    row.note = tr(of.tip);
    row.tip = tr("%1: %2, %3 of the %4").arg(row.label, row.value, row.share, whole) +
              QStringLiteral("<br>") + row.note.toHtmlEscaped();
    row.strong = of.part == EfficiencyPart::ModelFlops;
    if (const std::string why = row.strong ? mfuDifferenceText(view) : std::string(); !why.empty()) {
      row.note = textOf(why);
      row.tip += QStringLiteral("<br>") + textOf(why).toHtmlEscaped();
    }
    begin += time;
    data.account.rows.push_back(std::move(row));
  }
  data.account.total = capitalized(whole);
  data.account.amount = view.stepTime;
  data.account.value = textOf(durationText(rounded(view.stepTime)));
  data.account.partTip = tr("What the step was spent on: every nanosecond is in one part");
  data.account.noteTitle = tr("What it is");
  data.account.noteTip = tr("Definition of the part");
}

ThemeColor colorOf(const FlopPoint& point) {
  switch (point.work.kind) {
  case FlopKind::Attention:
  case FlopKind::AttentionBackward:
    return &Theme::attention;
  case FlopKind::Convolution:
  case FlopKind::ConvolutionBackward:
    return &Theme::accent;
  case FlopKind::Vector:
  case FlopKind::Recurrent:
    return &Theme::optimizer;
  case FlopKind::Product:
    break;
  }
  return &Theme::gemm;
}

// Nominal peaks are of the boost clock: nothing else computes convolutions faster.
bool computesLess(const JobPoint& of) {
  const FlopKind kind = of.point.work.kind;
  const bool convolution = kind == FlopKind::Convolution || kind == FlopKind::ConvolutionBackward;
  return isFastConvolution(of.kernel) || (convolution && of.point.peakPct.value_or(0) > kAbovePct);
}

QString tipOf(const JobPoint& of) {
  const FlopPoint& point = of.point;
  QString text = QStringLiteral("<b>%1</b><br>%2<br>")
                     .arg(textOf(of.operatorName).toHtmlEscaped(), textOf(of.shapes).toHtmlEscaped());
  text += tr("%1 calls, %2<br>%3 TFLOP/s, %4 FLOP per byte")
              .arg(textOf(countText(point.calls)),
                   textOf(durationText(static_cast<std::int64_t>(point.deviceTime))), rate(*point.tflops),
                   rate(*point.intensity));
  if (point.efficiencyPct)
    text += tr("<br>%1 of the roof, %2 lost")
                .arg(textOf(percentText(*point.efficiencyPct)), textOf(durationText(point.lost.value_or(0))));
  const std::string above = whyAboveRoof(point, of.kernel);
  if (!above.empty())
    text += QStringLiteral("<br>") + textOf(above);
  else if (computesLess(of))
    text += tr("<br>Winograd or FFT: computes less than counted");
  return text;
}

// Why dots are above the roof, where some are.
QString aboveRoofText(const EfficiencyView& view) {
  bool fast = false, other = false;
  for (const JobPoint& of : view.points)
    if (of.point.efficiencyPct.value_or(0) > kAbovePct) (computesLess(of) ? fast : other) = true;
  if (fast && other)
    return tr("above the roof: Winograd or FFT, fewer FLOPs than counted, or data from caches");
  if (fast) return tr("above the roof: Winograd or FFT, fewer FLOPs than counted");
  return other ? tr("above the roof: data from caches, or a peak that is too low") : QString();
}

void addRoofline(EfficiencyData& data) {
  const EfficiencyView& view = data.view;
  std::set<NumberFormat> formats;
  std::set<FlopKind> kinds;
  for (std::size_t i = 0; i < view.points.size() && data.roofline.dots.size() < kMostDots; ++i) {
    const FlopPoint& point = view.points[i].point;
    if (!point.tflops || !point.intensity || *point.tflops <= 0 || *point.intensity <= 0) continue;
    formats.insert(point.work.format);
    kinds.insert(point.work.kind);
    data.roofline.dots.push_back({*point.intensity, *point.tflops, static_cast<double>(point.deviceTime),
                                  colorOf(point), tipOf(view.points[i])});
    data.pointOfDot.push_back(static_cast<int>(i));
  }
  data.roofline.gigabytes = view.peaks.gigabytes;
  data.aboveRoof = aboveRoofText(view);
  for (const NumberFormat format : formats) {
    const double peak = view.peaks.of(format);
    if (peak <= 0) continue;
    data.roofline.levels.push_back({QStringLiteral("%1 %2").arg(textOf(numberFormatText(format)), rate(peak)),
                                    peak, format == view.format ? &Theme::text : &Theme::warn, false});
  }
  if (view.bestTflops)
    data.roofline.levels.push_back(
        {tr("best operator here %1").arg(rate(*view.bestTflops)), *view.bestTflops, &Theme::good, true});
  std::ranges::sort(data.roofline.levels, std::greater(), &RooflineLevel::tflops);
  const auto has = [&](std::initializer_list<FlopKind> any) {
    return std::ranges::any_of(any, [&](FlopKind kind) { return kinds.contains(kind); });
  };
  if (has({FlopKind::Product})) data.rooflineLegend.push_back({tr("GEMM"), &Theme::gemm});
  if (has({FlopKind::Convolution, FlopKind::ConvolutionBackward}))
    data.rooflineLegend.push_back({tr("Convolution"), &Theme::accent});
  if (has({FlopKind::Attention, FlopKind::AttentionBackward}))
    data.rooflineLegend.push_back({tr("Attention"), &Theme::attention});
  if (has({FlopKind::Vector, FlopKind::Recurrent}))
    data.rooflineLegend.push_back({tr("Matrix-vector, recurrent"), &Theme::optimizer});
}

void addChecklist(const JobReport& report, EfficiencyData& data) {
  ResultTable table("checklist", {{"check", Unit::Text},
                                  {"answer", Unit::Text},
                                  {"measured", Unit::Text},
                                  {"time_us", Unit::Nanoseconds},
                                  {"finding", Unit::Text},
                                  {"rule", Unit::Text}});
  data.checks = efficiencyChecklist(report, data.view);
  data.captured = graphCapture(report.analysis()).most();
  for (const EfficiencyCheck& check : data.checks) {
    const bool found = check.finding && *check.finding < report.findings().size();
    table.addRow({textCell(check.title), Cell(checkAnswerText(check.answer)), textCell(check.measured),
                  check.time.value_or(0) > 0 ? Cell(rounded(*check.time)) : Cell(),
                  found ? textCell(report.findings()[*check.finding].title) : Cell(), textCell(check.rule)});
  }
  data.checklist = std::make_shared<const ResultTable>(std::move(table));
}

QString peaksText(const EfficiencyView& view) {
  if (!view.peaks.known()) return tr("Peak of the device: not known. Type it in.");
  QString text = textOf(view.peaks.from) + QStringLiteral(":");
  const double peak = view.peaks.of(view.format);
  if (peak > 0) text += tr(" %1 %2 TFLOP/s,").arg(textOf(numberFormatText(view.format)), rate(peak));
  if (view.peaks.gigabytes > 0) text += tr(" %1 GB/s").arg(std::llround(view.peaks.gigabytes));
  if (view.peaks.from != "given") text += tr(", nominal");
  if (const std::optional<double> ofBest = view.mfuOfBestPct())
    text += tr(" · MFU relative to the best operator of each number format here: %1").arg(percent(ofBest));
  return text;
}

} // namespace

EfficiencyData efficiencyData(const JobReport& report, const EfficiencySettings& asked) {
  EfficiencyData data;
  data.ofDigest = isDigest(report.analysis().trace());
  const EfficiencySettings settings = data.ofDigest ? EfficiencySettings() : asked;
  data.settings = settings;
  data.ofRange = isOfRange(report.analysis());
  data.view = efficiencyView(report, settings);
  const QString whole = textOf(reportedPart(report));
  addFigures(whole, data.view, data);
  addThroughput(report, whole, data);
  addAccount(whole, report.keptAccount().timeOf("capture.edge"), data);
  addRoofline(data);
  addChecklist(report, data);
  for (const PointGroups by : {PointGroups::Shapes, PointGroups::Operators, PointGroups::Modules})
    data.points[static_cast<std::size_t>(by)] =
        std::make_shared<const ResultTable>(pointsTable(data.view, by));
  data.peaksText = peaksText(data.view);
  data.iterations = iterationView(report);
  data.iterationsText = textOf(iterationText(data.iterations));
  if (!data.view.hasKernels)
    data.whyEmpty = tr("No compute kernel was recorded.");
  else if (!data.view.hasShapes)
    data.whyEmpty =
        tr("Shapes of operators were not recorded. Profile with %1; with_flops=True is not needed.")
            .arg(textOf(data.view.shapesOption));
  else if (data.roofline.dots.empty())
    data.whyEmpty = data.ofRange ? tr("No operator with known FLOPs ran in the range.")
                                 : tr("No operator with known FLOPs launched kernels.");
  return data;
}

} // namespace rankscope::ui
