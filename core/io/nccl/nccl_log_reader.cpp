// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nccl/nccl_log_reader.h"

#include "core/io/nccl/nccl_assignment.h"
#include "core/io/nccl/nccl_line.h"
#include "core/io/nccl/nccl_messages.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kMaxShapes = 64;     // of prefixes, and of first words
constexpr std::size_t kMaxWarnings = 4096; // of different text
constexpr std::size_t kMaxText = 400;      // characters kept of a warning
constexpr std::size_t kLineBuffer = 1023;  // NCCL's own, to 2.28

template <class Key> void countIn(std::map<Key, std::uint64_t>& counts, const Key& key, std::size_t limit) {
  const auto found = counts.find(key);
  if (found != counts.end())
    ++found->second;
  else if (counts.size() < limit)
    counts.emplace(key, 1);
}

std::string_view firstWord(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && end < 32 && text[end] != ' ' && text[end] != ':' && text[end] != '=') ++end;
  return text.substr(0, end);
}

std::string shortened(std::string_view text) {
  return std::string(text.substr(0, kMaxText));
}

} // namespace

struct NcclLogReader::State {
  NcclAssignment facts;
  std::map<std::uint32_t, NcclTuningHeader> tuningHeaders; // by process
  std::map<std::string, std::size_t> warnings;             // by text
  std::map<std::string, std::size_t> choices;              // by all that tells them apart
  std::string plain;                                       // a line without colors
  std::uint64_t lineNumber = 0;
  std::array<std::uint64_t, 5> levels{}; // lines of the file by level
  std::string lastPrefix;                // of a line of the file
  std::uint64_t* prefixCount = nullptr;  // its lines; null: no line yet

  NcclLog& log() { return facts.log; }
  NcclFile& file() { return facts.log.files.back(); }
  NcclPlace here() { return {static_cast<std::uint32_t>(log().files.size() - 1), lineNumber}; }

  void damaged(std::string what) { damagedAt(lineNumber, std::move(what)); }
  void damagedAt(std::uint64_t line, std::string what) {
    ++file().damagedLines;
    if (file().damage.size() < NcclFile::kMaxDamage) file().damage.push_back({line, std::move(what)});
  }

  void read(std::string_view text);
  void prefix(std::string_view text);
  void endFile(std::string problem);
  void withoutHead(std::string_view text);
  void message(const NcclHead& head, std::size_t lineLength);
  bool topology(std::string_view text, const NcclSpeaker& speaker, bool cut);
  bool link(std::string_view text, const NcclSpeaker& speaker);
  bool initialization(std::string_view text, const NcclSpeaker& speaker);
  bool environment(std::string_view text, const NcclSpeaker& speaker);
  bool network(std::string_view text, const NcclSpeaker& speaker);
  bool channels(std::string_view text, const NcclSpeaker& speaker);
  bool connected(std::string_view text);
  bool call(std::string_view text, const NcclSpeaker& speaker);
  bool tuning(std::string_view text, const NcclSpeaker& speaker);
  void warning(std::string_view text, std::string_view cause, const std::string& host,
               std::optional<std::uint32_t> process);
};

void NcclLogReader::State::read(std::string_view text) {
  ++lineNumber;
  NcclFile& current = file();
  ++current.lines;
  current.bytes += text.size() + 1;
  if (text.find("CCL") == std::string_view::npos) {
    if (text.find("unhandled system error") != std::string_view::npos ||
        text.find("Watchdog caught") != std::string_view::npos)
      withoutHead(text);
    return;
  }
  if (text.find('\x1b') != std::string_view::npos) {
    plain = withoutColors(text);
    text = plain;
  }
  if (text.ends_with('\r')) text.remove_suffix(1);
  const std::optional<NcclHead> head = ncclHead(text);
  if (!head) return withoutHead(text);
  ++current.ncclLines;
  ++levels[static_cast<std::size_t>(head->level)];
  prefix(head->firstPrefix);
  if (head->heads > 1) {
    ++current.twoHeads;
    damaged("two processes wrote into one line; the first part is not used");
  }
  message(*head, text.size());
}

// Most lines have the prefix of the line before.
void NcclLogReader::State::prefix(std::string_view text) {
  NcclFile& current = file();
  if (current.prefixes.size() >= kMaxShapes && !text.empty()) return;
  if (prefixCount == nullptr || text != lastPrefix) {
    const std::string shape = digitsHidden(text.substr(0, 200));
    const auto known = current.prefixes.find(shape);
    if (known == current.prefixes.end() && current.prefixes.size() >= kMaxShapes) return;
    prefixCount = &current.prefixes[shape];
    lastPrefix.assign(text);
  }
  ++*prefixCount;
}

