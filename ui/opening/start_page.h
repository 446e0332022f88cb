// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows while nothing is open: where to drop traces, buttons to open them, and what was
// opened lately.
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace rankscope::ui {

class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(QWidget* parent = nullptr);

  // Entries whose files are gone cannot be opened and can be taken off the list.
  void setRecent(const QList<QStringList>& entries);

 signals:
  void openFolderWanted();
  void openFilesWanted();
  void openWanted(const QStringList& paths);
  void forgetWanted(const QStringList& paths);

 private:
  [[nodiscard]] QWidget* recentRow(const QStringList& paths);

  QLabel* m_recentTitle;
  QVBoxLayout* m_recent;
};

} // namespace rankscope::ui
