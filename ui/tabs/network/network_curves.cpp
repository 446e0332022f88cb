// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of bandwidth or time by size, with models, predictions, levels of links and single slow calls.
#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/network/network_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace rankscope::ui {

namespace {

constexpr int kCurvePoints = 48; // of a model
constexpr double kLow = 85;      // percent of what is expected, below which a point is marked

QString sizeText(double bytes) {
  return QString::fromStdString(bytesText(std::llround(bytes)));
}

QString timeOf(double us) {
  return QString::fromStdString(durationText(std::llround(us * 1e3)));
}

constexpr std::array<ThemeColor, 6> kColors{&Theme::accent,     &Theme::good,      &Theme::communication,
                                            &Theme::dataLoader, &Theme::attention, &Theme::optimizer};

QString seriesName(const BandwidthSeries& series, bool withOperation) {
  QString name = textOf(series.group);
  if (withOperation) name += QLatin1Char(' ') + textOf(operationText(series.operation));
  return name;
}

bool hasSamples(const BandwidthSeries& series) {
  return std::ranges::any_of(series.sizes, [](const BandwidthSize& size) { return size.samples > 0; });
}

// Ratio of the figure to algorithm bandwidth.
double factorOf(const BandwidthSeries& series) {
  if (const auto factor = busFactor(series.operation, series.ranks)) return *factor;
  for (const BandwidthSize& size : series.sizes)
    if (size.algbwGbS > 0 && size.busbwGbS > 0) return size.busbwGbS / size.algbwGbS;
  return 1;
}

// A point of a time at a size; nothing where the figure cannot be told.
std::optional<QPointF> pointOf(NetworkFigure figure, double factor, double bytes, double us) {
  if (!(bytes > 0) || !(us > 0)) return std::nullopt;
  if (figure == NetworkFigure::Time) return QPointF(bytes, us * 1e3);
  return QPointF(bytes, bytes / (us * 1e3) * (figure == NetworkFigure::Bus ? factor : 1));
}

// NICs are named by Gbit/s, links between GPUs by GB/s.
QString rateOf(const BandwidthSeries& series, double gbS) {
  const QString bytes = QStringLiteral("%1 GB/s").arg(gbS, 0, 'f', gbS < 10 ? 2 : gbS < 100 ? 1 : 0);
  if (!series.between.value_or(false)) return bytes;
  return tr("%1 (%2 Gbit/s)").arg(bytes).arg(8 * gbS, 0, 'f', 8 * gbS < 100 ? 1 : 0);
}

QString tipOf(const BandwidthSeries& series, const BandwidthSize& size) {
  QStringList lines{QStringLiteral("<b>%1</b>").arg(seriesName(series, true).toHtmlEscaped()),
                    tr("%1 in %2").arg(sizeText(static_cast<double>(size.bytes)), timeOf(size.medianUs))};
  if (size.busbwGbS > 0)
    lines << tr("bus %1, algorithm %2").arg(rateOf(series, size.busbwGbS), rateOf(series, size.algbwGbS));
  if (!size.algorithm.empty()) lines << tr("by %1").arg(textOf(size.algorithm).toHtmlEscaped());
  if (size.expectedBusbwGbS && size.efficiencyPct)
    lines << tr("%1 of %2 that the links give")
                 .arg(QString::fromStdString(percentText(*size.efficiencyPct)),
                      rateOf(series, *size.expectedBusbwGbS));
  if (series.of)
    lines << tr("median of %1, 10 to 90 % in %2 to %3")
                 .arg(size.samples)
                 .arg(timeOf(size.p10Us), timeOf(size.p90Us));
  QStringList left;
  if (size.first > 0) left << tr("%1 first calls").arg(size.first);
  if (size.unmatched > 0) left << tr("%1 not on all ranks").arg(size.unmatched);
  if (size.untimed > 0) left << tr("%1 without a device time").arg(size.untimed);
  if (size.contended > 0)
    left << tr("%1 beside other communication, of %2").arg(size.contended).arg(timeOf(size.contendedUs));
  if (!left.isEmpty()) lines << tr("left out: %1").arg(left.join(QStringLiteral(", ")));
  const std::vector<double>& dropped = series.curve.fit().dropped;
  if (std::ranges::find(dropped, static_cast<double>(size.bytes)) != dropped.end())
    lines << tr("far off the line: not in its fit");
  return lines.join(QStringLiteral("<br>"));
}

class CurveMaker {
 public:
  CurveMaker(const NetworkData& data, const QString& operation, NetworkFigure figure, int times)
      : m_data(data), m_operation(operation), m_figure(figure), m_times(times) {}

