// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures and tables exported by keys, through the file dialogs. Covers ui/tables/table_export too.
#include "tests/ui/ui_test.h"
#include "tests/ui/window/key_fixture.h"
#include "ui/details/search_field.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/window/tab_pages.h"

#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTimer>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

// Fills in the dialogs: picture size and file name.
struct DialogFiller {
  QTimer timer;
  QString file;
  QString size;

  explicit DialogFiller(QString path, QString pictureSize = {})
      : file(std::move(path)), size(std::move(pictureSize)) {
    QObject::connect(&timer, &QTimer::timeout, &timer, [this] { fill(); });
    timer.start(10);
  }
  void fill() {
    auto* const dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    if (auto* const files = qobject_cast<QFileDialog*>(dialog)) {
      files->selectFile(file);
      files->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
      return;
    }
    if (size.isEmpty())
      dialog->findChild<QLineEdit*>()->setText(file);
    else
      dialog->findChild<QComboBox*>()->setCurrentText(size);
    dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
  }
};

} // namespace

class KeyExportTest : public QObject {
  Q_OBJECT

 private slots:
  void screenshotOfAnySize();
  void exportOfEverything();
  void exportOfTheTableInSight();
};

void KeyExportTest::screenshotOfAnySize() {
  UserSession userSession;
  const QString file = userSession.folder.filePath(QStringLiteral("picture.png"));
  const DialogFiller filler(file, QStringLiteral("1600x901"));
  userSession.press(Qt::Key_S, Qt::ControlModifier);
  QCOMPARE(QImage(file).size(), QSize(1600, 901));
}

void KeyExportTest::exportOfEverything() {
  UserSession userSession;
  const QString out = userSession.folder.filePath(QStringLiteral("out"));
  {
    const DialogFiller filler(out);
    userSession.press(Qt::Key_E, Qt::ControlModifier);
  }
  QVERIFY(userSession.settles());
  for (const char* file : {"ranks.csv", "kernels.csv", "report.html"})
    QTRY_VERIFY2(QFile::exists(out + QLatin1Char('/') + QLatin1String(file)), file);
}

void KeyExportTest::exportOfTheTableInSight() {
  UserSession userSession;
  const auto exported = [&](bool something = true) {
    const QString path = userSession.folder.filePath(QStringLiteral("table.csv"));
    QFile::remove(path);
    const DialogFiller filler(path);
    userSession.press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    // Hits are written by a worker.
    QFile file(path);
    if (something) (void)QTest::qWaitFor([&] { return file.exists(); }, kTimeoutMs);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  };
  QVERIFY(exported(false).isEmpty()); // there is no table
  userSession.session().setRange(TimeRange{userSession.origin(), userSession.origin() + 10 * kMs});
  QVERIFY(userSession.settles());
  const QByteArray ofRange = exported();
  QVERIFY2(ofRange.startsWith("name,") && ofRange.contains("gemm_kernel,"), ofRange.constData());
  userSession.press(Qt::Key_M, Qt::ShiftModifier);
  userSession.press(Qt::Key_Escape);
  userSession.timeline().setFocus();
  QVERIFY(exported().startsWith("name,begin_us"));
  userSession.press(Qt::Key_Slash);
  QTest::keyClicks(&userSession.window.searchField(), QStringLiteral("relu_kernel"));
  QVERIFY(userSession.settles());
  userSession.timeline().setFocus();
  const QByteArray ofHits = exported();
  QVERIFY2(ofHits.startsWith("begin_us,duration_us,name,") &&
               ofHits.contains("6000,1000,relu_kernel,kernel,1,1,"),
           ofHits.constData());
  userSession.window.showTab("kernels");
  QVERIFY(userSession.settles());
  kernelsOf(userSession.window.tabs()).card().view().setFocus();
  const QByteArray ofKernels = exported();
  QVERIFY2(ofKernels.startsWith("kernel,"), ofKernels.constData());
}

RANKSCOPE_UI_TEST(KeyExportTest)
#include "key_export_test.moc"
