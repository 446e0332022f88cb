// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/roles_section.h"

#include "core/analysis/job/scope.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/report/digest_rows.h"
#include "core/report/memory_role_tables.h"
#include "core/report/role_phases.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/memory/role_bands.h"
#include "ui/widgets/wrapped_label.h"

#include <QBoxLayout>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr std::size_t kBuckets = 500;
constexpr int kHeight = 240;
constexpr int kExpectedRows = 6;

std::vector<ShownColumn> roleColumns() {
  return {
      {.source = "role", .title = tr("Role"), .display = roleNamed},
      {.source = "at_peak_bytes", .title = tr("At the peak"), .footer = Footer::Sum},
      {.source = "at_peak_bytes", .title = tr("Share"), .share = true},
      {.source = "at_cursor_bytes",
       .title = tr("At the cursor"),
       .tip = tr("At the time that was clicked on the curve"),
       .hide = Hide::AllEmpty,
       .footer = Footer::Sum},
      {.source = "largest_bytes", .title = tr("Largest")},
      {.source = "mean_bytes", .title = tr("Mean"), .tip = tr("Over time"), .footer = Footer::Sum},
      {.source = "end_bytes", .title = tr("At the end"), .footer = Footer::Sum, .hidden = true},
      {.source = "confidence",
       .title = tr("Confidence"),
       .tip = tr("Roles follow from where a block was allocated and when it was freed; low: an estimate")},
  };
}

std::vector<ShownColumn> phaseColumns() {
  std::vector<ShownColumn> columns{
      {.source = "step", .title = tr("Step"), .hide = Hide::AllEmpty},
      {.source = "phase", .title = tr("Phase")},
      {.source = "peak_bytes",
       .title = tr("Peak"),
       .tip = tr("Allocated memory when it was highest; the other columns split it")},
  };
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
    const auto role = static_cast<MemoryRole>(r);
    std::string source(memoryRoleId(role));
    source += "_bytes";
    QString title = roleName(role);
    title[0] = title[0].toUpper();
    columns.push_back({.source = std::move(source),
                       .title = title,
                       .tip = tr("Of this role at the fullest moment of the phase"),
                       .hide = Hide::AllZero});
  }
  return columns;
}

// Without rows.
ResultTable rolesColumns() {
  return ResultTable("memory_roles", {{"role", Unit::Text},
                                      {"confidence", Unit::Text},
                                      {"at_peak_bytes", Unit::Bytes},
                                      {"at_cursor_bytes", Unit::Bytes},
                                      {"largest_bytes", Unit::Bytes},
                                      {"mean_bytes", Unit::Bytes},
                                      {"end_bytes", Unit::Bytes}});
}

// Its categories, as the file has them.
ResultTable rolesOfTimeline(const MemoryTimeline& timeline) {
  ResultTable table = rolesColumns();
  const std::vector<TimelinePoint>& points = timeline.points;
  const double length = static_cast<double>(points.back().time - points.front().time);
  for (std::size_t c = 0; c < kTimelineCategories; ++c) {
    if (timeline.largest[c] <= 0) continue;
    double sum = 0; // bytes × ns
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
      sum +=
          static_cast<double>(points[i].bytes[c]) * static_cast<double>(points[i + 1].time - points[i].time);
    table.addRow({Cell(kTimelineCategoryNames[c]), Cell(), Cell(points[timeline.peak].bytes[c]), Cell(),
                  Cell(timeline.largest[c]), length > 0 ? Cell(std::llround(sum / length)) : Cell(),
                  Cell(points.back().bytes[c])});
  }
  return table;
}

