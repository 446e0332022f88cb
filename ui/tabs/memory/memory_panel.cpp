// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tables/table_figures.h"

#include "core/analysis/job/recording_advice.h"
#include "core/base/exact_sum.h"
#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/io/load/side_loader.h"
#include "core/model/rank_digest.h"
#include "core/report/grouped_tables.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/table_rows.h"
#include "ui/tabs/memory/memory_columns.h"
#include "ui/tabs/memory/model_sizes.h"
#include "ui/widgets/figure_card.h"
#include "ui/widgets/recipe_card.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QDir>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kCurveHeight = 260;
constexpr int kTableHeight = 260;
constexpr int kNarrow = 640;        // below this width, charts are below each other
constexpr int kNarrowTables = 1000; // and tables, whose columns would be hidden
constexpr double kMuchUnused = 0.2; // share of reserved memory, as in the fragmentation finding

QString bytes(std::int64_t amount) {
  return QString::fromStdString(bytesText(amount));
}

// Operators of the shown device by part of the model.
ModelPartRows::Make partsOf(const MemoryData& memory) {
  return [rank = memory.place->rank, device = memory.device.name(),
          perStep = TableFigures::ofProgram().perStep()](const JobReport& report, CallGrouping grouping) {
    const RankEntry& entry = report.analysis().trace().rank(rank);
    const JobReport sums(analysisOfSums(report.sharedAnalysis(), perStep));
    const auto all =
        groupedTable(sums, "memory", grouping, {.each = true, .rank = entry.rank}, defaultThreadCount());
    return rowsWhere(*all, {{"capture", std::int64_t{entry.capture}}, {"device", std::string_view(device)}});
  };
}

Figure growthFigure(const MemoryFigures& figures) {
  if (!figures.growth) return {{}, tr("needs at least 3 steps"), FigureLevel::Unknown};
  const MemoryGrowth& growth = *figures.growth;
  const auto perStep = static_cast<std::int64_t>(std::llround(growth.bytesPerStep));
  const QString sign = perStep > 0 ? QStringLiteral("+") : QString();
  const QString value = tr("%1/step").arg(sign + bytes(perStep));
  const QString steps = counted(growth.steps, tr("1 step"), tr("%1 steps"));
  if (!growth.isLeak()) return {value, tr("no steady growth over %1").arg(steps)};
  return {value, tr("grew in %1 of %2 steps").arg(growth.growingSteps).arg(growth.steps - 1),
          FigureLevel::Warning};
}

QString memoryRecipe() {
  return QStringLiteral("with profile(profile_memory=True, record_shapes=True) as profiler:\n"
                        "    ...\n\n"
                        "# or a snapshot, which has the stack of every block:\n"
                        "torch.cuda.memory._record_memory_history()\n"
                        "...  # some steps\n"
                        "torch.cuda.memory._dump_snapshot(f\"rank{rank}_snapshot.pickle\")\n");
}

// Of a digest, which has not the snapshots themselves: where they lie. Empty without any.
QString snapshotsElsewhere(const TraceSet& trace) {
  constexpr qsizetype kMostNamed = 3;
  if (!isDigest(trace)) return {};
  QStringList paths;
  for (const FileRecord& file : trace.files())
    if (file.note.starts_with(kNoteOfSnapshot)) paths << QString::fromStdString(file.path);
  if (paths.isEmpty()) return {};
  const qsizetype count = paths.size();
  QString named = paths.mid(0, kMostNamed).join(QStringLiteral(", "));
  if (count > kMostNamed) named += tr(" and %1 more, which Files lists").arg(count - kMostNamed);
  QString text = tr("Memory snapshots: %1. A digest has their findings and, for rankscope-cli, the tables "
                    "snapshots, snapshot_blocks and snapshot_segments. Open a snapshot itself to see its "
                    "blocks over time.")
                     .arg(named);
  if (std::ranges::any_of(paths, [](const QString& path) { return QDir::isRelativePath(path); }))
    text += tr(" Relative paths start at %1.").arg(QString::fromStdString(trace.side().digestedIn));
  return text;
}

bool hasAllocations(const TraceSet* trace) {
  return trace != nullptr && std::ranges::any_of(trace->ranks(), [](const RankEntry& rank) {
           return !rank.trace->memory.empty();
         });
}

