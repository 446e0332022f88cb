// SPDX-License-Identifier: GPL-3.0-or-later
// The selected collective on all its ranks: what it is and how fast it went, who came last and what that rank
// did before, and a line for every rank. Which of the rank's work made it late is worked out on a worker when
// it is asked for. UI thread.
#pragma once

#include "core/analysis/job/late_arrival.h"
#include "ui/base/latest_task.h"
#include "ui/details/explanation_page.h"

#include <QWidget>

#include <optional>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace rankscope::ui {

class CollectiveTable;
class JobHighlights;

// "AllReduce #412 · default_pg · 8 ranks · 104.9 MB · algbw 12.1 GB/s · busbw 21.2 GB/s".
[[nodiscard]] QString collectiveTitle(const JobHighlights& highlights, const CollectiveInstance& instance);
// Who came last and what it had done; arrival: nothing while it is not known yet.
[[nodiscard]] Explanation arrivalExplanation(const JobHighlights& highlights,
                                             const CollectiveInstance& instance,
                                             const std::optional<LateArrival>& arrival, bool known);

class CollectivePanel : public QWidget {
  Q_OBJECT
 public:
  explicit CollectivePanel(TraceSession& session, QWidget* parent = nullptr);

  // Whether the selection is a collective.
  [[nodiscard]] bool shows() const { return m_instance != nullptr; }
  [[nodiscard]] CollectiveTable& table() { return *m_table; }
  [[nodiscard]] ExplanationPage& explanation() { return *m_explanation; }
  [[nodiscard]] QString title() const;
  // The same group's collective before or after it on the selected rank.
  [[nodiscard]] EventRef neighbor(bool after) const;

 signals:
  // To be selected and scrolled to.
  void eventWanted(rankscope::EventRef event);

 private:
  void showSelection();
  void askForArrival();

  TraceSession& m_session;
  const CollectiveInstance* m_instance = nullptr; // of m_highlights
  std::shared_ptr<const JobHighlights> m_highlights;
  LatestTask<std::optional<LateArrival>> m_arrival;
  QStackedWidget* m_stack;
  QLabel* m_empty;
  QLabel* m_title;
  QToolButton* m_previous;
  QToolButton* m_next;
  CollectiveTable* m_table;
  ExplanationPage* m_explanation;
};

} // namespace rankscope::ui
