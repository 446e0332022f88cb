// SPDX-License-Identifier: GPL-3.0-or-later
// A tab of the window, and all that the window asks of one: it knows no tab but through this. What a tab has
// no answer to it leaves as it is here. UI thread.
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

  // What its figures are of; null: there is nothing to show, or not yet.
  virtual void setReport(std::shared_ptr<const JobReport> report);
  // Computes its content although it is not visible yet; the session's pending work ends when it is there.
  virtual void prepare() {}
  // Whether what it shows is of the report that was set last.
  [[nodiscard]] virtual bool upToDate() const { return true; }
  // Gets the keyboard, because the window turned to it.
  virtual void takeFocus() {}
  // Shows only what has these words.
  virtual void showOnly(const QString& words);

  // Whether a place that was revealed in the session is seen here.
  [[nodiscard]] virtual bool showsPlaces() const { return false; }
  // Whether a key of the page is its own although a shortcut has what is printed on it; does what a key means
  // that the page did not handle, or returns false.
  [[nodiscard]] virtual bool claimsKey(const QKeyEvent& event) const;
  virtual bool pressKey(const QKeyEvent& event);

  // The calls that the chosen row stands for; null where rows stand for none.
  [[nodiscard]] virtual Occurrences* calls() { return nullptr; }
  // Whether it can go to the next and the previous of them, and goes there (1, -1).
  [[nodiscard]] virtual bool canStepCalls();
  virtual void stepCalls(int by);

  // What holds the tables that are in sight; null: none are.
  [[nodiscard]] virtual QWidget* tablesInSight() { return this; }
  // What stands in a report beside its charts; null: nothing.
  [[nodiscard]] virtual QWidget* reportPicture() { return nullptr; }

  // Keeps in the settings how it is laid out: the window goes.
  virtual void saveLayout() {}

 signals:
  // What was revealed in the session is to be looked at.
  void timelineWanted();
  // A finding was chosen: its evidence is to be looked at.
  void findingOpened(const rankscope::Finding& finding);
};

} // namespace rankscope::ui
