// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/range_panel.h"

#include "core/base/exact_sum.h"
#include "core/base/parallel_for.h"
#include "core/base/unit_text.h"
#include "core/query/profiler_names.h"
#include "core/report/range_tables.h"
#include "ui/base/counted.h"
#include "ui/base/readable_kernel.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/widgets/elided_label.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr std::size_t kMaxDivided = 200'000; // maximum number of rows by name and rank

// Kernels by their readable name; other names unchanged.
QString readableName(const QString& name) {
  const bool kernel = name.startsWith(QLatin1String("void ")) ||
                      (name.contains(QLatin1String("::")) && name.contains(QLatin1Char('<')));
  return kernel ? readableKernel(name) : name;
}

std::vector<ShownColumn> namesColumns() {
  const auto tr = [](const char* source) { return RangePanel::tr(source); };
  return {
      {.source = "name", .title = tr("Name"), .elideSame = true, .display = readableName},
      {.source = "kind", .title = tr("Kind"), .hide = Hide::AllSame},
      {.source = "total_us",
       .title = tr("Share"),
       .tip = tr("Share of the total time of all names; concurrent and nested slices each count in full"),
       .share = true},
      {.source = "count", .title = tr("Count")},
      {.source = "total_us", .title = tr("Total"), .tip = tr("Sum of the time within the range")},
      {.source = "self_us", .title = tr("Self"), .tip = tr("Total excluding nested slices")},
      {.source = "mean_us", .title = tr("Mean")},
      {.source = "min_us", .title = tr("Min")},
      {.source = "max_us", .title = tr("Max")},
      {.source = "cut",
       .title = tr("Clipped"),
       .tip = tr("Slices that extend beyond the range; only the part within it counts")},
  };
}

std::vector<ShownColumn> kindsColumns() {
  const auto tr = [](const char* source) { return RangePanel::tr(source); };
  return {
      {.source = "kind", .title = tr("Kind")},
      {.source = "count", .title = tr("Count")},
      {.source = "total_us", .title = tr("Total")},
      {.source = "self_us", .title = tr("Self")},
      {.source = "busy_us",
       .title = tr("Busy"),
       .tip = tr("Time with at least one slice of this kind running, summed over ranks")},
      {.source = "busy_pct", .title = tr("Busy share"), .tip = tr("Share of the range, mean over ranks")},
      {.source = "mean_us", .title = tr("Mean")},
      {.source = "min_us", .title = tr("Min")},
      {.source = "max_us", .title = tr("Max")},
  };
}

std::vector<ShownColumn> ranksColumns() {
  const auto tr = [](const char* source) { return RangePanel::tr(source); };
  return {
      {.source = "rank", .title = tr("Rank")},
      {.source = "capture", .title = tr("Capture"), .hide = Hide::AllSame},
      {.source = "count", .title = tr("Slices")},
      {.source = "busy_us",
       .title = tr("Busy"),
       .tip = tr("Time with an operator, call or device activity on the selected tracks; any event "
                 "if there are none")},
      {.source = "host_us", .title = tr("Host")},
      {.source = "device_us", .title = tr("Device"), .tip = tr("Kernels, collectives, memcpy and memset")},
      {.source = "device_pct", .title = tr("Device share"), .tip = tr("Share of the range")},
      {.source = "compute_us", .title = tr("Compute")},
      {.source = "communication_us", .title = tr("Communication")},
      {.source = "exposed_us",
       .title = tr("Exposed"),
       .tip = tr("Communication while no compute kernel ran on these tracks")},
  };
}

std::vector<ShownColumn> namesByRankColumns() {
  const auto tr = [](const char* source) { return RangePanel::tr(source); };
  return {
      {.source = "name", .title = tr("Name"), .hide = Hide::AllSame, .display = readableName},
      {.source = "kind", .title = tr("Kind"), .hide = Hide::AllSame},
      {.source = "rank", .title = tr("Rank")},
      {.source = "capture", .title = tr("Capture"), .hide = Hide::AllSame},
      {.source = "total_us",
       .title = tr("Share"),
       .tip = tr("Share of the listed time; for one name, of the time of all ranks"),
       .share = true},
      {.source = "count", .title = tr("Count")},
      {.source = "total_us", .title = tr("Total"), .tip = tr("Sum of the time within the range")},
      {.source = "self_us", .title = tr("Self")},
      {.source = "mean_us", .title = tr("Mean")},
      {.source = "min_us", .title = tr("Min")},
      {.source = "max_us", .title = tr("Max")},
      {.source = "cut", .title = tr("Clipped")},
  };
}

QToolButton* choiceButton(const QString& title) {
  auto* made = new QToolButton;
  made->setText(title);
  made->setCheckable(true);
  made->setFocusPolicy(Qt::TabFocus);
  return made;
}

} // namespace

