// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/topology_picture.h"

#include "core/report/network_text.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kHostsWithGpus = 8; // of more, each is one box
constexpr std::size_t kMostHosts = 256;
constexpr std::size_t kChannelsNamed = 4;
constexpr std::size_t kMostUnplaced = 16; // ranks without a log that are boxes of their own

QString escaped(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).toHtmlEscaped();
}

// Which members are on one host: by their logs, and by links that stay within a host.
class HostSets {
 public:
  HostSets(const NcclLog& log, const NetCommunicator& communicator)
      : m_of(static_cast<std::size_t>(std::max<std::int64_t>(communicator.ranks, 0))) {
    std::iota(m_of.begin(), m_of.end(), std::size_t{0});
    std::map<std::string_view, std::size_t> first;
    for (std::size_t rank = 0; rank < m_of.size(); ++rank) {
      const std::string_view host = hostOf(log, communicator, static_cast<std::int64_t>(rank));
      if (!host.empty()) join(first.try_emplace(host, rank).first->second, rank);
    }
    for (const NetLink& link : communicator.links) {
      const std::string& kind = log.kinds[link.kind];
      const bool inside =
          kind.starts_with("SHM") || (kind.starts_with("P2P/") && !kind.starts_with("P2P/MNNVL"));
      if (inside && has(link.from) && has(link.to))
        join(static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to));
    }
  }

  [[nodiscard]] std::size_t of(std::size_t rank) const {
    while (m_of[rank] != rank) rank = m_of[rank];
    return rank;
  }
  // Whether a set has one member.
  [[nodiscard]] bool isAlone(std::size_t set) const { return !m_joined.contains(set); }
  [[nodiscard]] bool has(std::int64_t rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < m_of.size();
  }

 private:
  void join(std::size_t a, std::size_t b) {
    if (of(a) != of(b)) m_joined.insert(std::min(of(a), of(b)));
    m_of[std::max(of(a), of(b))] = std::min(of(a), of(b));
  }

  std::vector<std::size_t> m_of;
  std::set<std::size_t> m_joined; // sets that have, or had, others in them
};

bool wanted(const std::vector<std::int32_t>& channels, std::int32_t channel) {
  return channels.empty() || std::ranges::find(channels, channel) != channels.end();
}

class PictureMaker {
 public:
  PictureMaker(const JobNetwork& network, std::size_t communicator, PictureMode mode,
               const std::vector<std::int32_t>& channels)
      : m_log(network.log()), m_of(network.topology.communicators[communicator]),
        m_joined(network.join.empty() ? nullptr : &network.join.communicators[communicator]), m_mode(mode),
        m_channels(channels), m_sets(m_log, m_of) {
    for (const NetLink& link : m_of.links)
      if (link.connection <= 0) m_links.try_emplace({link.from, link.to, link.channel}, &link);
    for (const NetLink& link : m_of.links)
      if (link.connection <= 0) m_anyLink.try_emplace({link.from, link.to}, &link);
  }

  TopologyPicture make() {
    orderHosts();
    addNodes();
    addNics();
    addEdges();
    m_picture.caption = counted(m_of.ranks, tr("1 rank"), tr("%1 ranks"));
    const std::string nodes = nodesText(m_of);
    if (!nodes.empty())
      m_picture.caption +=
          QStringLiteral(" · ") +
          tr("nodes %1").arg(QString::fromStdString(nodes).replace(QLatin1Char('x'), QChar(0x00d7)));
    if (!m_of.version.empty()) m_picture.caption += QStringLiteral(" · NCCL ") + escaped(m_of.version);
    if (m_collapsed) m_picture.caption += QStringLiteral(" · ") + tr("one box per host");
    if (m_picture.edges.empty()) m_picture.whyEmpty = whyEmpty();
    return std::move(m_picture);
  }

 private:
  using Edge = std::tuple<std::size_t, std::size_t, LinkClass>;
  struct EdgeSum {
    std::set<std::int32_t> channels;
    std::int32_t from = -1, to = -1;
    const NetLink* link = nullptr;
    bool several = false;
  };

