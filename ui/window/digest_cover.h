// SPDX-License-Identifier: GPL-3.0-or-later
// What a tab shows of a job whose ranks are digests, if all of it needs their events: why it is empty, and
// how to get it. UI thread.
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

// Covers its parent while it has a reason.
class DigestCover : public QWidget {
  Q_OBJECT
 public:
  explicit DigestCover(QWidget* parent);

  // Empty: nothing is covered.
  void setReason(const QString& reason);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QLabel* m_reason;
};

} // namespace rankscope::ui
