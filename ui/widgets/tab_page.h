// SPDX-License-Identifier: GPL-3.0-or-later
// The window's interface to its tabs, with defaults for what a tab does not implement. UI thread.
#pragma once

#include <QString>
#include <QWidget>

#include <memory>

class QKeyEvent;

namespace rankscope {
class JobReport;
struct Finding;
} // namespace rankscope

namespace rankscope::ui {

class Occurrences;

class TabPage : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;

  // The report to show; null: nothing to show, or not yet.
  virtual void setReport(std::shared_ptr<const JobReport> report);
  // Computes the content even if the tab is not visible, as pending work of the session.
  virtual void prepare() {}
  // Whether it shows the report that was set last.
  [[nodiscard]] virtual bool upToDate() const { return true; }
  // Takes the focus, because the window switched to this tab: by default for the table that had it, or for
  // keys that scroll the page.
  virtual void takeFocus();
  // Filters its content by these words.
  virtual void showOnly(const QString& words);

  // Whether this tab shows places revealed in the session.
  [[nodiscard]] virtual bool showsPlaces() const { return false; }
  // Whether a key has a meaning here that takes precedence over shortcuts; and handles a key that no widget
  // of the page has handled, or returns false.
  [[nodiscard]] virtual bool claimsKey(const QKeyEvent& event) const;
  virtual bool pressKey(const QKeyEvent& event);

  // The calls of the chosen row; null if rows have none.
  [[nodiscard]] virtual Occurrences* calls() { return nullptr; }
  // Whether there is a next (1) or previous (-1) call; and goes there.
  [[nodiscard]] virtual bool canStepCalls();
  virtual void stepCalls(int by);

  // The parent of the visible tables; null: none.
  [[nodiscard]] virtual QWidget* visibleTables() { return this; }

  // Saves its layout to the settings before the window closes.
  virtual void saveLayout() {}

 signals:
  // A place was revealed in the session; requests the timeline.
  void timelineWanted();
  // Requests the table of another tab, filtered by these words.
  void tableWanted(const QString& tab, const QString& words);
  // A finding was chosen; requests its evidence.
  void findingOpened(const rankscope::Finding& finding);
};

} // namespace rankscope::ui
