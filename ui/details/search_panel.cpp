// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/search_panel.h"

#include "core/base/unit_text.h"
#include "core/export/csv.h"
#include "core/query/search_query.h"
#include "core/report/hits_table.h"
#include "ui/base/counted.h"
#include "ui/base/save_file.h"
#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/details/search_hits_model.h"
#include "ui/job/event_finder.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kHitHeight = 24;
constexpr std::array<int, SearchHitsModel::kColumnCount> kHitWidths{130, 100, 520, 90, 230, 100};

QString number(const std::string& text) {
  return QString::fromStdString(text);
}

QToolButton* button(const QString& text, const QString& tip) {
  auto* made = new QToolButton;
  made->setText(text);
  made->setToolTip(tip);
  made->setAccessibleName(tip);
  made->setFocusPolicy(Qt::TabFocus);
  return made;
}

} // namespace

SearchPanel::SearchPanel(TraceSession& session, EventFinder& finder, QWidget* parent)
    : QWidget(parent), m_session(session), m_finder(finder), m_model(new SearchHitsModel(this)),
      m_task(session.pending()), m_writing(session.pending()) {
  m_summary = new ElidedLabel;
  m_previous = button(tr("◂ Previous"), tr("Previous match (Shift+Enter)"));
  m_next = button(tr("Next ▸"), tr("Next match (Enter)"));
  m_statistics = button(tr("Sums of all matches"), tr("Sums of all matches by name, kind and rank"));
  m_export = button(tr("Export as CSV …"), tr("Export all matches with exact times as CSV"));
  auto* bar = new QWidget;
  auto* top = new FlowLayout(bar, 8);
  top->setContentsMargins(16, 2, 16, 2);
  top->addFilling(m_summary);
  for (QToolButton* made : {m_previous, m_next, m_statistics, m_export}) top->addWidget(made);

  makeList();
  m_help = new QLabel;
  m_help->setObjectName(QStringLiteral("searchHelp"));
  m_help->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  m_help->setContentsMargins(16, 6, 16, 6);
  m_help->setWordWrap(true);
  m_help->setTextFormat(Qt::RichText);
  m_help->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_stack = new QStackedWidget;
  m_stack->addWidget(m_list);
  m_stack->addWidget(m_help);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 2, 0, 0);
  column->setSpacing(2);
  column->addWidget(bar);
  column->addWidget(m_stack, 1);

  connect(m_previous, &QToolButton::clicked, &finder, &EventFinder::previous);
  connect(m_next, &QToolButton::clicked, &finder, &EventFinder::next);
  connect(m_statistics, &QToolButton::clicked, this, &SearchPanel::statisticsWanted);
  connect(m_export, &QToolButton::clicked, this, &SearchPanel::exportCsv);
  const auto go = [this](const QModelIndex& index) {
    if (const EventRef hit = m_model->hitAt(index.row()); hit.valid()) m_session.reveal(hit);
  };
  connect(m_list, &QTableView::clicked, this, go);
  connect(m_list, &QTableView::activated, this, go);
  connect(m_model, &SearchHitsModel::orderWanted, this, [this](HitOrder order, bool descending) {
    m_order = order;
    m_descending = descending;
    relist();
  });
  connect(&finder, &EventFinder::changed, this, &SearchPanel::showFinder);
  connect(&session, &TraceSession::selectionChanged, this, [this] {
    showFinder();
    markSelection();
  });
  connect(&session, &TraceSession::themeChanged, this, &SearchPanel::showFinder);
  showFinder();
}

void SearchPanel::makeList() {
  m_list = new QTableView;
  m_list->setObjectName(QStringLiteral("searchHits"));
  m_list->setAccessibleName(tr("Matches"));
  m_list->setModel(m_model);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setShowGrid(false);
  m_list->setWordWrap(false);
  m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_list->setSelectionMode(QAbstractItemView::SingleSelection);
  m_list->setTabKeyNavigation(false);
  m_list->setCornerButtonEnabled(false);
  m_list->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->verticalHeader()->hide();
  m_list->verticalHeader()->setMinimumSectionSize(scaledToText(kHitHeight));
  m_list->verticalHeader()->setDefaultSectionSize(scaledToText(kHitHeight));
  QHeaderView* const header = m_list->horizontalHeader();
  header->setHighlightSections(false);
  for (int column = 0; column < SearchHitsModel::kColumnCount; ++column)
    header->resizeSection(column, scaledToText(kHitWidths[static_cast<std::size_t>(column)]));
  header->setSectionResizeMode(SearchHitsModel::kName, QHeaderView::Stretch);
  header->setSortIndicator(SearchHitsModel::kBegin, Qt::AscendingOrder);
  m_list->setSortingEnabled(true);
  header->setSortIndicatorShown(false); // the title carries the arrow
}

SearchPanel::~SearchPanel() {
  if (m_cancel) *m_cancel = true;
}

QString SearchPanel::summary() const {
  return m_summary->text();
}

