// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/net_problems.h"

#include "core/analysis/hardware/fabrics.h"
#include "core/analysis/network/link_ends.h"
#include "core/analysis/network/net_causes.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

constexpr std::int64_t kFewChannels = 2;
constexpr double kSlowInitSeconds = 30;
constexpr double kSlowInitTimes = 5;
constexpr double kNoticedInitSeconds = 1;
constexpr double kSlowerChoice = 1.1;
constexpr std::size_t kNamed = 4;
constexpr std::size_t kSettingsNamed = 16;
constexpr const char* kMaxChannels = "NCCL_MAX_NCHANNELS";

bool isNet(std::string_view kind) {
  return kind.starts_with("NET/");
}
bool isSocket(std::string_view kind) {
  return kind == "NET/Socket";
}

std::string placeText(const NcclLog& log, const NcclPlace& at) {
  return fmt::format("{}:{}", std::filesystem::path(log.files[at.file].path).filename().string(), at.line);
}

// "a, b, c and 3 more"
template <class Texts> std::string listText(const Texts& texts, std::size_t named = kNamed) {
  std::string list;
  std::size_t count = 0;
  for (const auto& text : texts) {
    if (++count > named) continue;
    if (count > 1) list += ", ";
    list += text;
  }
  if (count > named) list += fmt::format(" and {} more", count - named);
  return list;
}

std::string linksText(std::size_t count) {
  return count == 1 ? "1 link" : fmt::format("{} links", countText(static_cast<std::int64_t>(count)));
}

// "12 of 1 120"
std::string partOfAllText(std::size_t part, std::size_t all) {
  return fmt::format("{} of {}", countText(static_cast<std::int64_t>(part)),
                     countText(static_cast<std::int64_t>(all)));
}

bool anyGpu(const std::vector<std::string>& gpus, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(gpus, [&](const std::string& gpu) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return gpu.find(part) != gpu.npos; });
  });
}

bool isDataCenter(const std::vector<std::string>& gpus) {
  return anyGpu(gpus, {"V100", "A100", "A800", "H100", "H200", "H800", "H20", "B200", "B300", "MI2", "MI3"});
}

// Settings that take a choice from NCCL. The largest number of channels is a finding of its own.
bool isPinned(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNames{"NCCL_ALGO",
                                                           "NCCL_PROTO",
                                                           "NCCL_MIN_NCHANNELS",
                                                           "NCCL_MIN_P2P_NCHANNELS",
                                                           "NCCL_MAX_P2P_NCHANNELS",
                                                           "NCCL_NTHREADS",
                                                           "NCCL_BUFFSIZE",
                                                           "NCCL_CROSS_NIC",
                                                           "NCCL_NET_GDR_LEVEL",
                                                           "NCCL_SHM_DISABLE",
                                                           "NCCL_IB_DISABLE"};
  return name.starts_with("NCCL_P2P_") || std::ranges::find(kNames, name) != kNames.end();
}

class Problems {
 public:
  Problems(const JobNetwork& network, const JobBandwidth& bandwidth, const std::vector<std::string>& gpus)
      : m_network(network), m_log(network.log()), m_bandwidth(bandwidth), m_gpus(gpus) {
    if (m_network.topology.unassigned.empty()) return;
    for (const NcclLink& line : m_log.links)
      if (communicatorOf(m_network.topology, line) == kNoNcclIndex)
        m_tellers.emplace(placeKey(line.at), line.process);
  }

  std::vector<NetProblem> find() {
    if (!m_log.empty()) {
      sockets();
      withoutGdr();
      sharedMemory();
      fewChannels();
      unusedNics();
      multicastOff();
      pinned();
      mixedVersions();
      slowInit();
      warnings();
      incomplete();
    }
    choices();
    return std::move(m_found);
  }

 private:
  struct LinkCount {
    std::size_t all = 0, bad = 0;
    std::set<std::string_view> hosts;
    const NetLink* first = nullptr;
    std::int64_t communicator = 0;
    std::set<std::size_t> places; // of communicators with bad links
    std::size_t unassigned = 0;   // bad links of no known communicator
    std::set<std::int32_t> nics;  // of bad links
  };

