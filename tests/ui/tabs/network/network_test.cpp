// SPDX-License-Identifier: GPL-3.0-or-later
// The Network tab on a log of two hosts, on a table of nccl-tests, beside traces and without anything: what
// is drawn is what the log says, a point leads to its call, and without a log it says what to set. Covers
// ui/charts/log_plot, ui/tabs/network/network_charts, ui/tabs/network/network_columns,
// ui/tabs/network/network_curves, ui/tabs/network/network_data, ui/tabs/network/network_matrix,
// ui/tabs/network/network_panel, ui/tabs/network/link_routes, ui/tabs/network/topology_picture and
// ui/tabs/network/topology_view.
#include "ui/tabs/network/network_panel.h"

#include "tests/support/nsys_writer.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/stacked_bars.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/network/link_routes.h"
#include "ui/tabs/network/topology_view.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/recipe_card.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

void write(const QString& path, const std::string& text) {
  std::ofstream(path.toStdString(), std::ios::binary) << text;
}

std::string line(int rank, const std::string& message) {
  const std::string pid = std::to_string(100 + rank);
  return std::string("host") + (rank < 2 ? "0" : "1") + ":" + pid + ":" + pid + " [" +
         std::to_string(rank % 2) + "] NCCL INFO " + message + "\n";
}

// Four GPUs on two hosts in one ring: P2P within, InfiniBand with GPUDirect RDMA one way and without it back.
std::string ringLog() {
  std::string text = line(0, "NCCL version 2.20.5+cuda12.4");
  const auto init = [](int rank, const char* state) {
    const std::string r = std::to_string(rank);
    return line(rank, "comm 0x" + r + " rank " + r + " nranks 4 cudaDev " + std::to_string(rank % 2) +
                          " nvmlDev " + std::to_string(rank % 2) + " busId " +
                          (rank % 2 == 0 ? "7000" : "a01d0") + " commId 0xabc - Init " + state);
  };
  for (int rank = 0; rank < 4; ++rank) text += init(rank, "START");
  text += line(0, "Channel 00/02 :    0   1   2   3");
  text += line(0, "Channel 01/02 :    0   1   2   3");
  for (const char* channel : {"00", "01"}) {
    const std::string of = std::string("Channel ") + channel + "/0 : ";
    text += line(0, of + "0[0] -> 1[1] via P2P/CUMEM/read");
    text += line(2, of + "2[0] -> 3[1] via P2P/CUMEM/read");
    text += line(1, of + "1[1] -> 2[0] [send] via NET/IB/0/GDRDMA");
    text += line(2, of + "1[1] -> 2[0] [receive] via NET/IB/0/GDRDMA");
    text += line(3, of + "3[1] -> 0[0] [send] via NET/IB/1");
    text += line(0, of + "3[1] -> 0[0] [receive] via NET/IB/1");
  }
  text += line(0, "Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1");
  for (int rank = 0; rank < 4; ++rank) text += init(rank, "COMPLETE");
  return text;
}

std::string table() {
  std::string text =
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor)\n"
      "#  Rank  0 Group  0 Pid 1 on host0 device  0 [0000:07:00] NVIDIA H100 80GB HBM3\n"
      "#  Rank  1 Group  0 Pid 2 on host0 device  1 [0000:08:00] NVIDIA H100 80GB HBM3\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
      "algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
      "(GB/s)  (GB/s)\n";
  for (double bytes = 1024; bytes <= 134217728; bytes *= 4) {
    const double us = 10 + bytes / 100e3; // 100 GB/s
    char row[200];
    std::snprintf(
        row, sizeof row,
        "%12.0f %12.0f     float     sum      -1 %8.2f %7.3f %7.3f      0 %8.2f %7.3f %7.3f      0\n", bytes,
        bytes / 4, us, bytes / us / 1e3, bytes / us / 1e3, us, bytes / us / 1e3, bytes / us / 1e3);
    text += row;
  }
  return text;
}

} // namespace

class NetworkTest : public QObject {
  Q_OBJECT

 private:
  static NetworkPanel& panelOf(OpenJob& job) {
    job.window.showTab("network");
    if (!job.settles()) qFatal("the tab did not settle");
    return job.tabs().page<NetworkPanel>("network");
  }

