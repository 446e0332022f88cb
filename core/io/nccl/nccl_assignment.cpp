// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_assignment.h"

#include "core/base/hash.h"
#include "core/io/nccl/nccl_messages.h"

#include <algorithm>
#include <optional>
#include <set>

namespace rankscope {

namespace {

constexpr std::uint64_t kFewLines = 3;   // of a host whose name is damaged
constexpr std::uint64_t kManyLines = 30; // of a log in which few lines are suspicious
constexpr std::size_t kMaxEnvironment = 512;
constexpr std::size_t kMaxValue = 400;

int deviceOf(std::string_view text) {
  return static_cast<int>(std::clamp<std::int64_t>(ncclNumber(text).value_or(-1), -1, 1 << 20));
}

std::optional<std::int64_t> countOf(std::string_view text) {
  const auto number = ncclNumber(text);
  return number && *number >= 0 && *number <= (1 << 24) ? number : std::nullopt;
}

// Whether `damaged` may be what is left of `whole`: a piece of it, or its two ends, or the whole with
// something before it.
bool mayBeDamaged(std::string_view damaged, std::string_view whole) {
  if (damaged.size() >= whole.size()) return damaged != whole && damaged.ends_with(whole);
  if (whole.find(damaged) != std::string_view::npos) return true;
  std::size_t same = 0;
  while (same < damaged.size() && damaged[same] == whole[same]) ++same;
  return whole.ends_with(damaged.substr(same));
}

// The largest part of "(kernels 0.39, alloc 1.63, bootstrap 0.23)".
std::string largestPart(std::string_view parts) {
  std::string best;
  double most = -1;
  while (!parts.empty()) {
    const std::size_t comma = std::min(parts.find_first_of(",)"), parts.size());
    NcclWords words(parts.substr(0, comma));
    const std::string_view name = words.word();
    const auto seconds = words.decimal();
    if (seconds && *seconds > most) {
      most = *seconds;
      best.assign(name).append(" ").append(
          parts.substr(0, comma).substr(parts.substr(0, comma).rfind(' ') + 1));
      best.append(" s");
    }
    parts.remove_prefix(std::min(parts.size(), comma + 1));
  }
  return best;
}

} // namespace

std::uint32_t NcclAssignment::processOf(std::string_view host, std::int64_t pid, bool& repaired) {
  m_key.assign(host).append(":").append(std::to_string(pid));
  const auto known = m_processes.find(m_key);
  if (known != m_processes.end()) return known->second;
  // A number or half a word that another line left before the name.
  if (const auto same = m_byPid.find(pid); same != m_byPid.end()) {
    for (const std::uint32_t candidate : same->second) {
      const std::string& whole = log.processes[candidate].host;
      if (host.size() <= whole.size() || !host.ends_with(whole)) continue;
      repaired = true;
      return candidate;
    }
  }
  const auto index = static_cast<std::uint32_t>(log.processes.size());
  NcclProcess process;
  process.host = std::string(host);
  process.pid = pid;
  log.processes.push_back(std::move(process));
  m_instancesOf.emplace_back();
  m_modern.push_back(false);
  m_linesOf.push_back(0);
  m_processes.emplace(m_key, index);
  m_byPid[pid].push_back(index);
  return index;
}

std::uint32_t NcclAssignment::threadOf(std::uint32_t process, std::int64_t tid) {
  if (m_lastThread != kNoNcclIndex && m_threadStates[m_lastThread].process == process &&
      m_threadStates[m_lastThread].tid == tid)
    return m_lastThread;
  const std::uint64_t key = hashOf(process, tid);
  const auto [known, isNew] = m_threads.emplace(key, static_cast<std::uint32_t>(m_threadStates.size()));
  if (isNew) {
    m_threadStates.emplace_back();
    m_threadStates.back().process = process;
    m_threadStates.back().tid = tid;
  }
  m_lastThread = known->second;
  return m_lastThread;
}

NcclSpeaker NcclAssignment::speaker(const NcclHead& head) {
  NcclSpeaker speaker;
  ++m_headed;
  if (head.pid == m_lastPid && head.host == m_lastHost) {
    speaker.process = m_lastProcess;
  } else {
    speaker.process = processOf(head.host, head.pid, speaker.repaired);
    if (!speaker.repaired) {
      m_lastProcess = speaker.process;
      m_lastHost.assign(head.host);
      m_lastPid = head.pid;
    }
  }
  ++m_linesOf[speaker.process];
  NcclProcess& process = log.processes[speaker.process];
  if (!process.launcherRank && !head.prefix.empty()) process.launcherRank = launcherRankOf(head.prefix);
  speaker.thread = threadOf(speaker.process, head.tid);
  return speaker;
}

void NcclAssignment::version(const NcclSpeaker& speaker, std::string_view version) {
  log.processes[speaker.process].version = std::string(version);
}

void NcclAssignment::bareVersion(std::string_view version) {
  m_bareVersion = std::string(version.substr(std::min<std::size_t>(5, version.size())));
}

void NcclAssignment::environment(const NcclSpeaker& speaker, std::string_view name, std::string_view value,
                                 const NcclPlace& at) {
  NcclProcess& process = log.processes[speaker.process];
  if (process.environment.size() >= kMaxEnvironment) return;
  process.environment[std::string(name)] = std::string(value.substr(0, kMaxValue));
  process.environmentAt.emplace(std::string(name), at);
}

std::uint32_t NcclAssignment::newInstance(std::uint32_t process, std::uint64_t pointer, const NcclPlace& at) {
  const auto index = static_cast<std::uint32_t>(log.instances.size());
  NcclInstance instance;
  instance.process = process;
  instance.pointer = pointer;
  instance.at = at;
  log.instances.push_back(std::move(instance));
  m_instancesOf[process].push_back(index);
  m_byPointer[{process, pointer}] = index;
  return index;
}

bool NcclAssignment::waits(const Thread& thread) const {
  return thread.open == kNoNcclIndex && !m_modern[thread.process];
}

void NcclAssignment::assignWaiting(Thread& thread, std::uint32_t instance) {
  for (const std::uint32_t i : thread.links) log.links[i].instance = instance;
  for (const std::uint32_t i : thread.rings) log.rings[i].instance = instance;
  for (const std::uint32_t i : thread.steps) log.ringSteps[i].instance = instance;
  for (const std::uint32_t i : thread.nodes) log.treeNodes[i].instance = instance;
  thread.links.clear();
  thread.rings.clear();
  thread.steps.clear();
  thread.nodes.clear();
  if (thread.hasWaiting) {
    NcclInstance& to = log.instances[instance];
    const NcclInstance& from = thread.waiting;
    if (from.collChannels) to.collChannels = from.collChannels;
    if (from.p2pChannels) to.p2pChannels = from.p2pChannels;
    if (from.nvlsChannels) to.nvlsChannels = from.nvlsChannels;
    if (from.p2pChannelsPerPeer) to.p2pChannelsPerPeer = from.p2pChannelsPerPeer;
    if (!from.linkType.empty()) to.linkType = from.linkType;
  }
  thread.waiting = NcclInstance();
  thread.hasWaiting = false;
}

bool NcclAssignment::initialization(const NcclSpeaker& speaker, std::string_view text, std::string_view state,
                                    const NcclPlace& at) {
  NcclWords words(text);
  const auto pointer = hexNumber(words.valueOf("comm"));
  if (!pointer) return !state.starts_with("Init");
  Thread& thread = m_threadStates[speaker.thread];
  const auto known = m_byPointer.find({speaker.process, *pointer});
  std::uint32_t index = known == m_byPointer.end() ? kNoNcclIndex : known->second;
  if (!state.starts_with("Init")) {
    if (index != kNoNcclIndex) log.instances[index].destroyed = true;
    return true;
  }
  const bool start = state == "Init START";
  const bool open =
      index != kNoNcclIndex && !log.instances[index].completed && !log.instances[index].destroyed;
  if (!open || (start && log.instances[index].started)) index = newInstance(speaker.process, *pointer, at);
  NcclInstance& instance = log.instances[index];
  const auto rank = countOf(words.valueOf("rank")), ranks = countOf(words.valueOf("nranks"));
  instance.rank = rank.value_or(instance.rank);
  instance.ranks = ranks.value_or(instance.ranks);
  instance.cudaDevice = std::max(instance.cudaDevice, deviceOf(words.valueOf("cudaDev")));
  instance.nvmlDevice = std::max(instance.nvmlDevice, deviceOf(words.valueOf("nvmlDev")));
  if (const auto bus = words.valueOf("busId"); !bus.empty()) instance.busId = std::string(bus.substr(0, 32));
  if (const auto id = words.valueOf("commId"); !id.empty()) instance.commId = std::string(id.substr(0, 64));
  if (const auto parent = hexNumber(words.valueOf("parent"))) {
    instance.parent = *parent;
    std::string_view count = words.valueOf("splitCount");
    if (count.empty()) count = words.valueOf("childCount");
    instance.splitKey = std::string(count.substr(0, 24));
    instance.splitKey.append(":").append(words.valueOf("color").substr(0, 24));
  }
  if (start) {
    instance.started = true;
    m_modern[speaker.process] = true;
    // Links of another communicator that were said before are not about this one.
    thread.open = index;
  } else {
    instance.completed = true;
    assignWaiting(thread, index);
    thread.open = kNoNcclIndex;
  }
  thread.last = index;
  return rank && ranks && *rank < *ranks;
}

void NcclAssignment::nodes(const NcclSpeaker& speaker, std::string_view text) {
  NcclWords words(text);
  const auto pointer = hexNumber(words.valueOf("comm"));
  if (!pointer) return;
  const auto known = m_byPointer.find({speaker.process, *pointer});
  if (known == m_byPointer.end()) return;
  NcclInstance& instance = log.instances[known->second];
  instance.nodes = countOf(words.valueOf("nNodes"));
  instance.localRanks = countOf(words.valueOf("localRanks"));
  const std::size_t mnnvl = text.find("MNNVL ");
  instance.multiNodeNvlink = mnnvl != std::string_view::npos && text.substr(mnnvl + 6).starts_with('1');
}

void NcclAssignment::timings(const NcclSpeaker& speaker, std::string_view text) {
  const std::uint32_t index = m_threadStates[speaker.thread].last;
  if (index == kNoNcclIndex) return;
  NcclWords words(text);
  NcclWords total(words.valueOf("total"));
  const auto seconds = total.decimal();
  if (!seconds || !(*seconds >= 0 && *seconds < 1e7)) return;
  log.instances[index].initSeconds = seconds;
  const std::size_t open = text.find('(');
  if (open != std::string_view::npos) log.instances[index].initLargest = largestPart(text.substr(open + 1));
}

void NcclAssignment::channels(const NcclSpeaker& speaker, std::string_view text) {
  Thread& thread = m_threadStates[speaker.thread];
  std::uint32_t index = thread.open;
  if (index == kNoNcclIndex && m_modern[speaker.process]) index = thread.last;
  NcclInstance& to = index != kNoNcclIndex ? log.instances[index] : thread.waiting;
  if (index == kNoNcclIndex) thread.hasWaiting = true;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    NcclWords words(text.substr(0, comma));
    const auto number = words.number();
    words.skipBlanks();
    const std::string_view what = words.rest();
    if (what == "coll channels")
      to.collChannels = number;
    else if (what == "nvls channels")
      to.nvlsChannels = number;
    else if (what == "p2p channels")
      to.p2pChannels = number;
    else if (what == "p2p channels per peer")
      to.p2pChannelsPerPeer = number;
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
}

void NcclAssignment::linkType(const NcclSpeaker& speaker, std::string_view type) {
  Thread& thread = m_threadStates[speaker.thread];
  NcclInstance& to = thread.open != kNoNcclIndex ? log.instances[thread.open] : thread.waiting;
  if (thread.open == kNoNcclIndex) thread.hasWaiting = true;
  to.linkType = std::string(type.substr(0, 32));
  if (type.find("C2C") != std::string_view::npos) log.processes[speaker.process].chipToChip = true;
}

bool NcclAssignment::isNew(std::uint64_t hash) {
  if (m_seen.size() >= kMaxFacts) {
    if (!m_seen.contains(hash)) ++log.notKept;
    return false;
  }
  return m_seen.insert(hash).second;
}

std::uint32_t NcclAssignment::kindNamed(std::string_view name) {
  const auto known = std::ranges::find(log.kinds, name);
  if (known != log.kinds.end()) return static_cast<std::uint32_t>(known - log.kinds.begin());
  if (log.kinds.size() >= 64) return static_cast<std::uint32_t>(log.kinds.size() - 1);
  log.kinds.emplace_back(name);
  return static_cast<std::uint32_t>(log.kinds.size() - 1);
}

std::uint32_t NcclAssignment::ofRank(std::uint32_t process, std::int64_t rank, std::int64_t other,
                                     bool alsoDestroyed) const {
  std::uint32_t found = kNoNcclIndex;
  for (const std::uint32_t index : m_instancesOf[process]) {
    const NcclInstance& instance = log.instances[index];
    if (instance.rank != rank || other >= instance.ranks) continue;
    if (instance.destroyed && !alsoDestroyed) continue;
    if (found != kNoNcclIndex) return kNoNcclIndex; // cannot be told
    found = index;
  }
  return found;
}

void NcclAssignment::add(NcclLink link, const NcclSpeaker& speaker, std::string_view comm) {
  Thread& thread = m_threadStates[speaker.thread];
  if (const auto pointer = hexNumber(comm)) {
    const auto known = m_byPointer.find({speaker.process, *pointer});
    if (known != m_byPointer.end()) link.instance = known->second;
  }
  if (link.instance == kNoNcclIndex) link.instance = thread.open;
  const bool receives = link.direction == NcclDirection::Receive;
  if (link.instance == kNoNcclIndex && m_modern[speaker.process])
    link.instance = ofRank(speaker.process, receives ? link.to : link.from, receives ? link.from : link.to);
  const std::uint64_t scope = link.instance != kNoNcclIndex ? link.instance
                                                            : hashOf(speaker.thread, thread.last,
                                                                     m_instancesOf[speaker.process].size());
  const std::uint64_t hash =
      hashOf(1, scope, link.at.file, link.channel, link.connection, link.from, link.to, link.kind, link.nic,
             link.viaRank, static_cast<int>(link.direction), link.gdr, link.read);
  if (!isNew(hash)) return;
  if (link.instance == kNoNcclIndex && waits(thread))
    thread.links.push_back(static_cast<std::uint32_t>(log.links.size()));
  log.links.push_back(link);
}

void NcclAssignment::add(NcclRingLine ring, const NcclSpeaker& speaker) {
  Thread& thread = m_threadStates[speaker.thread];
  ring.instance = thread.open;
  if (log.rings.size() >= kMaxFacts / 16) {
    ++log.notKept;
    return;
  }
  if (ring.instance == kNoNcclIndex && waits(thread))
    thread.rings.push_back(static_cast<std::uint32_t>(log.rings.size()));
  log.rings.push_back(std::move(ring));
}

void NcclAssignment::add(NcclRingStep step, const NcclSpeaker& speaker) {
  Thread& thread = m_threadStates[speaker.thread];
  step.instance = thread.open;
  if (!isNew(hashOf(2, speaker.thread, thread.last, step.instance, step.channel, step.previous, step.rank,
                    step.next)))
    return;
  if (step.instance == kNoNcclIndex && waits(thread))
    thread.steps.push_back(static_cast<std::uint32_t>(log.ringSteps.size()));
  log.ringSteps.push_back(step);
}

void NcclAssignment::add(NcclTreeNode node, const NcclSpeaker& speaker) {
  Thread& thread = m_threadStates[speaker.thread];
  node.instance = thread.open;
  if (!isNew(hashOf(3, speaker.thread, thread.last, node.instance, node.channel, node.rank, node.up,
                    node.down[0], node.down[1], node.down[2])))
    return;
  if (node.instance == kNoNcclIndex && waits(thread))
    thread.nodes.push_back(static_cast<std::uint32_t>(log.treeNodes.size()));
  log.treeNodes.push_back(node);
}

void NcclAssignment::add(NcclTuning cell) {
  if (log.tuning.size() >= kMaxFacts / 16) {
    ++log.notKept;
    return;
  }
  log.tuning.push_back(std::move(cell));
}

std::uint32_t NcclAssignment::instanceAt(const NcclSpeaker& speaker, std::uint64_t pointer,
                                         std::int64_t ranks, const NcclPlace& at) {
  const auto known = m_byPointer.find({speaker.process, pointer});
  if (known != m_byPointer.end()) return known->second;
  if (log.instances.size() >= kMaxFacts) return kNoNcclIndex;
  const std::uint32_t index = newInstance(speaker.process, pointer, at);
  log.instances[index].ranks = ranks;
  return index;
}

std::uint32_t NcclAssignment::talkingOf(const NcclSpeaker& speaker) const {
  const Thread& thread = m_threadStates[speaker.thread];
  if (thread.open != kNoNcclIndex) return thread.open;
  const std::vector<std::uint32_t>& own = m_instancesOf[speaker.process];
  if (own.size() == 1) return own.front();
  // Choices are printed by rank 0.
  return ofRank(speaker.process, 0, 0);
}

void NcclAssignment::mergeDamagedHosts() {
  if (m_headed < kManyLines) return;
  std::map<std::string, std::uint64_t, std::less<>> linesByHost;
  for (std::size_t i = 0; i < m_linesOf.size(); ++i) linesByHost[log.processes[i].host] += m_linesOf[i];
  std::vector<std::uint32_t> becomes(log.processes.size());
  for (std::uint32_t i = 0; i < becomes.size(); ++i) becomes[i] = i;
  for (std::uint32_t i = 0; i < becomes.size(); ++i) {
    NcclProcess& process = log.processes[i];
    if (linesByHost[process.host] >= kFewLines) continue;
    std::set<std::string_view> wholes;
    for (const auto& [host, lines] : linesByHost)
      if (lines >= kFewLines && mayBeDamaged(process.host, host)) wholes.insert(host);
    std::optional<std::uint32_t> same;
    for (const std::uint32_t other : m_byPid[process.pid])
      if (other != i && wholes.contains(log.processes[other].host)) same = other;
    if (same)
      becomes[i] = *same;
    else if (wholes.size() == 1)
      process.host = std::string(*wholes.begin());
  }
  renumberProcesses(becomes);
}

// becomes: the process that each one is merged into; itself if it stays.
void NcclAssignment::renumberProcesses(const std::vector<std::uint32_t>& becomes) {
  std::vector<std::uint32_t> place(log.processes.size());
  std::vector<NcclProcess> kept;
  kept.reserve(log.processes.size());
  for (std::uint32_t i = 0; i < becomes.size(); ++i) {
    if (becomes[i] != i) continue;
    place[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(log.processes[i]));
  }
  for (std::uint32_t i = 0; i < becomes.size(); ++i) place[i] = place[becomes[i]];
  log.processes = std::move(kept);
  m_instancesOf.assign(log.processes.size(), {});
  for (std::uint32_t i = 0; i < log.instances.size(); ++i) {
    log.instances[i].process = place[log.instances[i].process];
    m_instancesOf[log.instances[i].process].push_back(i);
  }
  for (NcclLink& link : log.links) link.process = place[link.process];
  for (NcclChoice& choice : log.choices) choice.process = place[choice.process];
  for (NcclTuning& cell : log.tuning) cell.process = place[cell.process];
  for (NcclWarning& warning : log.warnings) {
    std::map<std::uint32_t, std::int64_t> counts;
    for (const auto& [process, count] : warning.processes) counts[place[process]] += count;
    warning.processes = std::move(counts);
  }
  std::set<std::pair<std::uint32_t, std::int64_t>> threads;
  for (const Thread& thread : m_threadStates) threads.emplace(place[thread.process], thread.tid);
  log.threads = threads.size();
}

// Links whose thread never said which communicator it creates.
void NcclAssignment::assignRest() {
  for (NcclLink& link : log.links) {
    if (link.instance != kNoNcclIndex) continue;
    const bool receives = link.direction == NcclDirection::Receive;
    link.instance =
        ofRank(link.process, receives ? link.to : link.from, receives ? link.from : link.to, true);
  }
}

NcclLog NcclAssignment::finish() {
  log.threads = m_threads.size();
  mergeDamagedHosts();
  assignRest();
  for (NcclProcess& process : log.processes)
    if (process.version.empty()) process.version = m_bareVersion;
  return std::move(log);
}

} // namespace rankscope
