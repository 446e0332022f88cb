// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/stacks/stacks_panel.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/base/ui_text.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/stacked_bars.h"
#include "ui/details/source_opener.h"
#include "ui/flames/flame_view.h"
#include "ui/job/job_beside.h"
#include "ui/job/range_preview.h"
#include "ui/job/trace_session.h"
#include "ui/tables/occurrence_bar.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/stacks/filter_chips.h"
#include "ui/tabs/stacks/stacks_columns.h"
#include "ui/widgets/call_stack.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

namespace rankscope::ui {

namespace {

constexpr int kLeastLayersHeight = 50;
constexpr int kLeastTableHeight = 90;
constexpr int kLeastGraphHeight = 120;
constexpr int kLeastPaneHeight = 200; // of the modules below the picture
constexpr int kLeastSideBySide = 860; // width for the modules beside the picture

// In the order of the buttons.
constexpr std::array kWeights{StackWeight::HostSelf, StackWeight::Device,   StackWeight::DeviceExclusive,
                              StackWeight::Exposed,  StackWeight::Idle,     StackWeight::Wait,
                              StackWeight::Bytes,    StackWeight::Launches, StackWeight::Calls};

QStringList weightTitles() {
  return {tr("Host time"),      tr("Device time"), tr("Device busy"), tr("Exposed"), tr("GPU idle caused"),
          tr("Waiting caused"), tr("Bytes"),       tr("Launches"),    tr("Calls")};
}

QStringList weightTips() {
  return {tr("Self time of frames and operators on the host; adds up to the busy time of all threads"),
          tr("Durations of device events, below what launched them"),
          tr("Device time with each instant counted once; adds up to the busy time of the device"),
          tr("Communication while no compute kernel runs"),
          tr("Idle time of the device, below what the host did meanwhile"),
          tr("What other ranks waited for a rank in collectives that it joined last"),
          tr("Bytes allocated, CPU and each device apart"),
          tr("Number of device events below what launched them"),
          tr("Number of events")};
}

constexpr std::array kPython{PythonFrames::All, PythonFrames::Own, PythonFrames::Modules, PythonFrames::None};

// Modules from the outermost to the one that a node is.
QStringList modulesTo(const StackTree& tree, std::uint32_t node) {
  QStringList path;
  for (const std::uint32_t frame : tree.framesTo(node)) {
    if (tree.frames()[frame].kind == FrameKind::Module) path << frameLabel(tree.frames()[frame]);
  }
  return path;
}

// What lies in a frame that matches, each stack once.
ExactSum matchedSum(const FlameLayout& layout, const std::vector<std::uint8_t>& matches) {
  ExactSum sum;
  std::vector<std::uint8_t> within(layout.tree.size());
  for (std::uint32_t node = 1; node < layout.tree.size(); ++node) {
    const StackTree::Node& n = layout.tree.nodes()[node];
    within[node] = within[n.parent];
    if (within[node] != 0 || matches[n.frame] == 0) continue;
    within[node] = 1;
    sum += layout.totals[node].weight;
  }
  return sum;
}

} // namespace

StacksPanel::StacksPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_settings(settings),
      m_calls(new Occurrences(session, this)), m_modulesTask(session.pending()),
      m_previewTask(session.pending()), m_exportTask(session.pending()) {
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(16, 12, 16, 16);
  column->setSpacing(8);
  column->addWidget(makeBar());
  column->addWidget(makeOptions());
  m_chips = new FilterChips;
  column->addWidget(m_chips);
  m_parts = new QSplitter(Qt::Horizontal);
  m_parts->setObjectName(QStringLiteral("airSplitter"));
  m_parts->setHandleWidth(12);
  m_parts->setChildrenCollapsible(false);
  m_parts->addWidget(makeModules());
  m_parts->addWidget(makeFrames());
  m_parts->addWidget(m_card = makeCard());
  placeParts();
  column->addWidget(m_parts, 1);
  // Scrolls where large texts leave too little room.
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  connectAll();
  ask();
  showData(nullptr);
}

QWidget* StacksPanel::makeBar() {
  m_weights = new ChoiceRow(tr("Weight"), weightTitles());
  m_weights->setObjectName(QStringLiteral("stackWeights"));
  const QStringList tips = weightTips();
  for (int i = 0; i < tips.size(); ++i) m_weights->setTip(i, tips[i]);
  m_search = new QLineEdit;
  m_search->setPlaceholderText(tr("Search frames: text or /expression/"));
  m_search->setToolTip(tr("With a prefix, Enter adds a filter: SS: only stacks with such a frame, HS: only "
                          "those without it, SFF: stacks from it on, HF: leave it out"));
  m_search->setClearButtonEnabled(true);
  m_search->setAcceptDrops(false);
  m_search->setAccessibleName(tr("Search frames"));
  m_matched = new QLabel;
  m_matched->setObjectName(QStringLiteral("figureNote"));
  auto* bar = new QWidget;
  auto* row = new FlowLayout(bar, 12);
  row->addWidget(m_weights);
  row->addFilling(m_search);
  row->addWidget(m_matched);
  return bar;
}

QWidget* StacksPanel::makeOptions() {
  m_modes = new ChoiceRow(tr("Order"), {tr("Merged"), tr("Time order"), tr("Bottom-up"),
                                        tr("Callers and callees"), tr("Difference")});
  m_modes->setObjectName(QStringLiteral("stackModes"));
  m_modes->setTip(0, tr("Merges equal stacks, heaviest first"));
  m_modes->setTip(1, tr("Keeps the order in time and merges only neighbors"));
  m_modes->setTip(2, tr("What ran on top, its callers below"));
  m_modes->setTip(3, tr("One frame wherever it occurs: its callers above it, what it called below"));
  m_modes->setTip(4, tr("What stacks weigh more or less in the job that Compare has open"));
  m_python = new QComboBox;
  m_python->addItems({tr("All Python frames"), tr("User code and modules"), tr("Modules"), tr("No Python")});
  m_python->setAccessibleName(tr("Python frames"));
  m_colors = new QComboBox;
  m_colors->addItems({tr("Color by kind"), tr("Color by module class")});
  m_colors->setAccessibleName(tr("Color of frames"));
  m_backward = new QCheckBox(tr("Backward below its forward"));
  m_backward->setChecked(true);
  m_backward->setToolTip(
      tr("Stacks of the backward pass below the module or frame of their forward operator"));
  m_recursion = new QCheckBox(tr("Fold recursion"));
  m_recursion->setToolTip(tr("Merges direct recursion into one frame (R)"));
  m_flipped = new QCheckBox(tr("Outermost frame at the bottom"));
  m_flipped->setToolTip(tr("Draws flames that grow upward instead of icicles"));
  auto* bar = new QWidget;
  auto* row = new FlowLayout(bar, 12);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{m_modes, m_python, m_colors, m_backward, m_recursion, m_flipped})
    row->addWidget(widget);
  return bar;
}