void NcclLogReader::State::endFile(std::string problem) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] > 0) file().levels[std::string(ncclLevelText(static_cast<NcclLevel>(i)))] = levels[i];
  }
  levels = {};
  prefixCount = nullptr;
  file().problem = std::move(problem);
  // That a row is cut is known some lines later.
  std::ranges::stable_sort(file().damage, {}, &NcclDamage::line);
}

void NcclLogReader::State::withoutHead(std::string_view text) {
  for (const std::string& version : ncclVersionsOf(text)) {
    countIn(log().versionLines, version, kMaxShapes);
    facts.bareVersion(version);
  }
  if (mentionsNcclLevel(text)) damaged("the head of the line is cut");
  if (const std::string_view cause = torchCauseOf(text); !cause.empty())
    warning(text, cause, std::string(), std::nullopt);
}

void NcclLogReader::State::message(const NcclHead& head, std::size_t lineLength) {
  const NcclSpeaker speaker = facts.speaker(head);
  if (speaker.repaired) damaged("the name of the host is damaged");
  const std::string_view text = head.message;
  if (head.level == NcclLevel::Info && head.heads == 1 && call(text, speaker))
    return; // most lines of a large log
  for (const std::string& version : ncclVersionsOf(text)) {
    if (head.heads > 1) break;
    countIn(log().versionLines, version, kMaxShapes);
    facts.version(speaker, version.substr(5));
    if (text.size() < 60) return;
  }
  if (head.level == NcclLevel::Warn || head.level == NcclLevel::Abort) {
    warning(text, ncclCauseOf(text), log().processes[speaker.process].host, speaker.process);
    return;
  }
  std::string_view start = text;
  while (start.starts_with(' ')) start.remove_prefix(1);
  const bool cut = lineLength >= kLineBuffer;
  const bool used = topology(start, speaker, cut) || initialization(start, speaker) || call(start, speaker) ||
                    tuning(start, speaker) || channels(start, speaker) || connected(start) ||
                    environment(start, speaker) || network(start, speaker);
  if (used) return;
  ++file().unusedLines;
  countIn(file().unusedByWord, std::string(firstWord(start)), kMaxShapes);
}

bool NcclLogReader::State::link(std::string_view text, const NcclSpeaker& speaker) {
  auto found = ncclLinkOf(text);
  if (!found) return false;
  NcclLog& all = log();
  found->link.kind = facts.kindNamed(found->kind);
  found->link.process = speaker.process;
  found->link.at = here();
  ++all.linkLines[static_cast<std::int32_t>(found->link.kind)];
  ++all.linkConnections[found->link.connection];
  ++all.linkDirections[static_cast<std::size_t>(found->link.direction)];
  if (found->link.gdr) ++all.linkFlags["GDRDMA"];
  if (found->link.read) ++all.linkFlags["read"];
  if (found->link.copyEngine) ++all.linkFlags["CE"];
  if (found->link.shared) ++all.linkFlags["Shared"];
  facts.add(found->link, speaker, found->comm);
  return true;
}

bool NcclLogReader::State::topology(std::string_view text, const NcclSpeaker& speaker, bool cut) {
  if (text.starts_with("Channel ") || text.starts_with("Ring ") || text.starts_with("CollNet ")) {
    if (link(text, speaker)) return true;
    if (auto step = ncclRingStepOf(text)) {
      ++log().ringStepLines;
      facts.add(*step, speaker);
      return true;
    }
    if (auto ring = ncclRingOf(text)) {
      facts.add(*ring, speaker);
      return true;
    }
    if (isCutNcclLink(text)) ++log().cutLinkLines;
    damaged("a link or ring that is cut");
    return true;
  }
  if (text.starts_with("Trees")) {
    ++log().treeLines;
    for (const NcclTreeNode& node : ncclTreesOf(text, cut)) facts.add(node, speaker);
    if (cut) damaged("NCCL's buffer was too small for all trees");
    return true;
  }
  if (text.starts_with("Tree ")) {
    const auto node = ncclTreeOf(text);
    if (node) facts.add(*node, speaker);
    return node.has_value();
  }
  if (text.starts_with("Pattern 4,")) {
    NcclWords words(text);
    const std::string_view type = words.valueOf("type");
    facts.linkType(speaker, type.substr(0, std::min(type.find(','), type.size())));
    return true;
  }
  return text.starts_with("Pattern ");
}