  // Links for which `counts` holds, and those that are bad: of all communicators, then of none that is known.
  template <class Counts, class Bad> LinkCount count(Counts&& counts, Bad&& bad) const {
    LinkCount found;
    const auto isBad = [&](const NetLink& link) {
      if (!counts(link)) return false;
      ++found.all;
      if (!bad(link)) return false;
      ++found.bad;
      if (link.nic >= 0) found.nics.insert(link.nic);
      if (found.first == nullptr) found.first = &link;
      return true;
    };
    for (std::size_t i = 0; i < m_network.topology.communicators.size(); ++i) {
      const NetCommunicator& of = m_network.topology.communicators[i];
      for (const NetLink& link : of.links) {
        if (!isBad(link)) continue;
        found.places.insert(i);
        found.hosts.insert(hostOf(m_log, of, link.from));
        if (found.first == &link) found.communicator = of.number;
      }
    }
    for (const NetLink& link : m_network.topology.unassigned) {
      if (!isBad(link)) continue;
      ++found.unassigned;
      const auto teller = m_tellers.find(placeKey(link.at));
      if (teller != m_tellers.end()) found.hosts.insert(m_log.processes[teller->second].host);
    }
    found.hosts.erase(std::string_view());
    return found;
  }
  [[nodiscard]] std::string_view kind(const NetLink& link) const { return m_log.kinds[link.kind]; }
  // Where the first bad link stands, and of how many the communicator is not known.
  [[nodiscard]] std::string firstText(const LinkCount& links) const {
    std::string text;
    if (links.unassigned > 0)
      text = fmt::format("Of these links {} {} to no known communicator. ", links.unassigned,
                         links.unassigned == 1 ? "belongs" : "belong");
    if (links.first != nullptr)
      text += fmt::format("First: {} -> {} via {} ({}).", links.first->from, links.first->to,
                          kind(*links.first), placeText(m_log, links.first->at));
    return text;
  }
  using PlaceKey = std::pair<std::uint32_t, std::uint64_t>;
  [[nodiscard]] static PlaceKey placeKey(const NcclPlace& at) { return {at.file, at.line}; }
  void add(NetRule rule, bool warning, std::string title, std::string evidence, std::string fix,
           std::int64_t communicator = 0, std::vector<SavedTransfer> saved = {}) {
    m_found.push_back({rule, warning, std::move(title), std::move(evidence), std::move(fix), communicator,
                       std::move(saved)});
  }
  // What collectives over the bad links would save. better: links between hosts, if they are not those that
  // are in use.
  [[nodiscard]] std::vector<SavedTransfer> savedBy(const LinkCount& links, bool between,
                                                   const ExpectedLinks* better = nullptr) const;

  void sockets();
  void withoutGdr();
  void sharedMemory();
  void fewChannels();
  void unusedNics();
  void multicastOff();
  void pinned();
  void choices();
  void mixedVersions();
  void slowInit();
  void warnings();
  void incomplete();

  const JobNetwork& m_network;
  const NcclLog& m_log;
  const JobBandwidth& m_bandwidth;
  const std::vector<std::string>& m_gpus;
  std::map<PlaceKey, std::uint32_t> m_tellers; // process by line, of links of no known communicator
  std::vector<NetProblem> m_found;
};

// Time that a message spends beyond what its bytes take over these links. Of messages that are too small to
// judge links by, the bandwidth part of the fit alone counts.
double savedShare(const BandwidthSeries& series, const BandwidthSize& size, const ExpectedLinks& links) {
  const std::optional<double> factor = busFactor(series.operation, series.ranks);
  const std::optional<double> busbw =
      expectedBusbw(links, series.operation, size.algorithm, series.ranks, series.nodes);
  if (size.samples == 0 || size.medianUs <= 0 || !factor || !busbw || *busbw <= 0) return 0;
  constexpr double kBytesOfMicrosecond = 1e3; // at 1 GB/s
  const auto bytes = static_cast<double>(size.bytes);
  const double best = bytes * *factor / (*busbw * kBytesOfMicrosecond);
  double measured = size.medianUs;
  if (!size.efficiencyPct) {
    const CurveFit& fit = series.curve.fit();
    if (fit.betaGbS <= 0) return 0;
    measured = std::min(measured, bytes / (fit.betaGbS * kBytesOfMicrosecond));
  }
  return std::clamp((measured - best) / size.medianUs, 0.0, 1.0);
}

