// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/snapshot_section.h"

#include "core/analysis/memory/oom_advice.h"
#include "core/base/unit_text.h"
#include "core/report/block_stacks.h"
#include "core/report/snapshot_tables.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/memory/role_bands.h"
#include "ui/tabs/memory/roles_section.h"
#include "ui/tabs/memory/snapshot_columns.h"
#include "ui/widgets/wrapped_label.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>

#include <algorithm>
#include <cstdlib>

namespace rankscope::ui {

namespace {

constexpr int kPlotHeight = 340;
constexpr int kNoPlotHeight = 120; // without a history
constexpr int kSnapshotHeight = 260;
constexpr int kMapHeight = 200;
constexpr int kSnapshotRows = 6;
constexpr int kMostPlaces = 8; // rows of the table of snapshots

QString notOnTimeline(TimeNs apart) {
  constexpr TimeNs kHour = 3'600'000'000'000;
  if (std::abs(apart) >= kHour)
    return SnapshotSection::tr("Not shown on the timeline: annotations of snapshot and recording begin more "
                               "than an hour apart, so they are of different runs.");
  return SnapshotSection::tr(
             "Not shown on the timeline: annotations of snapshot and recording begin %1 apart.")
      .arg(QString::fromStdString(durationText(apart)));
}

} // namespace

SnapshotSection::SnapshotSection(TraceSession& session, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_session(session), m_sceneTask(session.pending()), m_task(session.pending()),
      m_devices(new QComboBox), m_axis(new QComboBox), m_colors(new QComboBox), m_grouping(new QComboBox),
      m_markButton(new QPushButton(tr("Set mark"))), m_timelineButton(new QPushButton(tr("Timeline"))),
      m_sentence(new WrappedLabel), m_plot(new BlockPlot(session)), m_addresses(new AddressMap(session)),
      m_stack(new WrappedLabel), m_advice(new WrappedLabel), m_flames(new BlockFlames(session)) {
  m_devices->setToolTip(tr("Snapshot and device"));
  m_axis->setToolTip(tr("Horizontal axis"));
  m_axis->addItems({tr("time"), tr("entries")});
  m_colors->setToolTip(tr("Colors"));
  m_colors->addItems({tr("by role"), tr("by line")});
  m_grouping->setToolTip(tr("Rows"));
  m_grouping->addItems(
      {tr("line"), tr("stack"), tr("role"), tr("annotation"), tr("compiled region"), tr("pool and stream")});
  m_markButton->setToolTip(tr("Measure what grows from the cursor on"));
  m_timelineButton->setToolTip(tr("Show this time on the timeline"));
  makeCards(settings);
  connectCards();
  hide();
}

void SnapshotSection::makeCards(QSettings& settings) {
  m_card = new ChartCard(tr("Memory snapshot"), m_plot, m_session);
  for (QWidget* control :
       std::initializer_list<QWidget*>{m_timelineButton, m_markButton, m_axis, m_colors, m_devices})
    m_card->addControl(control);
  m_card->setMinimumHeight(scaledToText(kPlotHeight));
  m_all = new TableCard(tr("Snapshots"), snapshotPlaceColumns(), m_session);
  m_all->setStretchColumn("file");
  m_groups = new TableCard(tr("Allocated by"), snapshotGroupColumns(), m_session);
  m_groups->setStretchColumn("name");
  m_groups->setDefaultSort("bytes", Qt::DescendingOrder);
  m_groups->setBarColor([](int, const Theme& theme) { return theme.accent; });
  m_groups->addControl(m_grouping);
  m_blocks = new TableCard(tr("Live blocks"), snapshotBlockColumns(), m_session);
  m_blocks->setStretchColumn("frame");
  m_blocks->setDefaultSort("bytes", Qt::DescendingOrder);
  m_segments = new TableCard(tr("Segments"), snapshotSegmentColumns(), m_session);
  m_segments->setDefaultSort("inactive_bytes", Qt::DescendingOrder);
  m_expected = new TableCard(tr("Measured and expected"), expectedColumns(), m_session);
  m_expected->setStretchColumn("note");
  m_expected->setMemoryKey(settings, QStringLiteral("memory.snapshot_expected"));
  m_all->setMemoryKey(settings, QStringLiteral("memory.snapshots"));
  m_groups->setMemoryKey(settings, QStringLiteral("memory.snapshot_groups"));
  m_blocks->setMemoryKey(settings, QStringLiteral("memory.snapshot_blocks"));
  m_segments->setMemoryKey(settings, QStringLiteral("memory.snapshot_segments"));
  m_addressCard = new ChartCard(tr("Addresses"), m_addresses, m_session);
  m_addressCard->setMinimumHeight(scaledToText(kMapHeight));
  m_stackCard = new QFrame;
  m_stackCard->setObjectName(QStringLiteral("card"));
  auto* stack = new QVBoxLayout(m_stackCard);
  stack->setContentsMargins(16, 12, 16, 12);
  stack->setSpacing(8);
  auto* heading = new QLabel(tr("Stack"));
  heading->setObjectName(QStringLiteral("cardTitle"));
  stack->addWidget(heading);
  // Stacks with the frames of C++ are long.
  auto* page = new QWidget;
  page->setObjectName(QStringLiteral("stackPage"));
  page->setStyleSheet(QStringLiteral("#stackPage { background: transparent; }"));
  auto* lines = new QVBoxLayout(page);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->addWidget(m_stack);
  lines->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(page);
  scroll->viewport()->setAutoFillBackground(false);
  stack->addWidget(scroll, 1);
  for (WrappedLabel* label : {m_sentence, m_stack, m_advice})
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(16);
  column->addWidget(m_all);
  column->addWidget(m_card);
  column->addWidget(m_sentence);
  const auto addRow = [&](QWidget* left, QWidget* right) {
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    for (QWidget* card : {left, right}) {
      card->setMinimumHeight(scaledToText(kSnapshotHeight));
      row->addWidget(card, 1);
    }
    column->addLayout(row);
    m_rows.push_back(row);
  };
  addRow(m_groups, m_blocks);
  column->addWidget(m_flames);
  addRow(m_segments, m_stackCard);
  column->addWidget(m_addressCard);
  column->addWidget(m_expected);
  column->addWidget(m_advice);
}

void SnapshotSection::connectCards() {
  connect(m_devices, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index < 0 || !m_data || static_cast<std::size_t>(index) >= m_data->places.size()) return;
    m_place = static_cast<std::size_t>(index);
    m_all->selectRow(index);
    showDevice();
  });
  connect(m_all, &TableCard::rowSelected, this, [this](int row) {
    if (row >= 0) m_devices->setCurrentIndex(row);
  });
  connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_plot->setByTime(index == 0);
    setCursor(m_cursor);
  });
  connect(m_colors, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_plot->setByLine(index == 1);
    showLegend();
  });
  connect(m_grouping, &QComboBox::currentIndexChanged, this, [this] { showAtCursor(); });
  connect(m_plot, &BlockPlot::cursorMoved, this, &SnapshotSection::setCursor);
  connect(m_plot, &BlockPlot::blockPicked, this, &SnapshotSection::pick);
  connect(m_addresses, &AddressMap::blockPicked, this, &SnapshotSection::pick);
  connect(m_blocks, &TableCard::rowSelected, this, [this](int row) {
    if (row < 0 || static_cast<std::size_t>(row) >= m_lives.size()) return;
    m_picked = m_lives[static_cast<std::size_t>(row)];
    showStack(m_picked);
  });
  // When it was allocated.
  connect(m_blocks, &TableCard::rowActivated, this, [this](int row) {
    const bool known = row >= 0 && static_cast<std::size_t>(row) < m_lives.size() && m_scene && place() &&
                       place()->clock && place()->clock->isSame();
    if (!known) return;
    const BlockLife& life = replay()->lives[m_lives[static_cast<std::size_t>(row)]];
    if (!life.recorded()) return;
    const JobTime at = place()->begin + static_cast<TimeNs>(m_scene->xOf(life.allocated, true));
    m_session.revealPlace(place()->clock->rank, {at, at + 1});
    emit timelineWanted();
  });
  connect(m_timelineButton, &QPushButton::clicked, this, &SnapshotSection::revealTime);
  connect(m_markButton, &QPushButton::clicked, this, [this] { setMark(m_cursor); });
}

