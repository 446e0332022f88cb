// SPDX-License-Identifier: GPL-3.0-or-later
// What a tab shows where all of it needs what was not opened: the events of ranks that are digests, or any
// trace at all. It says why the tab is empty, and how to get it. UI thread.
#pragma once

#include <QString>
#include <QWidget>

class QLabel;

namespace rankscope {
class JobReport;
} // namespace rankscope

namespace rankscope::ui {

// Why a tab has nothing to show; empty if it has. report: may be null.
[[nodiscard]] QString whyTabIsEmpty(const QString& tab, const JobReport* report);

// The same where no trace was opened, only files that usually lie beside traces.
[[nodiscard]] QString whyTabNeedsTrace(const QString& tab, const JobReport* report);

// Covers its parent while it has a reason.
class DigestCover : public QWidget {
  Q_OBJECT
 public:
  explicit DigestCover(QWidget* parent);

  // At most one of them; both empty: nothing is covered.
  void setReasons(const QString& digest, const QString& trace);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QLabel* m_title;
  QLabel* m_reason;
};

} // namespace rankscope::ui
