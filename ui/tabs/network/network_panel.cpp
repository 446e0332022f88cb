// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/network_panel.h"

#include "core/analysis/job/recording_advice.h"
#include "core/report/one_rank.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/stacked_bars.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/network/network_columns.h"
#include "ui/tabs/network/topology_view.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/recipe_card.h"
#include "ui/widgets/tab_context.h"

#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr int kMargin = 16;
constexpr int kWide = 1250;        // minimum width for two cards side by side
constexpr int kVeryWide = 2300;    // for three
constexpr int kMostColumns = 6;    // of the grid: halves and thirds of it are cards
constexpr int kHeightOfARow = 120; // of the tab, for each row of a large table
constexpr int kMostTableRows = 24;
constexpr int kPlotHeight = 320;
constexpr int kMostPictureHeight = 560;
constexpr int kAroundCards = 220; // margins, and title and legend of the charts
constexpr int kTableRows = 10;
constexpr int kShortRows = 6;
constexpr int kMaxChoiceWidth = 240;

void keepNarrow(QComboBox& box, const QString& name) {
  box.setSizeAdjustPolicy(QComboBox::AdjustToContents);
  box.setMaximumWidth(scaledToText(kMaxChoiceWidth));
  box.setMinimumContentsLength(6);
  box.setAccessibleName(name);
}

bool isOnDevice(const Analysis& analysis, const CollectiveInstance& instance) {
  return std::ranges::any_of(analysis.collectives().match.of(instance), [&](const Participant& part) {
    const EventIndex event = analysis.collectiveCalls(part.rank)[part.call].event;
    return analysis.trace().rank(part.rank).trace->isDeviceEvent(event);
  });
}

// Keeps what was chosen, by its text.
void fill(QComboBox& box, const QStringList& texts) {
  const QSignalBlocker quiet(box);
  const QString chosen = box.currentText();
  box.clear();
  box.addItems(texts);
  box.setCurrentIndex(std::max(0, box.findText(chosen)));
}

} // namespace

NetworkPanel::NetworkPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_topology(new TopologyView(session)),
      m_topologyCard(new ChartCard(tr("Topology"), m_topology, session)), m_matrix(new HeatMap(session)),
      m_matrixCard(new ChartCard(tr("Network links"), m_matrix, session)),
      m_matrixKind(new ChoiceRow(tr("Links by"), {tr("NIC"), tr("Host")})), m_plot(new LogPlot(session)),
      m_plotCard(new ChartCard(tr("Bandwidth"), m_plot, session)), m_bars(new StackedBars(session)),
      m_barsCard(new ChartCard(tr("DDP bucket size"), m_bars, session)),
      m_buckets(new TableCard(tr("Predicted buckets"), bucketColumns(), session)),
      m_communicators(new TableCard(tr("Communicators"), communicatorColumns(), session)),
      m_problems(new TableCard(tr("Network problems"), problemColumns(), session)),
      m_algorithms(new TableCard(tr("Algorithms"), algorithmColumns(), session)),
      m_fits(new TableCard(tr("Latency and bandwidth"), fitColumns(), session)),
      m_links(new TableCard(tr("Links"), linkColumns(), session)),
      m_nics(new TableCard(tr("NICs"), nicColumns(), session)),
      m_settingsCard(new TableCard(tr("NCCL settings"), settingColumns(), session)),
      m_warnings(new TableCard(tr("Log warnings"), warningColumns(), session)),
      m_files(new TableCard(tr("Log files"), fileColumns(), session)), m_communicator(new QComboBox),
      m_mode(new ChoiceRow(tr("Ring or tree"), {tr("Ring"), tr("Tree")})), m_channel(new QComboBox),
      m_figure(new QComboBox), m_operation(new QComboBox), m_times(new QComboBox), m_within(new QComboBox),
      m_between(new QComboBox), m_recipe(new RecipeCard(tr("Record what NCCL does"), ncclRecipe())) {
  m_communicators->setMemoryKey(settings, QStringLiteral("network.communicators"));
  m_problems->setMemoryKey(settings, QStringLiteral("network.problems"));
  m_algorithms->setMemoryKey(settings, QStringLiteral("network.algorithms"));
  m_fits->setMemoryKey(settings, QStringLiteral("network.fits"));
  m_links->setMemoryKey(settings, QStringLiteral("network.links"));
  m_nics->setMemoryKey(settings, QStringLiteral("network.nics"));
  m_settingsCard->setMemoryKey(settings, QStringLiteral("network.settings"));
  m_buckets->setMemoryKey(settings, QStringLiteral("network.buckets"));
  m_warnings->setMemoryKey(settings, QStringLiteral("network.warnings"));
  m_files->setMemoryKey(settings, QStringLiteral("network.files"));
  m_warnings->setStretchColumn("text");
  m_files->setStretchColumn("file");
  m_communicators->setStretchColumn("links");
  m_communicators->setDefaultSort("ranks", Qt::DescendingOrder);
  m_problems->setStretchColumn("evidence");
  m_settingsCard->setStretchColumn("value");
  m_algorithms->setRowColor([this](int row, const Theme& theme) {
    if (!m_data || row < 0 || static_cast<std::size_t>(row) >= m_data->sizeOfRow.size()) return QColor();
    const auto& [series, size] = m_data->sizeOfRow[static_cast<std::size_t>(row)];
    const auto percent = m_data->bandwidth->series[series].sizes[size].efficiencyPct;
    return percent && *percent < 60 ? theme.warn : QColor();
  });
  m_problems->setRowColor([this](int row, const Theme& theme) {
    if (!m_data || row < 0 || static_cast<std::size_t>(row) >= m_data->problems.size()) return QColor();
    return m_data->problems[static_cast<std::size_t>(row)].warning ? theme.warn : QColor();
  });
  makeControls();
  layCards();
  connectAll();
  ask();
  showData(nullptr);
}

