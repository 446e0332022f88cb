// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/network_matrix.h"

#include "ui/base/ui_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace rankscope::ui {

namespace {

struct Use {
  std::int64_t links = 0, withoutGdr = 0;
};

// Links by host and by what they lead to: the number of a NIC, or another host.
template <class Target> struct Uses {
  std::map<std::pair<std::string, Target>, Use> of;
  std::int64_t links = 0, gdr = 0, noGdr = 0;

  void add(const std::string& host, const Target& target, const NetLink& link, bool socket) {
    Use& use = of[{host, target}];
    ++use.links;
    ++links;
    if (socket) return;
    ++(link.gdr ? gdr : noGdr);
    if (!link.gdr) ++use.withoutGdr;
  }
};

// Calls take(host of the sender, host of the receiver, link, whether by sockets) for links of a network.
template <class Take> void eachNetLink(const NcclLog& log, const NetCommunicator& communicator, Take&& take) {
  for (const NetLink& link : communicator.links) {
    const std::string& kind = log.kinds[link.kind];
    if (!kind.starts_with("NET/")) continue;
    const std::string from(hostOf(log, communicator, link.from)), to(hostOf(log, communicator, link.to));
    // Of one whose log is missing the other end is known all the same.
    if (!from.empty() || !to.empty()) take(from, to, link, kind == "NET/Socket");
  }
}

// Names of NICs by number, as any process of the job logged them.
std::map<std::int64_t, QString> namesOfNics(const NcclLog& log) {
  std::map<std::int64_t, QString> names;
  for (const NcclProcess& process : log.processes)
    for (const NcclDevice& device : process.network == "Socket" ? process.socketDevices : process.devices)
      names.try_emplace(device.index, textOf(device.name));
  return names;
}

// Three times the mean has the full color, or what has most if that is more: links that are spread evenly
// look calm, and what has more stands out.
double topOf(const HeatCells& cells, double largest) {
  double sum = 0;
  std::size_t used = 0;
  for (const float value : cells.values) {
    if (value <= 0) continue;
    sum += static_cast<double>(value);
    ++used;
  }
  const double mean = used > 0 ? sum / static_cast<double>(used) : 0;
  return std::max({largest, 3 * mean, 1.0});
}

// Where the scale of colors ends, and why there.
QString scaleText(const NetworkMatrix& matrix) {
  const auto top = static_cast<qint64>(std::llround(matrix.heat.top));
  return matrix.heat.top > matrix.heat.largest ? tr(" · full color at %1, three times the mean").arg(top)
                                               : tr(" · full color at %1, the most").arg(top);
}

// Links of each pair, if they are equally many; else -1.
std::int64_t linksOfEach(const HeatCells& cells) {
  std::int64_t each = -1;
  for (const float value : cells.values) {
    if (value <= 0) continue;
    const auto links = static_cast<std::int64_t>(value);
    if (each >= 0 && each != links) return -1;
    each = links;
  }
  return each;
}

template <class Target, class NameOf>
NetworkMatrix matrixOf(const Uses<Target>& uses, const std::set<Target>& targets, NameOf&& nameOf) {
  NetworkMatrix matrix;
  std::set<std::string> hosts;
  for (const auto& [key, use] : uses.of) hosts.insert(key.first);
  if (hosts.empty() || targets.empty()) return matrix;
  auto cells = std::make_shared<HeatCells>();
  cells->columns = targets.size();
  cells->rows = hosts.size();
  cells->values.assign(cells->columns * cells->rows, -1);
  matrix.tips.resize(cells->values.size());
  matrix.heat.texts.resize(cells->values.size());
  matrix.heat.outlierRows.assign(cells->rows, false);
  std::size_t column = 0;
  for (const Target& target : targets) {
    const QString name = nameOf(target);
    matrix.columnNames << name;
    matrix.heat.marks.push_back({column, name});
    std::size_t row = 0;
    for (const std::string& host : hosts) {
      const auto found = uses.of.find({host, target});
      const Use use = found == uses.of.end() ? Use() : found->second;
      const std::size_t place = column * cells->rows + row;
      if (use.links > 0) cells->values[place] = static_cast<float>(use.links);
      matrix.heat.largest = std::max(matrix.heat.largest, static_cast<double>(use.links));
      const QString count = use.links == 1 ? tr("1 link") : tr("%1 links").arg(use.links);
      QString tip = QStringLiteral("<b>%1</b>, %2: %3")
                        .arg(textOf(host).toHtmlEscaped(), name.toHtmlEscaped(),
                             use.links == 0 ? tr("no link") : count);
      if (use.links > 0) matrix.heat.texts[place] = QString::number(use.links);
      // Only what differs from the rest is said.
      if (use.withoutGdr > 0 && uses.gdr > 0)
        matrix.heat.texts[place] = tr("%1, %2 no GDR").arg(use.links).arg(use.withoutGdr);
      if (use.withoutGdr > 0) tip += tr("<br>%1 without GPUDirect RDMA").arg(use.withoutGdr);
      matrix.tips[place] = tip;
      if (use.withoutGdr > 0 && uses.gdr > 0) matrix.heat.outlierRows[row] = true;
      ++row;
    }
    ++column;
  }
  for (const std::string& host : hosts) matrix.heat.rowNames << textOf(host);
  matrix.heat.top = topOf(*cells, matrix.heat.largest);
  matrix.heat.unit = Unit::Count;
  matrix.heat.cells = std::move(cells);
  const std::int64_t known = uses.gdr + uses.noGdr;
  matrix.caption = known > 0 ? tr("%1 network links, %2 with GPUDirect RDMA").arg(uses.links).arg(uses.gdr)
                             : tr("%1 network links over sockets").arg(uses.links);
  return matrix;
}

// A NIC that has at least twice its host's mean while another has none.
void markUnequal(NetworkMatrix& matrix) {
  if (matrix.empty()) return;
  const HeatCells& cells = *matrix.heat.cells;
  for (std::size_t row = 0; row < cells.rows; ++row) {
    float sum = 0, most = 0;
    bool none = false;
    for (std::size_t column = 0; column < cells.columns; ++column) {
      const float value = std::max(cells.at(column, row), 0.0F);
      sum += value;
      most = std::max(most, value);
      none = none || value == 0;
    }
    if (none && most * static_cast<float>(cells.columns) >= 2 * sum) matrix.heat.outlierRows[row] = true;
  }
}

} // namespace

