// SPDX-License-Identifier: GPL-3.0-or-later
// What was looked for in a job: the kinds of findings, what came of each, and those that the recording does
// not let one look for, with what to record. A compact list that wraps. UI thread.
#pragma once

#include "core/analysis/findings/finding_costs.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace rankscope::ui {

struct FindingChecks {
  std::vector<FindingKind> found; // ascending, each once
  std::vector<UncheckedKinds> unchecked;
};

class CheckList : public QWidget {
  Q_OBJECT
 public:
  explicit CheckList(QWidget* parent = nullptr);

  void setChecks(const FindingChecks& checks);
  // "22 of 26 checks completed"
  [[nodiscard]] static QString summaryOf(const FindingChecks& checks);

 private:
  void addLine(const char* name, const QString& text);

  QVBoxLayout* m_lines;
};

} // namespace rankscope::ui