// What PyTorch wrote itself, where there is no recording: its categories over time.
void showTimeline(const MemoryTimeline& timeline, RolesData& data) {
  std::vector<RoleLevel> levels = timelineLevels(timeline, kBuckets);
  if (levels.empty()) return;
  const double first = levels.front().x;
  for (RoleLevel& level : levels) level.x -= first;
  data.curve.xUnit = Unit::Nanoseconds;
  data.curve.yUnit = Unit::Bytes;
  data.curve.xEnd = std::max(1.0, levels.back().x);
  addRoleBands(levels, data.curve, data.legend);
  data.where = tr("PyTorch's memory timeline");
  data.roles = std::make_shared<const ResultTable>(rolesOfTimeline(timeline));
  data.hasCurve = true;
}

// Beside a recording: the sum of what PyTorch wrote, as a line to compare with.
void addReference(const MemoryTimeline& timeline, const Analysis& analysis, RankIndex rank, RolesData& data) {
  Curve line{tr("PyTorch's timeline"), {}, &Theme::text, true};
  std::vector<RoleLevel> levels = timelineLevels(timeline, kBuckets);
  for (RoleLevel& level : levels)
    level.x = static_cast<double>(sinceJobBegin(analysis, rank, RankTime(static_cast<TimeNs>(level.x))));
  std::erase_if(levels, [&](const RoleLevel& level) {
    return level.x < data.curve.xBegin || level.x > data.curve.xEnd;
  });
  std::vector<double> sums;
  sums.reserve(levels.size());
  for (const RoleLevel& level : levels) {
    sums.push_back(0);
    for (const std::int64_t bytes : level.bytes) sums.back() += static_cast<double>(bytes);
  }
  line.points = stairsOf(levels, sums);
  if (line.points.size() < 2) return; // of another run
  data.legend.push_back({line.name, line.color, true, true});
  data.curve.curves.push_back(std::move(line));
}

} // namespace

std::shared_ptr<const ResultTable> rolesTable(const DeviceRoles& device, std::optional<TimeNs> time) {
  auto table = std::make_shared<ResultTable>(rolesColumns());
  for (const RoleRow& row : roleRows(device, time))
    table->addRow({Cell(memoryRoleId(row.role)), Cell(confidenceId(row.confidence)), Cell(row.atPeak),
                   time ? Cell(row.atTime) : Cell(), Cell(row.largest), Cell(row.mean), Cell(row.end)});
  return table;
}

const DeviceRoles* rolesOf(const JobReport& report, MemoryPlace place) {
  const MemoryRoles& roles = report.memoryRoles()[place.rank.value];
  const MemoryDevice wanted = report.analysis().memory(place.rank).devices[place.device].device;
  const auto device = std::ranges::find(roles.devices, wanted, &DeviceRoles::device);
  return device == roles.devices.end() ? nullptr : &*device;
}

std::vector<ShownColumn> expectedColumns() {
  return {
      {.source = "item", .title = tr("Item")},
      {.source = "measured_bytes",
       .title = tr("Measured"),
       .tip = tr("The most of each at any time; they peak at different times, and so do not add up to the "
                 "peak. Other: at the peak")},
      {.source = "expected_bytes", .title = tr("Expected")},
      {.source = "ratio", .title = tr("Ratio"), .tip = tr("Measured / expected")},
      {.source = "formula", .title = tr("Formula"), .hide = Hide::AllEmpty},
      {.source = "note", .title = tr("Note"), .hide = Hide::AllEmpty},
  };
}

std::shared_ptr<const ResultTable> expectedTable(const ExpectedMemory& expected) {
  auto table = std::make_shared<ResultTable>(ResultTable("memory_expected", {{"item", Unit::Text},
                                                                             {"measured_bytes", Unit::Bytes},
                                                                             {"expected_bytes", Unit::Bytes},
                                                                             {"ratio", Unit::Ratio},
                                                                             {"formula", Unit::Text},
                                                                             {"note", Unit::Text}}));
  for (const ExpectedItem& item : expected.items)
    table->addRow({Cell(item.item), cellOf(item.measured), cellOf(item.expected), cellOf(item.ratio()),
                   textCell(item.formula),
                   textCell(item.options.empty() ? item.note : item.note + ": fill in Model above")});
  return table;
}

