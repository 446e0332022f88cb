// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/kernels_panel.h"

#include "core/report/tables.h"
#include "ui/counted.h"
#include "ui/readable_kernel.h"
#include "ui/trace_session.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

// What the choice of ranks holds beside a rank's number.
constexpr qint64 kTogether = -1;
constexpr qint64 kEach = -2;

std::vector<ShownColumn> kernelColumns() {
  const auto tr = [](const char* text) { return KernelsPanel::tr(text); };
  return {
      {.source = "rank", .title = tr("Rank"), .hide = Hide::AllSame},
      {.source = "capture",
       .title = tr("Capture"),
       .tip = tr("Profiling cycle of the rank, in order of time"),
       .hide = Hide::AllSame},
      {.source = "kernel", .title = tr("Kernel"), .display = readableKernel},
      {.source = "kind",
       .title = tr("Kind"),
       .tip = tr("compute, communication between devices, or memory copies and sets")},
      {.source = "calls", .title = tr("Calls"), .footer = Footer::Sum},
      {.source = "total_us",
       .title = tr("Share"),
       .tip =
           tr("Part of the device time of all rows, or of the chosen rank's; times are summed over streams"),
       .share = true,
       .footer = Footer::Sum},
      {.source = "total_us",
       .title = tr("Total"),
       .tip = tr("Sum of the calls' durations"),
       .footer = Footer::Sum},
      {.source = "mean_us", .title = tr("Mean")},
      {.source = "min_us", .title = tr("Min")},
      {.source = "max_us", .title = tr("Max")},
      {.source = "stddev_us", .title = tr("Spread"), .tip = tr("Standard deviation of the calls' durations")},
      {.source = "blocks_per_sm",
       .title = tr("Blocks/SM"),
       .tip = tr("Mean over the calls, weighted by duration"),
       .hide = Hide::AllEmpty},
      {.source = "occupancy_pct",
       .title = tr("Occup."),
       .tip = tr("Mean estimated achieved occupancy, weighted by duration"),
       .hide = Hide::AllEmpty},
      {.source = "tensor_cores",
       .title = tr("TC"),
       .tip = tr("Whether the kernel uses tensor cores, as far as its name tells"),
       .hide = Hide::AllEmpty,
       .words = yesOrNo},
  };
}

} // namespace

KernelsPanel::KernelsPanel(TraceSession& session, QWidget* parent)
    : AnalysisPage(parent), m_session(session) {
  m_filter = new QLineEdit;
  m_filter->setPlaceholderText(tr("Filter kernels …"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setAcceptDrops(false);
  m_filter->setFixedWidth(420);
  m_rank = new QComboBox;
  m_rank->setToolTip(tr("Whose kernels are shown"));
  m_card = new TableCard(tr("Kernels"), kernelColumns(), session);
  m_card->setStretchColumn("kernel");
  m_card->setKindColumn("kind");
  m_card->setDefaultSort("total_us", Qt::DescendingOrder);

  auto* bar = new QHBoxLayout;
  bar->setSpacing(12);
  bar->addWidget(m_filter);
  bar->addWidget(m_rank);
  bar->addStretch();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addLayout(bar);
  column->addWidget(m_card, 1);

  connect(m_filter, &QLineEdit::textChanged, m_card, &TableCard::setFilterWords);
  connect(m_rank, &QComboBox::currentIndexChanged, this, &KernelsPanel::showChosen);
  connect(m_card, &TableCard::filterCleared, m_filter, &QLineEdit::clear);
  connect(m_card, &TableCard::shownRowsChanged, this, &KernelsPanel::updateCaption);
  connect(m_card, &TableCard::rowActivated, this, &KernelsPanel::revealKernel);
  setContents<Tables>(
      [](const Analysis& analysis) {
        return Tables{std::make_shared<const ResultTable>(kernelTotalsTable(analysis)),
                      std::make_shared<const ResultTable>(kernelsTable(analysis))};
      },
      [this](const std::shared_ptr<const Tables>& tables) {
        m_tables = tables ? *tables : Tables();
        listRanks();
        showChosen();
      });
  listRanks();
  showChosen();
}

void KernelsPanel::listRanks() {
  std::set<qint64> ranks;
  const auto column = m_tables.byRank ? m_tables.byRank->columnNamed("rank") : std::nullopt;
  for (std::size_t row = 0; column && row < m_tables.byRank->rowCount(); ++row) {
    const Cell cell = m_tables.byRank->at(row, *column);
    if (const auto* rank = std::get_if<std::int64_t>(&cell)) ranks.insert(*rank);
  }
  const QVariant chosen = m_rank->currentData();
  const QSignalBlocker quiet(m_rank);
  m_rank->clear();
  m_rank->addItem(tr("All ranks together"), kTogether);
  m_rank->addItem(tr("Rank by rank"), kEach);
  for (const qint64 rank : ranks) m_rank->addItem(tr("Rank %1").arg(rank), rank);
  m_rank->setVisible(ranks.size() > 1);
  m_rank->setCurrentIndex(std::max(0, m_rank->findData(chosen)));
}

void KernelsPanel::showChosen() {
  const qint64 chosen = m_rank->currentData().toLongLong();
  const auto& table = chosen == kTogether ? m_tables.totals : m_tables.byRank;
  m_card->setTable(
      table, table ? tr("No device activity in this job: it ran on the CPU, or the profiler was not told to "
                        "record the device (activities=[ProfilerActivity.CUDA]).")
                   : tr("Being computed …"));
  m_card->setFilterRank(chosen >= 0 ? std::optional(chosen) : std::nullopt);
}

void KernelsPanel::showOnly(const QString& words) {
  m_filter->setText(words);
}

void KernelsPanel::updateCaption() {
  const auto& table = m_card->model().table();
  if (!table || table->rowCount() == 0) return m_card->setCaption({});
  const qint64 chosen = m_rank->currentData().toLongLong();
  const qint64 shown = m_card->shownRows();
  const qint64 total = chosen >= 0 ? m_card->rowsOfRank() : static_cast<qint64>(table->rowCount());
  const QString all = chosen == kEach ? counted(total, tr("1 row"), tr("%1 rows"))
                                      : counted(total, tr("1 name"), tr("%1 names"));
  m_card->setCaption((shown == total ? all : tr("%1 of %2").arg(shown).arg(all)) +
                     tr(" · double click one to see its longest call"));
}

void KernelsPanel::revealKernel(int tableRow) {
  const auto& traces = m_session.trace();
  if (!traces || tableRow < 0) return;
  // Without a rank in the row: the longest call on any.
  const ResultTableModel& model = m_card->model();
  const QString rank = model.textOf(tableRow, "rank");
  const QString capture = model.textOf(tableRow, "capture");
  const std::string name = model.textOf(tableRow, "kernel").toStdString();
  EventRef longest;
  for (std::size_t i = 0; i < traces->ranks().size(); ++i) {
    const RankEntry& entry = traces->ranks()[i];
    if (!rank.isEmpty() && (rank.toInt() != entry.rank || capture.toInt() != entry.capture)) continue;
    const EventColumns& events = entry.trace->events;
    for (EventIndex event = entry.trace->deviceBegin; event < entry.trace->deviceEnd; ++event.value) {
      if (longest.valid() && events.duration[event] <= m_session.rangeOf(longest).length()) continue;
      if (traces->names()[events.name[event]] == name) longest = {RankIndex(i), event};
    }
  }
  if (!longest.valid()) return;
  m_session.reveal(longest);
  emit timelineWanted();
}

} // namespace rankscope::ui