void SnapshotSection::setNarrow(bool narrow) {
  for (QBoxLayout* row : m_rows)
    row->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

const SnapshotPlace* SnapshotSection::place() const {
  return m_place && m_data ? &m_data->places[*m_place] : nullptr;
}

const SnapshotResults* SnapshotSection::result() const {
  return place() != nullptr ? &m_data->results->snapshots[place()->snapshot] : nullptr;
}

const DeviceReplay* SnapshotSection::replay() const {
  return place() != nullptr ? &result()->devices[place()->device] : nullptr;
}

void SnapshotSection::setData(std::shared_ptr<const SnapshotsData> made) {
  // Another selection of steps is no other snapshot; other sizes of the model change only what is expected.
  if (m_data == made) return;
  if (m_data && made && m_data->results == made->results) {
    m_data = std::move(made);
    return showExpected();
  }
  m_sceneTask.drop();
  m_task.drop();
  m_plot->setScene(nullptr);
  m_addresses->setContents(nullptr, nullptr);
  m_scene.reset();
  m_place.reset();
  m_data = std::move(made);
  listPlaces();
  setVisible(m_place.has_value());
  showDevice();
}

void SnapshotSection::listPlaces() {
  const QSignalBlocker quiet(m_devices);
  m_devices->clear();
  const std::size_t count = m_data ? m_data->places.size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const SnapshotResults& of = m_data->results->snapshots[m_data->places[i].snapshot];
    QString name = snapshotFileName(*of.snapshot);
    if (of.snapshot->rank) name = tr("rank %1 · %2").arg(*of.snapshot->rank).arg(name);
    m_devices->addItem(tr("%1 · GPU%2").arg(name).arg(of.devices[m_data->places[i].device].device->device));
  }
  const bool several = count > 1;
  m_devices->setVisible(several);
  m_all->setVisible(several);
  m_all->setTable(several ? snapshotPlaceRows(*m_data->results) : nullptr, {});
  m_all->setCaption(several ? imbalanceText(*m_data->results) : QString());
  m_all->setFixedHeight(m_all->heightFor(static_cast<int>(std::min<std::size_t>(count, kMostPlaces))));
  if (count == 0) return;
  // What ran out of memory comes first.
  std::size_t first = 0;
  for (std::size_t i = count; i-- > 0;) {
    const SnapshotPlace& place = m_data->places[i];
    if (!m_data->results->snapshots[place.snapshot].devices[place.device].ooms.empty()) first = i;
  }
  m_place = first;
  m_devices->setCurrentIndex(static_cast<int>(first));
  if (several) m_all->selectRow(static_cast<int>(first));
}