QString SearchPanel::helpText() const {
  QStringList examples;
  for (const SearchFieldHelp& help : searchFields())
    examples << QStringLiteral("<span style='color:%1'>%2</span>")
                    .arg(m_session.theme().text.name(),
                         QString::fromUtf8(help.example.data(), static_cast<qsizetype>(help.example.size()))
                             .toHtmlEscaped());
  return QStringLiteral("<p style='color:%1; line-height:150%'>%2<br>%3<br>%4</p>")
      .arg(
          m_session.theme().muted.name(),
          tr("Matches names that contain every word. Fields restrict the search, - excludes a word or field, "
             "quotes group words, ~ starts a regular expression:"),
          examples.join(QStringLiteral(" &nbsp;&nbsp; ")),
          tr("For example all_reduce dur&gt;5ms rank:0-3 -kind:host. Enter goes to the next match, "
             "Shift+Enter to the previous one."));
}

void SearchPanel::showFinder() {
  const HitSums& sums = m_finder.sums();
  const auto count = static_cast<qint64>(sums.count);
  for (QToolButton* made : {m_previous, m_next, m_statistics, m_export}) made->setEnabled(count > 0);
  if (const auto& problem = m_finder.problem()) {
    m_summary->setText(tr("At character %1: %2").arg(problem->at + 1).arg(problem->what));
  } else if (!m_finder.active() && !m_finder.running()) {
    m_summary->setText(tr("Search the slices of every rank (/)"));
  } else if (count == 0) {
    m_summary->setText(m_finder.running() ? tr("Searching …") : tr("No matches in this job."));
  } else {
    const auto durationOf = [&](EventRef hit) { return m_session.rangeOf(hit).length(); };
    QStringList facts{counted(count, tr("1 match"), tr("%1 matches"))};
    if (const auto place = m_finder.place())
      facts.front() = tr("%1 of %2").arg(number(countText(static_cast<qint64>(*place) + 1)), facts.front());
    facts << counted(static_cast<qint64>(sums.ranks), tr("on 1 rank"), tr("on %1 ranks"));
    facts << tr("total %1").arg(number(durationText(sums.total)));
    facts << tr("mean %1").arg(number(durationText(sums.total / count)));
    facts << tr("min %1").arg(number(durationText(durationOf(sums.shortest))));
    facts << tr("max %1").arg(number(durationText(durationOf(sums.longest))));
    if (sums.count > kMaxListed)
      facts << tr("showing the first %1").arg(number(groupedText(static_cast<qint64>(kMaxListed))));
    if (m_finder.running()) facts << tr("searching …");
    m_summary->setText(facts.join(QStringLiteral("  ·  ")));
  }
  m_help->setText(helpText());
  m_stack->setCurrentWidget(count > 0 ? static_cast<QWidget*>(m_list) : m_help);
  if (m_listed != m_finder.revision()) relist();
}

void SearchPanel::relist() {
  m_listed = m_finder.revision();
  if (m_cancel) *m_cancel = true;
  const auto hits = m_finder.hits();
  if (!hits) {
    m_task.drop();
    m_model->setHits(nullptr, {});
    return;
  }
  m_cancel = std::make_shared<std::atomic<bool>>(false);
  m_task.ask([trace = m_session.trace(), hits, order = m_order, descending = m_descending,
              cancel = m_cancel] { return listHits(*trace, *hits, order, descending, kMaxListed, *cancel); },
             [this](std::vector<EventRef> listed) { showList(std::move(listed)); });
}

void SearchPanel::showList(std::vector<EventRef> hits) {
  m_model->setHits(m_session.trace(), std::move(hits));
  markSelection();
}

void SearchPanel::markSelection() {
  const EventRef selection = m_session.selection();
  const QModelIndex current = m_list->currentIndex();
  if (current.isValid() && m_model->hitAt(current.row()) == selection) return;
  const int row = selection.valid() ? m_model->rowOf(selection) : -1;
  if (row < 0) return m_list->clearSelection();
  m_list->selectRow(row);
  m_list->scrollTo(m_model->index(row, SearchHitsModel::kName));
}

bool SearchPanel::canExport() const {
  return m_finder.sums().count > 0;
}

void SearchPanel::exportCsv() {
  const QString path = askCsvPath(this, QStringLiteral("hits.csv"));
  if (!path.isEmpty()) writeHits(path);
}

void SearchPanel::writeHits(const QString& path) {
  const auto hits = m_finder.hits();
  if (!hits) return;
  const auto work = [trace = m_session.trace(), hits, order = m_order, descending = m_descending, path] {
    const std::atomic<bool> goOn{false};
    const std::vector<EventRef> all =
        listHits(*trace, *hits, order, descending, std::numeric_limits<std::size_t>::max(), goOn);
    return saveFile(path, QByteArray::fromStdString(toCsv(hitsTable(*trace, all))));
  };
  const auto showExplanation = [this, path](const std::optional<QString>& problem) {
    if (problem) QMessageBox::warning(this, tr("Export matches"), tr("%1: %2").arg(path, *problem));
    emit written(!problem);
  };
  m_writing.ask(work, showExplanation, [showExplanation](const Error& error) {
    showExplanation(QString::fromStdString(error.text()));
  });
}

} // namespace rankscope::ui