bool NcclLogReader::State::initialization(std::string_view text, const NcclSpeaker& speaker) {
  if (text.find("comm 0x") != std::string_view::npos) {
    const std::size_t dash = text.rfind("- ");
    const std::string_view state = dash == std::string_view::npos ? "" : text.substr(dash + 2);
    for (const std::string_view known : {"Init START", "Init COMPLETE", "Destroy COMPLETE", "Abort COMPLETE",
                                         "Abort START", "Destroy START"}) {
      if (!state.starts_with(known)) continue;
      countIn(log().initLines, std::string(known), kMaxShapes);
      if (!facts.initialization(speaker, text.substr(0, dash), known, here()))
        damaged("the rank is none of the communicator's");
      return true;
    }
    NcclWords words(text);
    if (!words.valueOf("nNodes").empty() && !words.valueOf("localRanks").empty()) {
      const std::size_t ranks = text.find("nRanks ");
      const std::size_t local = text.find(" localRank ");
      std::string shape = ranks == std::string_view::npos ? std::string() : std::string(text.substr(ranks));
      if (local != std::string_view::npos && local > ranks) {
        // Equal for all ranks: without the rank on its node.
        const std::string_view after = text.substr(local + 1);
        const std::size_t mnnvl = after.find("MNNVL");
        shape = std::string(text.substr(ranks, local - ranks));
        if (mnnvl != std::string_view::npos) shape.append(" ").append(after.substr(mnnvl));
      }
      countIn(log().nodeLines, shape, kMaxShapes);
      facts.nodes(speaker, text);
      return true;
    }
  }
  if (!text.starts_with("Init timings")) return false;
  facts.timings(speaker, text);
  return true;
}

bool NcclLogReader::State::call(std::string_view text, const NcclSpeaker& speaker) {
  auto found = ncclCallOf(text);
  if (!found) return false;
  const auto known = std::ranges::find(log().operations, found->operation);
  found->call.operation =
      static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(known - log().operations.begin(), 255));
  if (known == log().operations.end() && log().operations.size() < kMaxShapes)
    log().operations.emplace_back(found->operation);
  found->call.instance = facts.instanceAt(speaker, found->comm, found->ranks, here());
  log().calls.push_back(found->call);
  return true;
}

bool NcclLogReader::State::tuning(std::string_view text, const NcclSpeaker& speaker) {
  if (auto choice = ncclChoiceOf(text)) {
    choice->process = speaker.process;
    choice->instance = facts.talkingOf(speaker);
    std::string key = std::to_string(choice->process) + '/' + std::to_string(choice->instance) + '/';
    key.append(choice->operation).append("/").append(std::to_string(choice->bytes)).append("/");
    key.append(choice->algorithm).append("/").append(choice->protocol).append("/");
    key.append(std::to_string(choice->channels.value_or(-1)));
    const auto [known, isNew] = choices.emplace(std::move(key), log().choices.size());
    if (isNew && log().choices.size() >= NcclAssignment::kMaxFacts) {
      choices.erase(known);
      ++log().notKept;
      return true;
    }
    if (isNew) log().choices.push_back(*choice);
    ++log().choices[known->second].count;
    return true;
  }
  if (text.find('|') == std::string_view::npos || text.starts_with("threadThresholds")) return false;
  if (auto header = ncclTuningHeaderOf(text)) {
    tuningHeaders[speaker.process] = std::move(*header);
    return true;
  }
  const auto header = tuningHeaders.find(speaker.process);
  if (header == tuningHeaders.end()) return false;
  std::vector<NcclTuning> cells = ncclTuningOf(text, header->second);
  for (NcclTuning& cell : cells) {
    cell.process = speaker.process;
    facts.add(cell);
  }
  return !cells.empty() || text.starts_with("Protocol") || text.starts_with("Max NThreads");
}

bool NcclLogReader::State::channels(std::string_view text, const NcclSpeaker& speaker) {
  const std::size_t coll = text.find(" coll channels");
  if (coll == std::string_view::npos || text.empty() || text.front() < '0' || text.front() > '9')
    return false;
  countIn(log().channelLines, shortened(text), kMaxShapes);
  facts.channels(speaker, text);
  return true;
}

bool NcclLogReader::State::connected(std::string_view text) {
  if (!text.starts_with("Connected ")) return false;
  if (text.starts_with("Connected all rings")) ++log().connectedRings;
  if (text.starts_with("Connected all trees")) ++log().connectedTrees;
  if (text.starts_with("Connected NVLS tree")) ++log().connectedNvls;
  return true;
}

