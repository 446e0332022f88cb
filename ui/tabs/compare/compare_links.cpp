// SPDX-License-Identifier: GPL-3.0-or-later
// What the compare tab does beyond itself: actions, sides chosen elsewhere, calls and steps on the timeline,
// export.
#include "core/report/compare_files.h"
#include "core/report/html_report.h"
#include "ui/actions/actions.h"
#include "ui/base/save_file.h"
#include "ui/base/text_scale.h"
#include "ui/charts/chart_card.h"
#include "ui/job/compared_parts.h"
#include "ui/job/reveal_step.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/compare/compare_panel.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QProcess>
#include <QPushButton>

#include <algorithm>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr TimeNs kAround = 500'000; // of a place on the timeline

} // namespace

void ComparePanel::addActions(ActionRegistry& actions) {
  const QString group = tr("Compare");
  actions.add({.id = QStringLiteral("compare.folder"),
               .group = group,
               .title = tr("Compare with a folder …"),
               .scope = KeyScope::Window,
               .run = [this] { chooseOther(true); },
               .enabled = [this] { return m_session.trace() != nullptr; }});
  actions.add({.id = QStringLiteral("compare.files"),
               .group = group,
               .title = tr("Compare with files …"),
               .scope = KeyScope::Window,
               .run = [this] { chooseOther(false); },
               .enabled = [this] { return m_session.trace() != nullptr; }});
  actions.add({.id = QStringLiteral("compare.swap"),
               .group = group,
               .title = tr("Swap A and B"),
               .scope = KeyScope::Window,
               .run = [this] { swapSides(); },
               .enabled = [this] { return m_data && m_data->comparison; }});
  actions.add({.id = QStringLiteral("compare.captures"),
               .group = group,
               .title = tr("Compare the first two captures"),
               .scope = KeyScope::Window,
               .run =
                   [this] {
                     choose({JobPart::Kind::Capture, 0, 0, {}}, {JobPart::Kind::Capture, 1, 0, {}});
                     showTab();
                   },
               .enabled = [this] { return m_session.trace() && m_session.trace()->severalCaptures(); }});
  for (const bool asB : {false, true})
    actions.add({.id = asB ? QStringLiteral("compare.rangeAsB") : QStringLiteral("compare.rangeAsA"),
                 .group = group,
                 .title = asB ? tr("Compare the steps of the range with side A")
                              : tr("Make the steps of the range side A"),
                 .scope = KeyScope::Window,
                 .run = [this, asB] { chooseRange(asB); },
                 .enabled = [this] { return m_session.range().has_value() && analysis() != nullptr; }});
  actions.add({.id = QStringLiteral("compare.export"),
               .group = group,
               .title = tr("Export the comparison …"),
               .scope = KeyScope::Window,
               .run = [this] { askExport(); },
               .enabled = [this] { return m_data && m_data->comparison; },
               .words = tr("html csv png json")});
}

void ComparePanel::showTab() {
  emit tableWanted(QStringLiteral("compare"), {});
}

// Steps that begin in the selected range.
void ComparePanel::chooseRange(bool asB) {
  if (!analysis() || !m_session.range()) return;
  const auto part = stepsInRange(*analysis(), JobRange::of(*m_session.range()));
  if (!part) return;
  ComparedParts& parts = ComparedParts::of(m_session);
  if (!asB) return parts.setSideA(*part);
  parts.compare(parts.sideA().value_or(JobPart()), *part);
}