NetworkMatrix networkMatrix(const JobNetwork& network, std::size_t communicator, MatrixKind kind) {
  const NcclLog& log = network.log();
  const NetCommunicator& of = network.topology.communicators[communicator];
  if (kind == MatrixKind::Hosts) {
    Uses<std::string> uses;
    std::set<std::string> hosts;
    eachNetLink(log, of,
                [&](const std::string& from, const std::string& to, const NetLink& link, bool socket) {
                  if (from.empty() || to.empty()) return;
                  uses.add(from, to, link, socket);
                  hosts.insert(from);
                  hosts.insert(to);
                });
    NetworkMatrix matrix = matrixOf(uses, hosts, [](const std::string& host) { return textOf(host); });
    if (matrix.empty()) return matrix;
    matrix.caption += tr("; from each host (row) to each host (column)");
    const std::int64_t each = linksOfEach(*matrix.heat.cells);
    if (each > 0 && matrix.heat.cells->rows > 1)
      matrix.caption += each == 1 ? tr(", 1 for each pair") : tr(", %1 for each pair").arg(each);
    matrix.caption += scaleText(matrix);
    return matrix;
  }
  Uses<std::int64_t> uses;
  std::set<std::int64_t> nics;
  // NICs without links are columns too, if the log names them.
  std::map<std::int64_t, QString> names = namesOfNics(log);
  for (const auto& [nic, name] : names) nics.insert(nic);
  const auto add = [&](const std::string& host, std::int64_t nic, const NetLink& link, bool socket) {
    if (host.empty() || nic < 0) return;
    uses.add(host, nic, link, socket);
    nics.insert(nic);
  };
  eachNetLink(log, of, [&](const std::string& from, const std::string& to, const NetLink& link, bool socket) {
    add(from, link.nic, link, socket);
    if (link.receiverNic >= 0) add(to, link.receiverNic, link, socket);
  });
  NetworkMatrix matrix = matrixOf(uses, nics, [&](std::int64_t nic) {
    const auto name = names.find(nic);
    return name == names.end() || name->second.isEmpty() ? tr("NIC %1").arg(nic) : name->second;
  });
  markUnequal(matrix);
  if (!matrix.empty()) matrix.caption = tr("ends of links by host and NIC") + scaleText(matrix);
  return matrix;
}

} // namespace rankscope::ui
