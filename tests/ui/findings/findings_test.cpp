// SPDX-License-Identifier: GPL-3.0-or-later
// The findings beside the tabs, used with mouse and keys. Covers ui/findings/check_list,
// ui/findings/finding_card, ui/findings/accept_dialog and ui/job/acceptances too.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/findings/findings_panel.h"

#include "core/report/findings_table.h"
#include "tests/ui/analysis_fixture.h"
#include "ui/findings/accept_dialog.h"
#include "ui/findings/finding_target.h"
#include "ui/job/acceptances.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/widgets/wrapped_label.h"

#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

QString clipboard() {
  return QGuiApplication::clipboard()->text();
}

FindingCard& cardOf(FindingsPanel& panel, FindingKind kind) {
  for (FindingCard* card : panel.cards())
    if (card->shown().finding.kind == kind) return *card;
  qFatal("no such finding");
  return *panel.cards().front();
}

qsizetype shownCards(const FindingsPanel& panel) {
  return std::ranges::count_if(panel.cards(), [](const FindingCard* card) { return !card->isHidden(); });
}

void click(QWidget& widget) {
  QTest::mouseClick(&widget, Qt::LeftButton);
}

} // namespace

class FindingsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_job = std::make_unique<OpenJob>(jobWithFaults()); }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("overview");
    panel().filterField().clear();
    QVERIFY(m_job->settles());
  }

  void areAllThereInTheOrderOfTheTable() {
    const auto& findings = m_job->report().findings();
    QCOMPARE(panel().cards().size(), findings.size());
    QVERIFY(findings.size() > 1);
    for (std::size_t i = 0; i < findings.size(); ++i)
      QCOMPARE(QString::fromStdString(panel().cards()[i]->shown().finding.title),
               QString::fromStdString(findings[i].title));
    QCOMPARE(panel().findChild<QLabel*>("findingCount")->text(), QString::number(findings.size()));
    for (const FindingCard* card : panel().cards()) {
      const ShownFinding& shown = card->shown();
      const QString title =
          card->findChild<WrappedLabel*>("findingTitle")->text().replace(QChar::Nbsp, QLatin1Char(' '));
      QVERIFY2(shown.cost.isEmpty() || !title.endsWith(shown.cost), qPrintable(title));
    }
  }

  void aClickTakesTheTimelineToTheEvidence() {
    FindingCard* const card = &cardOf(panel(), FindingKind::Straggler);
    const Finding& finding = card->shown().finding;
    m_job->session().fitAll();
    click(*card);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    const TimeRange window = m_job->session().window();
    QVERIFY(window.begin <= finding.place.begin.ns() && finding.place.end.ns() <= window.end);
    QVERIFY(window.length() < m_job->session().limits().length() / 4);
    QVERIFY(finding.event.valid());
    QVERIFY(m_job->session().selection() == finding.event);
    QVERIFY(!m_job->session().range().has_value());
  }

  void theCostIsShownOnceWithItsUnit() {
    ShownFinding shown;
    shown.finding.title = "DataLoader stall: 47.4 ms/step";
    shown.finding.evidence = "It took 29 % of 166 ms.";
    shown.cost = QStringLiteral("47.4 ms/step");
    const FindingCard card(shown);
    QCOMPARE(card.findChild<WrappedLabel*>("findingTitle")->text(), QString("DataLoader stall"));
    QCOMPARE(card.findChild<WrappedLabel*>("findingEvidence")->text(),
             QString("It took 29\u00a0% of 166\u00a0ms."));
    QCOMPARE(card.accessibleName(), QString("DataLoader stall: 47.4 ms/step"));
  }

  void theCostGivesWayToALongTitle() {
    ShownFinding shown;
    shown.cost = QStringLiteral("0 to 94.0 ms/step");
    const auto costIsBeside = [&](const char* title) {
      shown.finding.title = title;
      FindingCard card(shown);
      card.setAttribute(Qt::WA_DontShowOnScreen); // takes no focus
      card.resize(250, 200);
      card.show();
      QCoreApplication::processEvents();
      const auto* const of = card.findChild<WrappedLabel*>("findingTitle");
      return card.findChild<QLabel*>("findingCost")->x() > of->geometry().right();
    };
    QVERIFY(costIsBeside("Eager dispatch"));
    QVERIFY(!costIsBeside("Unequal stages: rank 1 is busy 1.21 times the mean"));
  }

  void aFindingShownByACurveOpensItsTab() {
    FindingCard* const card = &cardOf(panel(), FindingKind::MemoryGrowth);
    click(*card);
    QCOMPARE(m_job->window.currentTab(), QString("memory"));
    QVERIFY(m_job->settles());
  }

  void aFindingInATableFiltersTheTable() {
    Finding finding;
    finding.kind = FindingKind::SmallGrids;
    finding.subject = "gemm";
    QCOMPARE(targetOf(finding).tab, QString("kernels"));
    emit panel().findingOpened(finding);
    QCOMPARE(m_job->window.currentTab(), QString("kernels"));
    QCOMPARE(kernelsOf(m_job->tabs()).filterField().text(), QString("gemm"));
    kernelsOf(m_job->tabs()).filterField().clear();
  }

  void idleTimeIsSelectedAsAGap() {
    Finding finding;
    finding.kind = FindingKind::Python;
    finding.rank = RankIndex(0);
    const IdleGap& gap = m_job->analysis().gaps(RankIndex(0)).ofDevices.front();
    finding.place = m_job->analysis().clocks().of(RankIndex(0)).toJob(RankRange::of(gap.range));
    finding.event = {RankIndex(0), gap.next};
    emit panel().findingOpened(finding);
    QVERIFY(m_job->session().gap().has_value());
    QVERIFY(m_job->session().gap()->range == finding.place);
    m_job->session().selectGap({});

    // The event where the devices work.
    const RankTrace& trace = *m_job->analysis().trace().rank(RankIndex(0)).trace;
    finding.place =
        m_job->analysis().clocks().of(RankIndex(0)).toJob(RankRange::of(trace.events.range(gap.next)));
    emit panel().findingOpened(finding);
    QVERIFY(!m_job->session().gap().has_value());
    QVERIFY(m_job->session().selection() == finding.event);
  }

  void keysWalkAndOpen() {
    FindingCard* const first = panel().cards().front();
    m_job->window.activateWindow();
    first->setFocus();
    QTest::keyClick(first, Qt::Key_Down);
    QVERIFY(panel().cards()[1]->hasFocus());
    QTest::keyClick(panel().cards()[1], Qt::Key_Up);
    QVERIFY(first->hasFocus());
    QTest::keyClick(first, Qt::Key_End);
    QVERIFY(panel().cards().back()->hasFocus());
    QTest::keyClick(panel().cards().back(), Qt::Key_Home);
    QVERIFY(first->hasFocus());
    QVERIFY(!first->copyButton().isHidden());
    QTest::keyClick(first, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(clipboard(), first->shown().text);
    QVERIFY(first->shown().text.contains(QString::fromStdString(first->shown().finding.fix)));
  }

  void tabGoesFromTheFilterThroughTheSeveritiesToTheCards() {
    m_job->window.activateWindow();
    panel().filterField().setFocus();
    QWidget* last = QApplication::focusWidget();
    while (last == &panel().filterField() || last->objectName() == "severityButton") {
      QTest::keyClick(last, Qt::Key_Tab);
      QVERIFY(QApplication::focusWidget() != last);
      last = QApplication::focusWidget();
    }
    for (FindingCard* const card : panel().cards()) {
      QCOMPARE(QApplication::focusWidget(), card);
      QTest::keyClick(card, Qt::Key_Tab);
      if (QApplication::focusWidget() == &card->copyButton())
        QTest::keyClick(&card->copyButton(), Qt::Key_Tab);
    }
  }

  void wordsAndSeveritiesFilter() {
    const auto all = static_cast<qsizetype>(panel().cards().size());
    QTest::keyClicks(&panel().filterField(), "RANK 1 straggler");
    QVERIFY(shownCards(panel()) >= 1);
    QVERIFY(shownCards(panel()) < all);
    QVERIFY(!cardOf(panel(), FindingKind::Straggler).isHidden());
    QVERIFY(cardOf(panel(), FindingKind::MemoryGrowth).isHidden());
    QVERIFY(panel().findChild<QLabel*>("findingCount")->text().endsWith(QString(" of %1").arg(all)));
    panel().filterField().clear();
    QCOMPARE(shownCards(panel()), all);
    const Severity severity = panel().cards().front()->shown().finding.severity;
    const auto same = std::ranges::count(
        panel().cards(), severity, [](const FindingCard* card) { return card->shown().finding.severity; });
    QVERIFY(panel().severityButton(severity).text().startsWith(QString::number(same)));
    click(panel().severityButton(severity));
    QCOMPARE(shownCards(panel()), all - same);
    click(panel().severityButton(severity));
    QCOMPARE(shownCards(panel()), all);
    QTest::keyClicks(&panel().filterField(), "nothing has these words");
    QCOMPARE(shownCards(panel()), 0);
    QVERIFY(panel().findChild<WrappedLabel*>("emptyText")->isVisible());
  }

  void aFixAFindingAndAllAreCopied() {
    FindingCard* const card = panel().cards().front();
    card->setFocus();
    click(card->copyButton());
    QCOMPARE(clipboard(), QString::fromStdString(card->shown().finding.fix));
    QCOMPARE(m_job->window.currentTab(), QString("overview"));
    const std::unique_ptr<QMenu> menu(card->contextMenu());
    const auto trigger = [&](const char* text) {
      for (QAction* action : menu->actions())
        if (action->text() == QLatin1String(text)) action->trigger();
      return clipboard();
    };
    QCOMPARE(trigger("Copy finding as Markdown"), card->shown().markdown);
    QVERIFY(card->shown().markdown.startsWith("- **"));
    const QString text = trigger("Copy visible findings");
    QCOMPARE(text + QLatin1Char('\n'), QString::fromStdString(findingsText(m_job->report())));
    QCOMPARE(trigger("Copy visible findings as Markdown").count("- **"),
             static_cast<qsizetype>(panel().cards().size()));
  }

  void anAcceptedFindingStaysMarkedUntilItIsWithdrawn() {
    Acceptances& accepted = m_job->session().acceptances();
    FindingCard* const card = &cardOf(panel(), FindingKind::Straggler);
    QToolButton& severity = panel().severityButton(card->shown().finding.severity);
    const QString open = severity.text();
    // As the user writes it; the dialog is modal.
    const auto acceptWith = [&](const QString& note) {
      QTimer::singleShot(0, &panel(), [&] {
        auto* dialog = panel().findChild<AcceptDialog*>();
        QVERIFY(dialog != nullptr);
        auto* field = dialog->findChild<QLineEdit*>();
        field->selectAll();
        QTest::keyClicks(field, note);
        QTest::keyClick(field, Qt::Key_Return);
      });
      const std::unique_ptr<QMenu> menu(card->contextMenu());
      for (QAction* action : menu->actions())
        if (action->text() == "Accept finding …" || action->text() == "Edit note …") action->trigger();
    };
    acceptWith("known until May");
    QCOMPARE(accepted.all().size(), 1u);
    QCOMPARE(accepted.all()[0].rule, std::string("R10"));
    QCOMPARE(accepted.all()[0].ranks->size(), 1u);
    const auto line = [&] { return card->findChild<QWidget*>("findingAcceptedLine"); };
    QVERIFY(!card->isHidden() && line() != nullptr && line()->isVisible());
    QCOMPARE(card->findChild<WrappedLabel*>("findingAccepted")->text(), QString("Accepted  known until May"));
    QVERIFY(card->text(false).endsWith("  Accepted: known until May\n"));
    QVERIFY(severity.text() != open);
    QCOMPARE(panel().acceptedButton().text(), QString("1 accepted"));
    QCOMPARE(shownCards(panel()), static_cast<qsizetype>(panel().cards().size()));
    click(panel().acceptedButton());
    QVERIFY(card->isHidden());
    click(panel().acceptedButton());
    acceptWith("known until June");
    QCOMPARE(accepted.all().size(), 1u);
    QCOMPARE(accepted.all()[0].note, std::string("known until June"));
    m_job->session().undoStack().undo();
    QCOMPARE(*card->accepted(), QString("known until May"));
    click(*card->findChild<QToolButton*>("findingWithdraw"));
    QVERIFY(accepted.all().empty() && line() == nullptr);
    QVERIFY(!card->accepted() && !panel().acceptedButton().isVisible());
    QCOMPARE(severity.text(), open);
    m_job->session().undoStack().clear();
  }

  void acceptedFindingsAreWrittenAndReadAgain() {
    Acceptances& accepted = m_job->session().acceptances();
    const Finding& finding = panel().cards().front()->shown().finding;
    accepted.accept(m_job->report(), finding, " why ");
    QTemporaryDir folder;
    const QString path = folder.filePath("accepted.json");
    QVERIFY(!accepted.write(path));
    const std::vector<AcceptedFinding> before = accepted.all();
    QCOMPARE(before.front().note, std::string("why"));
    accepted.set({});
    QVERIFY(!accepted.addFile(path));
    QVERIFY(accepted.all() == before);
    QVERIFY(!accepted.addFile(path));
    QCOMPARE(accepted.all().size(), before.size());
    QVERIFY(accepted.addFile(folder.filePath("none.json"))->contains("none.json"));
    QVERIFY(accepted.write(folder.path()).has_value());
    QVERIFY(accepted.of(m_job->report(), finding) != nullptr);
    accepted.set({});
    m_job->session().undoStack().clear();
  }

  void whatIsHoveredIsPointedAt() {
    FindingCard* const card = &cardOf(panel(), FindingKind::Straggler);
    QEnterEvent enter({5, 5}, {5, 5}, {5, 5});
    QCoreApplication::sendEvent(card, &enter);
    QVERIFY(m_job->session().pointedPlace() == card->shown().finding.place);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(card, &leave);
    QVERIFY(!m_job->session().pointedPlace().has_value());
  }

  void aSelectedRangeHasFindingsOfItsOwn() {
    const auto& clocks = m_job->analysis().clocks();
    const auto& steps = m_job->analysis().stepWindows(RankIndex(0)).steps;
    QVERIFY(m_job->selects(clocks.of(RankIndex(0)).toJob(RankRange::of(steps[1].range)).ns()));
    QVERIFY(m_job->tabs().scope().limited());
    QCOMPARE(panel().cards().size(), m_job->report().findings().size());
    QCOMPARE(panel().shownText(false) + QLatin1Char('\n'),
             QString::fromStdString(findingsText(m_job->report())));
    m_job->session().setRange({});
    QVERIFY(m_job->settles());
  }

  void nothingIsCutHoweverNarrow() {
    for (const int width : {280, 340, 420}) {
      panel().setFixedWidth(width);
      QApplication::processEvents();
      for (const FindingCard* card : panel().cards()) {
        QVERIFY(card->width() <= width);
        for (const WrappedLabel* label : card->findChildren<WrappedLabel*>()) {
          QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
          QVERIFY(label->geometry().right() <= card->width());
        }
      }
    }
    panel().setMinimumWidth(280);
    panel().setMaximumWidth(QWIDGETSIZE_MAX);
  }

  void withoutFindingsTheChecksAreListed() {
    test::JobOptions healthy;
    healthy.ranks = 1;
    healthy.steps = 4;
    healthy.layers = 40;
    healthy.loaderNs = 1'000;
    healthy.inputBytes = 1 << 10;
    healthy.withMemory = false;
    OpenJob job(healthy);
    FindingsPanel& findings = job.tabs().findings();
    for (const FindingCard* const card : findings.cards())
      QVERIFY2(false, card->shown().finding.title.c_str());
    QVERIFY(!findings.filterField().isVisible());
    QStringList texts;
    for (const QLabel* label : findings.findChildren<CheckList*>().front()->findChildren<QLabel*>())
      texts << label->text();
    const QString all = texts.join(QLatin1Char('\n'));
    for (int k = 0; k < kFindingKindCount; ++k) {
      const std::string title(findingKindTitle(static_cast<FindingKind>(k)));
      QVERIFY2(all.contains(QString::fromStdString(title)), title.c_str());
    }
    QVERIFY(all.contains("profile_memory=True"));
    QVERIFY(all.contains("Only one rank"));
  }

 private:
  [[nodiscard]] FindingsPanel& panel() { return m_job->tabs().findings(); }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(FindingsTest)
#include "findings_test.moc"
