// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/part_page.h"

#include "core/base/unit_text.h"
#include "core/report/job_totals.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/opening/memory_gauge.h"
#include "ui/opening/page_parts.h"
#include "ui/opening/recent_paths.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace rankscope::ui {

namespace {

constexpr int kColumnWidth = 640;

QLabel* figure(const char* name) {
  auto* text = new QLabel;
  text->setObjectName(QString::fromLatin1(name));
  text->setProperty("figure", true);
  text->setTextFormat(Qt::PlainText);
  text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return text;
}

QSpinBox* stepBox(const QString& name) {
  auto* box = new QSpinBox;
  box->setRange(0, std::numeric_limits<int>::max());
  box->setButtonSymbols(QAbstractSpinBox::NoButtons);
  box->setFixedWidth(scaledToText(76));
  box->setAccessibleName(name);
  return box;
}

QString ranksText(const PartQuestion& question) {
  std::vector<int> ranks;
  ranks.reserve(question.rankBytes.size());
  for (const auto& [rank, bytes] : question.rankBytes) ranks.push_back(rank);
  return QString::fromStdString(numberRangesText(ranks));
}

// Whether any file is of these ranks; while that is sought, it may be.
bool hasRank(const PartQuestion& question, const std::vector<int>& ranks) {
  if (!question.ranksSought) return !ranks.empty();
  return std::ranges::any_of(ranks, [&](int rank) { return question.rankBytes.contains(rank); });
}

// An estimate does not know more: 82 258 is 82 000.
std::int64_t twoDigits(std::uint64_t count) {
  std::uint64_t unit = 1;
  while (count / unit >= 100) unit *= 10;
  return static_cast<std::int64_t>((count + unit / 2) / unit * unit);
}

// Clamped to the range of the spin box.
int boxed(std::int64_t step) {
  return static_cast<int>(std::clamp<std::int64_t>(step, 0, std::numeric_limits<int>::max()));
}

} // namespace

PartPage::PartPage(const TraceSession& session, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("partPage"));
  m_title = wrappedLabel("startTitle");
  m_text = wrappedLabel("startText");
  m_python = new QCheckBox(tr("Skip the &Python stack"));
  m_python->setObjectName(QStringLiteral("skipPython"));
  m_operators = new QCheckBox(tr("Skip CPU &operators (keep communication and launches)"));
  m_operators->setObjectName(QStringLiteral("skipCpuOps"));
  m_steps = new QCheckBox(tr("Only &steps"));
  m_steps->setObjectName(QStringLiteral("onlySteps"));
  m_first = stepBox(tr("First step"));
  m_last = stepBox(tr("Last step"));
  m_ranks = new QCheckBox(tr("Only &ranks"));
  m_ranks->setObjectName(QStringLiteral("onlyRanks"));
  m_rankList = new QLineEdit;
  m_rankList->setObjectName(QStringLiteral("rankList"));
  m_rankList->setAccessibleName(tr("Ranks"));
  m_rankList->setPlaceholderText(QStringLiteral("0-3, 8"));
  m_rankList->setFixedWidth(scaledToText(176));
  m_pythonFigure = figure("pythonFigure");
  m_operatorsFigure = figure("operatorsFigure");
  m_stepsFigure = figure("stepsFigure");
  m_ranksFigure = figure("ranksFigure");
  m_gauge = new MemoryGauge(session);
  m_verdict = wrappedLabel("partVerdict");
  m_open = pageButton(tr("Open"), "primary");
  m_everything = pageButton({}, "openEverything");
  m_cancel = pageButton(tr("Cancel"), "leavePart");
  showInTheMiddle(makeCard());
  connectControls();
}

