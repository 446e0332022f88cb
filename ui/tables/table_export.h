// SPDX-License-Identifier: GPL-3.0-or-later
// A panel that can give what it shows as CSV, and how such a text is put into a file that a person chooses.
// UI thread.
#pragma once

#include <QByteArray>
#include <QString>

class QWidget;

namespace rankscope::ui {

class TableExport {
 public:
  virtual ~TableExport() = default;
  // Whether there is anything to export now.
  [[nodiscard]] virtual bool canExport() const = 0;
  // Asks where to, and writes all of it.
  virtual void exportCsv() = 0;
};

// The path to write to, asked for; empty when the user thought better of it.
[[nodiscard]] QString askCsvPath(QWidget* parent, const QString& suggested);
// Whole or not at all; shows an error when it could not be written.
void writeCsv(QWidget* parent, const QString& path, const QByteArray& text);

} // namespace rankscope::ui