 private slots:
  void aLogAloneShowsItsRingAndItsProblem() {
    QTemporaryDir folder;
    write(folder.filePath("nccl.log"), ringLog());
    OpenJob job(folder.filePath("nccl.log"), QSize(1280, 720));
    QCOMPARE(job.window.currentTab(), QStringLiteral("network"));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(panel.data() != nullptr && panel.data()->log);
    QVERIFY(panel.recipe().isHidden());
    const TopologyPicture& picture = panel.topology().picture();
    QCOMPARE(picture.hosts.size(), 2U);
    QCOMPARE(picture.nodes.size(), 4U);
    QCOMPARE(picture.edges.size(), 4U);
    std::array<int, kLinkClassCount> kinds{};
    for (const PictureEdge& edge : picture.edges) {
      QCOMPARE(edge.channels, 2);
      ++kinds[static_cast<std::size_t>(edge.kind)];
    }
    QCOMPARE(kinds[static_cast<std::size_t>(LinkClass::Peer)], 2);
    QCOMPARE(kinds[static_cast<std::size_t>(LinkClass::Rdma)], 1);
    QCOMPARE(kinds[static_cast<std::size_t>(LinkClass::RdmaThroughHost)], 1);
    QVERIFY(picture.nodes[0].tip.contains(QStringLiteral("0000:07:00.0")));
    // Each GPU has its NIC below it, where its links begin and end.
    QCOMPARE(picture.nics.size(), 4U);
    for (const PictureNic& nic : picture.nics) {
      QVERIFY(nic.used);
      const QRectF gpu = panel.topology().boxOf(nic.node);
      const QRectF box = panel.topology().boxOfNic(static_cast<std::size_t>(&nic - picture.nics.data()));
      QVERIFY(box.top() > gpu.bottom() && box.left() >= gpu.left() && box.right() <= gpu.right());
    }
    for (const PictureEdge& edge : picture.edges) {
      QCOMPARE(edge.fromNic >= 0, edge.kind != LinkClass::Peer);
      if (edge.fromNic < 0) continue;
      QCOMPARE(picture.nics[static_cast<std::size_t>(edge.fromNic)].node, edge.from);
      QCOMPARE(picture.nics[static_cast<std::size_t>(edge.toNic)].node, edge.to);
    }
    // One of two links lacks GPUDirect RDMA: its hosts say so.
    for (const PictureHost& host : picture.hosts) QVERIFY(host.problem.contains("without GDRDMA"));
    // Links without GPUDirect RDMA are a finding, which a row of the problems opens.
    QVERIFY(panel.problems().model().textOf(0, "title").contains(QStringLiteral("GPUDirect")));
    QSignalSpy opened(&panel, &TabPage::findingOpened);
    emit panel.problems().rowActivated(0);
    QCOMPARE(opened.count(), 1);
    QCOMPARE(panel.communicators().model().textOf(0, "gdr_pct"), QStringLiteral("50"));
  }

