// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of the job, shown next to every tab: one card per finding, by severity and cost, filtered by
// text and severity, and below them the checks. A click opens the evidence. Findings that the user has
// accepted stay in the list, marked with their note. UI thread.
#pragma once

#include "ui/findings/check_list.h"
#include "ui/findings/finding_card.h"
#include "ui/widgets/analysis_page.h"

#include <QStringList>

#include <array>
#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace rankscope::ui {

class TraceSession;

struct FindingsData {
  std::vector<ShownFinding> findings;
  FindingChecks checks;
  QString costsNote;    // what their costs are of, in a range; else empty
  bool anything = true; // in the selection
  bool answered = true; // not of a digest without answers
};

class FindingsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  static constexpr int kCounting = -1;
  static constexpr int kNotAnswered = -2; // a digest may have none

  explicit FindingsPanel(TraceSession& session, QWidget* parent = nullptr);

  // "in the selection"; empty: the whole job.
  void setScopeText(const QString& text);

  // Cards of all findings, visible or not.
  [[nodiscard]] const std::vector<FindingCard*>& cards() const { return m_cards; }
  [[nodiscard]] QLineEdit& filterField() { return *m_filter; }
  [[nodiscard]] QToolButton& severityButton(Severity severity) {
    return *m_severities[static_cast<std::size_t>(severity)];
  }
  // Shows or hides accepted findings.
  [[nodiscard]] QToolButton& acceptedButton() { return *m_acceptedButton; }
  // Asks for a file. All accepted findings of the job, also those of other ranges.
  void exportAccepted();
  void importAccepted();
  // Text of the visible findings, for the clipboard.
  [[nodiscard]] QString shownText(bool asMarkdown) const;

  // In a wide window as much wider as its texts are larger.
  [[nodiscard]] QSize sizeHint() const override;

 signals:
  // The number of findings, or one of the values above.
  void countChanged(int count);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void fillColumn();
  void makeTools(QVBoxLayout& column);
  void showData();
  void makeCards();
  void addCard(const ShownFinding& shown);
  void showMatching();
  void showCount();
  void showSeverities();
  void walk(FindingCard* from, int by);
  void copyAll(bool asMarkdown) const;
  void showAccepted();
  void askToAccept(const FindingCard& card);
  void addAcceptedActions(QMenu& menu);

  TraceSession& m_session;
  QLabel* m_count;
  QLabel* m_scope;
  QWidget* m_tools;
  QLineEdit* m_filter;
  std::array<QToolButton*, 3> m_severities{}; // by Severity
  QToolButton* m_acceptedButton;
  QLabel* m_message;
  QScrollArea* m_scroll;
  QVBoxLayout* m_column;
  QToolButton* m_more;
  QToolButton* m_checksButton;
  CheckList* m_checks;
  std::shared_ptr<const FindingsData> m_data;
  std::vector<FindingCard*> m_cards;
  bool m_all = false; // show all cards, without limit
};

} // namespace rankscope::ui
