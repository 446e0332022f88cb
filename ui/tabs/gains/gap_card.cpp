// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/gains/gap_card.h"

#include "core/analysis/activity/idle_gap.h"
#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/report/grouped_tables.h"
#include "ui/base/capitalized.h"
#include "ui/findings/finding_target.h"
#include "ui/job/job_highlights.h"
#include "ui/job/trace_session.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/table_figures.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr int kRows = 6;
const char* const kShort = "short"; // as groupedTable names gaps without a cause: below kMinGap

QString shortTime(TimeNs time) {
  return QString::fromStdString(durationText(time));
}

// "Host operators" of the table's host_operators. Not the names of leaves, which mean other things.
QString causeTitle(const QString& cause) {
  if (cause == QLatin1String("dataloader")) return QStringLiteral("DataLoader");
  if (cause == QLatin1String("untraced")) return GapCard::tr("Nothing recorded on the host");
  if (cause == QLatin1String("launch_latency"))
    return GapCard::tr("Work queued, up to %1").arg(shortTime(kLaunchLatency));
  if (cause == QLatin1String("not_recorded")) return GapCard::tr("Work queued or launch not recorded");
  if (cause == QLatin1String(kShort)) return GapCard::tr("Shorter than %1").arg(shortTime(kMinGap));
  QString title = cause;
  title.replace(QLatin1Char('_'), QLatin1Char(' '));
  return capitalized(std::move(title));
}

std::vector<ShownColumn> gapColumns() {
  std::vector<ShownColumn> columns{
      {.source = "cause",
       .title = GapCard::tr("Cause"),
       .tip =
           GapCard::tr("What the host did in the gap, judged by the gap alone. \"Time by cause\" splits "
                       "gaps and knows other ranks: of queued work it says \"Unexplained idle\", and of gaps "
                       "shorter than %1 \"Launch latency\"")
               .arg(shortTime(kMinGap)),
       .display = causeTitle},
      {.source = "gaps",
       .title = GapCard::tr("Gaps"),
       .tip = GapCard::tr("Times in which a device ran nothing. A gap that crosses an edge of the selected "
                          "range counts with the part inside: counts of adjacent ranges may exceed that of "
                          "both together, their idle times add up")},
      {.source = "idle_us",
       .title = GapCard::tr("Idle"),
       .tip = GapCard::tr(
           "Idle time of the devices between two activities. The Overview and the parts above also have "
           "that before the first and after the last activity. In total: of all recordings and ranks, "
           "also outside of steps. Per step: in the kept steps, mean over ranks")},
      {.source = "idle_us",
       .title = GapCard::tr("Share"),
       .tip = GapCard::tr("Share of the idle time"),
       .share = true}};
  std::vector<ShownColumn> parts = modelPartColumns();
  columns.insert(columns.begin(), parts.begin(), parts.end());
  return columns;
}

bool hasSteps(const std::shared_ptr<const JobReport>& report) {
  return report && stepCounts(report->analysis()).all > 0;
}

ResultTable causes(const Analysis& analysis) {
  std::map<std::string, GapTotal> sums;
  const auto add = [&](const std::string& cause, const GapTotal& total) {
    if (total.count == 0) return;
    sums[cause].count += total.count;
    sums[cause].time += total.time;
  };
  for (const RankIndex rank : analysis.ranks()) {
    const IdleGaps& gaps = analysis.gaps(rank);
    for (std::size_t cause = 0; cause < kGapCauseCount; ++cause)
      add(std::string(gapCauseText(static_cast<GapCause>(cause))), gaps.totals[cause]);
    add(kShort, gaps.shorter);
  }
  std::vector<std::pair<std::string, GapTotal>> rows(sums.begin(), sums.end());
  std::ranges::stable_sort(rows, std::greater<>{},
                           [](const auto& row) { return std::int64_t{row.second.time}; });
  ResultTable table("gap_causes",
                    {{"cause", Unit::Text}, {"gaps", Unit::Count}, {"idle_us", Unit::Nanoseconds}});
  for (const auto& [cause, total] : rows)
    table.addRow({textCell(cause), Cell(total.count), Cell(std::int64_t{total.time})});
  return table;
}

} // namespace

