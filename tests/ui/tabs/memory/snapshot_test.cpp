// SPDX-License-Identifier: GPL-3.0-or-later
// Memory snapshots in the memory tab: what they lead to. The stacks of live blocks as a flame graph, sizes of
// the model that change what is expected, and the way to the timeline of the same run. Covers
// ui/tabs/memory/block_flames, ui/tabs/memory/model_sizes and ui/widgets/job_fields.
#include "core/io/load/job_loader.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/trace_text.h"
#include "tests/support/training_snapshot.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/memory/model_sizes.h"
#include "ui/window/digest_cover.h"
#include "ui/window/tab_pages.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr std::int64_t kBase = 1'700'000'000'000'000'000;
constexpr std::int64_t kParameters = std::int64_t{8} * (32 << 20); // bytes of trainingSnapshot

struct SnapshotTest : TestWindow {
  SnapshotTest() : TestWindow(loadJob) {}
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  }
  [[nodiscard]] bool opensSnapshot() {
    write("rank0_snapshot.pickle", test::trainingSnapshot({}));
    return opens(pathOf(folder.path())) && shows("memory");
  }
  // A recording of rank 0 whose first step begins so long after that of the snapshot.
  void writeRecording(std::int64_t shift) const {
    test::TraceText text;
    text.distributedInfo(0, 1).baseTime(kBase);
    text.addStep(0, shift, 100'000'000);
    text.addCpuOp(1, shift + 1'000'000, 50'000'000, "aten::linear");
    test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  }
  [[nodiscard]] MemoryPanel& panel() { return memoryOf(window.tabs()); }
  [[nodiscard]] SnapshotSection& section() { return panel().snapshots(); }
  [[nodiscard]] std::int64_t bytesOf(const char* item, const char* column) {
    const auto& table = section().expected().model().table();
    for (std::size_t row = 0; row < table->rowCount(); ++row) {
      if (table->at(row, *table->columnNamed("item")) != Cell(std::string_view(item))) continue;
      const Cell cell = table->at(row, *table->columnNamed(column));
      const auto* const bytes = std::get_if<std::int64_t>(&cell);
      return bytes == nullptr ? -1 : *bytes;
    }
    return -2;
  }
};

} // namespace

class SnapshotTests : public QObject {
  Q_OBJECT
 private slots:
  void tabsThatNeedATraceSayWhatIsOpenAndWhatElseToOpen() {
    SnapshotTest test;
    QVERIFY(test.opensSnapshot());
    const auto coverOf = [&](const char* tab) -> const DigestCover& {
      return *test.window.tabs().pageNamed(tab)->findChild<DigestCover*>();
    };
    for (const char* tab : {"timeline", "overview", "operators", "kernels"}) {
      QVERIFY(test.shows(tab));
      QVERIFY2(coverOf(tab).isVisible(), tab);
      QStringList texts;
      for (const QLabel* label : coverOf(tab).findChildren<QLabel*>()) texts << label->text();
      QVERIFY2(texts.join(' ').contains("No trace was opened") && texts.join(' ').contains("the Memory tab"),
               qPrintable(texts.join(' ')));
    }
    for (const char* tab : {"memory", "files", "query"}) {
      QVERIFY(test.shows(tab));
      QVERIFY2(!coverOf(tab).isVisible(), tab);
    }
    test.writeRecording(0);
    QVERIFY(test.opens(pathOf(test.folder.path())) && test.shows("overview"));
    QVERIFY(!coverOf("overview").isVisible());
  }

  void theStacksOfLiveBlocksAreAFlameGraph() {
    SnapshotTest test;
    QVERIFY(test.opensSnapshot());
    BlockFlames& flames = test.section().flames();
    QVERIFY(flames.isVisible());
    const auto sumOfBlocks = [&] {
      const auto& table = test.section().blocks().model().table();
      std::int64_t sum = 0;
      for (std::size_t row = 0; row < table->rowCount(); ++row)
        sum += std::get<std::int64_t>(table->at(row, *table->columnNamed("requested_bytes")));
      return sum;
    };
    QVERIFY(flames.view().layoutShown() != nullptr);
    const std::int64_t whole = flames.view().layoutShown()->whole;
    QCOMPARE(whole, sumOfBlocks());
    QVERIFY(whole > kParameters);
    // The line of a frame has the size of its blocks.
    flames.view().setFocus();
    QTest::keyClick(&flames.view(), Qt::Key_Down);
    QVERIFY(flames.view().selected().has_value());
    QVERIFY2(flames.detail().contains(QStringLiteral("blocks")), qPrintable(flames.detail()));
    // What was allocated since the mark is less; before the recording was nothing of it.
    test.section().setMark(test.section().cursor() / 2);
    QVERIFY(test.settles());
    QVERIFY(flames.view().layoutShown()->whole < whole);
    for (const FlameBox& box : flames.view().layoutShown()->rows.front())
      QVERIFY(flames.view().layoutShown()->tree.frameAt(box.node).text != "(before recording)");
  }

