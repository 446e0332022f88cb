// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_export.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>
#include <QSaveFile>

namespace rankscope::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("TableExport", text);
}

} // namespace

QString askCsvPath(QWidget* parent, const QString& suggested) {
  return QFileDialog::getSaveFileName(parent, tr("Export table"), suggested, tr("CSV (*.csv)"));
}

void writeCsv(QWidget* parent, const QString& path, const QByteArray& text) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
    QMessageBox::warning(parent, tr("Export table"), tr("%1: %2").arg(path, file.errorString()));
}

} // namespace rankscope::ui
