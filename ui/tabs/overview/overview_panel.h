// SPDX-License-Identifier: GPL-3.0-or-later
// The overview tab: six metrics, step time breakdown, phases, top findings and devices. UI thread.
#pragma once

#include "ui/widgets/analysis_page.h"

#include <memory>
#include <vector>

class QBoxLayout;
class QComboBox;
class QFrame;
class QSettings;

namespace rankscope::ui {

class ActionRegistry;
class FigureRow;
class PhaseBars;
class StepsCard;
class TableCard;
class TraceSession;
class WrappedLabel;
struct OverviewData;

class OverviewPanel : public AnalysisPage {
  Q_OBJECT
 public:
  OverviewPanel(TraceSession& session, QSettings& settings, const ActionRegistry& actions,
                QWidget* parent = nullptr);

  [[nodiscard]] FigureRow& figures() { return *m_figures; }
  [[nodiscard]] StepsCard& steps() { return *m_steps; }
  [[nodiscard]] PhaseBars& phases() { return *m_phases; }
  [[nodiscard]] const WrappedLabel& sentence() const { return *m_sentence; }
  [[nodiscard]] TableCard& costs() { return *m_costs; }
  [[nodiscard]] TableCard& devices() { return *m_devices; }
  // Grouped or each; hidden for few devices.
  [[nodiscard]] QComboBox& deviceChoice() { return *m_deviceChoice; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] QWidget* makePhases();
  void makeTables();
  void showData(const std::shared_ptr<const OverviewData>& made);
  void showCosts();
  void showDevices();
  // Limits cards to the height they need.
  void limitHeights();
  void revealDevice(int row);

  TraceSession& m_session;
  const ActionRegistry& m_actions;
  FigureRow* m_figures;
  QBoxLayout* m_charts; // side by side or stacked
  StepsCard* m_steps;
  PhaseBars* m_phases;
  WrappedLabel* m_phasesCaption;
  WrappedLabel* m_sentence;
  TableCard* m_costs;
  TableCard* m_devices;
  QComboBox* m_deviceChoice;
  QFrame* m_phasesCard = nullptr;
  std::shared_ptr<const OverviewData> m_data; // null: no data yet
};

} // namespace rankscope::ui
