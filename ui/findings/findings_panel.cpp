// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/findings_panel.h"

#include "core/analysis/network/job_network.h"
#include "core/base/unit_text.h"
#include "core/model/side_files.h"
#include "core/report/findings_table.h"
#include "core/report/reported_part.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/findings/accept_dialog.h"
#include "ui/findings/finding_target.h"
#include "ui/job/acceptances.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapped_label.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kMinWidth = 280;
constexpr int kUsualWidth = 320;
constexpr int kPartOfWindow = 5; // of the window it takes one in so many for larger texts
constexpr std::size_t kMaxCards = 60;
constexpr std::array kSeverities{Severity::Critical, Severity::Warning, Severity::Info};

FindingsData findingsData(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  FindingsData data;
  // Files beside recordings may be all there is.
  data.anything =
      !analysis.ranks().empty() || !analysis.trace().side().empty() || !report.network().records->empty();
  data.answered = report.hasFindings();
  if (!data.anything || !data.answered) return data;
  data.costsNote = textOf(costsNote(analysis));
  std::set<FindingKind> found;
  for (const Finding& finding : report.findings()) {
    ShownFinding& shown = data.findings.emplace_back();
    shown.finding = finding;
    shown.where = textOf(findingPlaceText(analysis, shown.finding));
    if (finding.gain) {
      const KeptAccount& kept = report.keptAccount();
      shown.cost = textOf(gainText(*finding.gain));
      if (kept.areSteps) shown.cost = FindingsPanel::tr("%1/step").arg(shown.cost);
      shown.share = FindingsPanel::tr("%1 of %2")
                        .arg(textOf(gainShareText(*finding.gain, kept.stepTime)),
                             textOf(std::string(reportedPart(report))));
    } else {
      shown.cost = textOf(findingCostText(report, finding));
    }
    shown.text = textOf(findingText(report, finding));
    shown.markdown = textOf(findingMarkdown(report, finding));
    found.insert(shown.finding.kind);
  }
  data.checks = {{found.begin(), found.end()}, uncheckedKinds(analysis, report.network())};
  return data;
}

} // namespace

FindingsPanel::FindingsPanel(TraceSession& session, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_count(new QLabel),
      m_scope(new ElidedLabel), m_tools(new QWidget), m_filter(new QLineEdit),
      m_acceptedButton(new QToolButton), m_message(new WrappedLabel), m_scroll(new QScrollArea),
      m_more(new QToolButton), m_checksButton(new QToolButton), m_checks(new CheckList) {
  setObjectName(QStringLiteral("findings"));
  setAttribute(Qt::WA_StyledBackground);
  setMinimumWidth((kMinWidth + scaledToText(kMinWidth)) / 2); // longer texts wrap
  auto* title = new QLabel(tr("Findings"));
  title->setObjectName(QStringLiteral("cardTitle"));
  m_count->setObjectName(QStringLiteral("findingCount"));
  m_scope->setObjectName(QStringLiteral("caption"));
  m_message->setObjectName(QStringLiteral("emptyText"));
  auto* top = new QHBoxLayout;
  top->setContentsMargins(0, 0, 10, 0);
  top->addWidget(title);
  top->addWidget(m_count);
  top->addStretch();
  top->addWidget(m_scope);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 4, 8);
  column->setSpacing(8);
  column->addLayout(top);
  makeTools(*column);
  column->addWidget(m_message);
  column->addWidget(m_scroll, 1);
  fillColumn();
  connect(m_more, &QToolButton::clicked, this, [this] {
    m_all = true;
    makeCards();
  });
  connect(m_checksButton, &QToolButton::toggled, this, [this](bool open) {
    m_checksButton->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    m_checks->setVisible(open);
  });
  setReportContents<FindingsData>(findingsData, [this](const std::shared_ptr<const FindingsData>& made) {
    m_data = made;
    showData();
  });
  connect(&m_session, &TraceSession::traceChanged, this, &FindingsPanel::showCount);
  connect(&m_session.acceptances(), &Acceptances::changed, this, &FindingsPanel::showAccepted);
  showData();
}

