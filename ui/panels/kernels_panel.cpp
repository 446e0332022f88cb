// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/kernels_panel.h"

#include "ui/counted.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

// What the choice of ranks holds beside a rank's number.
constexpr qint64 kTogether = -1;
constexpr qint64 kEach = -2;

// Without the return type and the namespaces that every kernel of PyTorch lives in.
QString readableKernel(const QString& name) {
  static const QRegularExpression noise(
      QStringLiteral("^void |\\b(?:at|native|c10|detail|std|cuda|cub|thrust)::(?:\\w+_cuda::)?|\\(anonymous "
                     "namespace\\)::"));
  QString text = name;
  return text.remove(noise);
}

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
      {.source = "calls", .title = tr("Calls")},
      {.source = "total_us",
       .title = tr("Share"),
       .tip =
           tr("Part of the device time of all rows, or of the chosen rank's; times are summed over streams"),
       .share = true},
      {.source = "total_us", .title = tr("Total"), .tip = tr("Sum of the calls' durations")},
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
       .tip = tr("1: the kernel uses tensor cores, as far as its name tells"),
       .hide = Hide::AllEmpty},
  };
}

} // namespace

KernelsPanel::KernelsPanel(const TraceSession& session, QWidget* parent) : QWidget(parent) {
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
  connect(m_card, &TableCard::shownRowsChanged, this, &KernelsPanel::updateCaption);
  setTables(nullptr, nullptr);
}

void KernelsPanel::setTables(std::shared_ptr<const ResultTable> totals,
                             std::shared_ptr<const ResultTable> byRank) {
  m_totals = std::move(totals);
  m_byRank = std::move(byRank);
  listRanks();
  showChosen();
}

void KernelsPanel::listRanks() {
  std::set<qint64> ranks;
  const auto column = m_byRank ? m_byRank->columnNamed("rank") : std::nullopt;
  for (std::size_t row = 0; column && row < m_byRank->rowCount(); ++row) {
    const Cell cell = m_byRank->at(row, *column);
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
  const auto& table = chosen == kTogether ? m_totals : m_byRank;
  m_card->setTable(
      table, table ? tr("No device activity in this job: it ran on the CPU, or the profiler was not told to "
                        "record the device (activities=[ProfilerActivity.CUDA]).")
                   : tr("Being computed …"));
  m_card->setFilterRank(chosen >= 0 ? std::optional(chosen) : std::nullopt);
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

} // namespace rankscope::ui