void ComparePanel::connectCalls() {
  m_startWindow = [](const QStringList& arguments) {
    QProcess::startDetached(QCoreApplication::applicationFilePath(), arguments);
  };
  connect(m_aligned, &AlignedSteps::placeWanted, this, &ComparePanel::revealPlace);
  connect(m_aligned, &AlignedSteps::callChosen, this, [this] {
    showCall();
    const auto& chosen = m_aligned->chosen();
    if (!chosen || !m_data) return;
    // The timeline and its panels are about the same call.
    const bool ofB = chosen->chosenInB;
    const AlignedSide& side = m_data->steps.pair.side(ofB);
    if (isOpenJob(side)) m_session.select({side.rank, chosen->of(ofB)});
  });
  connect(&m_session, &TraceSession::selectionChanged, this, &ComparePanel::followSelection);
  connect(&ComparedParts::of(m_session), &ComparedParts::wanted, this,
          [this](const JobPart& a, const JobPart& b) {
            if (m_choice.other) closeOther();
            m_choice.swapped = false;
            choose(a, b);
            showTab();
          });
}

// What is selected on the timeline is chosen here, if it lies in one of the steps.
void ComparePanel::followSelection() {
  if (!m_data || !m_data->steps.pair.valid()) return;
  const EventRef selected = m_session.selection();
  if (!selected.valid()) return;
  for (const bool ofB : {false, true}) {
    const AlignedSide& side = m_data->steps.pair.side(ofB);
    if (!isOpenJob(side) || side.rank != selected.rank) continue;
    const auto& chosen = m_aligned->chosen();
    if (chosen && chosen->of(ofB) == selected.event) return;
    if (side.range.contains(side.trace().events.begin[selected.event]) && isAligned(side, selected.event))
      return m_aligned->choose(ofB, selected.event);
  }
}

QWidget* ComparePanel::makeCallStrip() {
  m_callStrip->setObjectName(QStringLiteral("card"));
  m_call->setWordWrap(true);
  m_call->setTextFormat(Qt::RichText);
  m_call->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* row = new QHBoxLayout(m_callStrip);
  row->setContentsMargins(18, 8, 18, 8);
  row->addWidget(m_call, 1);
  auto* buttons = new QVBoxLayout;
  for (const bool ofB : {false, true}) {
    auto* button = new QPushButton;
    connect(button, &QPushButton::clicked, this, [this, ofB] { revealCall(ofB); });
    m_toTimeline[ofB ? 1 : 0] = button;
    buttons->addWidget(button);
  }
  row->addLayout(buttons);
  m_callStrip->hide();
  return m_callStrip;
}

QString ComparePanel::callText() const {
  return m_call->text();
}

void ComparePanel::showCall() {
  const auto& chosen = m_aligned->chosen();
  const bool shown = chosen && m_data && m_data->steps.pair.valid();
  m_callStrip->setVisible(shown);
  if (!shown) return;
  m_call->setText(alignedCallText(m_data->steps.pair, *chosen));
  for (const bool ofB : {false, true}) {
    QPushButton* const button = m_toTimeline[ofB ? 1 : 0];
    const bool here = isOpenJob(m_data->steps.pair.side(ofB));
    const QString name = ofB ? QStringLiteral("B") : QStringLiteral("A");
    button->setText(here ? tr("%1 on the timeline").arg(name) : tr("%1 in a new window").arg(name));
    button->setVisible(chosen->of(ofB).valid());
  }
}

bool ComparePanel::isOpenJob(const AlignedSide& side) const {
  const auto own = analysis();
  return side.analysis && own && side.analysis->sharedTrace() == own->sharedTrace();
}

// The step on the timeline, which shows the open job.
void ComparePanel::revealDot(bool ofB, int place) {
  const AlignedSide& side = m_data->steps.pair.side(ofB);
  const SideFacts& facts = ofB ? m_data->comparison->b : m_data->comparison->a;
  const auto sample = static_cast<std::size_t>(place);
  if (sample >= facts.samples.size()) return;
  const auto step = std::ranges::find(facts.steps, sample, &SideStep::sample);
  if (step == facts.steps.end()) return;
  if (isOpenJob(side) && revealStep(m_session, *analysis(), step->index, step->number)) {
    emit timelineWanted();
    return;
  }
  const std::size_t position = facts.samples[sample].position;
  if (position == 0 || position > m_data->steps.positions) return;
  m_choice.position = position;
  askForSteps();
}