QSize FindingsPanel::sizeHint() const {
  const int room = std::max(kUsualWidth, window()->width() / kPartOfWindow);
  return {std::min(room, scaledToText(kUsualWidth)), 400};
}

// Cards come above the buttons at the end.
void FindingsPanel::fillColumn() {
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("findingsInner"));
  m_column = new QVBoxLayout(inner);
  m_column->setContentsMargins(0, 0, 8, 0);
  m_column->setSpacing(8);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setWidget(inner);
  m_more->setObjectName(QStringLiteral("quietButton"));
  m_checksButton->setObjectName(QStringLiteral("quietButton"));
  m_checksButton->setCheckable(true);
  m_checksButton->setToolTip(
      tr("A click lists all checks: those that found something, those that found nothing, and "
         "those that need what was not recorded"));
  m_checksButton->setArrowType(Qt::RightArrow);
  m_checksButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  // They shrink to the panel's width instead of widening it.
  for (QToolButton* const button : {m_more, m_checksButton})
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_column->addWidget(m_more, 0, Qt::AlignHCenter);
  m_column->addWidget(m_checksButton, 0, Qt::AlignLeft);
  m_column->addWidget(m_checks);
  m_column->addStretch();
}

void FindingsPanel::makeTools(QVBoxLayout& column) {
  m_filter->setPlaceholderText(tr("Filter findings …"));
  m_filter->setAccessibleName(tr("Filter findings"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setAcceptDrops(false);
  connect(m_filter, &QLineEdit::textChanged, this, &FindingsPanel::showMatching);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(6);
  for (const Severity severity : kSeverities) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("severityButton"));
    const std::string_view name = severityText(severity);
    button->setProperty("severity", QLatin1String(name.data(), static_cast<qsizetype>(name.size())));
    button->setCheckable(true);
    button->setChecked(true);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::toggled, this, &FindingsPanel::showMatching);
    m_severities[static_cast<std::size_t>(severity)] = button;
    buttons->addWidget(button);
  }
  m_acceptedButton->setObjectName(QStringLiteral("severityButton"));
  m_acceptedButton->setCheckable(true);
  m_acceptedButton->setChecked(true);
  m_acceptedButton->setFocusPolicy(Qt::TabFocus);
  m_acceptedButton->setToolTip(tr("Show or hide accepted findings"));
  connect(m_acceptedButton, &QToolButton::toggled, this, &FindingsPanel::showMatching);
  buttons->addStretch();
  auto* lines = new QVBoxLayout(m_tools);
  lines->setContentsMargins(0, 0, 10, 2);
  lines->setSpacing(8);
  lines->addWidget(m_filter);
  lines->addLayout(buttons);
  lines->addWidget(m_acceptedButton, 0, Qt::AlignLeft); // one line would cut their texts
  column.addWidget(m_tools);
}

void FindingsPanel::setScopeText(const QString& text) {
  m_scope->setText(text);
  m_scope->setToolTip(text.isEmpty()
                          ? QString()
                          : tr("Costs per step are of whole steps: of those that begin in the range "
                               "or capture; without any, of the time of the range"));
}

void FindingsPanel::showData() {
  const FindingsData* const shown = m_data.get();
  m_all = false;
  const bool any = shown != nullptr && !shown->findings.empty();
  m_tools->setVisible(any);
  m_checks->setChecks(shown != nullptr ? shown->checks : FindingChecks());
  const bool answered = shown != nullptr && shown->answered;
  const bool checked = answered && shown->anything;
  m_checksButton->setVisible(any);
  m_checksButton->setText(checked ? CheckList::summaryOf(shown->checks) : QString());
  m_checks->setVisible(checked && (!any || m_checksButton->isChecked()));
  makeCards();
  emit countChanged(shown == nullptr ? kCounting
                    : answered       ? static_cast<int>(shown->findings.size())
                                     : kNotAnswered);
}

