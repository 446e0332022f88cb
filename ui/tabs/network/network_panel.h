// SPDX-License-Identifier: GPL-3.0-or-later
// The Network tab: the rings and trees of a communicator, its links by NIC and host, bandwidth by size beside
// what the links give, what NCCL chose, fits and predictions, step times at other bucket sizes, NICs,
// settings and what is wrong, from the logs of NCCL, tables of nccl-tests and the collectives of the job.
// Without logs it shows what to set. A point leads to its slowest call, a link to its row, a problem to its
// finding. UI thread; the content is computed on a worker.
#pragma once

#include "ui/tabs/network/network_data.h"
#include "ui/tabs/network/network_matrix.h"
#include "ui/tabs/network/topology_picture.h"
#include "ui/widgets/analysis_page.h"

#include <array>
#include <memory>
#include <vector>

class QComboBox;
class QGridLayout;
class QSettings;

namespace rankscope::ui {

class ChoiceRow;
class HeatMap;
class RecipeCard;
class StackedBars;
class TableCard;
class TopologyView;
class TraceSession;

class NetworkPanel : public AnalysisPage {
  Q_OBJECT
 public:
  NetworkPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] TopologyView& topology() { return *m_topology; }
  [[nodiscard]] LogPlot& plot() { return *m_plot; }
  [[nodiscard]] ChartCard& topologyCard() { return *m_topologyCard; }
  [[nodiscard]] ChartCard& plotCard() { return *m_plotCard; }
  [[nodiscard]] HeatMap& matrix() { return *m_matrix; }
  [[nodiscard]] ChartCard& matrixCard() { return *m_matrixCard; }
  [[nodiscard]] ChoiceRow& matrixKind() { return *m_matrixKind; }
  [[nodiscard]] StackedBars& bucketBars() { return *m_bars; }
  [[nodiscard]] ChartCard& bucketsCard() { return *m_barsCard; }
  [[nodiscard]] TableCard& buckets() { return *m_buckets; }
  [[nodiscard]] TableCard& fits() { return *m_fits; }
  [[nodiscard]] TableCard& communicators() { return *m_communicators; }
  [[nodiscard]] TableCard& algorithms() { return *m_algorithms; }
  [[nodiscard]] TableCard& links() { return *m_links; }
  [[nodiscard]] TableCard& problems() { return *m_problems; }
  [[nodiscard]] QComboBox& communicator() { return *m_communicator; }
  [[nodiscard]] QComboBox& ranks() { return *m_times; }
  [[nodiscard]] QComboBox& within() { return *m_within; }
  [[nodiscard]] QComboBox& between() { return *m_between; }
  [[nodiscard]] ChoiceRow& mode() { return *m_mode; }
  [[nodiscard]] QComboBox& figure() { return *m_figure; }
  [[nodiscard]] RecipeCard& recipe() { return *m_recipe; }
  [[nodiscard]] const std::shared_ptr<const NetworkData>& data() const { return m_data; }

  void showOnly(const QString& words) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeControls();
  void layCards();
  [[nodiscard]] int heightLeft(const std::vector<QWidget*>& cards, int columns) const;
  void placeCards();
  [[nodiscard]] std::array<QWidget*, 13> allCards() const; // but the problems, in their order
  [[nodiscard]] int heightOf(const QWidget* card) const;   // of a table; 0 for charts
  void connectAll();
  void ask();
  // Why no bandwidth is known; a sentence.
  [[nodiscard]] static bool mayLogNccl(const Analysis& analysis);
  [[nodiscard]] static QString whyNotMeasured(const Analysis* analysis);
  void showData(const std::shared_ptr<const NetworkData>& made);
  void showTables();
  void fillChoices();
  void fillChannels();
  void showTopology();
  void showMatrix();
  void showBuckets();
  void showCurves();
  [[nodiscard]] int drawnCommunicator() const; // place in the topology; -1: none
  void chooseCommunicator(int row);
  void openSize(std::size_t series, std::size_t size);
  void openPoint(int curve, int point);
  void openCall(InstanceIndex call);
  void chooseLink(int edge);
  void openProblem(int row);
  [[nodiscard]] FabricSettings chosenFabrics() const;

  TraceSession& m_session;
  TopologyView* m_topology;
  ChartCard* m_topologyCard;
  HeatMap* m_matrix;
  ChartCard* m_matrixCard;
  ChoiceRow* m_matrixKind;
  LogPlot* m_plot;
  ChartCard* m_plotCard;
  StackedBars* m_bars;
  ChartCard* m_barsCard;
  TableCard* m_buckets;
  TableCard* m_communicators;
  TableCard* m_problems;
  TableCard* m_algorithms;
  TableCard* m_fits;
  TableCard* m_links;
  TableCard* m_nics;
  TableCard* m_settingsCard;
  TableCard* m_warnings;
  TableCard* m_files;
  QComboBox* m_communicator;
  ChoiceRow* m_mode;
  QComboBox* m_channel;
  QComboBox* m_figure;
  QComboBox* m_operation;
  QComboBox* m_times;
  QComboBox* m_within;
  QComboBox* m_between;
  RecipeCard* m_recipe;
  QGridLayout* m_grid = nullptr;
  std::vector<ChannelChoice> m_channels;
  NetworkMatrix m_matrixData;
  NetworkCurves m_curves;
  std::shared_ptr<const NetworkData> m_data; // null: no data yet
};

} // namespace rankscope::ui
