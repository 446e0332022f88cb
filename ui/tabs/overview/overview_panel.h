// SPDX-License-Identifier: GPL-3.0-or-later
// The overview tab: the job in six figures, where the time of the steps went, its phases, what costs most and
// the devices it ran on. UI thread.
#pragma once

#include "ui/widgets/analysis_page.h"

#include <memory>
#include <vector>

class QBoxLayout;
class QComboBox;
class QFrame;
class QSettings;
class QLabel;

namespace rankscope::ui {

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
  OverviewPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] FigureRow& figures() { return *m_figures; }
  [[nodiscard]] StepsCard& steps() { return *m_steps; }
  [[nodiscard]] PhaseBars& phases() { return *m_phases; }
  [[nodiscard]] const WrappedLabel& sentence() const { return *m_sentence; }
  [[nodiscard]] TableCard& costs() { return *m_costs; }
  [[nodiscard]] TableCard& devices() { return *m_devices; }
  // Alike ones together, or each; hidden while there are few.
  [[nodiscard]] QComboBox& deviceChoice() { return *m_deviceChoice; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] QWidget* makePhases();
  void makeTables();
  void showData(const std::shared_ptr<const OverviewData>& made);
  void showDevices();
  // What has no use for more room leaves it to the others.
  void limitHeights();
  void revealDevice(int row);

  TraceSession& m_session;
  FigureRow* m_figures;
  QBoxLayout* m_charts; // beside each other, or under
  StepsCard* m_steps;
  PhaseBars* m_phases;
  QLabel* m_phasesCaption;
  WrappedLabel* m_sentence;
  TableCard* m_costs;
  TableCard* m_devices;
  QComboBox* m_deviceChoice;
  QFrame* m_phasesCard = nullptr;
  std::shared_ptr<const OverviewData> m_data; // null: nothing yet
};

} // namespace rankscope::ui