// How many of each are open, and how many are accepted: together all.
void FindingsPanel::showSeverities() {
  std::array<int, kSeverities.size()> open{};
  int accepted = 0;
  for (std::size_t i = 0; m_data && report() && i < m_data->findings.size(); ++i) {
    const Finding& finding = m_data->findings[i].finding;
    if (m_session.acceptances().of(*report(), finding) != nullptr)
      ++accepted;
    else
      ++open[static_cast<std::size_t>(finding.severity)];
  }
  for (const Severity severity : kSeverities) {
    QToolButton& button = severityButton(severity);
    const int count = open[static_cast<std::size_t>(severity)];
    button.setText(severity == Severity::Warning ? counted(count, tr("1 warning"), tr("%1 warnings"))
                                                 : tr("%1 %2").arg(count).arg(severityTitle(severity)));
    button.setToolTip(tr("Show or hide %1 findings").arg(severityTitle(severity)));
    button.setVisible(count > 0);
  }
  m_acceptedButton->setText(tr("%1 accepted").arg(accepted));
  m_acceptedButton->setVisible(accepted > 0);
}

void FindingsPanel::showAccepted() {
  showSeverities();
  for (FindingCard* card : m_cards) {
    const AcceptedFinding* const as =
        report() ? m_session.acceptances().of(*report(), card->shown().finding) : nullptr;
    card->setAccepted(as != nullptr ? std::optional(textOf(as->note)) : std::nullopt);
  }
  showMatching();
}

void FindingsPanel::askToAccept(const FindingCard& card) {
  if (!report()) return;
  AcceptDialog dialog(textOf(card.shown().finding.title), card.accepted().value_or(QString()), this);
  // The job may be closed meanwhile.
  const std::shared_ptr<const JobReport> of = report();
  const Finding finding = card.shown().finding;
  if (dialog.exec() == QDialog::Accepted && report() == of)
    m_session.acceptances().accept(*of, finding, dialog.note());
}

void FindingsPanel::exportAccepted() {
  QFileDialog dialog(this, tr("Export accepted findings"), QDir::homePath(), tr("JSON (*.json)"));
  dialog.setObjectName(QStringLiteral("exportAcceptedDialog"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(QStringLiteral("json"));
  dialog.selectFile(QStringLiteral("accepted_findings.json"));
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return;
  if (const auto problem = m_session.acceptances().write(dialog.selectedFiles().front()))
    QMessageBox::warning(this, tr("Export accepted findings"), *problem);
}

void FindingsPanel::importAccepted() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Import accepted findings"), QDir::homePath(),
                                                    tr("JSON (*.json);;All files (*)"));
  if (path.isEmpty()) return;
  if (const auto problem = m_session.acceptances().addFile(path))
    QMessageBox::warning(this, tr("Import accepted findings"), *problem);
}

void FindingsPanel::addAcceptedActions(QMenu& menu) {
  menu.addSeparator();
  menu.addAction(tr("Export accepted findings …"), this, &FindingsPanel::exportAccepted)
      ->setEnabled(!m_session.acceptances().all().empty());
  menu.addAction(tr("Import accepted findings …"), this, &FindingsPanel::importAccepted);
}

void FindingsPanel::makeCards() {
  m_session.pointAt({});
  for (FindingCard* card : m_cards) {
    m_column->removeWidget(card);
    card->hide();
    card->deleteLater();
  }
  m_cards.clear();
  const std::size_t all = m_data ? m_data->findings.size() : 0;
  const std::size_t shown = m_all ? all : std::min(all, kMaxCards);
  for (std::size_t i = 0; i < shown; ++i) addCard(m_data->findings[i]);
  m_more->setVisible(shown < all);
  m_more->setText(tr("Show %1 more").arg(all - shown));
  showAccepted();
}