QWidget* PartPage::makeCard() {
  auto* stepRow = new QHBoxLayout;
  stepRow->setSpacing(8);
  stepRow->addWidget(m_steps);
  stepRow->addWidget(m_first);
  stepRow->addWidget(new QLabel(tr("to")));
  stepRow->addWidget(m_last);
  stepRow->addStretch();
  auto* rankRow = new QHBoxLayout;
  rankRow->setSpacing(8);
  rankRow->addWidget(m_ranks);
  rankRow->addWidget(m_rankList);
  rankRow->addStretch();
  auto* boxes = new QGridLayout;
  boxes->setHorizontalSpacing(16);
  boxes->setVerticalSpacing(12);
  boxes->setColumnStretch(0, 1);
  boxes->addWidget(m_python, 0, 0);
  boxes->addWidget(m_pythonFigure, 0, 1);
  boxes->addWidget(m_operators, 1, 0);
  boxes->addWidget(m_operatorsFigure, 1, 1);
  boxes->addLayout(stepRow, 2, 0);
  boxes->addWidget(m_stepsFigure, 2, 1);
  boxes->addLayout(rankRow, 3, 0);
  boxes->addWidget(m_ranksFigure, 3, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(10);
  buttons->addWidget(m_open);
  buttons->addWidget(m_everything);
  buttons->addStretch();
  buttons->addWidget(m_cancel);

  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  card->setMaximumWidth(scaledToText(kColumnWidth));
  auto* inner = new QVBoxLayout(card);
  inner->setContentsMargins(32, 28, 32, 26);
  inner->setSpacing(8);
  inner->addWidget(m_title);
  inner->addWidget(m_text);
  inner->addSpacing(14);
  inner->addLayout(boxes);
  inner->addSpacing(18);
  inner->addWidget(m_gauge);
  inner->addWidget(m_verdict);
  inner->addSpacing(16);
  inner->addLayout(buttons);
  return card;
}

// Scrolls if the window is smaller than the texts.
void PartPage::showInTheMiddle(QWidget* card) {
  auto* column = new QVBoxLayout;
  column->addStretch(2);
  column->addWidget(card);
  column->addStretch(3);
  auto* content = new QWidget;
  auto* page = new QHBoxLayout(content);
  page->setContentsMargins(16, 16, 16, 16);
  page->addLayout(column, 1); // centers the card
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidgetResizable(true);
  scroll->setWidget(content);
  scroll->viewport()->setAutoFillBackground(false);
  content->setAutoFillBackground(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll);
}

void PartPage::connectControls() {
  for (QCheckBox* box : {m_python, m_operators, m_steps, m_ranks})
    connect(box, &QCheckBox::toggled, this, &PartPage::showFigures);
  // First must not exceed last: changing one adjusts the other.
  connect(m_first, &QSpinBox::valueChanged, this, [this](int step) {
    m_stepsTouched = true;
    m_last->setValue(std::max(step, m_last->value()));
    m_steps->setChecked(true);
    showFigures();
  });
  connect(m_last, &QSpinBox::valueChanged, this, [this](int step) {
    m_stepsTouched = true;
    m_first->setValue(std::min(step, m_first->value()));
    m_steps->setChecked(true);
    showFigures();
  });
  connect(m_rankList, &QLineEdit::textEdited, this, [this] {
    m_ranksTouched = true;
    m_ranks->setChecked(true);
    showFigures();
  });
  connect(m_open, &QPushButton::clicked, this, [this] { emit openWanted(chosen()); });
  connect(m_everything, &QPushButton::clicked, this, [this] { emit openWanted({}); });
  connect(m_cancel, &QPushButton::clicked, this, &PartPage::leaveWanted);
}

void PartPage::ask(const PartQuestion& question) {
  m_question = question;
  const LoadForecast& forecast = question.forecast;
  const bool judged = forecast.available > 0 && !question.filter.steps && question.filter.ranks.empty();
  const LoadFilter filter = judged ? forecast.fitting(question.filter) : question.filter;
  {
    const QSignalBlocker python(m_python), operators(m_operators), steps(m_steps);
    const QSignalBlocker first(m_first), last(m_last), ranks(m_ranks);
    m_python->setChecked(filter.skipPython);
    m_operators->setChecked(filter.skipCpuOps);
    m_steps->setChecked(filter.steps.has_value());
    const auto shown = filter.steps.value_or(LoadFilter::Steps{});
    m_first->setValue(boxed(shown.first));
    m_last->setValue(boxed(shown.last));
    m_stepsTouched = filter.steps.has_value();
    m_ranks->setChecked(!filter.ranks.empty());
    m_rankList->setText(QString::fromStdString(numberRangesText(filter.ranks)));
    m_ranksTouched = !filter.ranks.empty();
  }
  showQuestion();
  showFigures();
}

void PartPage::showFound(const PartQuestion& question) {
  m_question = question;
  const auto& marked = m_question.marked;
  if (marked && !m_stepsTouched) {
    const QSignalBlocker first(m_first), last(m_last);
    m_first->setValue(boxed(marked->first));
    m_last->setValue(boxed(marked->last));
  }
  if (m_question.ranksSought && !m_ranksTouched) m_rankList->setText(ranksText(m_question));
  showFigures();
}

void PartPage::takeFocus() {
  m_python->setFocus(Qt::TabFocusReason);
}

LoadFilter PartPage::chosen() const {
  LoadFilter filter{m_python->isChecked(), m_operators->isChecked(), {}};
  if (m_steps->isChecked()) filter.steps = {m_first->value(), m_last->value()};
  if (m_ranks->isChecked()) filter.ranks = ranksWanted().value_or(std::vector<int>());
  return filter;
}

void PartPage::showQuestion() {
  const LoadForecast& forecast = m_question.forecast;
  const LoadEstimate& whole = forecast.of({});
  switch (m_question.reason) {
  case PartQuestion::Reason::WouldNotFit:
    m_title->setText(tr("%1 needs more memory than is available").arg(recentTitle(m_question.paths)));
    break;
  case PartQuestion::Reason::RanLow:
    m_title->setText(tr("Out of memory while opening %1").arg(recentTitle(m_question.paths)));
    break;
  case PartQuestion::Reason::Asked:
    m_title->setText(tr("Open %1 partially").arg(recentTitle(m_question.paths)));
    break;
  }
  QString text =
      tr("%1 %2 of JSON, about %3 events. Opening everything takes about %4 of memory while loading "
         "and %5 afterwards.")
          .arg(counted(static_cast<qint64>(forecast.files), tr("1 file with"), tr("%1 files with")),
               sizeText(whole.textBytes), QString::fromStdString(countText(twoDigits(whole.entries))),
               sizeText(whole.peakBytes), sizeText(whole.keptBytes));
  if (forecast.available > 0)
    text += tr(" %1 is free; %2 of it may be used, the rest is left to other programs.")
                .arg(sizeText(forecast.available), sizeText(forecast.space()));
  if (whole.fromFrontOnly)
    text += tr(" Compressed files are judged by their first 2 MiB: it may be several times as much.");
  m_text->setText(text);
  const bool enough = forecast.available == 0 || forecast.fits({});
  m_everything->setText(enough ? tr("Open everything") : tr("Open everything anyway"));
  m_gauge->setVisible(forecast.available > 0);
}

QString PartPage::figureFor(const LoadFilter& with, const LoadFilter& without, bool chosen) const {
  const std::uint64_t more = needed(with);
  const std::uint64_t less = needed(without);
  if (more <= less) return tr("no savings");
  return chosen ? tr("saves %1").arg(sizeText(more - less)) : tr("would need %1").arg(sizeText(less));
}

std::optional<std::vector<int>> PartPage::ranksWanted() const {
  return numbersInRanges(m_rankList->text().toStdString());
}

void PartPage::showRankFigure(const LoadFilter& now) {
  const auto wanted = ranksWanted();
  const std::map<int, std::uint64_t>& known = m_question.rankBytes;
  if (!m_question.ranksSought) return m_ranksFigure->setText(tr("searching for ranks …"));
  if (known.empty()) return m_ranksFigure->setText(tr("no file names its rank"));
  if (!wanted && (m_ranks->isChecked() || m_ranksTouched))
    return m_ranksFigure->setText(tr("write ranks as 0-3, 8"));
  const QString all = known.size() == 1 ? tr("rank %1").arg(ranksText(m_question))
                                        : tr("ranks %1").arg(ranksText(m_question));
  const std::vector<int> ranks = wanted.value_or(std::vector<int>());
  const auto isKnown = [&](int rank) { return known.contains(rank); };
  if (std::ranges::none_of(ranks, isKnown)) return m_ranksFigure->setText(tr("the job has %1").arg(all));
  LoadFilter every = now, some = now;
  every.ranks.clear();
  some.ranks = ranks;
  const bool whole = std::ranges::all_of(
      known, [&](const auto& rank) { return std::ranges::binary_search(ranks, rank.first); });
  m_ranksFigure->setText(whole ? all
                               : all + QStringLiteral(" · ") + figureFor(every, some, m_ranks->isChecked()));
}

void PartPage::showFigures() {
  const LoadFilter now = chosen();
  LoadFilter python = now, noPython = now, operators = now, noOperators = now, allSteps = now, some = now;
  python.skipPython = operators.skipCpuOps = false;
  noPython.skipPython = noOperators.skipCpuOps = true;
  allSteps.steps.reset();
  some.steps = {m_first->value(), m_last->value()};
  m_pythonFigure->setText(figureFor(python, noPython, now.skipPython));
  m_operatorsFigure->setText(figureFor(operators, noOperators, now.skipCpuOps));
  if (m_question.marked) {
    const QString range = tr("steps %1 to %2").arg(m_question.marked->first).arg(m_question.marked->last);
    const bool all = some.steps == m_question.marked;
    m_stepsFigure->setText(
        all ? range : range + QStringLiteral(" · ") + figureFor(allSteps, some, now.steps.has_value()));
  } else {
    m_stepsFigure->setText(m_question.stepsSought ? tr("no steps recorded") : tr("searching for steps …"));
  }
  showRankFigure(now);
  m_ranks->setAccessibleDescription(m_ranksFigure->text());
  m_python->setAccessibleDescription(m_pythonFigure->text());
  m_operators->setAccessibleDescription(m_operatorsFigure->text());
  m_steps->setAccessibleDescription(m_stepsFigure->text());

  const LoadForecast& forecast = m_question.forecast;
  const std::uint64_t bytes = needed(now);
  const bool guessed = now.steps && !m_question.stepsSought;
  const bool fits = forecast.available == 0 || bytes <= forecast.space();
  const QString need = (guessed ? tr("Needs at most %1") : tr("Needs about %1")).arg(sizeText(bytes));
  if (forecast.available == 0)
    m_verdict->setText(need);
  else if (fits)
    m_verdict->setText(tr("%1: fits in memory.").arg(need));
  else if (guessed)
    m_verdict->setText(tr("%1 for all steps; the chosen steps may fit.").arg(need));
  else
    m_verdict->setText(tr("%1: %2 over the limit.").arg(need, sizeText(bytes - forecast.space())));
  m_gauge->setFigures(bytes, forecast.space(), forecast.of({}).peakBytes);
  m_open->setEnabled(!now.everything() && (!m_ranks->isChecked() || hasRank(m_question, now.ranks)));
}

void PartPage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    emit leaveWanted();
  else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_open->isEnabled())
    m_open->click();
  // Keys must not reach the hidden views.
  event->accept();
}

} // namespace rankscope::ui