std::vector<SavedTransfer> Problems::savedBy(const LinkCount& links, bool between,
                                             const ExpectedLinks* better) const {
  std::vector<SavedTransfer> saved;
  if (m_network.join.empty()) return saved;
  std::set<GroupIndex> groups;
  for (const std::size_t place : links.places)
    groups.insert(m_network.join.communicators[place].groups.begin(),
                  m_network.join.communicators[place].groups.end());
  for (const BandwidthSeries& series : m_bandwidth.series) {
    if (!series.of || !groups.contains(*series.of) || (between && series.nodes < 2)) continue;
    ExpectedLinks expected = series.links;
    if (better != nullptr) {
      expected.between = better->between;
      expected.ports = better->ports;
    }
    // Sockets are what is in use: nothing better is known.
    if (between && (expected.between == nullptr || expected.between->name.starts_with("ethernet"))) continue;
    for (const BandwidthSize& size : series.sizes) {
      const double share = savedShare(series, size, expected);
      if (share <= 0) continue;
      for (const InstanceIndex instance : size.instances) saved.push_back({instance, share});
    }
  }
  std::ranges::sort(saved, {}, &SavedTransfer::instance);
  return saved;
}

void Problems::sockets() {
  const LinkCount links = count([&](const NetLink& link) { return isNet(kind(link)); },
                                [&](const NetLink& link) { return isSocket(kind(link)); });
  if (links.bad == 0) return;
  std::string why, fix = "Check that RDMA devices are visible to the process: ibv_devices, /dev/infiniband.";
  for (const NcclProcess& process : m_log.processes) {
    const auto disabled = process.environment.find("NCCL_IB_DISABLE");
    if (disabled != process.environment.end() && disabled->second == "1") {
      why = "NCCL_IB_DISABLE=1 is set.";
      fix = "Unset NCCL_IB_DISABLE.";
      break;
    }
    if (!process.devices.empty()) {
      why = fmt::format("RDMA devices are there: {}.", process.devices.front().name);
      fix = "Check NCCL_NET, NCCL_IB_HCA and the limit on locked memory (ulimit -l).";
      break;
    }
    if (process.pluginSought && why.empty()) {
      why = "A network plugin was looked for and not found.";
      fix = "Install the network plugin of the cluster (aws-ofi-nccl, TCPX, SHARP) and put it into "
            "LD_LIBRARY_PATH; in a container, mount /dev/infiniband.";
    }
  }
  if (why.empty() && !isDataCenter(m_gpus)) return;
  if (why.empty()) why = "No RDMA device is listed.";
  ExpectedLinks rdma;
  for (const NcclProcess& process : m_log.processes) {
    if (process.devices.empty()) continue;
    double rate = 0;
    for (const NcclDevice& device : process.devices) rate = std::max(rate, device.gbitS);
    rdma.between = fabricOfNetwork(process.devices.front().network, rate);
    rdma.ports = static_cast<std::int64_t>(process.devices.size());
    break;
  }
  add(NetRule::Socket, true, fmt::format("TCP sockets between hosts: {}", linksText(links.bad)),
      fmt::format("{} network links are NET/Socket. {} {}", partOfAllText(links.bad, links.all), why,
                  firstText(links)),
      fix, links.communicator, savedBy(links, true, rdma.between != nullptr ? &rdma : nullptr));
}

void Problems::withoutGdr() {
  const bool chipToChip = anyGpu(m_gpus, {"GH200", "GB200", "GB300"}) ||
                          std::ranges::any_of(m_log.processes, &NcclProcess::chipToChip);
  if (chipToChip) return;
  const LinkCount links =
      count([&](const NetLink& link) { return isNet(kind(link)) && !isSocket(kind(link)); },
            [](const NetLink& link) { return !link.gdr; });
  if (links.bad == 0) return;
  std::vector<std::string> nics;
  nics.reserve(links.nics.size());
  for (const std::int32_t nic : links.nics) nics.push_back(fmt::format("NIC {}", nic));
  add(NetRule::NoGdr, true, fmt::format("No GPUDirect RDMA: {}", linksText(links.bad)),
      fmt::format(
          "{} network links do not use GPUDirect RDMA ({}; {}). The NIC copies through host memory. {}",
          partOfAllText(links.bad, links.all), listText(nics), listText(links.hosts), firstText(links)),
      "Load nvidia-peermem or use a kernel with DMA-BUF, set NCCL_NET_GDR_LEVEL=PHB or SYS, and turn PCIe "
      "access control services (ACS) off.",
      links.communicator, savedBy(links, true));
}

