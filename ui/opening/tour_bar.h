// SPDX-License-Identifier: GPL-3.0-or-later
// A tour of the program in a few stops: a bar below the tabs with a text, and the action that shows what the
// text is about. Back and Next walk through it; it can be ended at any stop. UI thread.
#pragma once

#include <QFrame>
#include <QString>

#include <vector>

class QLabel;
class QPushButton;

namespace rankscope::ui {

struct TourStop {
  QString action; // shows what it is about
  QString title;
  QString text;
  bool findings = false; // it is about the findings panel
};

[[nodiscard]] std::vector<TourStop> tourStops();

class TourBar : public QFrame {
  Q_OBJECT
 public:
  explicit TourBar(QWidget* parent = nullptr);

  // From the first stop.
  void start();
  [[nodiscard]] bool running() const { return m_at >= 0; }
  // -1: it does not run.
  [[nodiscard]] int at() const { return m_at; }

 signals:
  // The action of a stop is to be run.
  void actionWanted(const QString& action);
  // A stop is about the findings panel, or no longer.
  void findingsWanted(bool wanted);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show(int stop);
  void end();

  std::vector<TourStop> m_stops;
  int m_at = -1;
  QLabel* m_count;
  QLabel* m_title;
  QLabel* m_text;
  QPushButton* m_back;
  QPushButton* m_next;
};

} // namespace rankscope::ui
