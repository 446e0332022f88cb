// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of the Network tab, and what a click in them leads to.
#include "core/report/network_tables.h"
#include "ui/base/counted.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/stacked_bars.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/network/network_panel.h"
#include "ui/tabs/network/topology_view.h"
#include "ui/widgets/choice_row.h"

#include <QComboBox>

#include <algorithm>
#include <array>

namespace rankscope::ui {

namespace {

constexpr std::array kTimes{1, 2, 4, 8};

// Empty if there are none.
QString unassignedText(const JobNetwork& network) {
  const std::size_t links = network.topology.unassigned.size();
  return links == 0 ? QString()
                    : counted(static_cast<qint64>(links),
                              NetworkPanel::tr("1 link belongs to no known communicator"),
                              NetworkPanel::tr("%1 links belong to no known communicator"));
}

QString nicClassText(LinkClass of) {
  switch (of) {
  case LinkClass::Rdma:
    return NetworkPanel::tr("NIC, GPUDirect RDMA");
  case LinkClass::RdmaThroughHost:
    return NetworkPanel::tr("NIC, through host memory");
  case LinkClass::Socket:
    return NetworkPanel::tr("NIC, TCP sockets");
  default:
    return NetworkPanel::tr("NIC");
  }
}

} // namespace

void NetworkPanel::showBuckets() {
  if (!m_data || m_data->advice.empty()) return;
  BucketBars made = ui::bucketBars(m_data->advice);
  m_barsCard->setCaption(made.caption);
  m_barsCard->setEmptyText(made.refused);
  std::vector<LegendItem> legend;
  for (const BarPart& part : made.bars.parts) legend.push_back({part.name, part.color, part.hatched});
  m_barsCard->setLegend(std::move(legend));
  m_bars->setBars(std::move(made.bars));
  m_barsCard->setLeastChartHeight(m_bars->sizeHint().height());
  m_buckets->setTable(m_data->buckets, {});
  m_buckets->setCaption(made.notes);
}

// Only of communicators with links over a network: of others the picture says all.
void NetworkPanel::showMatrix() {
  const int of = drawnCommunicator();
  m_matrixData = of < 0 ? NetworkMatrix()
                        : networkMatrix(*m_data->network, static_cast<std::size_t>(of),
                                        m_matrixKind->chosen() == 0 ? MatrixKind::Nics : MatrixKind::Hosts);
  m_matrixCard->setVisible(!m_matrixData.empty());
  m_matrix->setContents(m_matrixData.heat);
  m_matrixCard->setCaption(m_matrixData.caption);
  if (!m_matrixData.empty()) m_matrixCard->setLeastChartHeight(m_matrix->sizeHint().height());
}

void NetworkPanel::showTopology() {
  const int of = drawnCommunicator();
  const QString unassigned = m_data ? unassignedText(*m_data->network) : QString();
  showMatrix();
  if (of < 0) {
    m_topology->setPicture({});
    m_topologyCard->setEmptyText(m_data ? tr("The logs have no communicator of several ranks.")
                                        : tr("Computing …"));
    m_topologyCard->setCaption({});
    m_topologyCard->setLegend({});
    // All links that there are.
    m_links->setTable(unassigned.isEmpty()
                          ? nullptr
                          : std::make_shared<const ResultTable>(ncclLinksTable(*m_data->network)),
                      m_data ? tr("The logs have no links.") : tr("Computing …"));
    m_links->setCaption(unassigned);
    placeCards();
    return;
  }
  const auto place = static_cast<std::size_t>(of);
  const auto channel = static_cast<std::size_t>(std::max(0, m_channel->currentIndex()));
  TopologyPicture picture = topologyPicture(
      *m_data->network, place, m_mode->chosen() == 0 ? PictureMode::Ring : PictureMode::Tree,
      channel < m_channels.size() ? m_channels[channel].channels : std::vector<std::int32_t>());
  std::array<bool, kLinkClassCount> used{};
  for (const PictureEdge& edge : picture.edges) used[static_cast<std::size_t>(edge.kind)] = true;
  std::vector<LegendItem> legend;
  for (int i = 0; i < kLinkClassCount; ++i) {
    const auto kind = static_cast<LinkClass>(i);
    if (used[static_cast<std::size_t>(i)])
      legend.push_back({linkClassText(kind), linkClassColor(kind), linkClassDashed(kind), true});
  }
  // A NIC has the color of its links.
  std::array<bool, kLinkClassCount> cards{};
  bool idle = false;
  for (const PictureNic& nic : picture.nics) {
    idle = idle || !nic.used;
    if (nic.used) cards[static_cast<std::size_t>(nic.kind)] = true;
  }
  for (int i = 0; i < kLinkClassCount; ++i)
    if (cards[static_cast<std::size_t>(i)]) {
      const auto kind = static_cast<LinkClass>(i);
      legend.push_back({nicClassText(kind), linkClassColor(kind)});
    }
  if (idle) legend.push_back({tr("NIC that these links do not use"), &Theme::faint});
  if (!picture.whyEmpty.isEmpty()) picture.caption += QStringLiteral(" · ") + picture.whyEmpty;
  if (!unassigned.isEmpty() && m_data->network->topology.communicators[place].links.empty())
    picture.caption += QStringLiteral(" · ") + unassigned;
  m_topologyCard->setEmptyText({});
  m_topologyCard->setCaption(picture.caption);
  m_topologyCard->setLegend(std::move(legend));
  m_topology->setPicture(std::move(picture));
  m_links->setTable(std::make_shared<const ResultTable>(linksOfCommunicator(*m_data->network, place)),
                    unassigned.isEmpty()
                        ? tr("The log has no links of this communicator.")
                        : tr("The log has no links of this communicator. %1.").arg(unassigned));
  placeCards();
  m_links->setCaption(unassigned.isEmpty()
                          ? m_communicator->currentText()
                          : m_communicator->currentText() + QStringLiteral(" · ") + unassigned);
}

void NetworkPanel::showCurves() {
  m_curves = {};
  if (!m_data || !m_data->measured) {
    m_plot->setCurves({});
    m_plotCard->setEmptyText(m_data ? tr("No collective was measured.") : tr("Computing …"));
    m_plotCard->setLegend({});
    m_plotCard->setCaption({});
    return;
  }
  const bool all = m_operation->count() > 1 && m_operation->currentIndex() == 0;
  m_curves = networkCurves(*m_data, all ? QString() : m_operation->currentText(),
                           static_cast<NetworkFigure>(std::max(0, m_figure->currentIndex())),
                           kTimes[static_cast<std::size_t>(std::max(0, m_times->currentIndex()))]);
  m_plotCard->setEmptyText({});
  m_plotCard->setLegend(m_curves.legend);
  m_plotCard->setCaption(m_curves.note);
  m_plot->setCurves(m_curves.curves);
}

void NetworkPanel::chooseCommunicator(int row) {
  if (!m_data || row < 0) return;
  const auto found = std::ranges::find(m_data->drawn, static_cast<std::size_t>(row));
  if (found != m_data->drawn.end())
    m_communicator->setCurrentIndex(static_cast<int>(found - m_data->drawn.begin()));
}

void NetworkPanel::openPoint(int curve, int point) {
  if (curve < 0 || static_cast<std::size_t>(curve) >= m_curves.places.size()) return;
  const auto& [series, sizes] = m_curves.places[static_cast<std::size_t>(curve)];
  if (point < 0 || static_cast<std::size_t>(point) >= sizes.size()) return;
  const std::vector<InstanceIndex>& calls = m_curves.calls[static_cast<std::size_t>(curve)];
  if (calls.empty())
    openSize(series, sizes[static_cast<std::size_t>(point)]);
  else
    openCall(calls[static_cast<std::size_t>(point)]);
}

// The call that took longest to transfer, on the rank that began last.
void NetworkPanel::openSize(std::size_t series, std::size_t size) {
  if (!m_data || !analysis()) return;
  const BandwidthSize& of = m_data->bandwidth->series[series].sizes[size];
  const auto row = std::ranges::find(m_data->sizeOfRow, std::pair(series, size));
  if (row != m_data->sizeOfRow.end())
    m_algorithms->selectRow(static_cast<int>(row - m_data->sizeOfRow.begin()));
  if (of.instances.empty()) return;
  const CollectiveMatch& match = analysis()->collectives().match;
  const auto slowest = std::ranges::max_element(
      of.instances, {}, [&](InstanceIndex index) { return match.instance(index).transfer; });
  openCall(*slowest);
}

void NetworkPanel::openCall(InstanceIndex call) {
  if (!analysis()) return;
  const CollectiveMatch& match = analysis()->collectives().match;
  const CollectiveInstance& instance = match.instance(call);
  for (const Participant& part : match.of(instance)) {
    if (part.rank != instance.lastRank) continue;
    m_session.select({part.rank, analysis()->collectiveCalls(part.rank)[part.call].event});
    m_session.revealPlace(part.rank, part.range);
    emit timelineWanted();
    return;
  }
}

// The first row of that link.
void NetworkPanel::chooseLink(int edge) {
  const PictureEdge& of = m_topology->picture().edges[static_cast<std::size_t>(edge)];
  m_topology->markEdge(edge);
  const std::shared_ptr<const ResultTable>& table = m_links->model().table();
  if (!table || of.fromRank < 0) return;
  const auto from = table->columnNamed("from_rank"), to = table->columnNamed("to_rank");
  for (std::size_t row = 0; row < table->rowCount(); ++row) {
    if (table->at(row, *from) != Cell(std::int64_t{of.fromRank}) ||
        table->at(row, *to) != Cell(std::int64_t{of.toRank}))
      continue;
    m_links->selectRow(static_cast<int>(row));
    return;
  }
}

void NetworkPanel::openProblem(int row) {
  if (!m_data || !report() || row < 0 || static_cast<std::size_t>(row) >= m_data->problems.size()) return;
  const NetProblem& problem = m_data->problems[static_cast<std::size_t>(row)];
  for (const Finding& finding : report()->findings()) {
    if (finding.title != problem.title || finding.evidence != problem.evidence) continue;
    emit findingOpened(finding);
    return;
  }
}

} // namespace rankscope::ui