// The time under the mouse, or the chosen call.
void ComparePanel::revealPlace(bool ofB, qint64 time) {
  if (!m_data || !m_data->steps.pair.valid()) return;
  const auto& chosen = m_aligned->chosen();
  if (chosen && chosen->of(ofB).valid()) return revealCall(ofB);
  const AlignedSide& side = m_data->steps.pair.side(ofB);
  const TimeNs at = side.range.begin + time;
  if (!isOpenJob(side)) return openElsewhere(side, at, {});
  const JobRange place =
      analysis()->clocks().of(side.rank).toJob(RankRange::of({at - kAround, at + kAround}));
  m_session.revealPlace(side.rank, place);
  emit timelineWanted();
}

void ComparePanel::revealCall(bool ofB) {
  const auto& chosen = m_aligned->chosen();
  if (!m_data || !chosen || !chosen->of(ofB).valid()) return;
  const AlignedSide& side = m_data->steps.pair.side(ofB);
  const EventIndex event = chosen->of(ofB);
  if (!isOpenJob(side)) return openElsewhere(side, side.trace().events.begin[event], event);
  m_session.reveal({side.rank, event});
  emit timelineWanted();
}

// The other job has no timeline in this window: in one of its own, with the event selected.
void ComparePanel::openElsewhere(const AlignedSide& side, TimeNs at, EventIndex event) {
  if (m_otherPaths.isEmpty()) return;
  const auto since = [&](TimeNs time) { return sinceJobBegin(*side.analysis, side.rank, RankTime(time)); };
  const int rank = side.analysis->trace().rank(side.rank).rank;
  QStringList arguments = m_otherPaths;
  arguments << QStringLiteral("--at") << QStringLiteral("rank=%1,ts=%2ns").arg(rank).arg(since(at));
  if (event.valid() && side.trace().events.name[event].valid()) {
    const std::string_view name = side.analysis->trace().names()[side.trace().events.name[event]];
    // From its begin on, so that no other call of its name is meant.
    arguments << QStringLiteral("--from") << QStringLiteral("%1ns").arg(since(at)) << QStringLiteral("--to")
              << QStringLiteral("%1ns").arg(since(at) + 2 * side.trace().events.duration[event] + kAround)
              << QStringLiteral("--select")
              << QStringLiteral("rank=%1,name=%2")
                     .arg(rank)
                     .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  }
  m_startWindow(arguments);
}

void ComparePanel::askExport() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Export the comparison into a folder"));
  if (!folder.isEmpty()) exportTo(folder);
}

void ComparePanel::exportTo(const QString& folder) {
  if (!m_data || !m_data->comparison) return;
  struct Drawn {
    QString file;
    QString title;
    QImage image;
    bool inPage = false; // which draws the other charts itself
  };
  std::vector<Drawn> drawn;
  for (ChartCard* card : {m_alignedCard, m_waterfallCard}) {
    if (!card->isVisibleTo(this)) continue;
    drawn.push_back({card->fileName(), card->title(), card->image(), card == m_alignedCard});
  }
  if (m_dots->isVisibleTo(this))
    drawn.push_back({QStringLiteral("steps"), tr("Steps"), m_dots->grab().toImage(), false});
  const bool dark = m_session.theme().name == ThemeName::Dark;
  m_export.ask(
      [comparison = m_data->comparison, drawn = std::move(drawn), folder, dark]() -> QString {
        std::vector<ReportPicture> pictures;
        for (const Drawn& one : drawn) {
          const QString path = QDir(folder).filePath(one.file + QStringLiteral(".png"));
          if (const auto problem = savePng(path, one.image)) return *problem;
          if (!one.inPage) continue;
          pictures.push_back(
              {one.title.toStdString(), {}, "image/png", pngOf(one.image).toBase64().toStdString(), {}});
        }
        const auto error = writeComparison(*comparison, folder.toStdString(), pictures, dark);
        return error ? QString::fromStdString(error->text()) : QString();
      },
      [this, folder](const QString& problem) { emit exported(folder, problem); });
}

} // namespace rankscope::ui
