// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows while nothing is open: where to drop traces, buttons to open them or a demo job, what
// was opened lately, and how to record a job. UI thread.
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace rankscope::ui {

class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(QWidget* parent = nullptr);

  // Entries with missing files are disabled and can be removed.
  void setRecent(const QList<QStringList>& entries);
  // Whether a demo job is offered; it is not at first.
  void setDemoThere(bool there);

 signals:
  void openFolderWanted();
  void openFilesWanted();
  void openRemoteWanted();
  void openDemoWanted();
  void tourWanted();
  void recordingGuideWanted();
  void openWanted(const QStringList& paths);
  void forgetWanted(const QStringList& paths);

 private:
  [[nodiscard]] QWidget* dropWell();
  [[nodiscard]] QWidget* recordingCard();
  [[nodiscard]] QWidget* recentRow(const QStringList& paths);

  QPushButton* m_demo;
  QPushButton* m_tour;
  QLabel* m_recentTitle;
  QVBoxLayout* m_recent;
};

} // namespace rankscope::ui
