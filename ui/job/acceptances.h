// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of the open job that the user has accepted, with their notes. They are saved with the job's
// session, and written to and read from files that rankscope-cli findings --ignore takes. Every change is one
// undo step. Owned by TraceSession. UI thread.
#pragma once

#include "core/report/accepted_findings.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

class QUndoStack;

namespace rankscope::ui {

class Acceptances : public QObject {
  Q_OBJECT
 public:
  // The stack outlives it.
  explicit Acceptances(QUndoStack& undo, QObject* parent = nullptr);

  [[nodiscard]] const std::vector<AcceptedFinding>& all() const { return m_accepted; }
  // The first that matches the finding; null: it is not accepted.
  [[nodiscard]] const AcceptedFinding* of(const JobReport& report, const Finding& finding) const;

  // Also gives an accepted finding another note.
  void accept(const JobReport& report, const Finding& finding, const QString& note);
  // Withdraws all that match the finding.
  void withdraw(const JobReport& report, const Finding& finding);
  // Adds those of a file; the reason when it cannot be read.
  [[nodiscard]] std::optional<QString> addFile(const QString& path);
  // The reason when it cannot be written; whole or not at all.
  [[nodiscard]] std::optional<QString> write(const QString& path) const;

  // Without an undo step.
  void set(std::vector<AcceptedFinding> accepted);

 signals:
  void changed();

 private:
  friend class AcceptancesCommand;
  void push(const QString& what, std::vector<AcceptedFinding> accepted);

  QUndoStack& m_undo;
  std::vector<AcceptedFinding> m_accepted;
};

} // namespace rankscope::ui