  // In the order of the first ring, so that its links are short.
  void orderHosts() {
    std::vector<std::size_t> order;
    std::vector<std::size_t> unplaced; // nobody knows whose host they are on
    std::set<std::size_t> seen;
    const auto take = [&](std::int64_t rank) {
      if (!m_sets.has(rank) || !seen.insert(m_sets.of(static_cast<std::size_t>(rank))).second) return;
      const std::size_t set = m_sets.of(static_cast<std::size_t>(rank));
      (m_sets.isAlone(set) && hostOf(m_log, m_of, rank).empty() ? unplaced : order).push_back(set);
    };
    if (!m_of.rings.empty())
      for (const std::int32_t rank : m_of.rings.front().ranks) take(rank);
    for (std::int64_t rank = 0; rank < m_of.ranks; ++rank) take(rank);
    m_collapsed = order.size() > kHostsWithGpus;
    if (order.size() > kMostHosts) order.resize(kMostHosts);
    for (std::size_t i = 0; i < order.size(); ++i) m_hostOfSet[order[i]] = i;
    for (const std::size_t set : unplaced) m_hostOfSet[set] = order.size();
    m_picture.hosts.resize(order.size() + (unplaced.empty() ? 0 : 1));
    if (!unplaced.empty()) m_unplaced = order.size();
    m_unplacedAsOne = unplaced.size() > kMostUnplaced;
  }

  void addNodes() {
    std::vector<std::vector<std::int64_t>> ranks(m_picture.hosts.size());
    for (std::int64_t rank = 0; rank < m_of.ranks; ++rank) {
      const auto host = m_hostOfSet.find(m_sets.of(static_cast<std::size_t>(rank)));
      if (host != m_hostOfSet.end()) ranks[host->second].push_back(rank);
    }
    m_nodeOf.assign(static_cast<std::size_t>(std::max<std::int64_t>(m_of.ranks, 0)), kNone);
    for (std::size_t host = 0; host < ranks.size(); ++host) {
      for (const std::int64_t rank : ranks[host]) {
        const std::string_view name = hostOf(m_log, m_of, rank);
        if (!name.empty())
          m_picture.hosts[host].name = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
      }
      if (m_collapsed || (host == m_unplaced && m_unplacedAsOne)) {
        addHostNode(host, ranks[host]);
        continue;
      }
      std::ranges::stable_sort(ranks[host], {}, [this](std::int64_t rank) { return deviceOf(rank); });
      for (const std::int64_t rank : ranks[host]) addRankNode(host, rank);
    }
  }

  void addHostNode(std::size_t host, const std::vector<std::int64_t>& ranks) {
    PictureNode node;
    node.host = host;
    node.text = counted(static_cast<qint64>(ranks.size()), tr("1 rank"), tr("%1 ranks"));
    node.known = host != m_unplaced;
    node.tip = node.known ? escaped(m_picture.hosts[host].name.toStdString())
                          : tr("their logs are not among the files");
    for (const std::int64_t rank : ranks) m_nodeOf[static_cast<std::size_t>(rank)] = m_picture.nodes.size();
    m_picture.hosts[host].nodes.push_back(m_picture.nodes.size());
    m_picture.nodes.push_back(std::move(node));
  }

  [[nodiscard]] const NcclInstance* instanceOf(std::int64_t rank) const {
    const std::uint32_t index = m_of.members[static_cast<std::size_t>(rank)];
    return index == kNoNcclIndex ? nullptr : &m_log.instances[index];
  }

  [[nodiscard]] int deviceOf(std::int64_t rank) const {
    const NcclInstance* const instance = instanceOf(rank);
    if (instance == nullptr) return 1 << 20;
    return instance->nvmlDevice >= 0 ? instance->nvmlDevice : instance->cudaDevice;
  }

  [[nodiscard]] int globalRank(std::int64_t rank) const {
    return m_joined == nullptr ? -1 : m_joined->ranks[static_cast<std::size_t>(rank)];
  }

