// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_messages.h"

#include "core/io/nccl/nccl_line.h"

#include <algorithm>
#include <limits>

namespace rankscope {

namespace {

constexpr std::int64_t kMaxRank = 1 << 24; // beyond it, a number is no rank
constexpr std::int64_t kMaxChannel = 4096;

std::optional<std::int32_t> numberUpTo(NcclWords& words, std::int64_t limit, std::int64_t least = 0) {
  const auto number = words.number();
  if (!number || *number < least || *number > limit) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

// "3[c7000]" or "3"
bool endOfLink(NcclWords& words, std::int32_t& rank, std::uint32_t& device) {
  const auto number = numberUpTo(words, kMaxRank);
  if (!number) return false;
  rank = *number;
  if (!words.rest().starts_with('[')) return true;
  const std::size_t close = words.rest().find(']');
  if (close > 20) return false;
  device = ncclDeviceHash(words.rest().substr(1, close - 1));
  return words.skip(words.rest().substr(0, close + 1));
}

// "Channel 00/0 : 1[1] -> 2[2] [send] via"; words are left after "via ".
bool beginOfLink(NcclWords& words, NcclLink& link) {
  if (!words.skip("Channel ") && !words.skip("Ring ") && !words.skip("CollNet ")) return false;
  const auto channel = numberUpTo(words, kMaxChannel);
  if (!channel) return false;
  link.channel = *channel;
  if (words.rest().starts_with('/')) {
    words.skip("/");
    const auto connection = numberUpTo(words, 64);
    if (!connection) return false;
    link.connection = *connection;
  }
  if (!words.skip(": ") && !words.skip(":")) return false;
  if (!endOfLink(words, link.from, link.fromDevice)) return false;
  if (words.skip("->")) {
    if (!endOfLink(words, link.to, link.toDevice)) return false;
  } else {
    link.to = link.from; // of CollNet: into the network and out of it
  }
  if (words.skip("[send]"))
    link.direction = NcclDirection::Send;
  else if (words.skip("[receive]"))
    link.direction = NcclDirection::Receive;
  return words.skip("via ");
}

// Takes a flag at the end of a transport.
bool takeFlag(std::string_view& text, std::string_view flag) {
  if (!text.ends_with(flag)) return false;
  text.remove_suffix(flag.size());
  return true;
}

// "NET/AWS Libfabric/0(1)/GDRDMA/Shared": name, device, flags. From the right: names have blanks and slashes.
bool netTransport(std::string_view text, NcclLinkMessage& found) {
  NcclLink& link = found.link;
  for (bool more = true; more;) {
    more = false;
    if (takeFlag(text, "/Shared")) more = link.shared = true;
    const std::size_t gdr = text.rfind("/GDRDMA");
    if (gdr != std::string_view::npos && text.find('/', gdr + 1) == std::string_view::npos) {
      text = text.substr(0, gdr);
      more = link.gdr = true;
    }
  }
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos || slash < 4) return false;
  NcclWords device(text.substr(slash + 1));
  const auto nic = numberUpTo(device, 1 << 16, -1);
  if (!nic) return false;
  link.nic = *nic;
  if (device.skip("(")) {
    const auto via = numberUpTo(device, kMaxRank);
    if (!via || !device.skip(")")) return false;
    link.viaRank = *via;
  }
  if (!device.done()) return false;
  found.kind = text.substr(0, slash);
  return true;
}

bool transport(std::string_view text, NcclLinkMessage& found) {
  NcclLink& link = found.link;
  if (text.starts_with("NET/") || text.starts_with("COLLNET/")) return netTransport(text, found);
  if (text.starts_with("P2P/indirect/")) {
    found.kind = "P2P/indirect";
    return true;
  }
  if (text.starts_with("P2P/")) {
    for (bool more = true; more;) {
      more = false;
      if (takeFlag(text, "/CE")) more = link.copyEngine = true;
      if (takeFlag(text, "/read")) more = link.read = true;
    }
    for (const std::string_view kind :
         {"P2P/IPC", "P2P/CUMEM", "P2P/MNNVL", "P2P/direct pointer", "P2P/common device"})
      if (text == kind) found.kind = kind;
    return !found.kind.empty();
  }
  if (text == "direct shared memory" || text.starts_with("SHM/")) {
    link.copyEngine = text.find("CE") != std::string_view::npos;
    found.kind = "SHM/direct";
    return text == "direct shared memory" || text == "SHM/direct/direct" || text == "SHM/direct" ||
           text == "SHM/direct/CE" || text == "SHM/CE/direct" || text == "SHM/CE/CE" || text == "SHM/CE";
  }
  return false;
}

std::vector<std::string_view> splitAt(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(mark, at);
    parts.push_back(text.substr(at, next == std::string_view::npos ? next : next - at));
    if (next == std::string_view::npos) return parts;
    at = next + mark.size();
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

std::optional<std::int32_t> rankOf(std::string_view text) {
  const auto number = ncclNumber(trimmed(text));
  if (!number || *number < -1 || *number > kMaxRank) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

bool downsOf(std::string_view text, NcclTreeNode& node) {
  const std::vector<std::string_view> downs = splitAt(text, "/");
  if (downs.size() != 3) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto down = rankOf(downs[i]);
    if (!down) return false;
    node.down[i] = *down;
  }
  return true;
}

// "1/-1/-1->0->3", or the other way round as NCCL 2.4 has it.
bool treeEntry(std::string_view text, NcclTreeNode& node) {
  text = text.substr(0, std::min(text.find('|'), text.size()));
  const std::vector<std::string_view> parts = splitAt(text, "->");
  if (parts.size() != 3) return false;
  const bool upFirst = parts[0].find('/') == std::string_view::npos;
  const auto up = rankOf(parts[upFirst ? 0 : 2]);
  const auto rank = rankOf(parts[1]);
  if (!up || !rank || *rank < 0 || !downsOf(parts[upFirst ? 2 : 0], node)) return false;
  node.up = *up;
  node.rank = *rank;
  return true;
}

constexpr std::array<std::string_view, 7> kAlgorithms{
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr std::array<std::string_view, 3> kProtocols{"LL", "LL128", "SIMPLE"};

template <std::size_t N>
std::string nameOrNumber(std::string_view text, const std::array<std::string_view, N>& names) {
  const auto number = ncclNumber(text);
  if (number && *number >= 0 && *number < static_cast<std::int64_t>(N))
    return std::string(names[static_cast<std::size_t>(*number)]);
  return std::string(text);
}

} // namespace

std::optional<NcclLinkMessage> ncclLinkOf(std::string_view message) {
  NcclLinkMessage found;
  NcclWords words(message);
  if (!beginOfLink(words, found.link)) return std::nullopt;
  std::string_view how = trimmed(words.rest());
  // RCCL names the communicator after the transport.
  if (const std::size_t comm = how.find(" comm 0x"); comm != std::string_view::npos) {
    const std::string_view rest = how.substr(comm + 6);
    found.comm = rest.substr(0, std::min(rest.find(' '), rest.size()));
    how = trimmed(how.substr(0, comm));
  }
  if (!transport(how, found)) return std::nullopt;
  return found;
}

bool isCutNcclLink(std::string_view message) {
  NcclWords words(message);
  NcclLink link;
  return beginOfLink(words, link);
}

std::optional<NcclRingLine> ncclRingOf(std::string_view message) {
  NcclWords words(message);
  NcclRingLine ring;
  if (!words.skip("Channel ")) return std::nullopt;
  const auto channel = numberUpTo(words, kMaxChannel);
  if (!channel) return std::nullopt;
  ring.channel = *channel;
  if (words.rest().starts_with('/')) {
    words.skip("/");
    const auto channels = numberUpTo(words, kMaxChannel);
    if (!channels) return std::nullopt;
    ring.channels = *channels;
  }
  if (!words.skip(":")) return std::nullopt;
  while (!words.done()) {
    if (words.skip("...")) continue;
    const auto rank = numberUpTo(words, kMaxRank);
    if (!rank) break;
    ring.ranks.push_back(*rank);
  }
  words.skipBlanks();
  if (ring.ranks.empty() || !words.done()) return std::nullopt;
  return ring;
}

std::optional<NcclRingStep> ncclRingStepOf(std::string_view message) {
  NcclWords words(message);
  NcclRingStep step;
  if (!words.skip("Ring ")) return std::nullopt;
  const auto channel = numberUpTo(words, kMaxChannel);
  if (!channel || !words.skip(":")) return std::nullopt;
  const auto previous = numberUpTo(words, kMaxRank);
  if (!previous || !words.skip("->")) return std::nullopt;
  const auto rank = numberUpTo(words, kMaxRank);
  if (!rank || !words.skip("->")) return std::nullopt;
  const auto next = numberUpTo(words, kMaxRank);
  if (!next) return std::nullopt;
  step.channel = *channel;
  step.previous = *previous;
  step.rank = *rank;
  step.next = *next;
  return step;
}

std::vector<NcclTreeNode> ncclTreesOf(std::string_view message, bool cut) {
  std::vector<NcclTreeNode> nodes;
  NcclWords words(message);
  if (!words.skip("Trees")) return nodes;
  while (words.skip("[")) {
    const auto channel = numberUpTo(words, kMaxChannel);
    if (!channel || !words.skip("]")) break;
    NcclTreeNode node;
    node.channel = *channel;
    const std::string_view entry = words.word();
    words.skipBlanks();
    const bool last = words.done();
    if ((last && cut) || !treeEntry(trimmed(entry), node)) break;
    nodes.push_back(node);
  }
  return nodes;
}

std::optional<NcclTreeNode> ncclTreeOf(std::string_view message) {
  NcclWords words(message);
  NcclTreeNode node;
  if (!words.skip("Tree ")) return std::nullopt;
  const auto channel = numberUpTo(words, kMaxChannel);
  if (!channel || !words.skip(":")) return std::nullopt;
  const auto up = numberUpTo(words, kMaxRank, -1);
  if (!up || !words.skip("->")) return std::nullopt;
  const auto rank = numberUpTo(words, kMaxRank);
  if (!rank || !words.skip("->") || !downsOf(trimmed(words.rest()), node)) return std::nullopt;
  node.channel = *channel;
  node.up = *up;
  node.rank = *rank;
  return node;
}

// One pass over the words, since most lines of a large log are calls.
std::optional<NcclCallMessage> ncclCallOf(std::string_view message) {
  constexpr std::string_view kMark = ": opCount ";
  const std::size_t colon = message.substr(0, 40 + kMark.size()).find(kMark);
  if (colon == std::string_view::npos) return std::nullopt;
  NcclCallMessage found;
  found.operation = trimmed(message.substr(0, colon));
  NcclWords words(message.substr(colon + kMark.size()));
  const auto opCount = hexNumber(words.word());
  std::optional<std::int64_t> count, dtype, reduction, root;
  std::optional<std::uint64_t> comm;
  for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
    constexpr std::string_view kRanks = "[nranks=";
    if (word == "count")
      count = ncclNumber(words.word());
    else if (word == "datatype")
      dtype = ncclNumber(words.word());
    else if (word == "op")
      reduction = ncclNumber(words.word());
    else if (word == "root")
      root = ncclNumber(words.word());
    else if (word == "comm")
      comm = hexNumber(words.word());
    else if (word.starts_with(kRanks))
      found.ranks = NcclWords(word.substr(kRanks.size())).number().value_or(-1);
  }
  if (!opCount || !count || *count < 0 || !dtype || !comm) return std::nullopt;
  found.call.opCount = static_cast<std::uint32_t>(*opCount);
  found.call.count = *count;
  found.call.dtype = static_cast<std::uint8_t>(std::clamp<std::int64_t>(*dtype, 0, 255));
  // The handle of a reduction that the user made is not stable.
  found.call.reduction = static_cast<std::uint8_t>(std::clamp<std::int64_t>(reduction.value_or(0), 0, 5));
  found.call.root = static_cast<std::int32_t>(std::clamp<std::int64_t>(root.value_or(-1), -1, kMaxRank));
  found.comm = *comm;
  return found;
}

std::optional<NcclChoice> ncclChoiceOf(std::string_view message) {
  const std::size_t arrow = message.find(" Bytes -> ");
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view before = message.substr(0, arrow);
  const std::size_t blank = before.rfind(' ');
  const auto bytes = ncclNumber(before.substr(blank == std::string_view::npos ? 0 : blank + 1));
  if (!bytes || *bytes < 0) return std::nullopt;
  NcclChoice choice;
  choice.bytes = *bytes;
  std::string_view operation = blank == std::string_view::npos ? "" : trimmed(before.substr(0, blank));
  if (operation.ends_with(':')) operation.remove_suffix(1);
  if (operation.size() > 40) return std::nullopt;
  const std::size_t bracket = operation.find(" [");
  choice.operation = std::string(operation.substr(0, std::min(bracket, operation.size())));
  NcclWords words(message.substr(arrow + 10));
  if (words.skip("Algo ")) {
    choice.algorithm = nameOrNumber(words.word(), kAlgorithms);
    if (words.skip("proto ")) choice.protocol = nameOrNumber(words.word(), kProtocols);
    if (words.skip("time ")) choice.predictedUs = words.decimal();
    const std::size_t range = words.rest().find("={");
    if (range != std::string_view::npos) {
      NcclWords channels(words.rest().substr(range + 2));
      const auto low = channels.number();
      const auto high = channels.skip("..") ? channels.number() : std::nullopt;
      if (low && high && *high >= *low && *low >= 0 && *high <= kMaxChannel)
        choice.channels = *high - *low + 1;
    }
  } else if (words.skip("Kernel ")) {
    choice.algorithm = std::string(words.word());
    choice.protocol = "SYMMETRIC";
    if (const auto channels = ncclNumber(words.valueOf("nchannels"))) choice.channels = *channels;
  } else if (words.rest().starts_with("cudaMemcpy")) {
    choice.algorithm = "COPY_ENGINE";
  } else {
    return std::nullopt;
  }
  if (choice.algorithm.empty() || choice.algorithm.size() > 120) return std::nullopt;
  return choice;
}

std::optional<NcclTuningHeader> ncclTuningHeaderOf(std::string_view message) {
  const std::vector<std::string_view> cells = splitAt(message, "|");
  if (cells.size() < 2) return std::nullopt;
  const std::string_view name = trimmed(cells.front());
  NcclTuningHeader header;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const std::string_view cell = trimmed(cells[i]);
    if (cell.empty()) continue;
    if (name == "Algorithm") {
      for (const std::string_view protocol : {"LL", "LL128", "Simple"})
        header.columns.emplace_back(cell, protocol);
    } else if (name.starts_with("Latency/AlgBw")) {
      const std::size_t slash = cell.find('/');
      if (slash == std::string_view::npos) return std::nullopt;
      header.columns.emplace_back(trimmed(cell.substr(0, slash)), trimmed(cell.substr(slash + 1)));
    }
  }
  if (header.columns.empty() || header.columns.size() > 64) return std::nullopt;
  return header;
}

std::vector<NcclTuning> ncclTuningOf(std::string_view message, const NcclTuningHeader& header) {
  std::vector<NcclTuning> found;
  const std::vector<std::string_view> cells = splitAt(message, "|");
  const std::string_view operation = trimmed(cells.front());
  if (cells.size() < 2 || operation.empty() || operation.find(' ') != std::string_view::npos) return found;
  for (std::size_t i = 1; i < cells.size() && i <= header.columns.size(); ++i) {
    NcclWords words(cells[i]);
    const auto latency = words.decimal();
    const auto bandwidth = words.skip("/") ? words.decimal() : std::nullopt;
    if (!latency || !bandwidth) continue;
    const auto& [algorithm, protocol] = header.columns[i - 1];
    found.push_back({0, std::string(operation), algorithm, protocol, *latency, *bandwidth});
  }
  return found;
}

std::vector<NcclDevice> ncclDevicesOf(std::string_view message) {
  std::vector<NcclDevice> devices;
  const std::string_view list = message.substr(0, std::min(message.find("; OOB"), message.size()));
  for (std::size_t at = list.find('['); at != std::string_view::npos && devices.size() < 1024;
       at = list.find('[', at + 1)) {
    const std::size_t close = list.find(']', at);
    if (close == std::string_view::npos) break;
    const auto index = ncclNumber(list.substr(at + 1, close - at - 1));
    if (!index || *index < 0 || *index > 1 << 16) continue;
    const std::string_view rest = list.substr(close + 1);
    const std::string_view text = rest.substr(0, std::min(rest.find(' '), rest.size()));
    const std::size_t colon = text.find(':');
    NcclDevice device;
    device.index = static_cast<int>(*index);
    device.name = std::string(text.substr(0, std::min(colon, text.size())));
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
      const std::string_view network = text.substr(slash + 1);
      device.network = std::string(network.substr(0, std::min(network.find('/'), network.size())));
    }
    if (!device.name.empty()) devices.push_back(std::move(device));
  }
  return devices;
}

