// SPDX-License-Identifier: GPL-3.0-or-later
// The hang tab: which ranks made a job hang, from Flight Recorder dumps. Sentences on what happened and what
// to do, how far each rank is in each process group, who waits for whom, and where ranks stand by equal
// stacks. UI thread.
#pragma once

#include "ui/tables/table_card.h"
#include "ui/tabs/hang/hang_data.h"
#include "ui/widgets/analysis_page.h"

#include <memory>

class QBoxLayout;
class QSettings;

namespace rankscope::ui {

class RecipeCard;
class WrappedLabel;

class HangPanel : public AnalysisPage {
  Q_OBJECT
 public:
  HangPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] TableCard& groups() { return *m_groups; }
  [[nodiscard]] TableCard& waits() { return *m_waits; }
  [[nodiscard]] TableCard& stands() { return *m_stands; }
  [[nodiscard]] RecipeCard& recipe() { return *m_recipe; }
  [[nodiscard]] QString verdict() const;
  // The stack of the selected row of stands.
  [[nodiscard]] QString stack() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makePage();
  void showData(const std::shared_ptr<const HangData>& made);
  void showStack(int row);
  void reveal(const std::optional<HangPlace>& place);

  TraceSession& m_session;
  std::shared_ptr<const HangData> m_data;
  QFrame* m_verdictCard;
  WrappedLabel* m_verdict;
  WrappedLabel* m_advice;
  TableCard* m_groups;
  TableCard* m_waits;
  TableCard* m_stands;
  QFrame* m_stackCard;
  WrappedLabel* m_stack;
  QBoxLayout* m_lower;
  RecipeCard* m_recipe; // shown without dumps
};

} // namespace rankscope::ui