  NetworkCurves make() {
    m_made.curves.yUnit = m_figure == NetworkFigure::Time ? Unit::Nanoseconds : Unit::GigabytesPerSecond;
    m_made.curves.yTitle = m_figure == NetworkFigure::Time  ? tr("Time")
                           : m_figure == NetworkFigure::Bus ? tr("Bus bandwidth, GB/s")
                                                            : tr("Algorithm bandwidth, GB/s");
    m_made.curves.xTitle = tr("Size of the collective");
    for (std::size_t i = 0; i < m_data.bandwidth->series.size(); ++i) addSeries(i);
    if (m_low) m_made.legend.push_back({tr("below %1 % of what the links give").arg(kLow), &Theme::warn});
    if (m_figure == NetworkFigure::Bus) addLevels();
    if (m_times > 1 && !m_predicted)
      m_made.note = tr("No prediction: a fit needs 4 sizes over a factor of 16");
    return std::move(m_made);
  }

 private:
  void addSeries(std::size_t index) {
    const BandwidthSeries& series = m_data.bandwidth->series[index];
    const QString operation = textOf(operationText(series.operation));
    if (!hasSamples(series) || (!m_operation.isEmpty() && m_operation != operation)) return;
    const double factor = factorOf(series);
    const ThemeColor color = kColors[m_shown.size() % kColors.size()];
    LogCurve curve;
    curve.name = seriesName(series, m_operation.isEmpty());
    curve.color = color;
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < series.sizes.size(); ++i) {
      const BandwidthSize& size = series.sizes[i];
      if (size.samples == 0) continue;
      const auto point = pointOf(m_figure, factor, static_cast<double>(size.bytes), size.medianUs);
      if (!point || !(point->y() > 0)) continue;
      curve.points << *point;
      curve.tips.push_back(tipOf(series, size));
      const bool low = size.efficiencyPct.value_or(100) < kLow;
      curve.warned.push_back(low);
      m_low = m_low || low;
      sizes.push_back(i);
    }
    if (curve.points.isEmpty()) return;
    m_made.legend.push_back({curve.name, color, false, true});
    m_made.curves.curves.push_back(std::move(curve));
    m_made.places.emplace_back(index, std::move(sizes));
    m_made.calls.emplace_back();
    m_shown.push_back(&series);
    addSlowCalls(series, index, factor);
    addModel(series, index, factor, color);
    if (m_times > 1) addPrediction(series, color);
  }

  // Single calls far above the median of their size.
  void addSlowCalls(const BandwidthSeries& series, std::size_t index, double factor) {
    LogCurve curve;
    curve.color = &Theme::warn;
    curve.loose = true;
    std::vector<std::size_t> sizes;
    std::vector<InstanceIndex> calls;
    for (const SlowCall& call : m_data.slowCalls) {
      if (call.series != index) continue;
      const BandwidthSize& size = series.sizes[call.size];
      const auto point = pointOf(m_figure, factor, static_cast<double>(size.bytes), call.us);
      if (!point || !(point->y() > 0)) continue;
      curve.points << *point;
      curve.tips.push_back(tr("<b>%1</b><br>One call of %2: %3, median %4")
                               .arg(seriesName(series, true).toHtmlEscaped(),
                                    sizeText(static_cast<double>(size.bytes)), timeOf(call.us),
                                    timeOf(size.medianUs)));
      curve.warned.push_back(true);
      sizes.push_back(call.size);
      calls.push_back(call.instance);
    }
    if (curve.points.isEmpty()) return;
    if (!m_slowInLegend)
      m_made.legend.push_back({tr("single calls of more than 1.5 × the median"), &Theme::warn, false, false});
    m_slowInLegend = true;
    m_made.curves.curves.push_back(std::move(curve));
    m_made.places.emplace_back(index, std::move(sizes));
    m_made.calls.push_back(std::move(calls));
  }

  // The fit over its range.
  void addModel(const BandwidthSeries& series, std::size_t index, double factor, ThemeColor color) {
    const CurveFit& fit = series.curve.fit();
    if (fit.model != FitModel::AlphaBeta || !(fit.minBytes > 0)) return;
    LogCurve model;
    model.color = color;
    model.dashed = true;
    const double ratio = fit.maxBytes / fit.minBytes;
    for (int i = 0; i <= kCurvePoints; ++i) {
      const double bytes = fit.minBytes * std::pow(ratio, static_cast<double>(i) / kCurvePoints);
      const auto us = fit.at(bytes);
      const auto point = us ? pointOf(m_figure, factor, bytes, *us) : std::nullopt;
      if (point && point->y() > 0) model.points << *point;
    }
    add(std::move(model), index);
    if (!m_modelInLegend) m_made.legend.push_back({tr("fit T = α + S / β"), &Theme::muted, true, true});
    m_modelInLegend = true;
  }

