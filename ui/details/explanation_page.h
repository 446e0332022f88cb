// SPDX-License-Identifier: GPL-3.0-or-later
// An explanation of key and text rows, with links to events: a click reveals the
// event. It can be selected and copied. UI thread.
#pragma once

#include "core/model/trace_set.h"

#include <QString>
#include <QTextBrowser>

#include <optional>
#include <vector>

namespace rankscope::ui {

class TraceSession;

struct ExplanationRow {
  QString key;
  QString text;    // an event's name if there is a target
  QString note;    // after the text, muted
  EventRef target; // invalid: not clickable
};

struct Explanation {
  QString title;
  QString summary; // a sentence
  std::vector<ExplanationRow> rows;
  QString advice;       // what to change; may be empty
  QString warning = {}; // what is wrong here; may be empty
};

class ExplanationPage : public QTextBrowser {
  Q_OBJECT
 public:
  explicit ExplanationPage(TraceSession& session, QWidget* parent = nullptr);

  void showExplanation(Explanation explanation);
  // A message in place of an explanation.
  void showMessage(const QString& sentence);
  [[nodiscard]] const Explanation& explanation() const { return m_explanation; }

 private:
  void render();

  TraceSession& m_session;
  Explanation m_explanation;
};

} // namespace rankscope::ui
