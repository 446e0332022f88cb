// SPDX-License-Identifier: GPL-3.0-or-later
// The list of checks: kinds of findings with their result, and checks that the recording does not allow,
// with what to record. A compact list that wraps. UI thread.
#pragma once

#include "core/analysis/findings/finding_checks.h"

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
  // "22 of 26 checks, 4 lack data"
  // "33 of 125 checks".
  [[nodiscard]] static QString madeOf(const FindingChecks& checks);
  [[nodiscard]] static QString summaryOf(const FindingChecks& checks);

 private:
  void addLine(const char* name, const QString& text);

  QVBoxLayout* m_lines;
};

} // namespace rankscope::ui
