// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/file_names.h"

#include "tests/ui/ui_test.h"

#include <QTest>

#include <string>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

FileNames namesOf(const std::vector<std::string>& paths) {
  std::vector<FileRecord> files;
  for (const std::string& path : paths) {
    FileRecord file;
    file.path = path;
    files.push_back(std::move(file));
  }
  return FileNames(TraceSet("job", {}, {}, std::move(files)));
}

} // namespace

class FileNamesTest : public QObject {
  Q_OBJECT

 private slots:
  void areWithoutTheFolderOfAll() {
    const FileNames names = namesOf({"/data/job/node0/rank0.json", "/data/job/node1/rank0.json"});
    QCOMPARE(names.folder(), std::string("/data/job/"));
    QCOMPARE(names.of("/data/job/node0/rank0.json"), std::string("node0/rank0.json"));
    QCOMPARE(names.of("/data/job/node1/rank0.json"), std::string("node1/rank0.json"));
  }

  void aFolderIsNeverCutWithinItsName() {
    const FileNames names = namesOf({"/data/run10/a.json", "/data/run11/a.json"});
    QCOMPARE(names.folder(), std::string("/data/"));
    QCOMPARE(names.of("/data/run11/a.json"), std::string("run11/a.json"));
  }

  void filesWithoutACommonFolderKeepTheirPaths() {
    const FileNames names = namesOf({"a/rank0.json", "b/rank1.json"});
    QCOMPARE(names.folder(), std::string());
    QCOMPARE(names.of("b/rank1.json"), std::string("b/rank1.json"));
  }
};

RANKSCOPE_UI_TEST(FileNamesTest)
#include "file_names_test.moc"