QWidget* StacksPanel::makeCard() {
  m_title = new QLabel;
  m_title->setObjectName(QStringLiteral("cardTitle"));
  m_notes = new WrappedLabel;
  m_notes->setObjectName(QStringLiteral("figureNote"));
  m_flames = new FlameView(m_session);
  m_flames->setMinimumHeight(scaledToText(kLeastGraphHeight));
  m_path = new ElidedLabel;
  m_figures = new ElidedLabel;
  m_figures->setObjectName(QStringLiteral("figureNote"));
  m_source = new QPushButton(tr("Source"));
  m_source->setToolTip(tr("Open the source line (Enter)"));
  m_detail = new QWidget;
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  texts->addWidget(m_path);
  texts->addWidget(m_figures);
  auto* detail = new QHBoxLayout(m_detail);
  detail->setContentsMargins(0, 0, 0, 0);
  detail->addLayout(texts, 1);
  detail->addWidget(new OccurrenceBar(*m_calls));
  detail->addWidget(m_source);
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(14, 10, 14, 10);
  column->setSpacing(8);
  column->addWidget(m_title);
  column->addWidget(m_notes);
  column->addWidget(m_flames, 1);
  column->addWidget(m_detail);
  return card;
}

QWidget* StacksPanel::makeFrames() {
  m_frames = new TableCard(tr("Frames"), frameColumns(), m_session);
  m_frames->setStretchColumn("frame");
  m_frames->setMemoryKey(m_settings, QStringLiteral("stacks.frames"));
  m_frames->setMinimumHeight(scaledToText(kLeastTableHeight));
  m_frames->hide();
  return m_frames;
}