  // Between the ideal forms at more ranks, each with its error.
  void addPrediction(const BandwidthSeries& series, ThemeColor color) {
    if (series.ranks < 2 || series.ranks > (std::int64_t{1} << 24)) return;
    PredictionRequest request;
    request.group = series.group;
    request.operation = series.operation;
    request.ranks = series.ranks * m_times;
    for (const BandwidthSize& size : series.sizes)
      if (size.samples > 0) request.bytes.push_back(static_cast<double>(size.bytes));
    JobBandwidth one;
    one.series.push_back(series);
    std::map<double, std::pair<double, double>> band; // µs by size
    for (const Prediction& of : predictions(one, request)) {
      if (of.ranks != *request.ranks) continue;
      const auto [found, isNew] = band.try_emplace(of.bytes, of.lowUs, of.highUs);
      found->second.first = std::min(found->second.first, of.lowUs);
      found->second.second = std::max(found->second.second, of.highUs);
    }
    const double factor = busFactor(series.operation, *request.ranks).value_or(1);
    LogBand shown;
    shown.color = color;
    for (const auto& [bytes, us] : band) {
      const auto low = pointOf(m_figure, factor, bytes, std::max(us.first, 1e-3));
      const auto high = pointOf(m_figure, factor, bytes, us.second);
      if (!low || !high) continue;
      shown.lower << *low;
      shown.upper << *high;
    }
    if (shown.lower.isEmpty()) return;
    m_predicted = true;
    m_made.legend.push_back({tr("%1 at %2 ranks, extrapolation")
                                 .arg(seriesName(series, m_operation.isEmpty()))
                                 .arg(*request.ranks),
                             color, false, false, 0.3});
    m_made.curves.bands.push_back(std::move(shown));
  }

  void add(LogCurve curve, std::size_t index) {
    if (curve.points.isEmpty()) return;
    m_made.curves.curves.push_back(std::move(curve));
    m_made.places.emplace_back(index, std::vector<std::size_t>());
    m_made.calls.emplace_back();
  }

  // What links can do, once each: of a collective over several hosts those between them, else those within.
  void addLevels() {
    std::set<std::pair<QString, double>> seen;
    bool unknown = false;
    for (const BandwidthSeries* const series : m_shown) {
      const bool several = series->between.value_or(series->nodes > 1);
      const Fabric* const fabric = several ? series->links.between : series->links.within;
      if (fabric == nullptr) {
        unknown = unknown || several;
        continue;
      }
      const auto ports = several ? std::max<std::int64_t>(series->links.ports, 1) : 1;
      QString title = textOf(fabric->title);
      if (ports > 1) title = QStringLiteral("%1 × %2").arg(ports).arg(title);
      const double gbS = fabric->gbS * static_cast<double>(ports);
      if (!seen.insert({title, gbS}).second) continue;
      const QString text = several ? tr("%1 between hosts: %2 GB/s, %3 Gbit/s a host")
                                         .arg(title)
                                         .arg(gbS, 0, 'g', 4)
                                         .arg(8 * gbS, 0, 'g', 4)
                                   : tr("%1 within a host: %2 GB/s").arg(title).arg(gbS, 0, 'g', 4);
      m_made.curves.levels.push_back({text, gbS, several ? &Theme::accent : &Theme::good});
    }
    if (unknown && m_made.note.isEmpty())
      m_made.note = tr("rate of the NICs not known: choose them in Algorithms");
  }

  const NetworkData& m_data;
  const QString& m_operation;
  NetworkFigure m_figure;
  int m_times;
  bool m_predicted = false;
  bool m_modelInLegend = false;
  bool m_slowInLegend = false;
  bool m_low = false; // a point is marked as such
  std::vector<const BandwidthSeries*> m_shown;
  NetworkCurves m_made;
};

} // namespace

NetworkCurves networkCurves(const NetworkData& data, const QString& operation, NetworkFigure figure,
                            int times) {
  return CurveMaker(data, operation, figure, times).make();
}

} // namespace rankscope::ui