RangePanel::RangePanel(TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_summary(new ElidedLabel), m_choice(new QButtonGroup(this)),
      m_stack(new QStackedWidget), m_task(session.pending()), m_dividing(session.pending()) {
  auto* top = new QHBoxLayout;
  top->setContentsMargins(16, 2, 16, 2);
  top->setSpacing(6);
  top->addWidget(m_summary, 1);
  const std::array<QString, kTableCount> titles{tr("Names"), tr("Kinds"), tr("Ranks"), tr("Names by rank")};
  for (int i = 0; i < kTableCount; ++i) {
    QToolButton* const made = choiceButton(titles[static_cast<std::size_t>(i)]);
    m_choice->addButton(made, i);
    top->addWidget(made);
  }
  m_cards = {new TableCard({}, namesColumns(), session), new TableCard({}, kindsColumns(), session),
             new TableCard({}, ranksColumns(), session), new TableCard({}, namesByRankColumns(), session)};
  m_choice->button(kNamesByRank)->setToolTip(tr("Time per rank for the selected names, or for all names"));
  card(kNamesByRank).setStretchColumn("name");
  card(kNames).setStretchColumn("name");
  card(kNames).setDefaultSort("total_us", Qt::DescendingOrder);
  card(kKinds).setDefaultSort("total_us", Qt::DescendingOrder);
  card(kRanks).setDefaultSort("rank", Qt::AscendingOrder);
  for (TableCard* const made : m_cards) {
    made->setPlain();
    m_stack->addWidget(made);
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 2, 0, 0);
  column->setSpacing(0);
  column->addLayout(top);
  column->addWidget(m_stack, 1);

  connect(m_choice, &QButtonGroup::idClicked, this, [this](int id) { showTable(static_cast<Table>(id)); });
  for (const Table table : {kNames, kNamesByRank})
    connect(&card(table), &TableCard::rowActivated, this, [this, table](int row) { goTo(table, row); });
  connect(&session, &TraceSession::rangeChanged, this, &RangePanel::showRange);
  connect(&session, &TraceSession::traceChanged, this, &RangePanel::showRange);
  connect(&session, &TraceSession::shiftsChanged, this, &RangePanel::showRange);
  showTable(kNames);
  showRange();
}

RangePanel::~RangePanel() {
  giveUp();
}

void RangePanel::showTable(Table table) {
  m_choice->button(table)->setChecked(true);
  m_stack->setCurrentIndex(table);
  if (table == kNamesByRank) divide();
}

bool RangePanel::canExport() const {
  return m_cards[static_cast<std::size_t>(m_stack->currentIndex())]->model().rowCount() > 0;
}

void RangePanel::exportCsv() {
  m_cards[static_cast<std::size_t>(m_stack->currentIndex())]->exportCsv();
}

QString RangePanel::summary() const {
  return m_summary->text();
}

void RangePanel::giveUp() {
  if (m_cancel) *m_cancel = true;
  m_cancel.reset();
  m_task.drop();
  m_dividing.drop();
}

void RangePanel::showRange() {
  m_hits.reset();
  giveUp();
  m_statistics.reset();
  if (!m_session.trace() || !m_session.range()) {
    show({});
    return;
  }
  // Without folds, drawn times differ from the job's only by the shifts that align a step.
  const bool folded = !m_session.folds().empty();
  ask([scope = RangeScope{folded ? m_session.recorded(*m_session.range()) : *m_session.range(),
                          m_session.rangeTracks(), folded ? std::vector<TimeNs>() : m_session.shifts()}](
          const TraceSet& traces, const std::atomic<bool>& cancel) {
    auto statistics = rangeStatistics(traces, scope, defaultThreadCount(), cancel);
    // They lie around everything, so they would lead every list of names.
    if (statistics)
      std::erase_if(statistics->names,
                    [&](const NameSums& row) { return isOfProfiler(row.kind, traces.names()[row.name]); });
    return statistics;
  });
}

void RangePanel::showHits(std::shared_ptr<const SearchHits> hits, const QString& query) {
  m_hits = hits;
  m_query = query;
  giveUp();
  m_statistics.reset();
  ask([hits = std::move(hits)](const TraceSet& traces, const std::atomic<bool>& cancel) {
    return hitStatistics(traces, *hits, defaultThreadCount(), cancel);
  });
}

void RangePanel::ask(
    std::function<std::optional<RangeStatistics>(const TraceSet&, const std::atomic<bool>&)> compute) {
  m_cancel = std::make_shared<std::atomic<bool>>(false);
  const auto work = [trace = m_session.trace(), compute = std::move(compute), cancel = m_cancel] {
    Answer answer;
    auto statistics = compute(*trace, *cancel);
    if (!statistics) return answer;
    answer.tables = {std::make_shared<const ResultTable>(rangeNamesTable(*trace, *statistics)),
                     std::make_shared<const ResultTable>(rangeKindsTable(*statistics)),
                     std::make_shared<const ResultTable>(rangeRanksTable(*trace, *statistics))};
    answer.statistics = std::make_shared<const RangeStatistics>(*std::move(statistics));
    return answer;
  };
  m_task.ask(
      work, [this](const Answer& answer) { show(answer); }, [this](const Error& error) { giveUpFor(error); });
  showSummary();
}

void RangePanel::show(const Answer& answer) {
  m_statistics = answer.statistics;
  const QString reason =
      m_session.trace()
          ? tr("Shift+drag selects a time range on these tracks, dragging the ruler on all tracks; R: the "
               "range of the selected slice.")
          : QString();
  const QString nothing = m_statistics ? tr("No events in this range.") : reason;
  for (std::size_t i = 0; i < answer.tables.size(); ++i) m_cards[i]->setTable(answer.tables[i], nothing);
  m_divided.clear();
  card(kNamesByRank).setTable(nullptr, nothing);
  if (m_stack->currentIndex() == kNamesByRank) divide();
  showSummary();
}

std::vector<WantedName> RangePanel::wantedNames() const {
  const auto& names = m_statistics->names;
  std::vector<WantedName> wanted;
  for (const int row : m_cards[kNames]->selectedRows())
    wanted.push_back({names[static_cast<std::size_t>(row)].name, names[static_cast<std::size_t>(row)].kind});
  if (!wanted.empty()) return wanted;
  // With very many ranks, only the longest names are split by rank.
  const std::size_t most =
      std::max<std::size_t>(1, kMaxDivided / std::max<std::size_t>(1, m_statistics->ranks.size()));
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    wanted.push_back({names[i].name, names[i].kind});
  return wanted;
}

void RangePanel::divide() {
  if (!m_statistics || !m_session.trace()) return;
  if (!m_cancel) m_cancel = std::make_shared<std::atomic<bool>>(false);
  const auto work = [trace = m_session.trace(), statistics = m_statistics, hits = m_hits,
                     wanted = wantedNames(), cancel = m_cancel] {
    const unsigned threads = defaultThreadCount();
    auto rows = hits ? hitNamesByRank(*trace, *hits, *statistics, wanted, threads, *cancel)
                     : rangeNamesByRank(*trace, *statistics, wanted, threads, *cancel);
    Divided divided;
    if (!rows) return divided;
    divided.table = std::make_shared<const ResultTable>(rangeNamesByRankTable(*trace, *rows));
    divided.rows = *std::move(rows);
    return divided;
  };
  m_dividing.ask(
      work,
      [this](Divided divided) {
        m_divided = std::move(divided.rows);
        card(kNamesByRank).setTable(std::move(divided.table), tr("No events in this range."));
      },
      [this](const Error& error) { giveUpFor(error); });
}

void RangePanel::giveUpFor(const Error& error) {
  reportFailure(error);
  showSummary();
}

void RangePanel::showSummary() {
  QStringList facts;
  const auto drawn = m_session.range();
  const auto range = drawn ? std::optional(m_session.recorded(*drawn)) : std::nullopt;
  if (m_hits) {
    facts << tr("All matches of %1").arg(m_query);
  } else if (range && m_session.trace()) {
    const TimeNs origin = m_session.trace()->extent().begin;
    const TimeNs step = std::max<TimeNs>(1, range->length() / 1000);
    facts << tr("%1 from %2 to %3")
                 .arg(textOf(durationText(range->length())), textOf(timeText(range->begin - origin, step)),
                      textOf(timeText(range->end - origin, step)));
    const auto& tracks = m_session.rangeTracks();
    std::size_t count = 0;
    for (const RankTracks& of : tracks) count += of.tracks.size();
    if (tracks.empty())
      facts << tr("all tracks");
    else
      facts << counted(static_cast<qint64>(count), tr("1 track"), tr("%1 tracks"));
  } else {
    facts << tr("No range selected.");
  }
  if (m_statistics) {
    const RangeStatistics& statistics = *m_statistics;
    const auto ranks = static_cast<TimeNs>(statistics.ranks.size());
    if (ranks > 0) facts << counted(ranks, tr("1 rank"), tr("%1 ranks"));
    facts << counted(static_cast<qint64>(statistics.sums.count), tr("1 slice"), tr("%1 slices"));
    facts << tr("total %1").arg(textOf(durationText(statistics.sums.total)));
    ExactSum busy, device, exposed;
    for (const RankSums& rank : statistics.ranks) {
      busy += rank.busy;
      device += rank.device;
      exposed += rank.exposed;
    }
    const auto share = [&](TimeNs part) {
      const auto all = static_cast<double>(statistics.scope.range.length()) * static_cast<double>(ranks);
      return textOf(percentText(all > 0 ? 100.0 * static_cast<double>(part) / all : 0));
    };
    if (ranks > 0) facts << tr("busy %1 (%2)").arg(textOf(durationText(busy)), share(busy));
    if (device > 0) facts << tr("device %1").arg(share(device));
    if (exposed > 0) facts << tr("exposed %1").arg(textOf(durationText(exposed)));
  } else if (computing()) {
    facts << tr("computing …");
  }
  m_summary->setText(facts.join(QStringLiteral("  ·  ")));
}

void RangePanel::goTo(Table table, int row) {
  const auto at = static_cast<std::size_t>(row);
  if (!m_statistics || row < 0) return;
  if (table == kNames && at < m_statistics->names.size())
    m_session.reveal(m_statistics->names[at].sums.longestEvent);
  if (table == kNamesByRank && at < m_divided.size()) m_session.reveal(m_divided[at].of.sums.longestEvent);
}

} // namespace rankscope::ui