void NetworkPanel::makeControls() {
  keepNarrow(*m_communicator, tr("Communicator"));
  keepNarrow(*m_channel, tr("Channel"));
  keepNarrow(*m_operation, tr("Operation"));
  keepNarrow(*m_times, tr("Predicted number of ranks"));
  keepNarrow(*m_within, tr("Links within a host"));
  keepNarrow(*m_between, tr("Links between hosts"));
  m_topologyCard->addControl(m_communicator);
  m_topologyCard->addControl(m_mode);
  m_topologyCard->addControl(m_channel);
  keepNarrow(*m_figure, tr("Figure"));
  m_figure->addItems({tr("bus bandwidth"), tr("algorithm bandwidth"), tr("time")});
  m_figure->setToolTip(tr("Bus bandwidth is comparable with links, algorithm bandwidth is size over time"));
  m_times->addItems({tr("as measured"), tr("2 × ranks"), tr("4 × ranks"), tr("8 × ranks")});
  m_times->setToolTip(
      tr("Predicts more ranks: from the measured curve by ideal rings and trees, with its error"));
  m_within->addItem(tr("links recognized"), QString());
  m_within->setToolTip(
      tr("What GPUs of a host are connected by: as the logs or the device say, or as chosen here"));
  m_between->addItem(tr("NICs recognized"), QString());
  m_between->setToolTip(tr("What hosts are connected by: as the logs say, or as chosen here"));
  for (const Fabric& fabric : fabrics()) {
    QComboBox& box = fabric.betweenHosts ? *m_between : *m_within;
    const QString name = QString::fromUtf8(fabric.name.data(), static_cast<qsizetype>(fabric.name.size()));
    const QString title = QString::fromUtf8(fabric.title.data(), static_cast<qsizetype>(fabric.title.size()));
    box.addItem(title, name);
    if (!fabric.betweenHosts) continue;
    for (const int ports : {2, 4, 8})
      box.addItem(tr("%1 × %2").arg(ports).arg(title), QStringLiteral("%1:%2").arg(name).arg(ports));
  }
  m_matrixCard->addControl(m_matrixKind);
  m_matrix->setTipOf([this](std::size_t column, std::size_t row) {
    return m_matrixData.empty() ? QString() : m_matrixData.tip(column, row);
  });
  m_plotCard->addControl(m_figure);
  m_plotCard->addControl(m_operation);
  m_plotCard->addControl(m_times);
  m_algorithms->addControl(m_within);
  m_algorithms->addControl(m_between);
}

void NetworkPanel::layCards() {
  auto* cards = new QWidget;
  m_grid = new QGridLayout(cards);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(12);
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(12);
  column->addWidget(m_recipe);
  column->addWidget(cards);
  column->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  m_plotCard->setLeastChartHeight(scaledToText(kPlotHeight));
  // Before they are placed, so that a card is hidden only where it was asked to be.
  for (QWidget* const card : allCards()) card->setParent(cards);
  placeCards();
}