  void addRankNode(std::size_t host, std::int64_t rank) {
    PictureNode node;
    node.host = host;
    const int global = globalRank(rank);
    node.text = QString::number(global >= 0 ? global : rank);
    QStringList lines{tr("<b>Rank %1</b> of the communicator").arg(rank)};
    if (global >= 0) lines << tr("rank %1 of the job").arg(global);
    const NcclInstance* const instance = instanceOf(rank);
    node.known = instance != nullptr;
    if (instance == nullptr) {
      lines << tr("its log is not among the files");
    } else {
      lines << tr("on %1, process %2")
                   .arg(escaped(m_log.processes[instance->process].host))
                   .arg(m_log.processes[instance->process].pid);
      if (deviceOf(rank) >= 0) lines << tr("GPU %1").arg(deviceOf(rank));
      if (!instance->busId.empty()) lines << tr("PCI %1").arg(busIdText(instance->busId));
    }
    node.tip = lines.join(QStringLiteral("<br>"));
    m_nodeOf[static_cast<std::size_t>(rank)] = m_picture.nodes.size();
    m_picture.hosts[host].nodes.push_back(m_picture.nodes.size());
    m_picture.nodes.push_back(std::move(node));
  }

  [[nodiscard]] const NetLink* linkOf(std::int32_t from, std::int32_t to, std::int32_t channel) const {
    const auto same = m_links.find({from, to, channel});
    if (same != m_links.end()) return same->second;
    const auto any = m_anyLink.find({from, to});
    return any == m_anyLink.end() ? nullptr : any->second;
  }

  void add(std::int32_t from, std::int32_t to, std::int32_t channel, const NetLink* link) {
    if (!m_sets.has(from) || !m_sets.has(to) || from == to) return;
    const std::size_t a = m_nodeOf[static_cast<std::size_t>(from)];
    const std::size_t b = m_nodeOf[static_cast<std::size_t>(to)];
    if (a == kNone || b == kNone || a == b) return;
    const LinkClass kind =
        link == nullptr ? LinkClass::Unknown : linkClassOf(m_log.kinds[link->kind], link->gdr);
    EdgeSum& sum = m_edges[{a, b, kind}];
    sum.several = sum.several || (sum.from >= 0 && (sum.from != from || sum.to != to));
    sum.from = from;
    sum.to = to;
    sum.channels.insert(channel);
    if (sum.link == nullptr) sum.link = link;
    if (link == nullptr) return;
    for (const bool sender : {true, false}) {
      const std::int32_t nic = nicOf(*link, sender);
      if (nic >= 0) m_picture.nics[static_cast<std::size_t>(nic)].used = true;
    }
  }

  // Which NIC a link uses at an end, as the member that logged it says; through another rank's NIC it is
  // below that rank. A link that only one end logged has one.
  [[nodiscard]] std::pair<std::int64_t, std::int32_t> nicAt(const NetLink& link, bool sender) const {
    const bool senderKnown = m_sets.has(link.from) && instanceOf(link.from) != nullptr;
    if (sender) return {link.viaRank >= 0 ? link.viaRank : link.from, senderKnown ? link.nic : -1};
    return {link.to, link.receiverNic >= 0 || senderKnown ? link.receiverNic : link.nic};
  }

  // Its place in the picture; -1: none.
  [[nodiscard]] std::int32_t nicOf(const NetLink& link, bool sender) const {
    const auto [rank, nic] = nicAt(link, sender);
    if (nic < 0 || !m_sets.has(rank)) return -1;
    const auto found = m_nicOf.find({m_nodeOf[static_cast<std::size_t>(rank)], nic});
    return found == m_nicOf.end() ? -1 : static_cast<std::int32_t>(found->second);
  }

  struct NicUse {
    std::int64_t ends = 0, withoutGdr = 0;
    bool socket = false;
  };