std::vector<std::string> ncclVersionsOf(std::string_view line) {
  std::vector<std::string> versions;
  constexpr std::string_view kVersion = "CCL version ";
  for (std::size_t at = line.find(kVersion); at != std::string_view::npos; at = line.find(kVersion, at + 1)) {
    if (at == 0 || line[at - 1] != 'N') {
      // "RCCL version : 2.28.9-HEAD:d34cbb6"
      if (at == 0 || line[at - 1] != 'R') continue;
    }
    const bool rccl = line[at - 1] == 'R';
    std::string_view rest = line.substr(at + kVersion.size());
    while (rest.starts_with(' ') || rest.starts_with(':')) rest.remove_prefix(1);
    std::size_t end = 0;
    while (end < rest.size() && (isDigit(rest[end]) || rest[end] == '.' || rest[end] == '+' ||
                                 (rest[end] >= 'a' && rest[end] <= 'z')))
      ++end;
    if (end == 0 || end > 40 || !isDigit(rest.front())) continue;
    versions.push_back((rccl ? "RCCL " : "NCCL ") + std::string(rest.substr(0, end)));
  }
  return versions;
}

std::string_view ncclCauseOf(std::string_view text) {
  struct Cause {
    std::string_view part, name;
  };
  static constexpr Cause kCauses[] = {
      {"Got completion", "ib_completion"},
      {"async fatal event", "ib_port"},
      {"Got async event", "ib_port"},
      {"GID table changed", "ib_port"},
      {"Call to ibv_", "ib_verbs"},
      {"ibv_poll_cq", "ib_verbs"},
      {"NET/OFI", "plugin"},
      {"NET/Plugin", "plugin"},
      {"Connection refused", "socket"},
      {"socketStartConnect", "socket"},
      {"exceeded timeouts", "socket"},
      {"Connection closed by remote peer", "peer_gone"},
      {"Call to recv from", "peer_gone"},
      {"message truncated", "mismatch"},
      {"collective mismatch", "mismatch"},
      {"Duplicate GPU detected", "duplicate_gpu"},
      {"Mismatched NCCL version", "version"},
      {"NCCL version mismatch", "version"},
      {"Cuda failure", "cuda"},
      {"no algorithm/protocol available", "no_algorithm"},
      {"/dev/shm", "shared_memory"},
      {"Could not map", "shared_memory"},
      {"Missing \"iommu=pt\"", "iommu"},
      {"NUMA auto balancing", "numa_balancing"},
  };
  for (const Cause& cause : kCauses)
    if (text.find(cause.part) != std::string_view::npos) return cause.name;
  return {};
}

std::string_view torchCauseOf(std::string_view line) {
  if (line.find("Watchdog caught collective operation timeout") != std::string_view::npos)
    return "watchdog_timeout";
  if (line.find("unhandled system error") != std::string_view::npos) return "system_error";
  if (line.find("ncclRemoteError") != std::string_view::npos) return "remote_error";
  return {};
}

std::string ncclWarningShape(std::string_view text) {
  std::string shape;
  shape.reserve(text.size());
  const auto isHex = [](char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '0' && i + 2 < text.size() && text[i + 1] == 'x' && isHex(text[i + 2])) {
      i += 2;
      while (i + 1 < text.size() && isHex(text[i + 1])) ++i;
      shape.push_back('#');
    } else if (isDigit(text[i])) {
      while (i + 1 < text.size() && isDigit(text[i + 1])) ++i;
      shape.push_back('#');
    } else {
      shape.push_back(text[i]);
    }
  }
  return shape;
}

} // namespace rankscope
