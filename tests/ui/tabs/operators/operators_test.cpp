// SPDX-License-Identifier: GPL-3.0-or-later
// The operators tab by mouse and keys: its rows equal those of rankscope-cli in every grouping, and each
// opens its calls and its source. Covers ui/details/source_view, ui/tabs/operators/operator_columns and
// ui/tabs/operators/operator_groups_reader too.
#include "tests/support/shared_data.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/details/editor_dialog.h"
#include "ui/details/source_opener.h"
#include "ui/tables/model_parts.h"
#include "ui/tabs/operators/operator_page.h"
#include "ui/tabs/operators/operators_panel.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/rank_choice.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/window/tab_pages.h"

#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QTableWidget>
#include <QTextBlock>

#include <algorithm>
#include <map>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

using Sums = std::map<QString, std::vector<qint64>>;

struct OperatorsTest : TestWindow {
  const QString job = pathOf(folder.path() / "job");

  [[nodiscard]] bool looks(test::JobOptions options = {}) {
    options.ranks = 2;
    options.steps = 2;
    options.layers = 2;
    test::generateJob(options, folder.path() / "job");
    return opens(job) && shows("operators");
  }
  [[nodiscard]] OperatorsPanel& panel() { return operatorsOf(window.tabs()); }
  [[nodiscard]] TableCard& card() { return panel().card(); }
  [[nodiscard]] bool groups(OperatorDetail by) {
    const auto buttons = panel().grouping().findChildren<QPushButton*>();
    QTest::mouseClick(buttons.at(static_cast<int>(by)), Qt::LeftButton);
    return settles();
  }
  [[nodiscard]] std::int64_t number(int row, const char* column) {
    const auto& table = *card().model().table();
    return std::get<std::int64_t>(table.at(static_cast<std::size_t>(row), *table.columnNamed(column)));
  }
  // Of all rows of a name.
  [[nodiscard]] Sums sums() {
    Sums sums;
    for (int row = 0; row < card().model().rowCount(); ++row) {
      auto& sum = sums[card().model().textOf(row, "operator")];
      std::size_t i = 0;
      sum.resize(5);
      for (const char* column :
           {"calls", "host_self_us", "host_total_us", "device_self_us", "device_total_us"})
        sum[i++] += number(row, column);
    }
    return sums;
  }
  [[nodiscard]] int rowOf(const QString& name, const QString& detail = {}) {
    auto detailed = static_cast<OperatorDetail>(panel().grouping().chosen());
    if (detailed == OperatorDetail::Module) detailed = detailOf(panel().part().grouping().value());
    const auto column = detailColumn(detailed);
    for (int row = 0; row < card().model().rowCount(); ++row)
      if (card().model().textOf(row, "operator") == name &&
          (detail.isEmpty() || card().model().textOf(row, column) == detail))
        return row;
    return -1;
  }
  [[nodiscard]] bool clicks(int tableRow) {
    TableView& view = card().view();
    const int place = view.rows().order().placeOf(tableRow);
    view.scrollTo(view.model()->index(place, 0));
    QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::NoModifier,
                      {40, view.rowViewportPosition(place) + view.rowHeight(place) / 2});
    return settles();
  }
  [[nodiscard]] QString emptyText() { return card().findChild<QLabel*>("emptyText")->text(); }
};

// Two calls within a line of a model, one outside.
const char* const kStacks = R"({"traceEvents":[
{"ph":"X","cat":"python_function","name":"train.py(3): step","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"python_function","name":"nn.Module: Net_0","pid":1,"tid":1,"ts":10,"dur":50},
{"ph":"X","cat":"python_function","name":"model.py(2): forward","pid":1,"tid":1,"ts":12,"dur":40},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":15,"dur":5},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":25,"dur":7},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":80,"dur":9}]})";

struct StacksTest : OperatorsTest {
  [[nodiscard]] bool looksAtStacks() {
    QFile file(pathOf(folder.path() / "stacks.json"));
    if (!file.open(QIODevice::WriteOnly)) return false;
    file.write(kStacks);
    file.close();
    return opens(file.fileName()) && shows("operators");
  }
};

} // namespace