QWidget* StacksPanel::makeModules() {
  m_modules = new TableCard(tr("Modules"), moduleColumns(), m_session);
  m_modules->setStretchColumn("module");
  m_modules->setMemoryKey(m_settings, QStringLiteral("stacks.modules"));
  m_modules->setMinimumHeight(scaledToText(kLeastTableHeight));
  m_layers = new StackedBars(m_session);
  m_layersCard = new ChartCard(tr("Per layer"), m_layers, m_session);
  m_modulesPane = new QSplitter(Qt::Vertical);
  m_modulesPane->setObjectName(QStringLiteral("airSplitter"));
  m_modulesPane->setHandleWidth(12);
  m_modulesPane->setChildrenCollapsible(false);
  m_modulesPane->addWidget(m_modules);
  m_modulesPane->addWidget(m_layersCard);
  m_modulesPane->setSizes({600, 300});
  m_modulesPane->hide();
  return m_modulesPane;
}

// Beside the picture, or below it where a table beside it would be too narrow for its figures.
void StacksPanel::placeParts() {
  const bool below = m_parts->orientation() == Qt::Vertical;
  m_parts->insertWidget(below ? 0 : 2, m_card);
  m_modulesPane->setOrientation(below ? Qt::Horizontal : Qt::Vertical);
  m_modulesPane->setMinimumHeight(below ? scaledToText(kLeastPaneHeight) : 0);
  QList<int> sizes;
  for (int i = 0; i < m_parts->count(); ++i) {
    const bool picture = m_parts->widget(i) == m_card;
    m_parts->setStretchFactor(i, picture ? 5 : 2);
    sizes << (picture ? 1000 : 520);
  }
  m_parts->setSizes(sizes);
}

void StacksPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  const auto wanted = width() < scaledToText(kLeastSideBySide) ? Qt::Vertical : Qt::Horizontal;
  if (m_parts->orientation() == wanted) return;
  m_parts->setOrientation(wanted);
  placeParts();
}

void StacksPanel::connectAll() {
  connect(m_modules, &TableCard::rowSelected, this, &StacksPanel::chooseModule);
  connect(m_modules, &TableCard::rowActivated, this, &StacksPanel::chooseModule);
  connect(m_weights, &ChoiceRow::chosenChanged, this, [this] {
    m_weightChosen = true;
    ask();
  });
  connect(m_modes, &ChoiceRow::chosenChanged, this, &StacksPanel::ask);
  connect(&RangePreview::of(m_session), &RangePreview::offered, this, &StacksPanel::showPreview);
  connect(&JobBeside::of(m_session), &JobBeside::changed, this, [this] {
    if (m_choice.mode == FlameMode::Difference) ask();
  });
  connect(m_python, &QComboBox::activated, this, &StacksPanel::ask);
  connect(m_colors, &QComboBox::currentIndexChanged, this,
          [this](int index) { m_flames->setColorByModule(index == 1); });
  connect(m_flipped, &QCheckBox::toggled, m_flames, &FlameView::setFlipped);
  for (QCheckBox* box : {m_backward, m_recursion}) connect(box, &QCheckBox::toggled, this, &StacksPanel::ask);
  connect(m_search, &QLineEdit::textChanged, this, &StacksPanel::search);
  connect(m_search, &QLineEdit::returnPressed, this, &StacksPanel::addFilterOfSearch);
  connect(m_chips, &FilterChips::filtersChanged, this, &StacksPanel::ask);
  const auto around = [this](int row) {
    if (row >= 0) showAround(m_frames->model().textOf(row, "frame").toStdString());
  };
  connect(m_frames, &TableCard::rowSelected, this, around);
  connect(m_flames, &FlameView::menuWanted, this, [this](std::uint32_t node, QPoint global) {
    menuOf(node).release()->popup(global); // deletes itself
  });
  connect(m_flames, &FlameView::selectionChanged, this, &StacksPanel::showSelection);
  connect(m_flames, &FlameView::activated, this, &StacksPanel::activate);
  connect(m_flames, &FlameView::recursionToggled, m_recursion, &QCheckBox::toggle);
  connect(m_calls, &Occurrences::timelineWanted, this, &TabPage::timelineWanted);
  connect(m_source, &QPushButton::clicked, this, [this] {
    if (const auto node = m_flames->selected()) activate(*node);
  });
}