void Problems::sharedMemory() {
  const LinkCount links = count([](const NetLink&) { return true; },
                                [&](const NetLink& link) { return kind(link).starts_with("SHM"); });
  if (links.bad == 0) return;
  std::string why;
  for (const NcclProcess& process : m_log.processes) {
    for (const char* const name : {"NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL"}) {
      const auto set = process.environment.find(name);
      if (set != process.environment.end() && set->second != "0")
        why = fmt::format("{}={} is set ({}).", name, set->second,
                          placeText(m_log, process.environmentAt.at(name)));
    }
    if (why.empty() && process.peerToPeerFailed)
      why = fmt::format("P2P between GPUs is off ({}).", placeText(m_log, process.peerToPeerAt));
  }
  const bool peers =
      std::ranges::any_of(m_log.kinds, [](const std::string& name) { return name.starts_with("P2P/"); });
  if (why.empty() && peers) why = "Other GPU pairs use P2P.";
  if (why.empty() && anyGpu(m_gpus, {"SXM", "OAM", "HBM3"})) why = "These GPUs are connected by NVLink.";
  if (why.empty()) return;
  add(NetRule::Shm, true, fmt::format("GPU pairs through host memory: {}", linksText(links.bad)),
      fmt::format("{} links are SHM ({}). {} {}", partOfAllText(links.bad, links.all), listText(links.hosts),
                  why, firstText(links)),
      "Unset NCCL_P2P_DISABLE and NCCL_P2P_LEVEL; turn IOMMU and ACS off, or set iommu=pt; in containers, "
      "give "
      "all GPUs to each of them.",
      links.communicator, savedBy(links, false));
}

void Problems::fewChannels() {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> most;
  for (const NetCommunicator& of : m_network.topology.communicators)
    if (of.nodes && of.localRanks && of.collChannels)
      most[{*of.nodes, *of.localRanks}] = std::max(most[{*of.nodes, *of.localRanks}], *of.collChannels);
  std::set<std::pair<std::int64_t, std::int64_t>> found; // ranks and channels
  std::int64_t communicator = 0;
  // Other GPUs may have no links for more.
  const bool dataCenter = isDataCenter(m_gpus);
  for (const NetCommunicator& of : m_network.topology.communicators) {
    if (!of.collChannels || of.ranks < 3) continue;
    const bool few = *of.collChannels <= kFewChannels && dataCenter;
    const bool fewer = of.nodes && of.localRanks && 2 * *of.collChannels < most[{*of.nodes, *of.localRanks}];
    if (!few && !fewer) continue;
    found.emplace(of.ranks, *of.collChannels);
    if (communicator == 0) communicator = of.number;
  }
  std::set<std::string_view> limits;
  for (const NcclProcess& process : m_log.processes) {
    const auto set = process.environment.find(kMaxChannels);
    if (set != process.environment.end()) limits.insert(set->second);
  }
  if (found.empty() && limits.empty()) return;
  std::string limited;
  if (!limits.empty()) limited = fmt::format(" {}={} is set.", kMaxChannels, listText(limits));
  std::vector<std::string> texts;
  texts.reserve(found.size());
  for (const auto& [ranks, channels] : found)
    texts.push_back(fmt::format("of {} ranks{} {} {}", ranks, texts.empty() ? " have" : "", channels,
                                channels == 1 ? "channel" : "channels"));
  add(NetRule::FewChannels, false, "Few NCCL channels",
      found.empty() ? "The number of channels is limited." + limited
                    : fmt::format("Communicators {}.{}", listText(texts), limited),
      limited.empty()
          ? "Check NICs and topology that NCCL found: NCCL_DEBUG_SUBSYS=GRAPH; try NCCL_MIN_NCHANNELS."
          : "Unset NCCL_MAX_NCHANNELS.",
      communicator);
}