QString whyNoMemory(const TraceSet& trace) {
  if (!trace.side().snapshots.empty())
    return tr("The memory snapshot is empty: nothing was reserved or recorded. Start its history before the "
              "steps, and dump it in the process that has the tensors.");
  const std::string option = optionFor(Recordable::Memory, trace);
  QString text = tr("No allocations were recorded. Profile with %1, or open a memory snapshot of each rank, "
                    "alone or beside the traces.")
                     .arg(textOf(option));
  // Some builds and allocators report none to the profiler.
  if (option == "profile_memory=True")
    text += tr(" If it was on, the profiler recorded no allocation: open snapshots.");
  return text;
}

} // namespace

MemoryPanel::MemoryPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_blocksTask(session.pending()),
      m_devices(new QComboBox),
      m_peakAllocated(new FigureCard(tr("Peak allocated"),
                                     tr("Maximum memory held by tensors, as counted by the allocator"))),
      m_peakReserved(
          new FigureCard(tr("Peak reserved"), tr("Maximum memory the caching allocator held on the device"))),
      m_unused(
          new FigureCard(tr("Reserved but unallocated"),
                         tr("Reserved minus allocated at the allocation peak: cached or fragmented memory"))),
      m_growth(new FigureCard(tr("Growth"), tr("Median slope of the minimum allocated within each step"))),
      m_curve(new LinePlot(session)), m_peaks(new LinePlot(session)), m_which(new QComboBox),
      m_roles(new RolesSection(session, settings)), m_elsewhere(new WrappedLabel),
      m_onlyHost(new WrappedLabel), m_snapshots(new SnapshotSection(session, settings)),
      m_recipe(new RecipeCard(tr("Record memory"), memoryRecipe())), m_recorded(new QWidget),
      m_charts(new QHBoxLayout), m_tables(new QHBoxLayout), m_model(new ModelSizes(settings)),
      m_modelCard(m_model->card()) {
  m_devices->setToolTip(tr("Device"));
  m_curveCard = new ChartCard(tr("Memory over time"), m_curve, session);
  m_curveCard->addControl(m_devices);
  m_curveCard->setMinimumHeight(scaledToText(kCurveHeight));
  m_peaksCard = new ChartCard(tr("Peak by rank"), m_peaks, session);
  m_peaksCard->setCaption({}, tr("click a rank to select it"));
  const auto barColor = [](int, const Theme& theme) { return theme.accent; };
  m_operators = new TableCard(tr("By operator"), memoryOperatorColumns(), session);
  m_operators->setStretchColumn("operator");
  m_operators->setDefaultSort("self_allocation_bytes", Qt::DescendingOrder);
  m_operators->setBarColor(barColor);
  m_operators->setMinimumHeight(scaledToText(kTableHeight));
  m_blocks = new TableCard(tr("Blocks"), memoryBlockColumns(), session);
  m_blocks->setStretchColumn("operator");
  m_blocks->setDefaultSort("bytes", Qt::DescendingOrder);
  m_blocks->setMinimumHeight(scaledToText(kTableHeight));
  m_operators->setMemoryKey(settings, QStringLiteral("memory.operators"));
  m_blocks->setMemoryKey(settings, QStringLiteral("memory.blocks"));
  m_parts = new ModelPartRows(session.pending(), this);
  m_operators->addControl(&m_parts->choice());
  connect(m_parts, &ModelPartRows::changed, this, &MemoryPanel::showOperators);
  m_which->addItems({tr("live at the cursor"), tr("all")});
  m_blocks->addControl(m_which);
  m_elsewhere->setObjectName(QStringLiteral("snapshotsElsewhere"));
  m_onlyHost->setObjectName(QStringLiteral("onlyHostMemory"));
  m_onlyHost->setText(
      tr("No GPU allocations were recorded: this is CPU memory. The profiler records what PyTorch's "
         "caching allocator does; here it was off, or another allocator was in use."));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(makePage());
  m_roles->takeModel(m_modelCard);
  connect(m_model, &ModelSizes::changed, this, &MemoryPanel::make);
  connect(&TableFigures::ofProgram(), &TableFigures::perStepChanged, this, &MemoryPanel::make);

  m_curve->setTipAt([this](double x) { return tipOf(x); });
  connect(m_curve, &LinePlot::clicked, this, [this](int, double x) { setCursor(x); });
  connect(m_which, &QComboBox::currentIndexChanged, this,
          [this](int index) { setShowsAllBlocks(index == 1); });
  connect(m_peaks, &LinePlot::clicked, this, [this](int, double x) {
    const auto last = static_cast<double>(m_made->peakPlaces.size()) - 1;
    m_wanted = m_made->peakPlaces[static_cast<std::size_t>(std::clamp(std::round(x), 0.0, last))];
    make();
  });
  connect(m_devices, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (!m_made || index < 0) return;
    m_wanted = m_made->places[static_cast<std::size_t>(index)].place;
    make();
  });
  connect(&m_roles->curve(), &LinePlot::clicked, this, [this](int, double x) {
    if (m_made && m_made->place) setCursor(x);
  });
  connect(m_snapshots, &SnapshotSection::timelineWanted, this, &MemoryPanel::timelineWanted);
  connect(m_blocks, &TableCard::rowActivated, this, &MemoryPanel::revealBlock);
  connect(m_operators, &TableCard::rowActivated, this, &MemoryPanel::revealOperator);
  make();
  showData(nullptr);
}