GapCard::GapCard(TraceSession& session, QSettings& settings, QWidget* parent)
    : TableCard(tr("Idle gaps"), gapColumns(), session, parent), m_session(session),
      m_parts(new ModelPartRows(session.pending(), this)), m_causesTask(session.pending()),
      m_longestTask(session.pending()) {
  setStretchColumn("cause");
  setDefaultSort("idle_us", Qt::DescendingOrder);
  setMemoryKey(settings, QStringLiteral("gains.gaps"));
  addControl(&m_parts->choice());
  connect(m_parts, &ModelPartRows::changed, this, &GapCard::showRows);
  connect(&TableFigures::ofProgram(), &TableFigures::perStepChanged, this, [this] { setReport(m_given); });
  connect(this, &TableCard::rowActivated, this, &GapCard::showLongest);
}

void GapCard::setReport(std::shared_ptr<const JobReport> report) {
  m_given = std::move(report);
  m_report = m_given;
  if (m_given && TableFigures::ofProgram().perStep())
    m_report = std::make_shared<const JobReport>(analysisOfSums(m_given->sharedAnalysis(), true));
  // The Overview and the parts above are of the kept steps, whatever this table shows.
  setCaption(
      (m_report != m_given ? tr("between activities in kept steps, mean over ranks · %1")
       : hasSteps(m_given) ? tr("between activities of all ranks, also outside of steps · %1")
                           : tr("between activities of all ranks · %1"))
          .arg(tr("each gap has one cause here, \"Time by cause\" splits gaps · double-click a row to see "
                  "its longest gap")));
  m_causes = nullptr;
  m_causesTask.drop();
  m_longestTask.drop();
  m_parts->setSource(m_report, [](const JobReport& of, CallGrouping grouping) {
    return groupedTable(of, "gaps", grouping, {.each = false, .rank = {}}, defaultThreadCount());
  });
  if (m_report)
    m_causesTask.ask([of = m_report] { return std::make_shared<const ResultTable>(causes(of->analysis())); },
                     [this](const std::shared_ptr<const ResultTable>& made) {
                       m_causes = made;
                       showRows();
                     });
  showRows();
}

void GapCard::showRows() {
  const auto& rows = m_parts->wanted() ? m_parts->table() : m_causes;
  setTable(rows, m_report && rows ? tr("No device was idle, or no device was recorded.") : tr("Computing …"));
  setVisible(!m_report || !m_causes || m_causes->rowCount() > 0);
  setMinimumHeight(heightFor(std::min(kRows, std::max(1, shownRows()))));
  setMaximumHeight(heightFor(std::max(1, shownRows())));
}

// Gaps without a cause are not kept one by one.
void GapCard::showLongest(int row) {
  if (row < 0 || !m_report) return;
  const std::string cause = model().textOf(row, "cause").toStdString();
  const auto grouping = m_parts->choice().grouping();
  const std::string part =
      grouping ? model().textOf(row, callGroupingText(*grouping)).toStdString() : std::string();
  m_longestTask.ask(
      [of = m_report, cause, part, grouping]() -> std::optional<Place> {
        std::optional<Place> longest;
        const Analysis& analysis = of->analysis();
        for (const RankIndex rank : analysis.ranks()) {
          const RankTrace& trace = *analysis.trace().rank(rank).trace;
          const CallGroups groups = grouping ? callGroups(analysis, rank, *grouping) : CallGroups();
          for (const IdleGap& gap : analysis.gaps(rank).ofDevices) {
            if (gapCauseText(gap.cause) != cause) continue;
            if (grouping && groups.texts[groups.of(trace, gap.hostEvent)] != part) continue;
            if (!longest || gap.range.length() > longest->range.length()) longest = Place{rank, gap.range};
          }
        }
        return longest;
      },
      [this](const std::optional<Place>& longest) {
        if (!longest || !m_report || !m_session.trace()) return;
        const Analysis& analysis = m_report->analysis();
        const JobRange place = analysis.clocks().of(longest->rank).toJob(RankRange::of(longest->range));
        m_session.selectGap(GapRef{longest->rank, gapAround(analysis, longest->rank, place)});
        m_session.revealPlace(longest->rank, place);
        emit timelineWanted();
      });
}

} // namespace rankscope::ui