bool NcclLogReader::State::environment(std::string_view text, const NcclSpeaker& speaker) {
  for (const std::string_view words : {" set by environment to ", " set to "}) {
    const std::size_t at = text.find(words);
    if (at > 64 || !text.starts_with("NCCL_")) continue;
    std::string_view value = text.substr(at + words.size());
    while (value.ends_with('.') || value.ends_with(' ')) value.remove_suffix(1);
    facts.environment(speaker, text.substr(0, at), value, here());
    return true;
  }
  return false;
}

bool NcclLogReader::State::network(std::string_view text, const NcclSpeaker& speaker) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  NcclProcess& process = log().processes[speaker.process];
  if (text.starts_with("Using network ")) {
    process.network = shortened(text.substr(14));
    process.networkAt = here();
  } else if (text.starts_with("NET/IB : Using") || (text.starts_with("NET/") && has(" : Using ["))) {
    const bool socket = text.starts_with("NET/Socket");
    (socket ? process.socketDevices : process.devices) = ncclDevicesOf(text.substr(text.find("Using")));
  } else if (text.starts_with("NET/IB : Made virtual device")) {
    NcclWords words(text);
    const std::size_t speed = text.find("speed=");
    const std::size_t name = text.find("name=");
    if (speed == std::string_view::npos || name == std::string_view::npos) return false;
    NcclWords rate(text.substr(speed + 6));
    const std::string_view named = text.substr(name + 5, text.find(' ', name) - name - 5);
    for (NcclDevice& device : process.devices)
      if (device.name == named) device.gbitS = static_cast<double>(rate.number().value_or(0)) / 1000;
  } else if (text.starts_with("NET/Plugin") || text.starts_with("NET/OFI") || text.starts_with("NET/IB")) {
    if (has("Loaded net plugin"))
      process.plugin = shortened(text.substr(text.find("Loaded net plugin") + 18));
    if (has("Initializing aws-ofi-nccl")) process.plugin = "aws-ofi-nccl";
    if (has("No plugin found") || has("Could not find")) process.pluginSought = true;
    return has("Plugin") || has("plugin") || has("GPU Direct") || has("No device found");
  } else if (has("uner plugin") || text.starts_with("TUNER/Plugin")) {
    if (has("Using tuner plugin") && !has("internal")) {
      std::string_view name = text.substr(text.find("Using tuner plugin") + 18);
      while (name.starts_with(':') || name.starts_with(' ') || name.starts_with('\'')) name.remove_prefix(1);
      while (name.ends_with('\'')) name.remove_suffix(1);
      process.tuner = shortened(name);
    }
  } else if (text.starts_with("NVLS multicast support is ")) {
    process.multicast = !has("not available");
    process.multicastAt = here();
  } else if (has("P2P is disabled between") || has("Could not enable P2P between")) {
    process.peerToPeerFailed = true;
    process.peerToPeerAt = here();
  } else if (has("type C2C") || has("/C2C")) {
    process.chipToChip = true;
  } else {
    return has("GPU Direct RDMA") || text.starts_with("DMA-BUF is available");
  }
  return true;
}

void NcclLogReader::State::warning(std::string_view text, std::string_view cause, const std::string& host,
                                   std::optional<std::uint32_t> process) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::string shape = ncclWarningShape(text.substr(0, kMaxText));
  const auto [known, isNew] = warnings.emplace(shape, log().warnings.size());
  if (isNew && log().warnings.size() >= kMaxWarnings) {
    warnings.erase(known);
    ++log().notKept;
    return;
  }
  if (isNew) {
    NcclWarning entry;
    entry.cause = std::string(cause);
    entry.text = shape;
    entry.first = shortened(text);
    entry.at = here();
    entry.ofNccl = process.has_value();
    log().warnings.push_back(std::move(entry));
  }
  NcclWarning& entry = log().warnings[known->second];
  ++entry.count;
  if (!host.empty()) entry.hosts.insert(host);
  if (process) ++entry.processes[*process];
}

NcclLogReader::NcclLogReader() : m_state(std::make_unique<State>()) {}
NcclLogReader::~NcclLogReader() = default;

void NcclLogReader::beginFile(const std::string& path) {
  NcclFile file;
  file.path = path;
  m_state->log().files.push_back(std::move(file));
  m_state->lineNumber = 0;
  m_state->facts.beginFile();
}

void NcclLogReader::line(std::string_view text) {
  m_state->read(text);
}

std::uint64_t NcclLogReader::lineNumber() const {
  return m_state->lineNumber;
}

void NcclLogReader::damaged(std::uint64_t line, std::string what) {
  m_state->damagedAt(line, std::move(what));
}

void NcclLogReader::endFile(std::string problem) {
  m_state->endFile(std::move(problem));
}

NcclLog NcclLogReader::finish() {
  return m_state->facts.finish();
}

} // namespace rankscope
