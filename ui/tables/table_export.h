// SPDX-License-Identifier: GPL-3.0-or-later
// A panel whose content can be exported as CSV, and saving such a text to a file chosen by the user. UI
// thread.
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
  // Asks for a path and writes the whole content.
  virtual void exportCsv() = 0;
};

// Asks for a path; empty if the user cancels.
[[nodiscard]] QString askCsvPath(QWidget* parent, const QString& suggested);
// Written completely or not at all; shows an error on failure.
void writeCsv(QWidget* parent, const QString& path, const QByteArray& text);

} // namespace rankscope::ui