std::array<QWidget*, 13> NetworkPanel::allCards() const {
  return {m_topologyCard, m_communicators, m_plotCard,     m_algorithms, m_barsCard, m_buckets, m_matrixCard,
          m_nics,         m_links,         m_settingsCard, m_fits,       m_files,    m_warnings};
}

int NetworkPanel::heightOf(const QWidget* card) const {
  const auto* const table = qobject_cast<const TableCard*>(card);
  if (table == nullptr) return 0;
  const bool large =
      table == m_communicators || table == m_algorithms || table == m_links || table == m_buckets;
  const int tall = height() / scaledToText(kHeightOfARow);
  return table->heightFor(large ? std::clamp(tall, kTableRows, kMostTableRows) : kShortRows);
}

// What the rows of tables leave of the tab to the one row of charts, without its title and legend; negative
// where nothing is left, 0 where there are several such rows.
int NetworkPanel::heightLeft(const std::vector<QWidget*>& cards, int columns) const {
  int left =
      height() - scaledToText(kAroundCards) - (m_recipe->isHidden() ? 0 : m_recipe->sizeHint().height());
  int charts = 0;
  for (std::size_t first = 0; first < cards.size(); first += static_cast<std::size_t>(columns)) {
    const std::size_t end = std::min(cards.size(), first + static_cast<std::size_t>(columns));
    int high = 0;
    bool chart = false;
    for (std::size_t i = first; i < end; ++i) {
      high = std::max(high, heightOf(cards[i]));
      chart = chart || heightOf(cards[i]) == 0;
    }
    if (chart)
      ++charts;
    else
      left -= high;
  }
  return charts == 1 ? left : 0;
}

// Only cards with contents take a place, in rows of as many as fit; those of a row are equally high, and the
// last row is as wide as the others.
void NetworkPanel::placeCards() {
  const int columns = width() >= scaledToText(kVeryWide) ? 3 : width() >= scaledToText(kWide) ? 2 : 1;
  std::vector<QWidget*> cards;
  std::ranges::copy_if(allCards(), std::back_inserter(cards),
                       [](const QWidget* card) { return !card->isHidden(); });
  // A few rows share the height of a large window.
  const bool few = cards.size() <= 2 * static_cast<std::size_t>(columns);
  const int share = few ? std::max(height() * 2 / 5, heightLeft(cards, columns)) : height() / 4;
  m_plotCard->setLeastChartHeight(std::max(scaledToText(kPlotHeight), share));
  int row = 0;
  m_grid->addWidget(m_problems, row++, 0, 1, kMostColumns);
  m_problems->setFixedHeight(heightOf(m_problems));
  for (std::size_t first = 0; first < cards.size(); ++row) {
    const std::size_t count = std::min(cards.size() - first, static_cast<std::size_t>(columns));
    int high = 0;
    bool chart = false;
    for (std::size_t i = 0; i < count; ++i) {
      high = std::max(high, heightOf(cards[first + i]));
      chart = chart || heightOf(cards[first + i]) == 0;
    }
    for (std::size_t i = 0; i < count; ++i, ++first) {
      const int from = static_cast<int>(i) * kMostColumns / static_cast<int>(count);
      const int end = (static_cast<int>(i) + 1) * kMostColumns / static_cast<int>(count);
      m_grid->addWidget(cards[first], row, from, 1, end - from);
      if (heightOf(cards[first]) == 0) continue;
      cards[first]->setMinimumHeight(high);
      cards[first]->setMaximumHeight(chart ? QWIDGETSIZE_MAX : high);
    }
  }
  for (int column = 0; column < kMostColumns; ++column) m_grid->setColumnStretch(column, 1);
}

void NetworkPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  placeCards();
}

