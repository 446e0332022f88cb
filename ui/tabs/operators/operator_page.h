// SPDX-License-Identifier: GPL-3.0-or-later
// Details of the selected operator row: name and full shapes, stack, module or source line; source lines
// are links. UI thread.
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
  QString m_name; // empty: the detail is a message
  QString m_detail;
  OperatorDetail m_of = OperatorDetail::None;
};

} // namespace rankscope::ui
