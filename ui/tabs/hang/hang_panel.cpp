// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/hang/hang_panel.h"

#include "core/report/hang_tables.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/recipe_card.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QBoxLayout>
#include <QLabel>
#include <QScrollArea>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace rankscope::ui {

namespace {

constexpr int kNarrow = 640; // below this width, cards are below each other
constexpr int kTableHeight = 240;

QString verdictTitle(const QString& verdict) {
  const std::string id = verdict.toStdString();
  for (int i = 0; i <= static_cast<int>(HangVerdict::Unknown); ++i) {
    const auto known = static_cast<HangVerdict>(i);
    if (hangVerdictText(known) != id) continue;
    const std::string_view title = hangVerdictTitle(known);
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
  }
  return verdict;
}

// Of many ranks the first ones; the tooltip has all.
QString fewRanks(const QString& ranks) {
  constexpr qsizetype kMost = 28;
  if (ranks.size() <= kMost) return ranks;
  const qsizetype comma = ranks.lastIndexOf(QLatin1Char(','), kMost);
  return ranks.left(comma > 0 ? comma + 1 : kMost) + QStringLiteral(" …");
}

std::vector<ShownColumn> groupColumns() {
  return {
      {.source = "group", .title = tr("Group")},
      {.source = "group_ranks", .title = tr("Members"), .display = fewRanks},
      {.source = "rank", .title = tr("Rank")},
      {.source = "verdict",
       .title = tr("Verdict"),
       .tip =
           tr("Collective not called: other ranks wait in a collective that this rank never called. Device "
              "stuck: other ranks completed a collective that this rank has only enqueued."),
       .display = verdictTitle},
      {.source = "last_enqueued",
       .title = tr("Enqueued"),
       .tip = tr("Sequence number of the last collective that the rank called")},
      {.source = "last_started", .title = tr("Started"), .hide = Hide::AllEmpty},
      {.source = "last_completed", .title = tr("Completed")},
      {.source = "first_unfinished",
       .title = tr("Unfinished"),
       .tip = tr("Sequence number of the first collective that is not completed")},
      {.source = "operation", .title = tr("Operation")},
      {.source = "state",
       .title = tr("State"),
       .tip = tr("As recorded: scheduled or started"),
       .hidden = true},
      {.source = "age_us",
       .title = tr("Age, at least"),
       .tip = tr("From the call to the latest time in any dump; dumps do not say when they were written")},
      {.source = "frame",
       .title = tr("Line"),
       .tip = tr("Innermost line of your code that made the call"),
       .hide = Hide::AllEmpty,
       .elideStart = true},
  };
}

std::vector<ShownColumn> waitColumns() {
  return {{.source = "rank", .title = tr("Rank")},
          {.source = "waits_for", .title = tr("Waits for"), .display = fewRanks},
          {.source = "group", .title = tr("Group")}};
}

std::vector<ShownColumn> standColumns() {
  return {{.source = "ranks", .title = tr("Ranks"), .display = fewRanks},
          {.source = "where",
           .title = tr("State"),
           .tip = tr("In: inside this unfinished call. After: completed it and called nothing later")},
          {.source = "operation", .title = tr("Operation")},
          {.source = "sequence", .title = tr("Sequence")},
          {.source = "group", .title = tr("Group")},
          {.source = "frame", .title = tr("Line"), .hide = Hide::AllEmpty, .elideStart = true}};
}

// The size is of PyTorch 2.8 and later; earlier ones read TORCH_NCCL_TRACE_BUFFER_SIZE.
QString dumpRecipe() {
  return QStringLiteral("export TORCH_FR_BUFFER_SIZE=2000           # PyTorch 2.8 or later\n"
                        "export TORCH_NCCL_TRACE_BUFFER_SIZE=2000   # before PyTorch 2.8\n"
                        "export TORCH_NCCL_DUMP_ON_TIMEOUT=1\n"
                        "export TORCH_FR_DUMP_TEMP_FILE=/shared/folder/nccl_trace_rank_\n");
}

QFrame* cardOf(const QString& title, const std::vector<QWidget*>& contents) {
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  auto* heading = new QLabel(title);
  heading->setObjectName(QStringLiteral("cardTitle"));
  column->addWidget(heading);
  for (QWidget* const widget : contents) column->addWidget(widget);
  column->addStretch();
  return card;
}

} // namespace

