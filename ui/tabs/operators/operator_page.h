// SPDX-License-Identifier: GPL-3.0-or-later
// All of what the chosen row of the operators says: the operator's name and its shapes, stack, module or
// line in full, where each line of source can be clicked. UI thread.
#pragma once

#include "core/report/operator_rows.h"
#include "ui/widgets/call_stack.h"

#include <QTextBrowser>

namespace rankscope::ui {

class TraceSession;

class OperatorPage : public QTextBrowser {
  Q_OBJECT
 public:
  explicit OperatorPage(const TraceSession& session, QWidget* parent = nullptr);

  void showDetail(const QString& name, const QString& detail, OperatorDetail of);
  void showMessage(const QString& sentence);

 signals:
  void sourceWanted(const rankscope::ui::SourcePlace& place);

 private:
  void render();

  const TraceSession& m_session;
  QString m_name; // empty: the detail is a sentence
  QString m_detail;
  OperatorDetail m_of = OperatorDetail::None;
};

} // namespace rankscope::ui