void Problems::unusedNics() {
  const std::vector<IdleNics> found = idleNics(m_network);
  if (found.empty()) return;
  std::vector<std::string_view> hosts;
  std::vector<std::string> texts; // of each of them
  hosts.reserve(found.size());
  texts.reserve(found.size());
  for (const IdleNics& of : found) {
    hosts.push_back(of.host);
    texts.push_back(fmt::format("link uses {}; one NIC carries {} of {} ends of links.", listText(of.names),
                                of.most, of.ends));
  }
  const bool alike = std::ranges::adjacent_find(texts, std::ranges::not_equal_to()) == texts.end();
  const std::string count = hosts.size() == 1 ? "1 host" : fmt::format("{} hosts", hosts.size());
  add(NetRule::NicUnused, false,
      hosts.size() == 1 ? fmt::format("Idle NICs on {}", hosts.front()) : "Idle NICs on " + count,
      fmt::format("{}: {}. {} {}", count, listText(hosts),
                  alike ? std::string("No") : fmt::format("On {} no", hosts.front()), texts.front()),
      "Check NCCL_IB_HCA, the topology file and PXN (NCCL_PXN_DISABLE).");
}

void Problems::multicastOff() {
  if (!anyGpu(m_gpus, {"H100", "H200", "H800", "B200", "B300", "GB200", "GB300"})) return;
  const bool whole = std::ranges::any_of(m_network.topology.communicators, [](const NetCommunicator& of) {
    return of.localRanks && (*of.localRanks == 8 || *of.localRanks == 72);
  });
  if (!whole) return;
  for (const NcclProcess& process : m_log.processes) {
    const auto set = process.environment.find("NCCL_NVLS_ENABLE");
    const bool off = set != process.environment.end() && set->second == "0";
    if (!off && process.multicast.value_or(true)) continue;
    add(NetRule::NvlsOff, false, "NVLink SHARP is off",
        off ? "NCCL_NVLS_ENABLE=0 is set."
            : fmt::format("Multicast is not available ({}).", placeText(m_log, process.multicastAt)),
        off ? "Unset NCCL_NVLS_ENABLE: AllReduce on 8 H100 reaches up to 480 instead of 370 GB/s bus "
              "bandwidth."
            : "Check that the fabric manager runs and that the container sees all GPUs of the host.");
    return;
  }
}

void Problems::pinned() {
  std::map<std::string_view, std::set<std::string_view>> values;
  for (const NcclProcess& process : m_log.processes)
    for (const auto& [name, value] : process.environment) values[name].insert(value);
  std::vector<std::string> texts;
  bool differs = false;
  for (const auto& [name, of] : values) {
    const bool several = of.size() > 1;
    if (!isPinned(name) && !several) continue;
    differs = differs || several;
    texts.push_back(fmt::format("{}={}", name, listText(of)));
  }
  if (texts.empty()) return;
  add(NetRule::Pinned, false, differs ? "NCCL settings differ between processes" : "NCCL settings are pinned",
      listText(texts, kSettingsNamed) + ".",
      "Unset what was set for another cluster or version; NCCL chooses by itself.");
}

void Problems::choices() {
  struct Slower {
    std::size_t sizes = 0;
    double worst = 1;
    std::int64_t at = 0;
  };
  std::map<std::tuple<CollectiveOperation, std::string_view, std::string_view>, Slower> found;
  for (const BandwidthSeries& slow : m_bandwidth.series)
    for (const BandwidthSeries& fast : m_bandwidth.series) {
      if (fast.operation != slow.operation || fast.ranks != slow.ranks || fast.nodes != slow.nodes) continue;
      for (const BandwidthSize& size : slow.sizes) {
        if (size.algorithm.empty() || size.samples == 0) continue;
        const auto same = std::ranges::lower_bound(fast.sizes, size.bytes, {}, &BandwidthSize::bytes);
        if (same == fast.sizes.end() || same->bytes != size.bytes || same->samples == 0 ||
            same->algorithm.empty() || same->algorithm == size.algorithm)
          continue;
        const double times = size.medianUs / same->medianUs;
        if (times <= kSlowerChoice) continue;
        Slower& slower = found[{slow.operation, size.algorithm, same->algorithm}];
        ++slower.sizes;
        if (times <= slower.worst) continue;
        slower.worst = times;
        slower.at = size.bytes;
      }
    }
  for (const auto& [key, slower] : found) {
    const auto& [operation, slow, fast] = key;
    add(NetRule::Choice, false, fmt::format("{} is slower by {}", operationText(operation), slow),
        fmt::format("At {} {} takes {:.2f} times as long as {}; {} sizes by more than a tenth.",
                    bytesText(slower.at), slow, slower.worst, fast, slower.sizes),
        fmt::format("Measure with NCCL_ALGO={}; report it to the tuner of the cluster.", fast));
  }
}