  // No link passes behind a box: its ends are at the borders of its GPUs or NICs and are seen.
  void linksEndAtTheirBoxesAndCrossNone() {
    // Two rows of two hosts with eight GPUs and NICs each, all linked with all but themselves.
    RouteMap map;
    map.width = 800;
    for (int host = 0; host < 4; ++host) {
      const QPoint place(host % 2, host / 2);
      const QPointF corner(20 + place.x() * 390, 10 + place.y() * 200);
      map.hosts.emplace_back(corner, QSizeF(340, 160));
      map.heads.emplace_back(corner, QSizeF(340, 22));
      for (int gpu = 0; gpu < 8; ++gpu) {
        map.hostOfNode.push_back(static_cast<std::size_t>(host));
        const QPoint slot(gpu % 4, gpu / 4);
        const QRectF box(corner + QPointF(18 + slot.x() * 80, 40 + slot.y() * 65), QSizeF(50, 30));
        map.nodes.push_back(box);
        map.nodeOfNic.push_back(map.nics.size());
        map.nics.emplace_back(box.left() + 8, box.bottom() + 3, 34, 6);
      }
    }
    std::vector<RouteEnds> links;
    for (std::size_t from = 0; from < map.nodes.size(); ++from)
      for (std::size_t to = 0; to < map.nodes.size(); ++to) {
        if (from == to) continue;
        const bool net = map.hostOfNode[from] != map.hostOfNode[to];
        links.push_back(
            {from, to, net ? static_cast<std::int32_t>(from) : -1, net ? static_cast<std::int32_t>(to) : -1});
      }
    const std::vector<QPolygonF> routes = linkRoutes(map, links);
    QCOMPARE(routes.size(), links.size());
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const QPolygonF& route = routes[i];
      QVERIFY(route.size() >= 2);
      const auto endOf = [&](std::size_t node, std::int32_t nic) {
        return nic >= 0 ? map.nics[static_cast<std::size_t>(nic)] : map.nodes[node];
      };
      QVERIFY(endOf(links[i].from, links[i].fromNic).adjusted(-0.1, -0.1, 0.1, 0.1).contains(route.front()));
      QVERIFY(endOf(links[i].to, links[i].toNic).adjusted(-0.1, -0.1, 0.1, 0.1).contains(route.back()));
      for (const auto* boxes : {&map.nodes, &map.nics})
        for (const QRectF& box : *boxes) {
          const QRectF inner = box.adjusted(0.5, 0.5, -0.5, -0.5);
          for (qsizetype k = 1; k < route.size(); ++k) {
            const QRectF part =
                QRectF(route[k - 1], route[k]).normalized().adjusted(-0.01, -0.01, 0.01, 0.01);
            QVERIFY2(!part.intersects(inner), qPrintable(QStringLiteral("link %1").arg(i)));
          }
        }
    }
    QCOMPARE(distanceTo(QPolygonF({{0, 0}, {10, 0}, {10, 10}}), QPointF(13, 5)), 3.0);
  }

  void theLegendNamesLinksAndNics() {
    QTemporaryDir folder;
    write(folder.filePath("nccl.log"), ringLog());
    OpenJob job(folder.filePath("nccl.log"), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    const QByteArray drawing = panel.topologyCard().svg();
    for (const char* text : {"P2P", "NIC, GPUDirect RDMA", "NIC, through host memory"})
      QVERIFY2(drawing.contains(text), text);
    QVERIFY(panel.matrixCard().svg().contains("full color at 6, three times the mean"));
  }

  // A card that appears with the data has the place that its order gives it, and the last one a whole row.
  void warningsHaveTheLastRow() {
    QTemporaryDir folder;
    write(folder.filePath("nccl.log"),
          ringLog() + "\nhost0:100:100 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer "
                      "10.0.0.2<1> with status=12 opcode=0 len=0 vendor err 129\n");
    OpenJob job(folder.filePath("nccl.log"), QSize(1920, 1080));
    NetworkPanel& panel = panelOf(job);
    std::vector<const QWidget*> shown;
    for (const TableCard* card : panel.findChildren<TableCard*>())
      if (!card->isHidden()) shown.push_back(card);
    const auto bottom =
        std::ranges::max_element(shown, {}, [](const QWidget* card) { return card->geometry().bottom(); });
    QVERIFY(bottom != shown.end());
    // Nothing is missing at the left of the last row.
    const int lowest = (*bottom)->geometry().bottom();
    int left = (*bottom)->geometry().left();
    for (const QWidget* card : shown)
      if (card->geometry().bottom() == lowest) left = std::min(left, card->geometry().left());
    QCOMPARE(left, panel.problems().geometry().left());
  }

  void aClickedLinkSelectsItsRow() {
    QTemporaryDir folder;
    write(folder.filePath("nccl.log"), ringLog());
    OpenJob job(folder.filePath("nccl.log"), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    const TopologyPicture& picture = panel.topology().picture();
    for (std::size_t i = 0; i < picture.edges.size(); ++i) {
      if (picture.edges[i].kind != LinkClass::Rdma) continue;
      QTest::mouseClick(&panel.topology(), Qt::LeftButton, {}, panel.topology().placeOf(i).toPoint());
      const int row = panel.links().selectedRow();
      QVERIFY(row >= 0);
      QCOMPARE(panel.links().model().textOf(row, "from_rank"), QStringLiteral("1"));
      QCOMPARE(panel.links().model().textOf(row, "to_rank"), QStringLiteral("2"));
    }
    // The tree that the log has is of one rank.
    panel.mode().choose(1);
    QVERIFY(panel.topology().picture().edges.empty());
    QVERIFY(panel.topologyCard().hasChart());
  }

  void linksAreCountedByNicAndByHost() {
    QTemporaryDir folder;
    write(folder.filePath("nccl.log"), ringLog());
    OpenJob job(folder.filePath("nccl.log"), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(!panel.matrixCard().isHidden());
    const HeatContents& nics = panel.matrix().contents();
    QCOMPARE(nics.rowNames, QStringList({QStringLiteral("host0"), QStringLiteral("host1")}));
    QCOMPARE(nics.cells->columns, 2U);
    // Each NIC holds an end of two links, one a channel; those of NIC 1 have no GPUDirect RDMA.
    QCOMPARE(nics.texts, std::vector<QString>({"2", "2", "2, 2 no GDR", "2, 2 no GDR"}));
    QCOMPARE(nics.outlierRows, std::vector<bool>({true, true}));
    panel.matrixKind().choose(1);
    const HeatContents& hosts = panel.matrix().contents();
    QCOMPARE(hosts.cells->values, std::vector<float>({-1, 2, 2, -1}));
    // Spread evenly, which is no hot spot.
    QCOMPARE(hosts.top, 6.0);
    const auto labels = panel.matrixCard().findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->text().contains(QStringLiteral("2 for each pair"));
    }));
    QVERIFY(panel.matrix().tipAt(panel.matrix().boxOf(1, 0).center()).contains(QStringLiteral("2 links")));
  }

  void aLogOfOneHostHasNoNetworkLinks() {
    QTemporaryDir folder;
    write(
        folder.filePath("nccl.log"),
        line(0, "comm 0x0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 7000 commId 0xabc - Init START") +
            line(0, "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read") +
            line(0, "comm 0x0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 7000 commId 0xabc - Init COMPLETE"));
    OpenJob job(folder.filePath("nccl.log"), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(panel.matrixCard().isHidden());
    QVERIFY(panel.bucketsCard().isHidden());
  }

  // As with NCCL_DEBUG_SUBSYS=P2P: links alone.
  void linksOfNoKnownCommunicatorAreListedAndCounted() {
    QTemporaryDir folder;
    write(folder.filePath("nccl.log"), line(0, "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM") +
                                           line(0, "Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM"));
    OpenJob job(folder.filePath("nccl.log"), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(panel.links().model().table() != nullptr);
    QCOMPARE(panel.links().model().table()->rowCount(), 2U);
    const auto labels = panel.links().findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->text().contains(QStringLiteral("2 links belong to no known communicator"));
    }));
  }

  void bucketsOfOtherSizesArePredicted() {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 5;
    options.layers = 8;
    options.buckets = 4;
    OpenJob job(options);
    NetworkPanel& panel = panelOf(job);
    QVERIFY(!panel.bucketsCard().isHidden() && panel.bucketsCard().hasChart());
    const BarRows& bars = panel.bucketBars().bars();
    QCOMPARE(bars.rows.size(), 8U); // as recorded, and seven caps
    QCOMPARE(panel.buckets().model().rowCount(), 8);
    for (const BarRow& row : bars.rows) QVERIFY(row.amounts.at(0) > 0 && row.amounts.at(1) >= 0);
    // Not all that is exposed, which Parallelism has.
    QCOMPARE(bars.parts.back().name, QStringLiteral("gradient communication after the backward pass"));
    // A gain is a shorter bar, in words: a sign would be that of the step or of the gain.
    const ResultTable& table = *panel.buckets().model().table();
    int told = 0;
    for (std::size_t i = 1; i < bars.rows.size(); ++i) {
      const Cell gain = table.at(i, *table.columnNamed("gain_us"));
      const auto* const ns = std::get_if<std::int64_t>(&gain);
      if (ns == nullptr || std::abs(*ns) < 1'000) continue;
      QVERIFY2(bars.rows[i].note.contains(*ns > 0 ? "shorter" : "longer"), qPrintable(bars.rows[i].note));
      ++told;
    }
    QVERIFY(told > 0);
  }

  void aSingleSlowCallIsAPointThatLeadsToIt() {
    QTemporaryDir folder;
    for (const int rank : {0, 1}) {
      test::TraceText text;
      text.distributedInfo(rank, 2).hostProcess(100 + rank);
      for (int i = 0; i < 8; ++i) {
        const std::int64_t begin = 1'000'000 + i * std::int64_t{50'000'000};
        text.addStep(i + 5, begin, 49'000'000).addRuntime(1, begin + 1'000, 1'000, "cudaLaunchKernel", i + 1);
        text.addCollective(0, 20, begin + 10'000, i == 6 ? 9'000'000 : 3'000'000, "allreduce", 1 << 20, 2,
                           i + 1);
      }
      test::writeTraceFile(folder.filePath(QStringLiteral("rank%1.json").arg(rank)).toStdString(),
                           text.text());
    }
    OpenJob job(folder.path(), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QCOMPARE(panel.data()->slowCalls.size(), 1U);
    const std::vector<LogCurve>& curves = panel.plot().curves().curves;
    const auto slow = std::ranges::find_if(curves, [](const LogCurve& curve) { return curve.loose; });
    QVERIFY(slow != curves.end() && slow->points.size() == 1);
    const QPointF place = panel.plot().placeOf(slow->points.front());
    QVERIFY(panel.plot().tipAt(place).contains(QStringLiteral("9.00 ms")));
    QTest::mouseClick(panel.plot().viewport(), Qt::LeftButton, {}, place.toPoint());
    QVERIFY(job.session().selection().valid());
    const EventRef chosen = job.session().selection();
    QCOMPARE(job.session().trace()->rank(chosen.rank).trace->events.duration[chosen.event],
             TimeNs{9'000'000});
  }

  void membersWithoutALogAreMarked() {
    const auto pictureWithout = [](const std::vector<std::string>& processes) {
      QTemporaryDir folder;
      std::string text;
      std::istringstream lines(ringLog());
      for (std::string line; std::getline(lines, line);) {
        const bool left = std::ranges::any_of(processes, [&](const std::string& process) {
          return line.find(':' + process + ':') != std::string::npos;
        });
        if (!left) text += line + '\n';
      }
      write(folder.filePath("nccl.log"), text);
      OpenJob job(folder.path(), QSize(1280, 720));
      return panelOf(job).topology().picture();
    };
    const auto missing = [](const TopologyPicture& picture) {
      return std::ranges::count(picture.nodes, false, &PictureNode::known);
    };
    // A link within the host tells where the member is.
    const TopologyPicture one = pictureWithout({"103"});
    QCOMPARE(one.hosts.size(), 2U);
    QCOMPARE(missing(one), 1);
    // Of these nobody knows it: they stand together.
    const TopologyPicture two = pictureWithout({"102", "103"});
    QCOMPARE(two.hosts.size(), 2U);
    QCOMPARE(missing(two), 2);
    QVERIFY(!two.hosts[0].name.isEmpty() && two.hosts[1].name.isEmpty());
    QCOMPARE(two.hosts[1].nodes.size(), 2U);
  }

  void aTableIsACurveWithItsFitAndAPrediction() {
    QTemporaryDir folder;
    write(folder.filePath("all_reduce.txt"), table());
    OpenJob job(folder.path(), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(panel.data()->measured && !panel.data()->log);
    QVERIFY(!panel.recipe().isHidden());
    const LogCurves& curves = panel.plot().curves();
    QVERIFY(curves.curves.size() == 2 && curves.curves[1].dashed);
    QVERIFY(curves.bands.empty());
    const QPointF last = curves.curves[0].points.back();
    QVERIFY(std::abs(last.y() - last.x() / (10 + last.x() / 100e3) / 1e3) < 0.5);
    // The links of the GPU's name are the level above.
    QCOMPARE(curves.levels.size(), 1U);
    QCOMPARE(curves.levels[0].y, 450.0);
    panel.within().setCurrentIndex(panel.within().findData(QStringLiteral("pcie5")));
    QVERIFY(job.settles());
    QCOMPARE(panel.plot().curves().levels.at(0).y, 63.0);
    panel.figure().setCurrentIndex(2);
    QCOMPARE(panel.plot().curves().yUnit, Unit::Nanoseconds);
    QVERIFY(panel.plot().curves().levels.empty());
    panel.ranks().setCurrentIndex(2);
    QCOMPARE(panel.plot().curves().bands.size(), 1U);
    const LogBand& band = panel.plot().curves().bands.front();
    for (qsizetype i = 0; i < band.lower.size(); ++i) QVERIFY(band.upper[i].y() >= band.lower[i].y());
  }

  // Collectives over hosts are compared with what is between hosts, others with what is within one.
  void theLevelIsThatOfTheLinksInUse() {
    QTemporaryDir folder;
    write(folder.filePath("all_reduce_within.txt"), table());
    std::string between = table();
    const auto second = between.find("on host0", between.find("Rank  1"));
    between.replace(second, 8, "on host1");
    write(folder.filePath("all_reduce_between.txt"), between);
    OpenJob job(folder.filePath("all_reduce_between.txt"), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(panel.plot().curves().levels.empty());
    const auto labels = panel.plotCard().findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->text().contains(QStringLiteral("rate of the NICs not known"));
    }));
    QCOMPARE(panel.between().itemText(0), QStringLiteral("NICs not recognized"));
    panel.between().setCurrentIndex(panel.between().findData(QStringLiteral("ib-ndr:2")));
    QVERIFY(job.settles());
    const std::vector<LogLevel>& levels = panel.plot().curves().levels;
    QCOMPARE(levels.size(), 1U);
    QCOMPARE(levels[0].y, 100.0);
    QVERIFY2(levels[0].text.contains(QStringLiteral("between hosts: 100 GB/s, 800 Gbit/s")),
             qPrintable(levels[0].text));
    const QString tip = panel.plot().curves().curves[0].tips.back();
    QVERIFY2(tip.contains(QStringLiteral("Gbit/s")), qPrintable(tip));
    OpenJob both(folder.path(), QSize(1280, 720));
    QCOMPARE(panelOf(both).plot().curves().levels.size(), 1U);
    QVERIFY(panelOf(both).plot().curves().levels[0].text.contains(QStringLiteral("within a host")));
  }

  void namesOfCurvesLieOnNothing() {
    QTemporaryDir folder;
    write(folder.filePath("all_reduce.txt"), table());
    OpenJob job(folder.path(), QSize(1280, 720));
    LogPlot& plot = panelOf(job).plot();
    const QRectF box = plot.nameBox(0);
    QVERIFY(!box.isNull() && plot.nameBox(1).isNull());
    for (const LogCurve& curve : plot.curves().curves)
      for (const QPointF& point : curve.points) QVERIFY(!box.contains(plot.placeOf(point)));
  }

  void aPointOfTheJobLeadsToItsSlowestCall() {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 4;
    OpenJob job(options);
    NetworkPanel& panel = panelOf(job);
    QVERIFY(panel.data()->measured && !panel.data()->log);
    QVERIFY(!panel.recipe().isHidden());
    const LogCurves& curves = panel.plot().curves();
    QVERIFY(!curves.empty());
    QSignalSpy wanted(&panel, &TabPage::timelineWanted);
    // The place may be off the screen: the click is sent to the chart itself.
    const QPointF place = panel.plot().placeOf(curves.curves[0].points.front());
    QVERIFY(!panel.plot().tipAt(place).isEmpty());
    QTest::mouseClick(panel.plot().viewport(), Qt::LeftButton, {}, place.toPoint());
    QCOMPARE(wanted.count(), 1);
    QVERIFY(job.session().selection().valid());
  }

  // An export of Nsight Systems without payloads.
  void collectivesWithoutSizesSayHowToGetThem() {
    QTemporaryDir folder;
    const std::filesystem::path path(folder.path().toStdString());
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.layers = 1;
    test::generateJob(options, path / "kineto");
    test::writeAsNsys(path / "kineto", path / "nsys", test::NsysFile::Version::Old);
    OpenJob job(folder.filePath("nsys"), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(!panel.data()->measured);
    QVERIFY2(panel.recipe().text().contains("--include-blobs=true"), qPrintable(panel.recipe().text()));
  }

  // Those of gloo are recorded on all ranks, but no device ran them.
  void collectivesOfHostsAreNotSaidToBeMissing() {
    const auto folder = test::sharedFolder() / "captures/torch-2.6.0/ddp4_straggler";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    OpenJob job(pathOf(folder), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(!panel.data()->measured);
    QVERIFY2(panel.recipe().text().contains("ran on hosts"), qPrintable(panel.recipe().text()));
    QVERIFY(!panel.recipe().text().contains("recorded on all of its ranks"));
    // NCCL would log nothing.
    QVERIFY(!panel.recipe().text().contains("set this") && panel.recipe().copyButton().isHidden());
    QVERIFY(!panel.data()->advice.empty());
    QVERIFY(panel.data()->advice.front().refused.find("no device time") != std::string::npos);
  }

  void aJobOfOneRankHasNothingToSet() {
    QTemporaryDir folder;
    test::TraceText text;
    text.addStep(1, 0, 1'000'000);
    text.addCpuOp(1, 1'000, 50'000, "aten::mm");
    test::writeTraceFile(folder.filePath("rank0.json").toStdString(), text.text());
    OpenJob job(folder.path(), QSize(1280, 720));
    NetworkPanel& panel = panelOf(job);
    QVERIFY(!panel.recipe().isHidden() && panel.recipe().copyButton().isHidden());
    QCOMPARE(panel.recipe().text(), QStringLiteral("The job has one rank: no network traffic."));
    QVERIFY(panel.plotCard().isHidden() && panel.topologyCard().isHidden());
    QVERIFY(ncclRecipe().contains(QStringLiteral("NCCL_DEBUG=INFO")));
  }
};

RANKSCOPE_UI_TEST(NetworkTest)
#include "network_test.moc"