QString SnapshotSection::placeText(std::int32_t entry) const {
  if (entry < 0) return tr("before the first entry");
  QString number = tr("entry %1").arg(QString::fromStdString(groupedText(entry)));
  if (!m_scene || !m_scene->hasTimes()) return number;
  const auto at = static_cast<TimeNs>(m_scene->xOf(entry, true));
  return tr("%1 · %2").arg(QString::fromStdString(durationText(at)), number);
}

void SnapshotSection::showDevice() {
  const DeviceReplay* const of = replay();
  if (of == nullptr) return;
  QStringList lines;
  if (!of->ooms.empty())
    lines << QString::fromStdString(oomSentence(*of)) << QString::fromStdString(oomAdvice(*of));
  const bool any = of->last() >= 0;
  for (const std::string& line : snapshotQuality(*of)) lines << QString::fromStdString(line);
  if (!any && !lines.isEmpty()) lines.removeLast(); // the card says so, with what to call
  m_scene.reset();
  m_plot->setScene(nullptr);
  m_addresses->setContents(nullptr, nullptr);
  m_picked.reset();
  m_card->setMinimumHeight(scaledToText(any ? kPlotHeight : kNoPlotHeight));
  m_card->setMaximumHeight(any ? QWIDGETSIZE_MAX : scaledToText(kNoPlotHeight));
  m_card->setEmptyText(any ? QString()
                       : of->snapshot->partial
                           ? tr("The file is truncated: its history, if it had one, is missing.")
                           : tr("No history: the snapshot holds the state at its end only. Call "
                                "torch.cuda.memory._record_memory_history() before _dump_snapshot()."));
  for (QWidget* control : std::initializer_list<QWidget*>{m_markButton, m_axis, m_colors})
    control->setVisible(any);
  showExpected();
  m_timelineButton->setVisible(place()->clock && place()->clock->isSame());
  if (place()->clock && !place()->clock->isSame()) lines << notOnTimeline(place()->clock->medianApart);
  m_sentence->setText(lines.join(QLatin1Char(' ')));
  m_sentence->setVisible(!lines.isEmpty());
  m_mark = kBeforeFirst;
  m_sceneTask.ask(
      [results = m_data->results, at = *place()]() -> std::shared_ptr<const BlockScene> {
        return std::make_shared<const BlockScene>(results, at.snapshot, at.device);
      },
      [this](std::shared_ptr<const BlockScene> scene) { showScene(std::move(scene)); });
  setCursor(of->peakActive.entry);
}

