// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_export.h"

#include "ui/base/save_file.h"
#include "ui/base/ui_text.h"

#include <QFileDialog>
#include <QMessageBox>

namespace rankscope::ui {

QString askCsvPath(QWidget* parent, const QString& suggested) {
  return QFileDialog::getSaveFileName(parent, tr("Export table"), suggested, tr("CSV (*.csv)"));
}

void writeCsv(QWidget* parent, const QString& path, const QByteArray& text) {
  if (const auto problem = saveFile(path, text))
    QMessageBox::warning(parent, tr("Export table"), tr("%1: %2").arg(path, *problem));
}

} // namespace rankscope::ui