  // The NICs of all network links, by the GPU that uses them. Where only some links lack GPUDirect RDMA,
  // their hosts say so.
  void addNics() {
    if (m_collapsed) return;
    std::map<std::pair<std::size_t, std::int32_t>, NicUse> uses;
    std::int64_t withGdr = 0;
    for (const NetLink& link : m_of.links) {
      const std::string& kind = m_log.kinds[link.kind];
      if (!kind.starts_with("NET/")) continue;
      const bool socket = kind == "NET/Socket";
      withGdr += link.gdr ? 1 : 0;
      for (const bool sender : {true, false}) {
        const auto [rank, nic] = nicAt(link, sender);
        if (nic < 0 || !m_sets.has(rank)) continue;
        const std::size_t node = m_nodeOf[static_cast<std::size_t>(rank)];
        if (node == kNone || !m_picture.nodes[node].known) continue;
        NicUse& use = uses[{node, nic}];
        ++use.ends;
        use.socket = use.socket || socket;
        if (!link.gdr && !socket) ++use.withoutGdr;
      }
    }
    for (const auto& [key, use] : uses) {
      const auto& [node, index] = key;
      PictureNic nic;
      nic.node = node;
      nic.name = nicName(node, index);
      nic.kind = use.socket           ? LinkClass::Socket
                 : use.withoutGdr > 0 ? LinkClass::RdmaThroughHost
                                      : LinkClass::Rdma;
      QStringList lines{tr("<b>%1</b>").arg(nic.name.toHtmlEscaped()),
                        use.ends == 1 ? tr("1 end of a link") : tr("%1 ends of links").arg(use.ends)};
      if (use.withoutGdr > 0) lines << tr("%1 without GPUDirect RDMA").arg(use.withoutGdr);
      nic.tip = lines.join(QStringLiteral("<br>"));
      QString& problem = m_picture.hosts[m_picture.nodes[node].host].problem;
      if (use.withoutGdr > 0 && withGdr > 0)
        problem = problem.isEmpty() || problem.startsWith(nic.name + QLatin1Char(' '))
                      ? tr("%1 without GDRDMA").arg(nic.name)
                      : tr("NICs without GDRDMA");
      m_nicOf[key] = m_picture.nics.size();
      m_picture.nics.push_back(std::move(nic));
    }
  }

  [[nodiscard]] QString nicName(std::size_t node, std::int32_t index) const {
    for (std::size_t rank = 0; rank < m_nodeOf.size(); ++rank) {
      const NcclInstance* const instance =
          m_nodeOf[rank] == node ? instanceOf(static_cast<std::int64_t>(rank)) : nullptr;
      if (instance == nullptr) continue;
      const NcclProcess& process = m_log.processes[instance->process];
      const auto& devices = process.network == "Socket" ? process.socketDevices : process.devices;
      const auto found = std::ranges::find(devices, index, &NcclDevice::index);
      if (found != devices.end() && !found->name.empty()) return QString::fromStdString(found->name);
    }
    return tr("NIC %1").arg(index);
  }

  void addEdges() {
    if (m_mode == PictureMode::Ring) {
      for (const NetRing& ring : m_of.rings) {
        if (!wanted(m_channels, ring.channel) || ring.ranks.size() < 2) continue;
        const std::size_t steps = ring.closed ? ring.ranks.size() : ring.ranks.size() - 1;
        for (std::size_t i = 0; i < steps; ++i) {
          const std::int32_t from = ring.ranks[i], to = ring.ranks[(i + 1) % ring.ranks.size()];
          add(from, to, ring.channel, linkOf(from, to, ring.channel));
        }
      }
      if (m_of.rings.empty())
        for (const NetLink& link : m_of.links)
          if (wanted(m_channels, link.channel) && link.connection <= 0)
            add(link.from, link.to, link.channel, &link);
    } else {
      for (const NetTree& tree : m_of.trees) {
        if (!wanted(m_channels, tree.channel)) continue;
        for (const NcclTreeNode& node : tree.nodes) {
          if (node.up < 0) continue;
          const NetLink* link = linkOf(node.rank, node.up, tree.channel);
          if (link == nullptr) link = linkOf(node.up, node.rank, tree.channel);
          add(node.rank, node.up, tree.channel, link);
        }
      }
    }
    m_picture.edges.reserve(m_edges.size());
    for (const auto& [edge, sum] : m_edges) m_picture.edges.push_back(edgeOf(edge, sum));
  }

