// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks tab: a flame graph of what the stacks of the selected part cost, by one of several weights. A
// search says what of it matches, filters leave a part; a click finds the calls of a frame for the timeline;
// a double click opens its source line. UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/occurrences.h"
#include "ui/tabs/stacks/stacks_data.h"
#include "ui/widgets/analysis_page.h"

#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QSettings;
class QSplitter;

namespace rankscope::ui {

class ChartCard;
class ChoiceRow;
class ElidedLabel;
class FilterChips;
class FlameView;
class StackedBars;
class TableCard;
class TraceSession;
class WrappedLabel;

class StacksPanel : public AnalysisPage {
  Q_OBJECT
 public:
  static constexpr int kAllDepths = 9; // and more

  StacksPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] FlameView& flames() { return *m_flames; }
  [[nodiscard]] ChoiceRow& weights() { return *m_weights; }
  [[nodiscard]] ChoiceRow& modes() { return *m_modes; }
  [[nodiscard]] QComboBox& pythonChoice() { return *m_python; }
  [[nodiscard]] QComboBox& colorChoice() { return *m_colors; }
  // The modules of the part; hidden where there are none.
  [[nodiscard]] TableCard& modules() { return *m_modules; }
  [[nodiscard]] StackedBars& layers() { return *m_layers; }
  [[nodiscard]] QLineEdit& searchField() { return *m_search; }
  [[nodiscard]] const QLabel& matched() const { return *m_matched; }
  [[nodiscard]] const StacksChoice& choice() const { return m_choice; }
  [[nodiscard]] FilterChips& chips() { return *m_chips; }
  // All frames, beside callers and callees of one.
  [[nodiscard]] TableCard& frames() { return *m_frames; }
  // What can be done with a node of the picture; of the root with all of it.
  [[nodiscard]] std::unique_ptr<QMenu> menuOf(std::uint32_t node);
  // Shows one frame wherever it occurs, with its callers and what it called.
  void showAround(const std::string& frame);
  // Writes what is shown; the format follows from the name.
  void exportTo(const QString& path);

  void setReport(std::shared_ptr<const JobReport> report) override;
  void showOnly(const QString& words) override;
  [[nodiscard]] bool claimsKey(const QKeyEvent& event) const override;
  bool pressKey(const QKeyEvent& event) override;
  void takeFocus() override;
  [[nodiscard]] Occurrences* calls() override { return m_calls; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeBar();
  [[nodiscard]] QWidget* makeOptions();
  [[nodiscard]] QWidget* makeCard();
  [[nodiscard]] QWidget* makeFrames();
  [[nodiscard]] QWidget* makeModules();
  void placeParts();
  void connectAll();
  void showPreview(const std::shared_ptr<const Analysis>& part);
  void show(const std::shared_ptr<const StacksData>& made);
  [[nodiscard]] std::shared_ptr<const Analysis> shownPart() const {
    return m_preview ? m_preview : analysis();
  }
  void showFrames();
  void askModules();
  void showModulesPane();
  void showModules(const ModulesData& made);
  void showModulesTo(int depth);
  void chooseModule(int row);
  void ask();
  void showData(const std::shared_ptr<const StacksData>& made);
  void showSelection();
  void search();
  void activate(std::uint32_t node);
  void addFilterOfSearch();
  void addFilterActions(QMenu& menu, const std::string& frame);
  void addCallActions(QMenu& menu);
  void askExport();
  [[nodiscard]] std::vector<std::string> stackOf(std::uint32_t node) const;

  TraceSession& m_session;
  QSettings& m_settings;
  Occurrences* m_calls;
  ChoiceRow* m_weights;
  ChoiceRow* m_modes;
  QComboBox* m_python;
  QComboBox* m_colors;
  QCheckBox* m_backward;
  QCheckBox* m_recursion;
  QCheckBox* m_flipped;
  QLineEdit* m_search;
  QLabel* m_matched;
  QLabel* m_title;
  WrappedLabel* m_notes;
  FlameView* m_flames;
  ElidedLabel* m_path;
  ElidedLabel* m_figures;
  QPushButton* m_source;
  QWidget* m_detail;
  FilterChips* m_chips;
  TableCard* m_frames;
  TableCard* m_modules;
  StackedBars* m_layers;
  ChartCard* m_layersCard;
  QSplitter* m_modulesPane;
  QSplitter* m_parts; // modules or frames, and the picture
  QWidget* m_card;    // of the picture
  StacksChoice m_choice;
  bool m_weightChosen = false;
  std::shared_ptr<StacksMemory> m_memory = std::make_shared<StacksMemory>();
  std::shared_ptr<const StacksData> m_data; // null: no data yet
  std::shared_ptr<const Analysis> m_framesOf;
  StacksChoice m_framesChoice; // of the table of frames
  std::shared_ptr<const Analysis> m_modulesOf;
  std::shared_ptr<const ResultTable> m_allModules; // null: none
  int m_moduleDepth = kAllDepths;
  LatestTask<ModulesData> m_modulesTask;
  std::shared_ptr<const Analysis> m_preview; // of a range whose report is not known yet; null: none
  LatestTask<std::shared_ptr<const StacksData>> m_previewTask;
  LatestTask<QString> m_exportTask;
};

} // namespace rankscope::ui
