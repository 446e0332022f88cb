// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/kernels/launch_shapes.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/ui/ui_test.h"

#include <QTest>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr std::string_view kWide = R"("grid": [264, 1, 1], "block": [128, 1, 1])";
constexpr std::string_view kDeep = R"("grid": [2, 3, 4], "block": [32, 2, 1])";

std::shared_ptr<const TraceSet> jobIn(const test::TemporaryFolder& folder) {
  for (int rank = 0; rank < 2; ++rank) {
    test::TraceText text;
    text.distributedInfo(rank, 2)
        .addKernel(0, 7, 0, 10, "first", -1, rank == 0 ? kWide : kDeep)
        .addCopy(0, 7, 20, 10, "Memcpy HtoD", 64)
        .addKernel(0, 7, 40, 10, "second", -1, kDeep)
        .addSlice("kernel", 0, 7, 60, 10, "without", R"("device": 0, "stream": 7)");
    test::writeTraceFile(folder / ("rank" + std::to_string(rank) + ".json"), text.text());
  }
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded) qFatal("%s", loaded.error().text().c_str());
  return *loaded;
}

std::string shapeOf(const KernelDetails& details, std::size_t rank, std::size_t event) {
  return details.texts[details.ofEvents[rank][event]];
}

} // namespace

class LaunchShapesTest : public QObject {
  Q_OBJECT

 private slots:
  void areThoseOfEachKernelAndOneTextStandsForEqualOnes() {
    const test::TemporaryFolder folder;
    const auto job = jobIn(folder);
    Progress progress;
    const KernelDetails details = launchShapes(*job, progress);
    const std::string wide = "[264, 1, 1] · [128, 1, 1]";
    const std::string deep = "[2, 3, 4] · [32, 2, 1]";
    QCOMPARE(details.ofEvents.size(), std::size_t{2});
    QCOMPARE(shapeOf(details, 0, 0), wide);
    QCOMPARE(shapeOf(details, 0, 1), std::string()); // a copy has none
    QCOMPARE(shapeOf(details, 0, 2), deep);
    QCOMPARE(shapeOf(details, 0, 3), std::string());
    QCOMPARE(shapeOf(details, 1, 0), deep);
    QCOMPARE(details.texts.size(), std::size_t{3});
    QCOMPARE(progress.bytesTotal.load(), std::uint64_t{6}); // kernels
    QCOMPARE(progress.bytesDone.load(), std::uint64_t{6});
  }

  void aFileThatIsGoneIsAsIfNothingWasRecorded() {
    const test::TemporaryFolder folder;
    const auto job = jobIn(folder);
    std::filesystem::remove(folder / "rank0.json");
    Progress progress;
    const KernelDetails details = launchShapes(*job, progress);
    QCOMPARE(shapeOf(details, 0, 0), std::string());
    QCOMPARE(shapeOf(details, 1, 0), std::string("[2, 3, 4] · [32, 2, 1]"));
    QCOMPARE(progress.bytesDone.load(), std::uint64_t{6});
  }
};

RANKSCOPE_UI_TEST(LaunchShapesTest)
#include "launch_shapes_test.moc"