// Scrolls if not everything fits.
QWidget* MemoryPanel::makePage() {
  auto* figures = new FigureRow;
  for (FigureCard* card : {m_peakAllocated, m_peakReserved, m_unused, m_growth}) figures->addCard(card);
  m_charts->setSpacing(16);
  m_charts->addWidget(m_curveCard, 2);
  m_charts->addWidget(m_peaksCard, 1);
  m_tables->setSpacing(16);
  m_tables->addWidget(m_operators, 1);
  m_tables->addWidget(m_blocks, 1);
  auto* page = new QWidget;
  page->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addWidget(m_recipe);
  column->addWidget(m_elsewhere);
  column->addWidget(m_snapshots);
  auto* recorded = new QVBoxLayout(m_recorded);
  recorded->setContentsMargins(0, 0, 0, 0);
  recorded->setSpacing(16);
  recorded->addWidget(m_onlyHost);
  recorded->addWidget(figures);
  recorded->addLayout(m_charts, 1);
  recorded->addWidget(m_roles);
  recorded->addLayout(m_tables, 1);
  recorded->addStretch(); // where a memory timeline has neither charts nor tables
  column->addWidget(m_recorded, 1);
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(page);
  return scroll;
}

void MemoryPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  const auto place = [](QBoxLayout* row, bool narrow) {
    row->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  };
  const bool narrow = width() < scaledToText(kNarrowTables);
  place(m_charts, width() < scaledToText(kNarrow));
  place(m_tables, narrow);
  m_roles->setNarrow(narrow);
  m_snapshots->setNarrow(narrow);
}

void MemoryPanel::make() {
  setReportContents<MemoryData>(
      [wanted = m_wanted, settings = m_model->values(), perStep = TableFigures::ofProgram().perStep()](
          const JobReport& report) { return memoryDataOf(report, wanted, settings, perStep); },
      [this](const std::shared_ptr<const MemoryData>& made) { showData(made); });
}

void MemoryPanel::showData(const std::shared_ptr<const MemoryData>& made) {
  if (made && m_session.trace()) {
    // What was said of this job before.
    m_model->setJob(QString::fromStdString(m_session.trace()->jobName()));
    m_model->setGuesses(made->guesses);
    if (m_model->values() != made->settings) {
      make();
      prepare(); // also for a picture, while the tab is hidden
      return;
    }
  }
  const bool another = !made || !m_made || m_made->place != made->place;
  m_made = made;
  if (another && made) m_cursor = static_cast<double>(made->peakAt);
  m_roles->setData(made ? &made->roles : nullptr);
  m_snapshots->setData(made ? made->snapshots : nullptr);
  const bool recorded =
      !made || made->place || made->roles.hasCurve || hasAllocations(m_session.trace().get());
  m_recorded->setVisible(recorded);
  const auto trace = m_session.trace();
  if (trace) m_recipe->setText(whyNoMemory(*trace));
  m_elsewhere->setText(made && trace ? snapshotsElsewhere(*trace) : QString());
  m_elsewhere->setVisible(!m_elsewhere->text().isEmpty());
  m_onlyHost->setVisible(made && made->onlyHost);
  m_recipe->setVisible(!recorded && m_snapshots->isHidden() && m_elsewhere->isHidden());
  // A memory timeline alone has categories over time, and no blocks.
  for (QWidget* card : {static_cast<QWidget*>(m_curveCard), static_cast<QWidget*>(m_operators),
                        static_cast<QWidget*>(m_blocks)})
    card->setVisible(!timelineAlone());
  // Without addresses there are none at any time; the section of roles says so.
  if (made && made->place && made->blocks.blocks.empty() && !made->roles.roles) m_blocks->hide();
  showModel();
  listDevices();
  showFigures();
  showCurve();
  showPeaks();
  m_parts->setSource(made ? report() : nullptr, made && made->place ? partsOf(*made) : ModelPartRows::Make());
  showOperators();
  showBlocks();
}

