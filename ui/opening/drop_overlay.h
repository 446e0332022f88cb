// SPDX-License-Identifier: GPL-3.0-or-later
// Covers the window while files hang over it and says what letting go will do. Takes no mouse events; keeps
// the size of its parent.
#pragma once

#include <QWidget>

namespace rankscope::ui {

class TraceSession;

class DropOverlay : public QWidget {
  Q_OBJECT
 public:
  DropOverlay(const TraceSession& session, QWidget* parent);

  // Shows itself; what: names of the things that would be opened.
  void showFor(const QString& what, const QString& consequence);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const TraceSession& m_session;
  QString m_what;
  QString m_consequence;
};

} // namespace rankscope::ui