  void sizesOfTheModelChangeWhatIsExpected() {
    SnapshotTest test;
    QVERIFY(test.opensSnapshot());
    ModelSizes& model = test.panel().model();
    QVERIFY(model.isVisible());
    // Without them the gradients tell the number of parameters.
    QCOMPARE(test.bytesOf("weights", "expected_bytes"), kParameters);
    const auto type = [&](const char* field, const char* text) {
      QLineEdit* const edit = model.field(QString::fromLatin1(field));
      edit->setFocus();
      edit->selectAll();
      QTest::keyClicks(edit, QString::fromLatin1(text));
      QTest::keyClick(edit, Qt::Key_Return);
      return test.settles();
    };
    QVERIFY(type("model-params", "100M"));
    QCOMPARE(test.bytesOf("weights", "expected_bytes"), 400'000'000);
    QCOMPARE(test.bytesOf("optimizer", "expected_bytes"), 800'000'000);
    QComboBox* const precision = model.choiceField(QStringLiteral("precision"));
    precision->setCurrentIndex(precision->findText(QStringLiteral("bf16")));
    emit precision->activated(precision->currentIndex());
    QVERIFY(test.settles());
    QCOMPARE(test.bytesOf("weights", "expected_bytes"), 200'000'000);
    QCOMPARE(test.bytesOf("activations", "expected_bytes"), -1);
    for (const auto& [field, text] : {std::pair("layers", "8"), std::pair("hidden", "1024"),
                                      std::pair("seq", "512"), std::pair("batch", "4")})
      QVERIFY(type(field, text));
    QCOMPARE(test.bytesOf("activations", "expected_bytes"), std::int64_t{34} * 8 * 1024 * 512 * 4);
    // What is no number is not taken.
    QVERIFY(type("layers", "many"));
    QVERIFY(model.field(QStringLiteral("layers"))->text().isEmpty());
    QCOMPARE(test.bytesOf("activations", "expected_bytes"), -1);
    // The same job, opened again: the sizes are kept with it.
    QVERIFY(test.opens(pathOf(test.folder.path())) && test.shows("memory"));
    QCOMPARE(model.field(QStringLiteral("model-params"))->text(), QStringLiteral("100M"));
    QCOMPARE(test.bytesOf("weights", "expected_bytes"), 200'000'000);
  }

  void theTimelineButtonLeadsToTheTimeOfTheSnapshot() {
    SnapshotTest test;
    test.writeRecording(2'000'000);
    QVERIFY(test.opensSnapshot());
    QPushButton& button = test.section().timelineButton();
    QVERIFY(button.isVisible());
    TraceSession& session = test.window.session();
    const JobRange all = test.panel().report()->analysis().extent();
    session.setWindow({all.begin.ns(), all.begin.ns() + 1'000'000});
    const std::shared_ptr<const SideResults> side = test.panel().report()->sharedSide();
    const std::int64_t last =
        side->snapshots.front().devices.front().device->entries.back().time * 1000; // the same clock
    QTest::mouseClick(&button, Qt::LeftButton);
    QVERIFY(test.settles());
    QCOMPARE(test.window.tabs().currentPage(), static_cast<TabPage*>(&timelineTabOf(test.window)));
    // All of the snapshot's time that the recording has too; it begins 2 ms after the snapshot.
    QVERIFY(session.window().contains(all.begin.ns()));
    QVERIFY(session.window().end >= std::min(all.end.ns(), last));
  }

  void anotherClockHasNoWayToTheTimeline() {
    SnapshotTest test;
    test.writeRecording(60'000'000);
    QVERIFY(test.opensSnapshot());
    QVERIFY(test.section().timelineButton().isHidden());
    QVERIFY2(test.section().sentence().contains(QStringLiteral("60")), qPrintable(test.section().sentence()));
  }

  void aRecordingOfHoursLaterIsOfAnotherRun() {
    SnapshotTest test;
    test.writeRecording(std::int64_t{2} * 3'600'000'000'000);
    QVERIFY(test.opensSnapshot());
    QVERIFY2(test.section().sentence().contains(QStringLiteral("of different runs")),
             qPrintable(test.section().sentence()));
  }

  void anEmptySnapshotIsToldAsThat() {
    SnapshotTest test;
    test::PickleWriter pickle;
    pickle.dictOf([&] {
      for (const char* list : {"segments", "device_traces"}) {
        pickle.text(list);
        pickle.listOf([] {});
      }
    });
    test.write("rank0_snapshot.pickle", pickle.take());
    QVERIFY(test.opens(pathOf(test.folder.path())) && test.shows("memory"));
    const auto labels = test.panel().findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->isVisible() && label->text().startsWith(QStringLiteral("The memory snapshot is empty"));
    }));
  }
};

RANKSCOPE_UI_TEST(SnapshotTests)
#include "snapshot_test.moc"