void MemoryPanel::showOperators() {
  const bool waits = !m_made || (m_parts->wanted() && !m_parts->table());
  m_operators->setTable(waits               ? nullptr
                        : m_parts->wanted() ? m_parts->table()
                                            : m_made->operators,
                        waits ? tr("Computing …") : tr("No allocations were recorded in this range."));
  m_operators->setCaption(m_made ? m_made->where : QString());
}

// Above what is expected of it: of the recording, else of a snapshot.
void MemoryPanel::showModel() {
  const bool ofRoles = m_made && m_made->roles.expected;
  const bool ofSnapshot = m_made && !m_snapshots->isHidden() &&
                          std::ranges::any_of(m_made->snapshots->places,
                                              [](const SnapshotPlace& of) { return of.expected != nullptr; });
  m_modelCard->setVisible(ofRoles || ofSnapshot);
  if (ofRoles)
    m_roles->takeModel(m_modelCard);
  else if (ofSnapshot)
    m_snapshots->takeModel(m_modelCard);
}

void MemoryPanel::listDevices() {
  const QSignalBlocker quiet(m_devices);
  m_devices->clear();
  m_devices->setVisible(m_made && m_made->places.size() > 1);
  if (!m_made) return;
  QStringList texts;
  texts.reserve(static_cast<qsizetype>(m_made->places.size()));
  // Measuring thousands of entries takes long.
  constexpr std::size_t kManyDevices = 100;
  if (m_made->places.size() > kManyDevices) {
    m_devices->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_devices->setMinimumContentsLength(static_cast<int>(m_made->places.front().text.size()));
  }
  int chosen = -1;
  for (const MemoryDeviceName& known : m_made->places) {
    if (known.place == m_made->place) chosen = static_cast<int>(texts.size());
    texts << known.text;
  }
  m_devices->addItems(texts);
  m_devices->setCurrentIndex(chosen);
}

bool MemoryPanel::timelineAlone() const {
  return m_made && !m_made->place && m_made->roles.hasCurve && m_session.trace() != nullptr &&
         !m_session.trace()->side().timelines.empty();
}

void MemoryPanel::showFigures() {
  if (timelineAlone()) {
    const MemoryTimeline& timeline = m_session.trace()->side().timelines.front();
    m_peakAllocated->setFigure({bytes(timeline.points[timeline.peak].total()), m_made->roles.where});
    for (FigureCard* card : {m_peakReserved, m_unused, m_growth})
      card->setFigure({{}, tr("not in a memory timeline"), FigureLevel::Unknown});
    return;
  }
  if (!m_made || !m_made->place) {
    for (FigureCard* card : {m_peakAllocated, m_peakReserved, m_unused, m_growth})
      card->setFigure({{}, m_made ? tr("not recorded") : QString(), FigureLevel::Unknown});
    return;
  }
  const MemoryFigures& figures = m_made->figures;
  QString where = m_made->where;
  if (figures.peakStep) where += tr(" · step %1").arg(*figures.peakStep);
  if (m_made->allocatedIsSum) where += tr(" · relative to the first memory event");
  m_peakAllocated->setFigure({bytes(figures.peakAllocated->allocated), where});
  const Figure unknown{{}, tr("not recorded for this device"), FigureLevel::Unknown};
  m_peakReserved->setFigure(
      !figures.peakReserved
          ? unknown
          : Figure{bytes(figures.peakReserved->reserved),
                   figures.deviceBytes ? tr("of %1").arg(bytes(*figures.deviceBytes)) : m_made->where});
  const std::int64_t reserved = figures.peakAllocated->reserved;
  if (!figures.unused || reserved <= 0) {
    m_unused->setFigure(unknown);
  } else {
    const double share = static_cast<double>(*figures.unused) / static_cast<double>(reserved);
    m_unused->setFigure(
        {bytes(*figures.unused),
         tr("%1 of reserved memory at the peak").arg(QString::fromStdString(percentText(100 * share))),
         share >= kMuchUnused ? FigureLevel::Warning : FigureLevel::Fine});
  }
  m_growth->setFigure(growthFigure(figures));
}