class OperatorsTests : public QObject {
  Q_OBJECT
 private slots:
  void rowsByShapeSumToThoseByNameAndTheseToTheHeadlessPrograms() {
    OperatorsTest test;
    QVERIFY(test.looks());
    const Sums byName = test.sums();
    QVERIFY(byName.size() > 3);
    QProcess cli;
    cli.start(QStringLiteral(RANKSCOPE_CLI), {"table", "operators", test.job, "--quiet", "--no-cache"});
    QVERIFY(cli.waitForFinished(kTimeoutMs));
    std::map<QString, qint64> calls;
    const QStringList lines =
        QString::fromUtf8(cli.readAllStandardOutput()).split("\r\n", Qt::SkipEmptyParts);
    for (const QString& line : lines.mid(1))
      calls[line.section(',', 2, 2)] += line.section(',', 3, 3).toLongLong();
    QCOMPARE(calls.size(), byName.size());
    for (const auto& [name, sum] : byName) QCOMPARE(calls[name], sum.front());

    QVERIFY(test.groups(OperatorDetail::Shapes));
    QVERIFY(test.card().model().columnOf("input_shapes") >= 0);
    QVERIFY(test.card().model().rowCount() > static_cast<int>(byName.size()));
    QCOMPARE(test.sums(), byName);
    test.panel().ranks().setCurrentIndex(1);
    QVERIFY(test.settles());
    QVERIFY(test.card().model().columnOf("rank") >= 0);
    QCOMPARE(test.sums(), byName);
  }

  void callsOfAShapeAreWalkedAlone() {
    OperatorsTest test;
    QVERIFY(test.looks());
    QVERIFY(test.groups(OperatorDetail::Shapes));
    int row = 0;
    while (test.card().model().textOf(row, "input_shapes").isEmpty()) ++row;
    QVERIFY(test.clicks(row));
    const auto calls = test.panel().calls()->calls();
    QVERIFY(calls != nullptr);
    QCOMPARE(static_cast<std::int64_t>(calls->calls.size()), test.number(row, "calls"));
    TimeNs host = 0;
    const TraceSet& traces = *test.window.session().trace();
    for (const EventRef call : calls->calls)
      host += traces.rank(call.rank).trace->events.duration[call.event];
    QCOMPARE(host, TimeNs{test.number(row, "host_total_us")});
    QVERIFY(test.panel().page().toPlainText().contains(test.card().model().textOf(row, "input_shapes")));
  }

  void whatWasNotRecordedIsGroupedByNameWithTheReason() {
    OperatorsTest test;
    test::JobOptions options;
    options.withShapes = false;
    QVERIFY(test.looks(options));
    const int names = test.card().shownRows();
    QVERIFY(names > 0);
    const auto& note = *test.panel().findChild<WrappedLabel*>("groupingNote");
    QVERIFY(!note.isVisible());
    for (const auto& [by, advice] :
         {std::pair(OperatorDetail::Shapes, "record_shapes=True"),
          std::pair(OperatorDetail::Stack, "with_stack=True"),
          std::pair(OperatorDetail::SourceLine,
                    "No source lines were recorded: profile with with_stack=True")}) {
      QVERIFY(test.groups(by));
      QCOMPARE(test.card().shownRows(), names);
      QCOMPARE(test.panel().grouping().chosen(), 0);
      QVERIFY(note.isVisible());
      QVERIFY2(note.text().contains(advice) && note.text().endsWith("Grouped by name."),
               qPrintable(note.text()));
    }
    QVERIFY(test.groups(OperatorDetail::Module)); // other parts of the model remain to be chosen
    QVERIFY(!note.isVisible());
    QVERIFY(test.panel().part().isVisible());
    QCOMPARE(test.card().shownRows(), 0);
    QVERIFY2(test.emptyText().contains("with_modules=True"), qPrintable(test.emptyText()));
    QVERIFY(test.groups(OperatorDetail::None));
    QCOMPARE(test.card().shownRows(), names);
  }

  void aDoubleClickShowsTheFirstCallAndNTheNext() {
    OperatorsTest test;
    QVERIFY(test.looks());
    QVERIFY(test.clicks(0));
    QTest::keyClick(&test.card().view(), Qt::Key_Return);
    QVERIFY(test.settles());
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    const auto& calls = test.panel().calls()->calls()->calls;
    QCOMPARE(test.window.session().selection(), calls.front());
    QVERIFY(test.shows("operators"));
    QTest::keyClick(&test.card().view(), Qt::Key_N);
    QCOMPARE(test.window.session().selection(), calls.at(1));
    QCOMPARE(test.panel().calls()->text(), QString("2 of %1").arg(calls.size()));
    QCOMPARE(test.window.currentTab(), QString("operators"));
  }

  void whatIsSelectedInTheTimelineChoosesItsRow() {
    OperatorsTest test;
    QVERIFY(test.looks());
    const int row = test.card().model().rowCount() - 1;
    QVERIFY(test.clicks(row));
    const EventRef call = test.panel().calls()->calls()->calls.back();
    QVERIFY(test.clicks(0));
    test.window.session().select(call);
    QCOMPARE(test.card().selectedRow(), row);
    QCOMPARE(test.window.session().selection(), call);
  }