void SnapshotSection::showExpected() {
  if (place() == nullptr) return;
  m_expected->setTable(place()->expected, {});
  m_expected->setVisible(place()->expected != nullptr);
  m_expected->setFixedHeight(m_expected->heightFor(kSnapshotRows));
  m_advice->setText(place()->advice);
  m_advice->setVisible(!place()->advice.isEmpty());
}

void SnapshotSection::takeModel(QWidget* model) {
  if (model->parentWidget() == this) return;
  auto* column = static_cast<QBoxLayout*>(layout());
  column->insertWidget(column->indexOf(m_expected), model);
}

void SnapshotSection::showScene(std::shared_ptr<const BlockScene> scene) {
  m_scene = std::move(scene);
  // Without times there is only the order.
  m_axis->setVisible(m_scene->hasTimes());
  m_plot->setByTime(m_scene->hasTimes() && m_axis->currentIndex() == 0);
  m_plot->setScene(m_scene);
  m_plot->setReference(place()->recorded);
  m_plot->setMark(m_mark);
  showLegend();
  setCursor(m_cursor);
}

void SnapshotSection::showLegend() {
  const bool any = m_scene && m_scene->replay().last() >= 0;
  std::vector<LegendItem> legend;
  if (any) legend = m_scene->legend(m_colors->currentIndex() == 1);
  if (any && !place()->recorded.isEmpty())
    legend.push_back({tr("allocated, by the recording"), &Theme::text, true, true});
  m_card->setLegend(std::move(legend));
}

void SnapshotSection::setCursor(std::int32_t entry) {
  const DeviceReplay* const of = replay();
  if (of == nullptr) return;
  m_cursor = std::clamp(entry, kBeforeFirst, of->last());
  m_plot->setCursor(m_cursor);
  const QString now = tr("%1 of %2 reserved")
                          .arg(QString::fromStdString(bytesText(of->activeAt(m_cursor))),
                               QString::fromStdString(bytesText(of->reservedAt(m_cursor))));
  if (of->last() < 0)
    m_card->setCaption(now);
  else
    m_card->setCaption(tr("%1 · %2").arg(now, placeText(m_cursor)),
                       tr("click: cursor · Ctrl+wheel: zoom · drag: pan"));
  showAtCursor();
}

void SnapshotSection::setMark(std::int32_t entry) {
  m_mark = entry;
  m_plot->setMark(entry);
  showAtCursor();
}

