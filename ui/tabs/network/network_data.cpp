// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/network_data.h"

#include "core/base/unit_text.h"
#include "core/report/bandwidth_tables.h"
#include "core/report/network_tables.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace rankscope::ui {

namespace {

constexpr int kCurvePoints = 48; // of a model
constexpr double kLow = 85;      // percent of what is expected, below which a point is marked

QString tr(const char* text) {
  return QCoreApplication::translate("Network", text);
}

QString textOf(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

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

QString tipOf(const BandwidthSeries& series, const BandwidthSize& size) {
  QStringList lines{QStringLiteral("<b>%1</b>").arg(seriesName(series, true).toHtmlEscaped()),
                    tr("%1 in %2").arg(sizeText(static_cast<double>(size.bytes)), timeOf(size.medianUs))};
  if (size.busbwGbS > 0)
    lines << tr("bus %1 GB/s, algorithm %2 GB/s").arg(size.busbwGbS, 0, 'f', 1).arg(size.algbwGbS, 0, 'f', 1);
  if (!size.algorithm.empty()) lines << tr("by %1").arg(textOf(size.algorithm).toHtmlEscaped());
  if (size.expectedBusbwGbS && size.efficiencyPct)
    lines << tr("%1 of %2 GB/s that the links give")
                 .arg(QString::fromStdString(percentText(*size.efficiencyPct)))
                 .arg(*size.expectedBusbwGbS, 0, 'f', 0);
  if (series.of)
    lines << tr("median of %1, 10 to 90 % in %2 to %3")
                 .arg(size.samples)
                 .arg(timeOf(size.p10Us), timeOf(size.p90Us));
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
    const ThemeColor color = kColors[m_made.places.size() % kColors.size()];
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
      curve.warned.push_back(size.efficiencyPct.value_or(100) < kLow);
      sizes.push_back(i);
    }
    if (curve.points.isEmpty()) return;
    m_made.legend.push_back({curve.name, color, false, true});
    m_made.curves.curves.push_back(std::move(curve));
    m_made.places.emplace_back(index, std::move(sizes));
    m_shown.push_back(&series);
    addModel(series, index, factor, color);
    if (m_times > 1) addPrediction(series, color);
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
  }

  // What links can do, once each.
  void addLevels() {
    std::set<std::pair<QString, double>> seen;
    for (const BandwidthSeries* const series : m_shown) {
      const Fabric* const within = series->links.within;
      const Fabric* const between = series->links.between;
      if (within != nullptr && series->ranks > series->nodes)
        addLevel(seen, textOf(within->title), within->gbS, &Theme::good);
      if (between != nullptr && series->nodes > 1) {
        const auto ports = std::max<std::int64_t>(series->links.ports, 1);
        const QString title = ports > 1 ? QStringLiteral("%1 × %2").arg(ports).arg(textOf(between->title))
                                        : textOf(between->title);
        addLevel(seen, title, between->gbS * static_cast<double>(ports), &Theme::accent);
      }
    }
  }

  void addLevel(std::set<std::pair<QString, double>>& seen, const QString& title, double gbS,
                ThemeColor color) {
    if (!seen.insert({title, gbS}).second) return;
    m_made.curves.levels.push_back({tr("%1: %2 GB/s").arg(title).arg(gbS, 0, 'g', 4), gbS, color});
  }

  const NetworkData& m_data;
  const QString& m_operation;
  NetworkFigure m_figure;
  int m_times;
  bool m_predicted = false;
  bool m_modelInLegend = false;
  std::vector<const BandwidthSeries*> m_shown;
  NetworkCurves m_made;
};

QString linksText(const JobBandwidth& bandwidth) {
  QStringList texts;
  for (const BandwidthSeries& series : bandwidth.series) {
    const ExpectedLinks& links = series.links;
    QStringList parts;
    if (links.within != nullptr) parts << tr("%1 within a host").arg(textOf(links.within->title));
    if (links.between != nullptr)
      parts << tr("%1 × %2 between hosts")
                   .arg(std::max<std::int64_t>(links.ports, 1))
                   .arg(textOf(links.between->title));
    if (parts.isEmpty()) continue;
    QString text = parts.join(QStringLiteral(", "));
    if (links.from == "chosen")
      text += tr(" (chosen)");
    else if (!links.from.empty())
      text += tr(" (by %1)").arg(textOf(links.from));
    if (!texts.contains(text)) texts << text;
  }
  return texts.join(QStringLiteral(" · "));
}

// Communicators of several ranks; those with most links and of groups first.
void addDrawn(NetworkData& data) {
  const NetTopology& topology = data.network->topology;
  for (std::size_t i = 0; i < topology.communicators.size(); ++i)
    if (topology.communicators[i].ranks > 1) data.drawn.push_back(i);
  std::ranges::stable_sort(data.drawn, std::greater<>(), [&](std::size_t i) {
    const NetCommunicator& of = topology.communicators[i];
    return std::tuple(!of.links.empty() || !of.rings.empty(), of.ranks);
  });
  data.drawnNames.reserve(static_cast<qsizetype>(data.drawn.size()));
  for (const std::size_t i : data.drawn) {
    const NetCommunicator& of = topology.communicators[i];
    QString name = data.network->join.empty() ? QString() : textOf(data.network->join.communicators[i].name);
    name = name.isEmpty() ? tr("Communicator %1").arg(of.number) : tr("%1 (%2)").arg(name).arg(of.number);
    data.drawnNames << tr("%1 · %2 ranks").arg(name).arg(of.ranks);
  }
}

} // namespace

QString ncclRecipe() {
  return QStringLiteral("export NCCL_DEBUG=INFO\n"
                        "export NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH,TUNING\n"
                        "export NCCL_DEBUG_FILE=nccl.%h.%p.log\n");
}

NetworkData networkData(const JobReport& report, const FabricSettings& fabrics) {
  NetworkData data;
  data.fabrics = fabrics;
  data.network = report.sharedNetwork();
  data.bandwidth =
      std::make_shared<const JobBandwidth>(jobBandwidth(report.analysis(), *data.network, fabrics));
  data.problems = report.networkProblems();
  data.log = !data.network->log().empty();
  std::set<QString> operations;
  for (const BandwidthSeries& series : data.bandwidth->series) {
    if (!hasSamples(series)) continue;
    data.measured = true;
    operations.insert(textOf(operationText(series.operation)));
  }
  data.operations = QStringList(operations.begin(), operations.end());
  const auto shared = [](ResultTable table) { return std::make_shared<const ResultTable>(std::move(table)); };
  data.communicators = shared(communicatorsView(*data.network));
  AlgorithmsView algorithms = algorithmsView(*data.network, *data.bandwidth);
  data.algorithms = shared(std::move(algorithms.table));
  data.sizeOfRow = std::move(algorithms.sizes);
  data.fits = shared(fitsTable(*data.bandwidth));
  data.nics = shared(nicsView(*data.network));
  data.settings = shared(settingsView(*data.network));
  data.warnings = shared(ncclWarningsTable(*data.network));
  data.files = shared(ncclFilesTable(*data.network));
  data.problemsTable = shared(problemsView(data.problems));
  data.linksText = linksText(*data.bandwidth);
  addDrawn(data);
  return data;
}

NetworkCurves networkCurves(const NetworkData& data, const QString& operation, NetworkFigure figure,
                            int times) {
  return CurveMaker(data, operation, figure, times).make();
}

} // namespace rankscope::ui