void NetworkPanel::connectAll() {
  connect(m_communicator, &QComboBox::currentIndexChanged, this, &NetworkPanel::fillChannels);
  connect(m_mode, &ChoiceRow::chosenChanged, this, &NetworkPanel::fillChannels);
  connect(m_channel, &QComboBox::currentIndexChanged, this, &NetworkPanel::showTopology);
  connect(m_matrixKind, &ChoiceRow::chosenChanged, this, &NetworkPanel::showMatrix);
  connect(m_figure, &QComboBox::currentIndexChanged, this, &NetworkPanel::showCurves);
  connect(m_operation, &QComboBox::currentIndexChanged, this, &NetworkPanel::showCurves);
  connect(m_times, &QComboBox::currentIndexChanged, this, &NetworkPanel::showCurves);
  connect(m_within, &QComboBox::currentIndexChanged, this, &NetworkPanel::ask);
  connect(m_between, &QComboBox::currentIndexChanged, this, &NetworkPanel::ask);
  connect(m_topology, &TopologyView::heightChanged, this, [this](int height) {
    m_topologyCard->setLeastChartHeight(std::min(height, scaledToText(kMostPictureHeight)));
  });
  connect(m_topology, &TopologyView::edgeClicked, this, &NetworkPanel::chooseLink);
  connect(m_plot, &LogPlot::pointClicked, this, &NetworkPanel::openPoint);
  connect(m_communicators, &TableCard::rowSelected, this, &NetworkPanel::chooseCommunicator);
  connect(m_problems, &TableCard::rowActivated, this, &NetworkPanel::openProblem);
  connect(m_algorithms, &TableCard::rowActivated, this, [this](int row) {
    if (!m_data || row < 0 || static_cast<std::size_t>(row) >= m_data->sizeOfRow.size()) return;
    openSize(m_data->sizeOfRow[static_cast<std::size_t>(row)].first,
             m_data->sizeOfRow[static_cast<std::size_t>(row)].second);
  });
}

void NetworkPanel::showOnly(const QString& words) {
  m_problems->setFilterWords(words);
}

FabricSettings NetworkPanel::chosenFabrics() const {
  FabricSettings settings;
  for (const QComboBox* const box : {m_within, m_between})
    if (const auto choice = fabricChoice(box->currentData().toString().toStdString()))
      settings.chosen.push_back(*choice);
  return settings;
}

// Not if all collectives ran on hosts, or there is no other rank.
bool NetworkPanel::mayLogNccl(const Analysis& analysis) {
  const auto& instances = analysis.collectives().match.instances;
  if (instances.empty()) return !hasOneRank(analysis);
  return std::ranges::any_of(
      instances, [&](const CollectiveInstance& of) { return !of.matched() || isOnDevice(analysis, of); });
}

QString NetworkPanel::whyNotMeasured(const Analysis* analysis) {
  const auto sized = [](const CollectiveInstance& instance) { return instance.bytes.has_value(); };
  const auto matched = [](const CollectiveInstance& instance) { return instance.matched(); };
  const std::vector<CollectiveInstance> none;
  const auto& instances = analysis ? analysis->collectives().match.instances : none;
  const bool known = std::ranges::any_of(instances, matched);
  if (known && std::ranges::none_of(instances,
                                    [&](const CollectiveInstance& of) { return isOnDevice(*analysis, of); }))
    return tr(
        "The collectives of this job ran on hosts, as those of gloo do. Bandwidth is measured of collectives "
        "on devices, and rings and links are those that NCCL logs.");
  if (analysis && !known && callsUnrecordedCollectives(*analysis)) return textOf(kUnrecordedCollectivesText);
  if (analysis && hasOneRank(*analysis)) return tr("The job has one rank: no network traffic.");
  if (!known || std::ranges::any_of(instances, sized))
    return tr(
        "No log of NCCL, no table of nccl-tests and no collective that was recorded on all of its ranks is "
        "among the files; sends and receives are not measured.");
  if (recordedByNsight(analysis->trace()))
    return tr(
        "The sizes of collectives are not in the files, so their bandwidth is not known: export with nsys "
        "2026.1 or later and --include-blobs=true.");
  return tr("The sizes of collectives were not recorded, so their bandwidth is not known.");
}

void NetworkPanel::ask() {
  setReportContents<NetworkData>(
      [fabrics = chosenFabrics()](const JobReport& report) { return networkData(report, fabrics); },
      [this](const std::shared_ptr<const NetworkData>& made) { showData(made); });
}

void NetworkPanel::showData(const std::shared_ptr<const NetworkData>& made) {
  m_data = made;
  const bool log = m_data && m_data->log;
  const bool measured = m_data && m_data->measured;
  m_recipe->setVisible(m_data && !log);
  const bool mayLog = measured || !analysis() || mayLogNccl(*analysis());
  m_recipe->setCodeVisible(mayLog);
  m_recipe->setText(
      !mayLog ? whyNotMeasured(analysis().get())
      : measured
          ? tr("No log of NCCL is among the files, so transports, rings and algorithms are not known. Set "
               "this on every rank and put the logs beside the traces.")
          : whyNotMeasured(analysis().get()) +
                tr(" For what NCCL does, set this on every rank and put the logs beside the traces, "
                   "or open them alone."));
  for (QWidget* card : {static_cast<QWidget*>(m_topologyCard), static_cast<QWidget*>(m_communicators),
                        static_cast<QWidget*>(m_links), static_cast<QWidget*>(m_nics),
                        static_cast<QWidget*>(m_settingsCard), static_cast<QWidget*>(m_files)})
    card->setVisible(!m_data || log);
  m_problems->setVisible(!m_data || !m_data->problems.empty() || log);
  m_plotCard->setVisible(!m_data || measured);
  m_fits->setVisible(!m_data || measured);
  m_barsCard->setVisible(m_data && !m_data->advice.empty());
  m_buckets->setVisible(m_data && m_data->buckets->rowCount() > 0);
  m_algorithms->setVisible(!m_data || measured || m_data->algorithms->rowCount() > 0);
  m_warnings->setVisible(m_data && m_data->warnings->rowCount() > 0);
  if (m_data) {
    m_nics->setVisible(m_data->nics->rowCount() > 0);
    m_settingsCard->setVisible(m_data->settings->rowCount() > 0);
  }
  showTables();
  showBuckets();
  fillChoices();
  placeCards();
}

