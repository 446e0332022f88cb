// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the job, beside every tab: a card a finding, the worst and costliest first, filtered by
// words and by severity, and under them what was looked for. A click opens the evidence. UI thread.
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
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace rankscope::ui {

class TraceSession;

struct FindingsData {
  std::vector<ShownFinding> findings;
  FindingChecks checks;
  bool anything = true; // that was asked about
};

class FindingsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  explicit FindingsPanel(TraceSession& session, QWidget* parent = nullptr);

  // "in the selection"; empty: of all.
  void setScopeText(const QString& text);

  // Of all findings, whether they are shown or not.
  [[nodiscard]] const std::vector<FindingCard*>& cards() const { return m_cards; }
  [[nodiscard]] QLineEdit& filterField() { return *m_filter; }
  [[nodiscard]] QToolButton& severityButton(Severity severity) {
    return *m_severities[static_cast<std::size_t>(severity)];
  }
  // What the findings that are shown say, for the clipboard.
  [[nodiscard]] QString shownText(bool asMarkdown) const;

  [[nodiscard]] QSize sizeHint() const override { return {320, 400}; }

 signals:
  // How many there are; -1: not known.
  void countChanged(int count);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void makeTools(QVBoxLayout& column);
  void showData();
  void makeCards();
  void addCard(const ShownFinding& shown);
  void showMatching();
  void showCount();
  void showSeverities();
  void walk(FindingCard* from, int by);
  void copyAll(bool asMarkdown) const;

  TraceSession& m_session;
  QLabel* m_count;
  QLabel* m_scope;
  QWidget* m_tools;
  QLineEdit* m_filter;
  std::array<QToolButton*, 3> m_severities{}; // by Severity
  QLabel* m_message;
  QScrollArea* m_scroll;
  QVBoxLayout* m_column;
  QToolButton* m_more;
  QToolButton* m_checksButton;
  CheckList* m_checks;
  std::shared_ptr<const FindingsData> m_data;
  std::vector<FindingCard*> m_cards;
  bool m_all = false; // cards of all findings, however many
};

} // namespace rankscope::ui