HangPanel::HangPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_verdict(new WrappedLabel),
      m_advice(new WrappedLabel), m_stack(new WrappedLabel), m_lower(new QHBoxLayout),
      m_recipe(new RecipeCard(tr("Record a hang"), dumpRecipe())) {
  m_recipe->setText(tr("No Flight Recorder dumps were opened. Set this on every rank before the job starts. "
                       "When it hangs, each rank writes a file: open their folder, or drop it here."));
  m_verdictCard = cardOf(tr("Verdict"), {m_verdict, m_advice});
  m_stackCard = cardOf(tr("Stack"), {m_stack});
  for (WrappedLabel* label : {m_verdict, m_advice, m_stack})
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_groups = new TableCard(tr("Groups"), groupColumns(), session);
  m_groups->setStretchColumn("group");
  m_groups->setFilterHint(tr("Filter groups and ranks"));
  m_waits = new TableCard(tr("Waiting"), waitColumns(), session);
  m_waits->setStretchColumn("group");
  m_stands = new TableCard(tr("Ranks by stack"), standColumns(), session);
  m_stands->setStretchColumn("group");
  m_groups->setMemoryKey(settings, QStringLiteral("hang.groups"));
  m_waits->setMemoryKey(settings, QStringLiteral("hang.waits"));
  m_stands->setMemoryKey(settings, QStringLiteral("hang.stands"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(makePage());
  connect(m_stands, &TableCard::rowSelected, this, &HangPanel::showStack);
  connect(m_stands, &TableCard::rowActivated, this, [this](int row) {
    if (row >= 0) reveal(m_data->standPlaces[static_cast<std::size_t>(row)]);
  });
  connect(m_groups, &TableCard::rowActivated, this, [this](int row) {
    if (row >= 0) reveal(m_data->groupPlaces[static_cast<std::size_t>(row)]);
  });
  setReportContents<HangData>([](const JobReport& report) { return hangData(report); },
                              [this](const std::shared_ptr<const HangData>& made) { showData(made); });
  showData(nullptr);
}

QWidget* HangPanel::makePage() {
  auto* page = new QWidget;
  page->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addWidget(m_recipe);
  column->addWidget(m_verdictCard);
  column->addWidget(m_groups, 3);
  m_lower->setSpacing(16);
  m_lower->addWidget(m_stands, 3);
  m_lower->addWidget(m_stackCard, 2);
  m_lower->addWidget(m_waits, 2);
  column->addLayout(m_lower, 2);
  column->addStretch();
  for (TableCard* card : {m_groups, m_waits, m_stands}) card->setMinimumHeight(scaledToText(kTableHeight));
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(page);
  return scroll;
}

void HangPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  const bool narrow = width() < scaledToText(kNarrow);
  m_lower->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void HangPanel::showData(const std::shared_ptr<const HangData>& made) {
  m_data = made;
  const bool any = made && made->results->hang;
  const QString empty = tr("Computing …");
  m_recipe->setVisible(made && !any);
  m_verdictCard->setVisible(!made || any);
  m_verdict->setText(any ? made->verdict : empty);
  m_verdict->setLead(any ? static_cast<int>(made->verdict.section(QLatin1Char('\n'), 0, 0).size()) : 0);
  m_advice->setText(any ? made->advice : QString());
  m_advice->setVisible(any && !made->advice.isEmpty());
  for (QWidget* widget : std::initializer_list<QWidget*>{m_groups, m_waits, m_stands, m_stackCard})
    widget->setVisible(any);
  m_groups->setTable(any ? made->groups : nullptr, empty);
  m_waits->setTable(any ? made->waits : nullptr, tr("No rank waits for another."));
  m_stands->setTable(any ? made->stands : nullptr, empty);
  QString caption;
  if (any) {
    caption = counted(static_cast<qint64>(made->results->files->flightRecords.size()), tr("1 dump"),
                      tr("%1 dumps"));
    if (made->hasPlaces()) caption += tr(" · double-click: timeline");
  }
  m_groups->setCaption(caption);
  m_groups->setRowColor([this](int row, const Theme& theme) {
    const QString verdict = m_groups->model().textOf(row, "verdict");
    if (verdict == QLatin1String("ok")) return QColor();
    return verdict == QLatin1String("waits") || verdict == QLatin1String("unknown") ? theme.warn : theme.bad;
  });
  m_stack->clear();
  if (any && !made->stacks.empty()) {
    m_stands->selectRow(0);
    showStack(0);
  }
}

void HangPanel::reveal(const std::optional<HangPlace>& place) {
  if (!place) return;
  if (place->event.valid())
    m_session.reveal({place->rank, place->event});
  else
    m_session.revealPlace(place->rank, place->range);
  emit timelineWanted();
}

void HangPanel::showStack(int row) {
  const bool known = m_data && row >= 0 && static_cast<std::size_t>(row) < m_data->stacks.size();
  m_stack->setText(known ? m_data->stacks[static_cast<std::size_t>(row)] : QString());
}

QString HangPanel::verdict() const {
  return m_verdict->text();
}

QString HangPanel::stack() const {
  return m_stack->text();
}

namespace tabs {

TabPage* hang(const TabContext& context) {
  return new HangPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