void NetworkPanel::showTables() {
  const QString wait = m_data ? QString() : tr("Computing …");
  const auto set = [&](TableCard& card, const std::shared_ptr<const ResultTable> NetworkData::*table,
                       const QString& empty) {
    card.setTable(m_data ? (*m_data).*table : nullptr, m_data ? empty : wait);
  };
  set(*m_problems, &NetworkData::problemsTable, tr("No problem was found in the logged links."));
  set(*m_communicators, &NetworkData::communicators, tr("The logs have no communicator."));
  set(*m_algorithms, &NetworkData::algorithms, tr("No collective was measured."));
  set(*m_fits, &NetworkData::fits, tr("No collective was measured."));
  set(*m_nics, &NetworkData::nics, tr("The logs name no NIC."));
  set(*m_settingsCard, &NetworkData::settings, tr("No setting was logged."));
  set(*m_warnings, &NetworkData::warnings, tr("No warning was logged."));
  set(*m_files, &NetworkData::files, tr("No log was read."));
  m_problems->setCaption(m_data && !m_data->problems.empty() ? tr("double-click a row to open its finding")
                                                             : QString());
  m_algorithms->setCaption(m_data ? m_data->linksText : QString());
  const std::size_t files = m_data ? m_data->network->records->paths.size() : 0;
  m_communicators->setCaption(files == 0   ? QString()
                              : files == 1 ? tr("from 1 file")
                                           : tr("from %1 files").arg(files));
}

void NetworkPanel::fillChoices() {
  // A choice stands before what was recognized, which is not known then.
  const auto recognized = [&](const Fabric* ExpectedLinks::*of) {
    return !m_data || std::ranges::any_of(m_data->bandwidth->series, [&](const BandwidthSeries& series) {
      return series.links.*of != nullptr;
    });
  };
  if (m_within->currentIndex() == 0)
    m_within->setItemText(0, recognized(&ExpectedLinks::within) ? tr("links recognized")
                                                                : tr("links not recognized"));
  if (m_between->currentIndex() == 0)
    m_between->setItemText(0, recognized(&ExpectedLinks::between) ? tr("NICs recognized")
                                                                  : tr("NICs not recognized"));
  fill(*m_communicator, m_data ? m_data->drawnNames : QStringList());
  m_communicator->setVisible(m_communicator->count() > 1);
  QStringList operations = m_data ? m_data->operations : QStringList();
  if (operations.size() > 1) operations.prepend(tr("all operations"));
  fill(*m_operation, operations);
  m_operation->setVisible(operations.size() > 1);
  fillChannels();
  showCurves();
}

int NetworkPanel::drawnCommunicator() const {
  const int chosen = m_communicator->currentIndex();
  if (!m_data || chosen < 0 || static_cast<std::size_t>(chosen) >= m_data->drawn.size()) return -1;
  return static_cast<int>(m_data->drawn[static_cast<std::size_t>(chosen)]);
}

void NetworkPanel::fillChannels() {
  const int of = drawnCommunicator();
  m_channels.clear();
  QStringList texts;
  if (of >= 0)
    m_channels = channelChoices(m_data->network->topology.communicators[static_cast<std::size_t>(of)],
                                m_mode->chosen() == 0 ? PictureMode::Ring : PictureMode::Tree);
  for (const ChannelChoice& choice : m_channels) texts << choice.text;
  fill(*m_channel, texts);
  m_channel->setVisible(texts.size() > 2);
  showTopology();
}

namespace tabs {

TabPage* network(const TabContext& context) {
  return new NetworkPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
