// SPDX-License-Identifier: GPL-3.0-or-later
// An overlay over the window while files are dragged over it; shows what dropping will do. Transparent to
// the mouse; follows its parent's size.
#pragma once

#include <QStringList>
#include <QWidget>

class QMimeData;

namespace rankscope::ui {

class TraceSession;

class DropOverlay : public QWidget {
  Q_OBJECT
 public:
  DropOverlay(const TraceSession& session, QWidget* parent);

  // Shows the overlay; what: names of the files to open.
  void showFor(const QString& what, const QString& consequence);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const TraceSession& m_session;
  QString m_what;
  QString m_consequence;
};

// Files, and addresses of remotes, that were dropped.
[[nodiscard]] QStringList droppedPaths(const QMimeData& data);

} // namespace rankscope::ui