// What a job has decides what is shown first.
void StacksPanel::setReport(std::shared_ptr<const JobReport> report) {
  if (report && !m_weightChosen) {
    const StackWeight weight = firstWeight(report->analysis().trace());
    const auto at = std::ranges::find(kWeights, weight) - kWeights.begin();
    const QSignalBlocker quiet(m_weights);
    m_weights->choose(static_cast<int>(at));
    ask();
  }
  AnalysisPage::setReport(std::move(report));
}

void StacksPanel::ask() {
  m_choice.weight = kWeights[static_cast<std::size_t>(std::max(0, m_weights->chosen()))];
  const auto mode = static_cast<FlameMode>(std::max(0, m_modes->chosen()));
  const auto node = m_flames->selected();
  if (m_data && node && mode == FlameMode::Sandwich && m_choice.mode != mode)
    m_choice.focus = m_data->layout->tree.frameAt(*node).text;
  m_choice.mode = mode;
  m_choice.filters = m_chips->filters();
  m_choice.options.frames.python = kPython[static_cast<std::size_t>(std::max(0, m_python->currentIndex()))];
  m_choice.options.frames.foldRecursion = m_recursion->isChecked();
  m_choice.options.joinBackward = m_backward->isChecked();
  setContents<StacksData>(
      [choice = m_choice, memory = m_memory,
       other = JobBeside::of(m_session).report()](const Analysis& analysis) {
        return stacksData(analysis, choice, *memory, other ? &other->analysis() : nullptr);
      },
      [this](const std::shared_ptr<const StacksData>& made) { showData(made); });
}

void StacksPanel::showData(const std::shared_ptr<const StacksData>& made) {
  m_previewTask.drop();
  m_preview = nullptr;
  show(made);
}

// A range is weighed at once; what else the tab shows of it follows with its report.
void StacksPanel::showPreview(const std::shared_ptr<const Analysis>& part) {
  if (!isVisible() || !m_data || m_choice.mode == FlameMode::Difference) return;
  m_previewTask.ask(
      [part, choice = m_choice, memory = m_memory] {
        return std::make_shared<const StacksData>(stacksData(*part, choice, *memory));
      },
      [this, part](const std::shared_ptr<const StacksData>& made) {
        m_preview = part;
        show(made);
      });
}

void StacksPanel::show(const std::shared_ptr<const StacksData>& made) {
  m_data = made;
  const QString wait = tr("Computing …");
  m_title->setText(made ? made->title : wait);
  m_notes->setText(made ? made->notes : QString());
  m_notes->setVisible(made && !made->notes.isEmpty());
  m_python->setVisible(!made || made->hasPython);
  m_colors->setVisible(!made || made->hasPython);
  m_flames->setEmptyText(made ? made->whyEmpty : wait);
  showFrames();
  askModules();
  m_flames->setLayoutToShow(made ? made->layout : nullptr,
                            made ? made->choice.weight : StackWeight::HostSelf);
  search();
}

// The table stays while another of its frames is looked at.
void StacksPanel::showFrames() {
  const bool around = m_data && m_data->frames;
  m_frames->setVisible(around);
  if (!around) return;
  StacksChoice choice = m_data->choice;
  choice.focus.clear();
  if (m_framesOf != shownPart() || m_framesChoice != choice) {
    m_framesOf = shownPart();
    m_framesChoice = choice;
    m_frames->setTable(m_data->frames, tr("No frames."));
  }
  const ResultTable& frames = *m_frames->model().table();
  for (std::size_t row = 0; row < frames.rowCount(); ++row) {
    if (std::get<std::string_view>(frames.at(row, 0)) == m_data->choice.focus)
      return m_frames->selectRow(static_cast<int>(row));
  }
}

// Beside the graph are the modules, or all frames where it is of one of them.
void StacksPanel::showModulesPane() {
  const bool around = m_data && m_data->frames;
  const bool any = m_data && m_data->hasPython && m_allModules && m_allModules->rowCount() > 0;
  m_modulesPane->setVisible(any && !around);
}

// Modules do not depend on the weight or the choice of frames.
void StacksPanel::askModules() {
  if (m_modulesOf == analysis() && m_data) return showModulesPane();
  m_modulesOf = m_data ? analysis() : nullptr;
  if (!m_modulesOf || !m_data->hasPython) {
    m_modulesTask.drop();
    m_allModules = nullptr;
    return showModulesPane();
  }
  m_modulesTask.ask([analysis = m_modulesOf] { return modulesData(*analysis); },
                    [this](const ModulesData& made) { showModules(made); });
}