void MemoryPanel::showCurve() {
  const bool any = m_made && !m_made->curve.curves.empty();
  Curves curve = any ? m_made->curve : Curves();
  if (any) curve.marks.push_back({static_cast<double>(m_made->peakAt), tr("peak"), &Theme::bad});
  std::vector<LegendItem> legend;
  for (const Curve& shown : curve.curves) legend.push_back({shown.name, shown.color, shown.dashed, true});
  m_curve->setCurves(std::move(curve));
  m_curve->setCursor(any ? std::optional(m_cursor) : std::nullopt);
  m_curveCard->setLegend(std::move(legend));
  // Where there are several, the choice beside it says which.
  const bool saysWhere = any && m_devices->isHidden();
  m_curveCard->setCaption(saysWhere ? m_made->where : QString(), any && !hasDigests(analysis()->trace())
                                                                     ? tr("click to see live blocks")
                                                                     : QString());
  m_curveCard->setEmptyText(any      ? QString()
                            : m_made ? tr("No allocations were recorded in this range.")
                                     : tr("Computing …"));
}

void MemoryPanel::showPeaks() {
  const bool any = m_made && !m_made->peaks.curves.empty();
  m_peaksCard->setVisible(any);
  m_peaks->setCurves(any ? m_made->peaks : Curves());
  std::vector<LegendItem> legend;
  for (const Curve& shown : m_peaks->curves().curves)
    legend.push_back({shown.name, shown.color, shown.dashed, true});
  m_peaksCard->setLegend(std::move(legend));
  if (!any) return;
  const auto numberOf = [this](const MemoryPlace& place) {
    return analysis()->trace().rank(place.rank).rank;
  };
  const auto at = std::ranges::find(m_made->peakPlaces, numberOf(*m_made->place), numberOf);
  const auto x = static_cast<double>(at - m_made->peakPlaces.begin());
  m_peaks->setCursor(at != m_made->peakPlaces.end() ? std::optional(x) : std::nullopt);
}

void MemoryPanel::setShowsAllBlocks(bool all) {
  if (m_allBlocks == all) return;
  m_allBlocks = all;
  m_which->setCurrentIndex(all ? 1 : 0);
  showBlocks();
}

void MemoryPanel::setCursor(double x) {
  m_cursor = x;
  m_curve->setCursor(x);
  setShowsAllBlocks(false);
  showBlocks();
}

// A worker computes the live blocks; until it is done, the table keeps the previous ones of this device.
void MemoryPanel::showBlocks() {
  m_blocksTask.drop();
  if (!m_made || !m_made->place) return setBlocks({});
  if (m_allBlocks) return setBlocks({m_made->shownBlocks, m_made->blockRows, nullptr});
  m_blocksTask.ask(
      [whole = report(), analysis = analysis(), made = m_made, x = m_cursor] {
        const RankIndex rank = made->place->rank;
        LiveBlocks live{blocksAt(*analysis, *made, x), nullptr, nullptr};
        if (const DeviceRoles* const roles = rolesOf(*whole, *made->place))
          live.roles = rolesTable(*roles, rankTimeOf(*analysis, *made, x).ns());
        live.table = std::make_shared<const ResultTable>(
            blocksTable(*analysis, rank, live.rows,
                        [&](const MemoryBlock& block) { return sourceOf(analysis->trace(), rank, block); }));
        return live;
      },
      [this](LiveBlocks live) { setBlocks(std::move(live)); });
  if (m_rowsOf != m_made) setBlocks({});
}

