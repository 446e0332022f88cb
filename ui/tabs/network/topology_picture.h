// SPDX-License-Identifier: GPL-3.0-or-later
// What the picture of a communicator shows: hosts with their GPUs and the NICs that these use, and the ring,
// the tree or all links of one channel or of all, each with its transport. Only what NCCL's log says: members
// without a log are marked, and stand together where their hosts are not known. Of many hosts each is one
// box. Pure; O(links of the communicator).
#pragma once

#include "core/analysis/network/job_network.h"
#include "ui/charts/plot_view.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

enum class LinkClass : std::uint8_t { Peer, SharedMemory, Rdma, RdmaThroughHost, Socket, InNetwork, Unknown };
inline constexpr int kLinkClassCount = 7;

[[nodiscard]] LinkClass linkClassOf(std::string_view kind, bool gdr);
[[nodiscard]] QString linkClassText(LinkClass of); // "network with GPUDirect RDMA"
[[nodiscard]] ThemeColor linkClassColor(LinkClass of);
[[nodiscard]] bool linkClassDashed(LinkClass of);

struct PictureNode {
  QString text;
  bool known = true; // its log is there
  QString tip;
  std::size_t host = 0;
};

// A network card, below the GPU whose links go through it.
struct PictureNic {
  std::size_t node = 0;
  QString name; // "mlx5_1"
  LinkClass kind = LinkClass::Unknown;
  bool used = false; // by what is drawn
  QString tip;
};

struct PictureHost {
  QString name; // empty: unknown
  std::vector<std::size_t> nodes;
  QString problem; // "mlx5_6 without GDRDMA"; empty: none
};

struct PictureEdge {
  std::size_t from = 0, to = 0; // nodes
  LinkClass kind = LinkClass::Unknown;
  int channels = 1;
  QString tip;
  std::int32_t fromRank = -1, toRank = -1; // of the communicator; -1: of several
  std::int32_t fromNic = -1, toNic = -1;   // places in nics; -1: none
};

struct TopologyPicture {
  std::vector<PictureHost> hosts; // in the order of the ring
  std::vector<PictureNode> nodes;
  std::vector<PictureNic> nics; // by node
  std::vector<PictureEdge> edges;
  QString caption;
  QString whyEmpty; // why there are no edges
};

enum class PictureMode : std::uint8_t { Ring, Tree };

// Channels of equal rings or trees are one choice.
struct ChannelChoice {
  QString text;                       // "Channel 00, 08"; "All channels"
  std::vector<std::int32_t> channels; // empty: all
};
[[nodiscard]] std::vector<ChannelChoice> channelChoices(const NetCommunicator& communicator,
                                                        PictureMode mode);

// communicator: a place in the topology.
[[nodiscard]] TopologyPicture topologyPicture(const JobNetwork& network, std::size_t communicator,
                                              PictureMode mode, const std::vector<std::int32_t>& channels);

// "0000:07:00.0" of "7000".
[[nodiscard]] QString busIdText(const std::string& busId);

} // namespace rankscope::ui