void StacksPanel::showModules(const ModulesData& made) {
  m_allModules = made.table;
  showModulesPane();
  showModulesTo(m_moduleDepth);
  BarRows bars;
  bars.parts = {{tr("forward"), &Theme::forward},
                {tr("recomputation"), &Theme::optimizer, true},
                {tr("backward"), &Theme::backward}};
  bars.rows.reserve(made.layers.times.size());
  for (const LayerTimes& layer : made.layers.times)
    bars.rows.push_back({QString::number(layer.layer),
                         {static_cast<double>(layer.forward), static_cast<double>(layer.recompute),
                          static_cast<double>(layer.backward)}});
  m_layersCard->setVisible(std::ranges::any_of(made.layers.times, [](const LayerTimes& layer) {
    return layer.forward > 0 || layer.recompute > 0 || layer.backward > 0;
  }));
  const QString name = QString::fromStdString(made.layers.name);
  m_layersCard->setCaption(made.layers.onHost ? tr("%1 · time of calls on the host").arg(name)
                                              : tr("%1 · device time").arg(name));
  // Without a part that no layer has.
  std::vector<LegendItem> legend;
  for (std::size_t i = 0; i < bars.parts.size(); ++i) {
    const BarPart& part = bars.parts[i];
    if (std::ranges::any_of(bars.rows, [&](const BarRow& row) { return row.amounts[i] > 0; }))
      legend.push_back({part.name, part.color, part.hatched, false, part.strength});
  }
  m_layersCard->setLegend(std::move(legend));
  m_layers->setBars(std::move(bars));
  m_layersCard->setLeastChartHeight(scaledToText(kLeastLayersHeight));
}

void StacksPanel::showModulesTo(int depth) {
  m_moduleDepth = depth;
  const bool all = depth >= kAllDepths || !m_allModules;
  m_modules->setTable(all ? m_allModules : modulesToDepth(*m_allModules, depth),
                      tr("No modules were recorded."));
  m_modules->setCaption(all ? QString() : tr("depth %1 · press 1 to 9").arg(depth));
}

// Selects the module's heaviest frame, by the path of modules around it.
void StacksPanel::chooseModule(int row) {
  if (row < 0 || !m_data) return;
  const QStringList path = m_modules->model().textOf(row, "path").split(QLatin1Char('/'), Qt::SkipEmptyParts);
  if (path.isEmpty() || !m_data->choice.hasWholeStacks()) return;
  const FlameLayout& layout = *m_data->layout;
  const std::string last = "nn.Module: " + path.back().toStdString();
  std::optional<std::uint32_t> best;
  for (std::uint32_t node = 1; node < layout.tree.size(); ++node) {
    const bool isIt = layout.tree.frameAt(node).text == last &&
                      (!best || std::int64_t{layout.totals[node].weight} > layout.totals[*best].weight);
    if (isIt && modulesTo(layout.tree, node) == path) best = node;
  }
  if (!best) return;
  m_flames->select(*best);
  m_flames->zoomTo(*best);
}

std::vector<std::string> StacksPanel::stackOf(std::uint32_t node) const {
  std::vector<std::string> stack;
  if (!m_data) return stack;
  const StackTree& tree = m_data->layout->tree;
  for (const std::uint32_t frame : tree.framesTo(node)) stack.push_back(tree.frames()[frame].text);
  return stack;
}