namespace {

// The rows that the digest has of the rank's device.
std::shared_ptr<const ResultTable> digestedRoles(const Analysis& analysis, MemoryPlace place) {
  const AnalysisScope alone{{place.rank}, {analysis.window(place.rank)}};
  const ResultTable all =
      tableOf(JobReport(std::make_shared<const Analysis>(analysis, alone)), *tableSpec("memory_roles"));
  const std::string name = analysis.memory(place.rank).devices[place.device].device.name();
  auto table = std::make_shared<ResultTable>(rolesColumns());
  enum : std::uint8_t { Device = 2, Role, Confidence, AtPeak, Largest, Mean, End };
  for (std::size_t row = 0; row < all.rowCount(); ++row)
    if (all.at(row, Device) == Cell(std::string_view(name)))
      table->addRow({all.at(row, Role), all.at(row, Confidence), all.at(row, AtPeak), Cell(),
                     all.at(row, Largest), all.at(row, Mean), all.at(row, End)});
  return table;
}

} // namespace

RolesData rolesData(const JobReport& report, std::optional<MemoryPlace> place, const QString& where,
                    const EfficiencySettings& settings) {
  RolesData data;
  data.where = where;
  data.reason = tr("No allocations were recorded in this range.");
  const Analysis& analysis = report.analysis();
  const std::vector<MemoryTimeline>& timelines = analysis.trace().side().timelines;
  if (!place) {
    if (!timelines.empty()) showTimeline(timelines.front(), data);
    return data;
  }
  if (digestOf(analysis.trace(), place->rank) != nullptr) {
    data.reason =
        tr("A digest has the sums of roles only. Expand the rank on the timeline to load its events.");
    data.roles = digestedRoles(analysis, *place);
    return data;
  }
  const DeviceRoles* const device = rolesOf(report, *place);
  data.reason = tr(
      "This version of PyTorch did not record addresses, so frees cannot be matched: blocks and their roles "
      "are not known.");
  if (device == nullptr) return data;
  QStringList lines{QString::fromStdString(largestRoleSentence(*device))};
  // The counter of the CPU does not know of memory from before, so that its peak is another figure.
  const DeviceMemory& memory = analysis.memory(place->rank).devices[place->device];
  const auto& byCounter = memory.peakAllocated;
  ExactSum peak;
  for (const std::int64_t bytes : device->atPeak) peak += bytes;
  if (memory.device.onHost && byCounter && !isOfRange(analysis) && byCounter->allocated != std::int64_t{peak})
    lines << tr("Peak allocated is %1: PyTorch's counter begins with the recording, and falls where memory "
                "from before is freed.")
                 .arg(QString::fromStdString(bytesText(byCounter->allocated)));
  for (const std::string& note : roleNotes(*device)) lines << QString::fromStdString(note);
  data.sentence = lines.join(QLatin1Char(' '));
  std::vector<RoleLevel> levels = levelsWithin(*device, analysis.window(place->rank).ns(), kBuckets);
  for (RoleLevel& level : levels)
    level.x =
        static_cast<double>(sinceJobBegin(analysis, place->rank, RankTime(static_cast<TimeNs>(level.x))));
  data.curve.xUnit = Unit::Nanoseconds;
  data.curve.yUnit = Unit::Bytes;
  if (!levels.empty()) {
    data.curve.xBegin = levels.front().x;
    data.curve.xEnd = std::max(levels.front().x + 1, levels.back().x);
    addRoleBands(levels, data.curve, data.legend);
  }
  data.hasCurve = true;
  const int number = analysis.trace().rank(place->rank).rank;
  for (const MemoryTimeline& timeline : timelines) {
    if (timeline.rank.value_or(number) == number && data.curve.curves.empty())
      addReference(timeline, analysis, place->rank, data);
  }
  data.roles = rolesTable(*device);
  data.phases = std::make_shared<const ResultTable>(rolesByPhaseTable(analysis, place->rank, *device));
  if (const auto expected = expectedOf(report, place->rank, settings)) {
    data.expected = expectedTable(*expected);
    data.advice = QString::fromStdString(expected->advice);
  }
  return data;
}