void MemoryPanel::setBlocks(LiveBlocks blocks) {
  m_rows = std::move(blocks.rows);
  if (blocks.roles) m_roles->setCursor(m_cursor, std::move(blocks.roles));
  m_rowsOf = m_made;
  ExactSum sum;
  for (const MemoryBlock& block : m_rows) sum += block.bytes;
  const QString count = counted(static_cast<qint64>(m_rows.size()), tr("1 block"), tr("%1 blocks"));
  m_blocks->setCaption(m_rows.empty() ? QString() : tr("%1 in %2").arg(bytes(sum), count));
  QString empty = tr("No recorded allocation is live at this time.");
  if (!m_made || m_blocksTask.pending())
    empty = tr("Computing …");
  else if (!m_made->place)
    empty = tr("No allocations were recorded in this range.");
  else if (m_made->blocks.blocks.empty())
    empty = tr("This version of PyTorch did not record addresses, so frees cannot be matched.");
  m_blocks->setTable(std::move(blocks.table), empty);
}

QString MemoryPanel::tipOf(double x) const {
  if (!m_made || !m_made->place) return {};
  QStringList lines;
  const std::vector<MemoryBlock> live = blocksAt(*analysis(), *m_made, x);
  const TraceSet& traces = analysis()->trace();
  const RankTrace& trace = *traces.rank(m_made->place->rank).trace;
  const auto nameOf = [&](EventIndex event) {
    if (!event.valid()) return tr("no operator");
    const std::string_view name = traces.names()[trace.events.name[event]];
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).toHtmlEscaped();
  };
  if (!live.empty()) {
    lines << counted(static_cast<qint64>(live.size()), tr("1 live block"), tr("%1 live blocks"));
    QString largest =
        tr("largest: %1 by %2").arg(bytes(live.front().bytes), nameOf(live.front().allocatedBy));
    const std::string source = sourceOf(traces, m_made->place->rank, live.front());
    if (!source.empty()) largest += QStringLiteral(" · ") + QString::fromStdString(source).toHtmlEscaped();
    lines << largest;
  }
  if (const MemoryEvent* record = recordAt(*analysis(), *m_made, x)) {
    const auto index = static_cast<std::size_t>(record - &*trace.memory.begin());
    const QString by = nameOf(analysis()->memoryOwners(m_made->place->rank)[index]);
    lines << (record->bytes > 0 ? tr("last: %1 allocated by %2") : tr("last: %1 freed by %2"))
                 .arg(bytes(std::abs(record->bytes)), by);
  }
  return lines.join(QStringLiteral("<br>"));
}

// Shows the allocating operator, or without one the allocation record.
void MemoryPanel::revealBlock(int tableRow) {
  if (!m_made || !m_made->place || tableRow < 0) return;
  const MemoryBlock& block = m_rows[static_cast<std::size_t>(tableRow)];
  const RankTrace& trace = *analysis()->trace().rank(m_made->place->rank).trace;
  EventIndex event = block.allocatedBy;
  if (!event.valid() && block.allocation != MemoryBlock::kNoRecord)
    event = trace.memory[block.allocation].event;
  if (!event.valid()) return;
  m_session.reveal({m_made->place->rank, event});
  emit timelineWanted();
}

// Shows the call with the operator's largest allocation.
void MemoryPanel::revealOperator(int tableRow) {
  if (!m_made || !m_made->place || tableRow < 0) return;
  const RankTrace& trace = *analysis()->trace().rank(m_made->place->rank).trace;
  const std::string name = m_operators->model().textOf(tableRow, "operator").toStdString();
  const MemoryBlock* largest = nullptr;
  for (const MemoryBlock& block : m_made->shownBlocks) {
    if (!block.allocatedBy.valid() || (largest != nullptr && block.bytes <= largest->bytes)) continue;
    if (analysis()->trace().names()[trace.events.name[block.allocatedBy]] == name) largest = &block;
  }
  if (largest == nullptr) return;
  m_session.reveal({m_made->place->rank, largest->allocatedBy});
  emit timelineWanted();
}

namespace tabs {

TabPage* memory(const TabContext& context) {
  return new MemoryPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
