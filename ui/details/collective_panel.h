// SPDX-License-Identifier: GPL-3.0-or-later
// The selected collective on all its ranks: size and bandwidth, the last rank with the cause of its lateness,
// and a row per rank. The cause is computed on a worker on demand. UI thread.
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
// "Rank 3 arrived last, 2.1 ms after the first; transfer 350 µs."
[[nodiscard]] QString arrivalSummary(const JobHighlights& highlights, const CollectiveInstance& instance);
// The last rank and the cause of its lateness. arrival: empty if unknown; known: false while it is being
// computed.
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
  // The previous or next collective of the same group on the selected rank.
  [[nodiscard]] EventRef neighbor(bool after) const;

 signals:
  // Requests selecting and revealing an event.
  void eventWanted(rankscope::EventRef event);

 private:
  void showSelection();
  void askForArrival();

  TraceSession& m_session;
  const CollectiveInstance* m_instance = nullptr; // in m_highlights
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
