// SPDX-License-Identifier: GPL-3.0-or-later
// Colors of SQL text: keywords, numbers, strings and comments, in the colors of the theme. Owned by the
// document that it colors. UI thread.
#pragma once

#include <QSyntaxHighlighter>

namespace rankscope::ui {

class TraceSession;

class SqlColors : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  SqlColors(QTextDocument& document, const TraceSession& session);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  // The end of a string or comment that begins at `from`; sets the block's state if it goes on.
  qsizetype endOf(const QString& text, qsizetype from, int state);

  const TraceSession& m_session;
};

} // namespace rankscope::ui