RolesSection::RolesSection(TraceSession& session, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_sentence(new WrappedLabel), m_curve(new LinePlot(session)), m_row(new QHBoxLayout),
      m_advice(new WrappedLabel) {
  m_card = new ChartCard(tr("Roles over time"), m_curve, session);
  m_card->setMinimumHeight(scaledToText(kHeight));
  m_roles = new TableCard(tr("Roles"), roleColumns(), session);
  m_roles->setStretchColumn("role");
  m_roles->setDefaultSort("at_peak_bytes", Qt::DescendingOrder);
  m_roles->setBarColor([](int, const Theme& theme) { return theme.accent; });
  m_expected = new TableCard(tr("Measured and expected"), expectedColumns(), session);
  m_expected->setStretchColumn("note");
  m_roles->setMemoryKey(settings, QStringLiteral("memory.roles"));
  m_phases = new TableCard(tr("Roles by phase"), phaseColumns(), session);
  m_phases->setStretchColumn("phase");
  m_phases->setFilterHint(tr("Filter phases"));
  m_phases->setMemoryKey(settings, QStringLiteral("memory.phases"));
  m_phases->setMinimumHeight(scaledToText(kHeight));
  m_expected->setMemoryKey(settings, QStringLiteral("memory.expected"));
  m_roles->setMinimumHeight(scaledToText(kHeight));
  m_row->setSpacing(16);
  m_row->addWidget(m_card, 1);
  m_row->addWidget(m_roles, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(16);
  for (WrappedLabel* label : {m_sentence, m_advice})
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(m_sentence);
  column->addLayout(m_row);
  column->addWidget(m_expected);
  column->addWidget(m_advice);
  column->addWidget(m_phases);
}

QString RolesSection::sentence() const {
  return m_sentence->text();
}

void RolesSection::takeModel(QWidget* model) {
  if (model->parentWidget() == this) return;
  auto* column = static_cast<QBoxLayout*>(layout());
  column->insertWidget(column->indexOf(m_expected), model);
}

void RolesSection::setNarrow(bool narrow) {
  m_row->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void RolesSection::setCursor(double x, std::shared_ptr<const ResultTable> roles) {
  m_curve->setCursor(x);
  if (roles) m_roles->setTable(std::move(roles), {});
}

void RolesSection::setData(const RolesData* made) {
  const QString empty = made != nullptr ? made->reason : tr("Computing …");
  const bool any = made != nullptr && made->roles != nullptr;
  const bool curve = made != nullptr && made->hasCurve;
  m_curve->setCurves(curve ? made->curve : Curves());
  m_curve->setCursor(std::nullopt);
  m_card->setLegend(curve ? made->legend : std::vector<LegendItem>());
  m_card->setCaption(curve ? made->where : QString());
  m_card->setEmptyText(curve ? QString() : empty);
  m_roles->setTable(made != nullptr ? made->roles : nullptr, empty);
  // One sentence instead of empty cards.
  const bool nothing = made != nullptr && !any && !curve;
  m_card->setVisible(!nothing);
  m_roles->setVisible(!nothing);
  m_sentence->setText(any ? made->sentence : nothing ? made->reason : QString());
  m_sentence->setVisible(!m_sentence->text().isEmpty());
  m_roles->setCaption(any ? made->where : QString());
  m_expected->setTable(any ? made->expected : nullptr, empty);
  // A memory timeline has neither.
  m_expected->setVisible(any && made->expected != nullptr);
  m_advice->setText(any ? made->advice : QString());
  m_advice->setVisible(any && !made->advice.isEmpty());
  m_phases->setTable(any ? made->phases : nullptr, empty);
  m_phases->setVisible(any && made->phases != nullptr);
  m_expected->setFixedHeight(m_expected->heightFor(kExpectedRows));
}

} // namespace rankscope::ui