  [[nodiscard]] PictureEdge edgeOf(const Edge& of, const EdgeSum& sum) const {
    PictureEdge edge;
    edge.from = std::get<0>(of);
    edge.to = std::get<1>(of);
    edge.kind = std::get<2>(of);
    edge.channels = static_cast<int>(sum.channels.size());
    if (!sum.several) {
      edge.fromRank = sum.from;
      edge.toRank = sum.to;
    }
    const auto name = [&](std::int32_t rank, std::size_t node) {
      return m_collapsed ? m_picture.nodes[node].tip : tr("rank %1").arg(rank);
    };
    QStringList lines{tr("<b>%1 → %2</b>").arg(name(sum.from, edge.from), name(sum.to, edge.to))};
    if (sum.link == nullptr) {
      lines << tr("transport not logged");
    } else {
      const NetLink& link = *sum.link;
      QString kind = escaped(m_log.kinds[link.kind]);
      if (link.nic >= 0) kind += tr(", NIC %1").arg(link.nic);
      if (link.gdr) kind += tr(", GPUDirect RDMA");
      if (link.viaRank >= 0) kind += tr(", through the NIC of rank %1 (PXN)").arg(link.viaRank);
      lines << kind;
    }
    if (sum.link != nullptr) {
      edge.fromNic = nicOf(*sum.link, true);
      edge.toNic = nicOf(*sum.link, false);
    }
    lines << (edge.channels == 1 ? tr("channel %1").arg(*sum.channels.begin())
                                 : tr("%1 channels").arg(edge.channels));
    edge.tip = lines.join(QStringLiteral("<br>"));
    return edge;
  }

  [[nodiscard]] QString whyEmpty() const {
    if (m_mode == PictureMode::Tree && m_of.trees.empty())
      return tr("The log has no tree of this communicator: NCCL_DEBUG_SUBSYS=INIT,GRAPH prints them.");
    if (m_of.links.empty())
      return m_of.nvlsChannels.value_or(0) > 0 ? tr("The log has no links of this communicator: it was not "
                                                    "used, or uses NVLink SHARP only.")
                                               : tr("The log has no links of this communicator: it was not "
                                                    "used, or NCCL_DEBUG_SUBSYS leaves "
                                                    "them out.");
    return tr("This channel has no links.");
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const NcclLog& m_log;
  const NetCommunicator& m_of;
  const JoinedCommunicator* m_joined;
  PictureMode m_mode;
  const std::vector<std::int32_t>& m_channels;
  HostSets m_sets;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, const NetLink*> m_links;
  std::map<std::pair<std::int32_t, std::int32_t>, const NetLink*> m_anyLink;
  std::map<std::size_t, std::size_t> m_hostOfSet;
  std::vector<std::size_t> m_nodeOf; // by rank of the communicator
  std::map<Edge, EdgeSum> m_edges;
  std::map<std::pair<std::size_t, std::int32_t>, std::size_t> m_nicOf; // by node and number
  std::size_t m_unplaced = kNone;                                      // host of those without a known one
  bool m_unplacedAsOne = false;
  bool m_collapsed = false;
  TopologyPicture m_picture;
};

QString channelsText(const std::vector<std::int32_t>& channels) {
  QStringList numbers;
  for (std::size_t i = 0; i < std::min(channels.size(), kChannelsNamed); ++i)
    numbers << QStringLiteral("%1").arg(channels[i], 2, 10, QLatin1Char('0'));
  QString text = numbers.join(QStringLiteral(", "));
  if (channels.size() > kChannelsNamed) text += tr(" and %1 more").arg(channels.size() - kChannelsNamed);
  return channels.size() == 1 ? tr("Channel %1").arg(text) : tr("Channels %1").arg(text);
}

} // namespace