  void whatIsSelectedChoosesItsRowHoweverRowsAreGrouped() {
    StacksTest test;
    QVERIFY(test.looksAtStacks());
    const TraceSet& traces = *test.window.session().trace();
    std::vector<EventRef> calls;
    const RankTrace& trace = *traces.rank(RankIndex(0)).trace;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i)
      if (traces.names()[trace.events.name[EventIndex(i)]] == "aten::mm")
        calls.push_back({RankIndex(0), EventIndex(i)});
    QCOMPARE(calls.size(), std::size_t{3});
    for (const auto by : {OperatorDetail::Stack, OperatorDetail::Module, OperatorDetail::SourceLine}) {
      QVERIFY(test.groups(by));
      const auto rowOfCall = [&](EventRef call) {
        test.window.session().select(call);
        return test.settles() ? test.card().selectedRow() : -1;
      };
      const int inner = rowOfCall(calls[0]);
      QVERIFY(inner >= 0);
      QCOMPARE(rowOfCall(calls[1]), inner);
      const int outer = rowOfCall(calls[2]);
      QVERIFY(outer >= 0 && outer != inner);
      QCOMPARE(test.number(inner, "calls"), std::int64_t{2});
      QCOMPARE(test.number(outer, "calls"), std::int64_t{1});
    }
  }

  void aCallsShapesChooseItsRow() {
    OperatorsTest test;
    QVERIFY(test.looks());
    QVERIFY(test.groups(OperatorDetail::Shapes));
    int row = test.card().model().rowCount() - 1;
    while (row > 0 && test.card().model().textOf(row, "input_shapes").isEmpty()) --row;
    QVERIFY(test.clicks(row));
    const EventRef call = test.panel().calls()->calls()->calls.back();
    QVERIFY(test.clicks(row == 0 ? 1 : 0));
    test.window.session().select(call);
    QVERIFY(test.settles());
    QCOMPARE(test.card().selectedRow(), row);
  }

  void stacksModulesAndLinesDistinguishCalls() {
    StacksTest test;
    QVERIFY(test.looksAtStacks());
    QCOMPARE(test.card().model().rowCount(), 1);
    QVERIFY(test.groups(OperatorDetail::Module));
    QCOMPARE(test.number(test.rowOf("aten::mm", "Net_0"), "calls"), std::int64_t{2});
    QVERIFY(test.groups(OperatorDetail::Stack));
    const int row = test.rowOf("aten::mm", "train.py(3): step\nnn.Module: Net_0\nmodel.py(2): forward");
    QVERIFY(row >= 0);
    QCOMPARE(test.number(row, "host_total_us"), std::int64_t{12'000});
    QVERIFY(test.clicks(row));
    QCOMPARE(test.panel().page().toPlainText().count('\n'), 3);
    QVERIFY(test.groups(OperatorDetail::SourceLine));
    QCOMPARE(test.number(test.rowOf("aten::mm", "model.py(2): forward"), "calls"), std::int64_t{2});
    QCOMPARE(test.number(test.rowOf("aten::mm", "train.py(3): step"), "calls"), std::int64_t{1});
  }

  void partsOfTheModelDistinguishCalls() {
    StacksTest test;
    QVERIFY(test.looksAtStacks());
    QVERIFY(test.panel().part().isHidden());
    QVERIFY(test.groups(OperatorDetail::Module));
    QVERIFY(!test.panel().part().isHidden());
    test.panel().part().choose(CallGrouping::Class);
    QVERIFY(test.settles());
    QCOMPARE(test.number(test.rowOf("aten::mm", "Net"), "calls"), std::int64_t{2});
    QCOMPARE(test.number(test.rowOf("aten::mm", "[no module]"), "calls"), std::int64_t{1});
    test.panel().part().choose(CallGrouping::Graph); // nothing was compiled
    QVERIFY(test.settles());
    QCOMPARE(test.card().shownRows(), 0);
    QVERIFY2(test.emptyText().contains("compiled"), qPrintable(test.emptyText()));
    QVERIFY(test.panel().compiled().isHidden());
    QVERIFY(test.groups(OperatorDetail::None));
    QVERIFY(test.panel().part().isHidden());
  }

  void aLineOfSourceOpensWhereThePathRulesMapIt() {
    StacksTest test;
    QFile source(pathOf(test.folder.path() / "model.py"));
    QVERIFY(source.open(QIODevice::WriteOnly));
    source.write("class Net:\n  def forward(self): pass\n");
    source.close();
    QVERIFY(test.looksAtStacks());
    QVERIFY(test.groups(OperatorDetail::SourceLine));
    const int row = test.rowOf("aten::mm", "model.py(2): forward");
    QVERIFY(test.clicks(row));
    QTest::keyClick(&test.card().view(), Qt::Key_Return);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("model.py:2"));
    QCOMPARE(test.window.currentTab(), QString("operators"));

    setPathRules(test.settings, {{"", pathOf(test.folder.path())}});
    QMenu menu;
    emit test.card().menuAboutToShow(&menu, row);
    const QList<QAction*> actions = menu.actions();
    const auto jump = std::ranges::find_if(
        actions, [](const QAction* action) { return action->text() == "Jump to source"; });
    QVERIFY(jump != actions.end());
    (*jump)->trigger();
    auto* view = test.panel().findChild<QDialog*>("sourceView");
    QVERIFY(view != nullptr);
    auto* text = view->findChild<QPlainTextEdit*>();
    QVERIFY(text->isReadOnly());
    QCOMPARE(text->textCursor().block().text(), QString("  def forward(self): pass"));
  }

  void pathsOfOtherMachinesFollowTheLongestRule() {
    const QList<PathRule> rules{{"/there/a", "/here/a"}, {"/there/a/torch/", "/opt/torch"}, {"", "/src"}};
    QCOMPARE(pathHere(rules, "/there/a/train.py"), QString("/here/a/train.py"));
    QCOMPARE(pathHere(rules, "/there/a/torch/nn/x.py"), QString("/opt/torch/nn/x.py"));
    QCOMPARE(pathHere(rules, "/there/ab/train.py"), QString("/there/ab/train.py"));
    QCOMPARE(pathHere(rules, "model.py"), QString("/src/model.py"));
    QCOMPARE(pathHere({}, "model.py"), QString("model.py"));
  }

  void theEditorsCommandIsOneProgramAndItsArguments() {
    for (const KnownEditor& editor : knownEditors()) {
      const QStringList command = editorCommand(editor.command, {"/a b/$(x);y.py", 42});
      QVERIFY2(command.size() >= 2, qPrintable(editor.name));
      QVERIFY2(command.filter("/a b/$(x);y.py").size() == 1, qPrintable(editor.name));
      QVERIFY2(command.filter("42").size() == 1, qPrintable(editor.name));
    }
    OperatorsTest test;
    EditorDialog dialog(test.settings);
    auto* editors = dialog.findChild<QComboBox*>("editors");
    editors->setCurrentIndex(editors->findText("PyCharm"));
    auto* rules = dialog.findChild<QTableWidget*>("pathRules");
    rules->setItem(0, 0, new QTableWidgetItem("/cluster"));
    rules->setItem(0, 1, new QTableWidgetItem("/home"));
    dialog.accept();
    QCOMPARE(editorTemplate(test.settings), QString("pycharm --line %l %f"));
    QCOMPARE(pathRules(test.settings), (QList<PathRule>{{"/cluster", "/home"}}));
  }

  // Shares are of what operators launched, which may be little of it: CUDA graphs launch the rest.
  void aSmallPartOfTheDeviceTimeIsSaidToBeOne() {
    const auto path = test::sharedFolder() / "traces/vllm-prefill-decode";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(path), test::kNoRecordings);
    OperatorsTest test;
    QVERIFY(test.opens(pathOf(path)) && test.shows("operators"));
    const auto says = [&] {
      const auto labels = test.card().findChildren<QLabel*>("caption");
      return std::ranges::any_of(labels, [](const QLabel* label) {
        return (label->text() + label->toolTip()).contains("operators launched 4.0 % of the device time");
      });
    };
    QVERIFY(says());
  }

  void realRecordingsGroupAsTheySumByName() {
    const auto folder = test::sharedFolder() / "traces";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    for (const char* name : {"dlrm-8rank-v100", "h100-bert-small", "mi250-minitoy"}) {
      OperatorsTest test;
      QVERIFY(test.opens(pathOf(folder / name)));
      QVERIFY(test.shows("operators"));
      const Sums byName = test.sums();
      QVERIFY(test.groups(OperatorDetail::Shapes));
      QVERIFY2(test.card().model().rowCount() > static_cast<int>(byName.size()), name);
      QVERIFY2(test.sums() == byName, name);
    }
  }
};

RANKSCOPE_UI_TEST(OperatorsTests)
#include "operators_test.moc"