void SnapshotSection::showAtCursor() {
  if (replay() == nullptr) return;
  m_groups->setCaption(m_mark == kBeforeFirst ? QString() : tr("mark: %1").arg(placeText(m_mark)));
  const auto grouping = static_cast<BlockGrouping>(m_grouping->currentIndex());
  m_task.ask(
      [all = m_data, at = *m_place, cursor = m_cursor, mark = m_mark, grouping] {
        const SnapshotPlace& of = all->places[at];
        const SnapshotResults& result = all->results->snapshots[of.snapshot];
        const DeviceReplay& device = result.devices[of.device];
        AtCursor made;
        made.addresses = addressContents(device, cursor);
        made.blocks = std::make_shared<const ResultTable>(blocksAtTable(result, of.device, cursor));
        made.groups = snapshotGroupRows(result, device, grouping, mark, cursor);
        made.segments = snapshotSegmentRows(result, made.addresses->map);
        made.lives = liveBlocks(device, cursor);
        BlockStacks stacks = blockStacks(result, device, mark, cursor);
        made.flames =
            std::make_shared<const FlameLayout>(mergedLayout(std::move(stacks.tree), std::move(stacks.sums)));
        return made;
      },
      [this](AtCursor made) { showContents(std::move(made)); });
}

void SnapshotSection::showContents(AtCursor made) {
  m_lives = std::move(made.lives);
  const QString none = tr("No block is allocated at the cursor.");
  m_blocks->setTable(made.blocks, none);
  m_groups->setTable(made.groups, none);
  m_segments->setTable(made.segments, tr("Nothing is reserved at the cursor."));
  const SegmentMap& map = made.addresses->map;
  m_addressCard->setCaption(tr("%1 free in used segments, %2 in empty ones, largest hole %3")
                                .arg(QString::fromStdString(bytesText(map.stranded)),
                                     QString::fromStdString(bytesText(map.releasable)),
                                     QString::fromStdString(bytesText(map.largestHole))));
  m_addressCard->setEmptyText(map.segments.empty() ? tr("Nothing is reserved at the cursor.") : QString());
  m_addressCard->setLegend({{tr("free"), &Theme::faint, true}});
  m_addresses->setContents(std::move(made.addresses), replay());
  m_flames->setContents(std::move(made.flames), m_mark != kBeforeFirst);
  const auto at = m_picked ? std::ranges::find(m_lives, *m_picked) : m_lives.begin();
  const bool any = at != m_lives.end();
  m_blocks->selectRow(any ? static_cast<int>(at - m_lives.begin()) : -1);
  showStack(any ? std::optional(*at) : std::nullopt);
}

void SnapshotSection::pick(std::uint32_t life) {
  m_picked = life;
  const auto at = std::ranges::find(m_lives, life);
  if (at != m_lives.end()) m_blocks->selectRow(static_cast<int>(at - m_lives.begin()));
  showStack(life);
}

// What the picture shows now.
void SnapshotSection::revealTime() {
  if (!m_scene || place() == nullptr || !place()->clock) return;
  const auto [from, to] = m_plot->byTime() ? m_plot->range() : std::pair(0.0, m_scene->xEnd(true));
  m_session.revealPlace(place()->clock->rank, {place()->begin + static_cast<TimeNs>(from),
                                               place()->begin + static_cast<TimeNs>(to)});
  emit timelineWanted();
}

void SnapshotSection::showStack(std::optional<std::uint32_t> life) {
  if (!life || replay() == nullptr) return m_stack->setText(tr("Select a block to see its stack."));
  const BlockLife& block = replay()->lives[*life];
  const StackPool& stacks = result()->snapshot->stacks;
  QStringList lines;
  for (const std::uint32_t frame : stacks.stack(block.stack))
    lines << QString::fromStdString(stacks.frameText(frame));
  QString none = tr("No stack: the block was allocated by native code or the backward pass.");
  if (!block.recorded()) none = tr("No stack: the block was allocated before the recording.");
  // Named by the line of the user's own code, which may be far below.
  QString head = tr("%1 · %2").arg(QString::fromStdString(bytesText(block.bytes)), roleName(block.role));
  if (const std::uint32_t own = result()->roles.ownFrame[block.stack]; own != kNoFrame)
    head = tr("%1 · %2").arg(head, QString::fromStdString(stacks.frameText(own)));
  m_stack->setText(head + QLatin1Char('\n') + (lines.isEmpty() ? none : lines.join(QLatin1Char('\n'))));
  m_stack->setLead(static_cast<int>(head.size()));
}

QString SnapshotSection::sentence() const {
  return m_sentence->text();
}

QString SnapshotSection::stack() const {
  return m_stack->text();
}

} // namespace rankscope::ui