void Problems::mixedVersions() {
  std::map<std::string_view, std::set<std::string_view>> hosts;
  for (const NcclProcess& process : m_log.processes)
    if (!process.version.empty()) hosts[process.version].insert(process.host);
  if (hosts.size() < 2) return;
  std::vector<std::string> texts;
  texts.reserve(hosts.size());
  for (const auto& [version, of] : hosts) texts.push_back(fmt::format("{} on {}", version, listText(of)));
  add(NetRule::MixedVersion, true, fmt::format("{} versions of NCCL in one job", hosts.size()),
      listText(texts) + ".", "Use the same PyTorch build or container image on all hosts.");
}

void Problems::slowInit() {
  std::vector<double> seconds;
  const NetCommunicator* slowest = nullptr;
  for (const NetCommunicator& of : m_network.topology.communicators) {
    if (!of.initSeconds) continue;
    seconds.push_back(*of.initSeconds);
    if (slowest == nullptr || *of.initSeconds > *slowest->initSeconds) slowest = &of;
  }
  if (slowest == nullptr) return;
  const double usual = median(seconds);
  const double worst = *slowest->initSeconds;
  const bool slow =
      worst > kSlowInitSeconds || (worst > kSlowInitTimes * usual && worst > kNoticedInitSeconds);
  if (!slow) return;
  add(NetRule::InitSlow, false, fmt::format("NCCL initialization: {}", durationText(rounded(worst * 1e9))),
      fmt::format("Communicator {} of {} ranks took {:.1f} s on rank {}, most of it {}; median {:.1f} s.",
                  slowest->number, slowest->ranks, worst, slowest->initRank, slowest->initLargest, usual),
      "Bootstrap: check name resolution and NCCL_SOCKET_IFNAME. Many communicators: use ncclCommSplit "
      "(device_id in init_process_group) and fewer process groups.",
      slowest->number);
}

void Problems::warnings() {
  std::map<std::string_view, std::vector<const NcclWarning*>> causes;
  for (const NcclWarning& warning : m_log.warnings)
    if (!warning.cause.empty()) causes[warning.cause].push_back(&warning);
  for (const auto& [cause, of] : causes) {
    std::int64_t lines = 0;
    std::set<std::string_view> hosts;
    for (const NcclWarning* const warning : of) {
      lines += warning->count;
      hosts.insert(warning->hosts.begin(), warning->hosts.end());
    }
    const NetCause known = netCause(cause);
    std::string evidence = lines == 1 ? std::string("1 line") : fmt::format("{} lines", lines);
    if (!hosts.empty()) evidence += fmt::format(" on {}", listText(hosts));
    evidence +=
        fmt::format(". First: {} ({}).", of.front()->first.substr(0, 160), placeText(m_log, of.front()->at));
    add(NetRule::Warning, true, std::string(known.meaning), std::move(evidence), std::string(known.lookAt));
  }
}

void Problems::incomplete() {
  for (const NetCommunicator& of : m_network.topology.communicators) {
    std::set<std::string> ranks;
    std::set<std::string_view> hosts;
    std::size_t begun = 0;
    const NcclInstance* first = nullptr;
    for (const std::uint32_t index : of.members) {
      if (index == kNoNcclIndex) continue;
      const NcclInstance& instance = m_log.instances[index];
      if (!instance.started || instance.completed) continue;
      ++begun;
      ranks.insert(fmt::format("rank {}", instance.rank));
      hosts.insert(m_log.processes[instance.process].host);
      if (first == nullptr) first = &instance;
    }
    if (first == nullptr) continue;
    add(NetRule::Incomplete, true, fmt::format("Communicator {} was not completed", of.number),
        fmt::format("{} of {} known ranks began and did not end initialization: {} on {} ({}).", begun,
                    of.membersKnown, listText(ranks), listText(hosts), placeText(m_log, first->at)),
        "Look at the earliest warning of these ranks, and at ranks that never began.", of.number);
    return; // the first; later ones follow from it
  }
}

} // namespace

std::vector<NetProblem> netProblems(const JobNetwork& network, const JobBandwidth& bandwidth,
                                    const std::vector<std::string>& gpus) {
  std::vector<NetProblem> problems = Problems(network, bandwidth, gpus).find();
  std::ranges::stable_sort(problems, std::greater<>(), &NetProblem::warning);
  return problems;
}

} // namespace rankscope