LinkClass linkClassOf(std::string_view kind, bool gdr) {
  if (kind.starts_with("P2P")) return LinkClass::Peer;
  if (kind.starts_with("SHM")) return LinkClass::SharedMemory;
  if (kind == "NET/Socket") return LinkClass::Socket;
  if (kind.starts_with("NET/")) return gdr ? LinkClass::Rdma : LinkClass::RdmaThroughHost;
  if (kind.starts_with("COLLNET") || kind.starts_with("NVLS")) return LinkClass::InNetwork;
  return LinkClass::Unknown;
}

QString linkClassText(LinkClass of) {
  switch (of) {
  case LinkClass::Peer:
    return tr("P2P");
  case LinkClass::SharedMemory:
    return tr("SHM, host memory");
  case LinkClass::Rdma:
    return tr("network with GPUDirect RDMA");
  case LinkClass::RdmaThroughHost:
    return tr("network through host memory");
  case LinkClass::Socket:
    return tr("TCP sockets");
  case LinkClass::InNetwork:
    return tr("in-network reduction");
  case LinkClass::Unknown:
    break;
  }
  return tr("not logged");
}

ThemeColor linkClassColor(LinkClass of) {
  switch (of) {
  case LinkClass::Peer:
    return &Theme::good;
  case LinkClass::SharedMemory:
    return &Theme::dataLoader;
  case LinkClass::Rdma:
    return &Theme::accent;
  case LinkClass::RdmaThroughHost:
    return &Theme::warn;
  case LinkClass::Socket:
    return &Theme::bad;
  case LinkClass::InNetwork:
    return &Theme::communication;
  case LinkClass::Unknown:
    break;
  }
  return &Theme::faint;
}

bool linkClassDashed(LinkClass of) {
  return of == LinkClass::RdmaThroughHost || of == LinkClass::Unknown;
}

QString busIdText(const std::string& busId) {
  bool good = false;
  const qulonglong bits = QString::fromStdString(busId).toULongLong(&good, 16);
  if (!good) return QString::fromStdString(busId).toHtmlEscaped();
  return QStringLiteral("%1:%2:%3.%4")
      .arg(bits >> 20, 4, 16, QLatin1Char('0'))
      .arg((bits >> 12) & 0xff, 2, 16, QLatin1Char('0'))
      .arg((bits >> 4) & 0xff, 2, 16, QLatin1Char('0'))
      .arg(bits & 0xf, 1, 16);
}

std::vector<ChannelChoice> channelChoices(const NetCommunicator& communicator, PictureMode mode) {
  std::vector<ChannelChoice> choices{{tr("All channels"), {}}};
  const auto add = [&](std::int32_t channel, auto& alike, const auto& key) {
    const auto [found, isNew] = alike.try_emplace(key, choices.size());
    if (isNew) choices.push_back({{}, {}});
    choices[found->second].channels.push_back(channel);
  };
  if (mode == PictureMode::Ring) {
    std::map<std::vector<std::int32_t>, std::size_t> alike;
    for (const NetRing& ring : communicator.rings) add(ring.channel, alike, ring.ranks);
    if (communicator.rings.empty()) {
      std::set<std::int32_t> channels;
      for (const NetLink& link : communicator.links) channels.insert(link.channel);
      for (const std::int32_t channel : channels) choices.push_back({{}, {channel}});
    }
  } else {
    std::map<std::vector<std::pair<std::int32_t, std::int32_t>>, std::size_t> alike;
    for (const NetTree& tree : communicator.trees) {
      std::vector<std::pair<std::int32_t, std::int32_t>> ups;
      ups.reserve(tree.nodes.size());
      for (const NcclTreeNode& node : tree.nodes) ups.emplace_back(node.rank, node.up);
      add(tree.channel, alike, ups);
    }
  }
  for (std::size_t i = 1; i < choices.size(); ++i) choices[i].text = channelsText(choices[i].channels);
  return choices;
}

TopologyPicture topologyPicture(const JobNetwork& network, std::size_t communicator, PictureMode mode,
                                const std::vector<std::int32_t>& channels) {
  return PictureMaker(network, communicator, mode, channels).make();
}

} // namespace rankscope::ui