void StacksPanel::showSelection() {
  const auto node = m_flames->selected();
  m_detail->setVisible(m_data && !m_data->layout->rows.empty());
  m_calls->clear();
  if (!m_data || !node) {
    m_path->setText(tr("Click a frame to see its calls; double-click it for its source line"));
    m_figures->setText(tr("Wheel zooms, drag pans, F shows the frame whole, Home everything"));
    m_source->setEnabled(false);
    return;
  }
  const FlameLayout& layout = *m_data->layout;
  const StackTree::Frame& frame = layout.tree.frameAt(*node);
  const StackSum& total = layout.totals[*node];
  const double share =
      layout.whole > 0 ? 100.0 * static_cast<double>(total.weight) / static_cast<double>(layout.whole) : 0;
  QStringList path;
  for (const std::uint32_t id : layout.tree.framesTo(*node)) path << frameLabel(layout.tree.frames()[id]);
  m_path->setText(path.size() > 4
                      ? QStringLiteral("… › ") + path.mid(path.size() - 4).join(QStringLiteral(" › "))
                      : path.join(QStringLiteral(" › ")));
  if (layout.isDifference())
    m_figures->setText(tr("A %1 · B %2 · %3")
                           .arg(weightText(m_data->choice.weight, layout.totalsA[*node].weight),
                                weightText(m_data->choice.weight, layout.totalsB[*node].weight),
                                changeText(m_data->choice.weight, layout, *node)));
  else
    m_figures->setText(tr("Total %1 · %2 · self %3")
                           .arg(weightText(m_data->choice.weight, total.weight),
                                QString::fromStdString(percentText(share)),
                                weightText(m_data->choice.weight, layout.sums[*node].weight)));
  m_source->setEnabled(sourcePlaceOf(frame.text).has_value());
  const std::shared_ptr<const Analysis> of = shownPart();
  if (!of) return;
  m_calls->search(of, [choice = m_data->choice, stack = stackOf(*node),
                       callers = layout.isAbove(*node)](const Analysis& analysis, const Progress& progress) {
    return callsOfStack(analysis, choice, stack, callers, progress);
  });
}

void StacksPanel::search() {
  const QString words = m_search->text();
  if (!m_data || words.trimmed().isEmpty()) {
    m_flames->setMatches({});
    m_matched->clear();
    m_matched->hide();
    return;
  }
  const FlameLayout& layout = *m_data->layout;
  const FrameMatcher matches(words.toStdString());
  std::vector<std::uint8_t> found(layout.tree.frames().size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = matches(layout.tree.frames()[i].text) ? 1 : 0;
  const std::int64_t sum = matchedSum(layout, found);
  const double share =
      layout.whole > 0 ? 100.0 * static_cast<double>(sum) / static_cast<double>(layout.whole) : 0;
  m_matched->setText(
      tr("matched %1 · %2")
          .arg(QString::fromStdString(percentText(share)), weightText(m_data->choice.weight, sum)));
  m_matched->show();
  m_flames->setMatches(std::move(found));
}

// The source line of a Python frame; other frames are shown whole.
void StacksPanel::activate(std::uint32_t node) {
  if (!m_data) return;
  const auto place = sourcePlaceOf(m_data->layout->tree.frameAt(node).text);
  if (!place) return m_flames->zoomTo(node);
  const QString done = openSource(m_settings, *place, this);
  if (!done.isEmpty()) m_figures->setText(done);
}

void StacksPanel::showOnly(const QString& words) {
  m_search->setText(words);
}

void StacksPanel::takeFocus() {
  m_flames->setFocus();
}

bool StacksPanel::claimsKey(const QKeyEvent& event) const {
  if (m_search->hasFocus() || (event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
  static constexpr std::array kKeys{
      static_cast<int>(Qt::Key_Home),  static_cast<int>(Qt::Key_0),      static_cast<int>(Qt::Key_Backspace),
      static_cast<int>(Qt::Key_Up),    static_cast<int>(Qt::Key_Down),   static_cast<int>(Qt::Key_Left),
      static_cast<int>(Qt::Key_Right), static_cast<int>(Qt::Key_Return), static_cast<int>(Qt::Key_R),
      static_cast<int>(Qt::Key_F),     static_cast<int>(Qt::Key_Slash)};
  const bool isDepth = event.key() >= Qt::Key_1 && event.key() <= Qt::Key_9 && !m_modulesPane->isHidden();
  return isDepth || std::ranges::find(kKeys, event.key()) != kKeys.end();
}

bool StacksPanel::pressKey(const QKeyEvent& event) {
  if (!claimsKey(event)) return false;
  if (event.key() == Qt::Key_Slash) {
    m_search->setFocus();
    return true;
  }
  if (event.key() >= Qt::Key_1 && event.key() <= Qt::Key_9) {
    showModulesTo(event.key() - Qt::Key_0);
    return true;
  }
  return m_flames->pressKey(event.key());
}

namespace tabs {

TabPage* stacks(const TabContext& context) {
  return new StacksPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