void FindingsPanel::addCard(const ShownFinding& shown) {
  auto* card = new FindingCard(shown);
  m_column->insertWidget(static_cast<int>(m_cards.size()), card);
  // Cards are created later than the rest of the window; set their tab order explicitly.
  QWidget* before = &severityButton(kSeverities.back());
  if (!m_cards.empty()) before = m_cards.back();
  setTabOrder(before, card);
  m_cards.push_back(card);
  connect(card, &FindingCard::opened, this, [this, card] { emit findingOpened(card->shown().finding); });
  connect(card, &FindingCard::pointed, this, [this, card](bool over) {
    const bool place = over && analysis() && !card->shown().finding.place.empty();
    m_session.pointAt(place ? std::optional(placeToShow(*analysis(), card->shown().finding)) : std::nullopt);
  });
  connect(card, &FindingCard::walkWanted, this, [this, card](int by) { walk(card, by); });
  connect(card, &FindingCard::copyAllWanted, this, &FindingsPanel::copyAll);
  connect(card, &FindingCard::acceptWanted, this, [this, card] { askToAccept(*card); });
  connect(card, &FindingCard::withdrawWanted, this, [this, card] {
    if (report()) m_session.acceptances().withdraw(*report(), card->shown().finding);
  });
}

void FindingsPanel::showMatching() {
  const QStringList words = m_filter->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (FindingCard* card : m_cards) {
    const QToolButton& button =
        card->accepted() ? *m_acceptedButton : severityButton(card->shown().finding.severity);
    const bool wanted = button.isChecked();
    card->setVisible(wanted && card->matches(words));
  }
  showCount();
}

void FindingsPanel::showCount() {
  const auto shown =
      std::ranges::count_if(m_cards, [](const FindingCard* card) { return !card->isHidden(); });
  const auto all = static_cast<std::ptrdiff_t>(m_data ? m_data->findings.size() : 0);
  const bool filtered = shown < static_cast<std::ptrdiff_t>(m_cards.size());
  m_count->setVisible(all > 0);
  m_count->setText(filtered ? tr("%1 of %2").arg(shown).arg(all) : QString::number(all));
  QString message;
  if (m_session.trace() == nullptr)
    message = tr("No job is open.");
  else if (!m_data)
    message = tr("Computing …");
  else if (!m_data->anything)
    message = tr("The selection contains no recorded activity.");
  else if (!m_data->answered)
    message =
        tr("The findings of these ranks need their events, which a digest has not kept. Open the traces "
           "of the ranks that stand out.");
  else if (all == 0)
    message = tr("No findings; %1 could be made.").arg(CheckList::madeOf(m_data->checks));
  else if (shown == 0)
    message = tr("No findings match the filter.");
  m_message->setText(message);
  m_message->setVisible(!message.isEmpty());
}

void FindingsPanel::walk(FindingCard* from, int by) {
  std::vector<FindingCard*> shown;
  std::ranges::copy_if(m_cards, std::back_inserter(shown),
                       [](const FindingCard* card) { return !card->isHidden(); });
  const auto last = static_cast<std::ptrdiff_t>(shown.size()) - 1;
  const auto at = std::ranges::find(shown, from) - shown.begin();
  const std::ptrdiff_t to = by == -2 ? 0 : by == 2 ? last : std::clamp<std::ptrdiff_t>(at + by, 0, last);
  if (last < 0) return;
  FindingCard* const card = shown[static_cast<std::size_t>(to)];
  card->setFocus(Qt::TabFocusReason);
  m_scroll->ensureWidgetVisible(card, 0, 8);
}

QString FindingsPanel::shownText(bool asMarkdown) const {
  QStringList texts;
  if (m_data && !m_data->costsNote.isEmpty())
    texts << m_data->costsNote + (asMarkdown ? QStringLiteral("\n\n") : QStringLiteral("\n"));
  for (const FindingCard* card : m_cards)
    if (!card->isHidden()) texts << card->text(asMarkdown);
  return texts.join(asMarkdown ? QString() : QStringLiteral("\n"));
}

void FindingsPanel::copyAll(bool asMarkdown) const {
  QGuiApplication::clipboard()->setText(shownText(asMarkdown));
}

void FindingsPanel::contextMenuEvent(QContextMenuEvent* event) {
  if (m_cards.empty()) return;
  QMenu menu(this);
  menu.addAction(tr("Copy visible findings"), this, [this] { copyAll(false); });
  menu.addAction(tr("Copy visible findings as Markdown"), this, [this] { copyAll(true); });
  addAcceptedActions(menu);
  menu.exec(event->globalPos());
}

} // namespace rankscope::ui
