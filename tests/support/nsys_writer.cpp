// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/nsys_writer.h"

#include "tests/support/nsys_payloads.h"
#include "tests/support/trace_facts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace rankscope::test {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLead = 1'000'000;                 // from the begin of the capture to the first event
constexpr std::int64_t kBoot = 1'700'000'000'000'000'000; // when the host was started

// The number of a word in CUPTI's list; 0 for others.
template <std::size_t Count>
std::int64_t numberOf(const std::array<std::string_view, Count>& words, std::string_view word) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() ? 0 : found - words.begin();
}

// "Memcpy HtoD (Pinned -> Device)".
struct CopyKinds {
  std::int64_t kind = 0, from = 0, to = 0;

  explicit CopyKinds(std::string_view name) {
    static constexpr std::array<std::string_view, 9> kKinds{"",     "HtoD", "DtoH", "HtoA", "AtoH",
                                                            "AtoA", "AtoD", "DtoA", "DtoD"};
    static constexpr std::array<std::string_view, 3> kMemory{"Pageable", "Pinned", "Device"};
    const std::size_t open = name.find('('), arrow = name.find(" -> "), close = name.find(')');
    if (open == std::string_view::npos || arrow == std::string_view::npos || close == std::string_view::npos)
      return;
    kind = numberOf(kKinds, name.substr(7, open - 8));
    from = numberOf(kMemory, name.substr(open + 1, arrow - open - 1));
    to = numberOf(kMemory, name.substr(arrow + 4, close - arrow - 4));
  }
};

// emit_nvtx pushes operators and record_function alike; older versions do not number them.
std::string rangeText(const ReadEvent& event, NsysFile::Version version, std::int64_t number) {
  std::string text = event.name;
  if (event.category == "cpu_op" && event.sequence >= 0) text += ", seq = " + std::to_string(event.sequence);
  if (version == NsysFile::Version::New)
    text += ", op_id = " + std::to_string(number);
  else if (event.category == "cpu_op" && event.sequence < 0)
    text += ", seq = 0";
  if (!event.dims.empty()) text += ", sizes = " + event.dims;
  return text;
}

constexpr std::int64_t kNone = 4'294'967'295; // no stream, no event

// What of a rank was recorded.
struct RecordedRank {
  fs::path trace; // below the folder of the job
  std::string stem;
  std::string host;
  std::int64_t rank = 0;
  std::vector<ReadDevice> devices;
  std::vector<ReadEvent> events;

  [[nodiscard]] std::int64_t firstNs() const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const ReadEvent& event : events) {
      if (event.phase == "X") first = std::min(first, event.begin);
    }
    return first;
  }
  [[nodiscard]] std::int64_t pid() const {
    const auto known = std::ranges::find(events, "cpu_op", &ReadEvent::category);
    return known == events.end() ? 1 : std::stoll(known->process);
  }
};

class ExportWriter {
 public:
  // first: of all events.
  ExportWriter(const std::string& path, NsysFile::Version version, std::int64_t first, std::string_view host)
      : m_file(path, version), m_version(version), m_zero(first - kLead) {
    m_file.run("BEGIN");
    // Traces of times since 0 have no wall clock; an export has one.
    constexpr std::int64_t kDay = 86'400'000'000'000;
    const std::int64_t utc = m_zero < kBoot ? m_zero + kBoot + kDay : m_zero;
    m_file.session(utc, utc - kBoot, host.empty() ? "node0" : host);
    if (hasPayloads()) createSchemas();
  }

  void environment(std::string_view name, std::int64_t value) {
    m_file.environment(name, std::to_string(value));
  }

  // A process, of a pid of its own.
  void add(const RecordedRank& of, std::int64_t pid) {
    m_pid = pid;
    m_rank = of.rank;
    m_launched.clear();
    m_recorded.clear();
    m_file.run("INSERT INTO PROCESSES VALUES (" + std::to_string(NsysFile::process(pid)) + ", " +
               std::to_string(pid) + ", 'python3')");
    writeDevices(of.devices);
    writeCommunicators(of.events);
    for (const ReadEvent& event : of.events) {
      if (event.phase == "X") take(event);
    }
  }

  void finish() { m_file.run("COMMIT"); }

 private:
  [[nodiscard]] bool hasPayloads() const { return m_version == NsysFile::Version::New; }

  void createSchemas() {
    m_file.run(
        "CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, "
        "flags INTEGER, numEntries INTEGER, payloadSize INTEGER, alignTo INTEGER);"
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, "
        "idx INTEGER NOT NULL, flags INTEGER, type INTEGER, name TEXT, description TEXT, "
        "arrayOrUnionDetail INTEGER, offset INTEGER);"
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_INCLUDE_BLOBS', 'true')");
  }

  // A process sees all GPUs of its host.
  void writeDevices(const std::vector<ReadDevice>& devices) {
    constexpr std::int64_t kWarp = 32, kMostBlocks = 32;
    for (const ReadDevice& of : devices) {
      const std::string id = std::to_string(of.id);
      const auto next = [](std::int64_t value) { return ", " + std::to_string(value); };
      if (m_gpus.insert(of.id).second)
        m_file.run("INSERT INTO TARGET_INFO_GPU VALUES (0, " + id + ", " + sqlText(of.name) +
                   next(of.memoryBytes) + next(of.multiprocessors) + next(of.registers) +
                   next(of.sharedBytes) + next(of.threads / kWarp) + next(kMostBlocks) +
                   next(of.computeMajor) + next(of.computeMinor) + ")");
      if (m_version == NsysFile::Version::New)
        m_file.run("INSERT INTO TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid) VALUES (" + id + ", " + id +
                   next(m_pid) + ")");
    }
  }

  // Every process registers them, so rows repeat.
  void writeSchemas() {
    struct Field {
      const char* name;
      int type, offset;
    };
    const auto add = [&](std::uint64_t schema, std::initializer_list<Field> fields) {
      const std::string key = "(1, " + std::to_string(kFirstSchema + schema) + ", ";
      m_file.run("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES " + key + "NULL, 1, NULL, " +
                 std::to_string(fields.size()) + ", 24, NULL)");
      int index = 0;
      for (const Field& field : fields)
        m_file.run("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES " + key + std::to_string(index++) +
                   ", NULL, " + std::to_string(field.type) + ", " + sqlText(field.name) + ", NULL, NULL, " +
                   (field.offset == 0 ? "NULL" : std::to_string(field.offset)) + ")");
    };
    const Field communicator{"NCCL communicator ID", kUint64, 0};
    const Field size{"Message size [bytes]", kSize, 8};
    add(11, {communicator, {"No. of ranks", kInt, 8}, {"Rank", kInt, 12}, {"CUDA device", kInt, 16}});
    for (const std::uint64_t schema : {4U, 5U, 6U, 7U, 16U}) add(schema, {communicator, size});
    for (const std::uint64_t schema : {9U, 10U}) add(schema, {communicator, size, {"Peer rank", kInt, 16}});
  }

  // At the first event, as where a whole run was recorded.
  void writeCommunicators(const std::vector<ReadEvent>& events) {
    m_file.run(
        "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (-1000, 75, 'NCCL', " +
        std::to_string(NsysFile::thread(m_pid, m_pid)) + ", 1)");
    if (hasPayloads()) writeSchemas();
    std::int64_t at = std::numeric_limits<std::int64_t>::max();
    for (const ReadEvent& event : events) {
      if (event.category == "cpu_op" || event.category == "user_annotation")
        at = std::min(at, event.begin - m_zero);
    }
    std::set<std::uint64_t> known;
    for (const ReadEvent& event : events) {
      if (event.category != "kernel" || event.collective.empty()) continue;
      m_launched.emplace(event.correlation, &event);
      if (!hasPayloads() || event.groupRanks.empty() || !known.insert(communicatorOf(event)).second) continue;
      const std::vector<std::int64_t> ranks = ranksOf(event.groupRanks);
      const auto own = std::ranges::find(ranks, m_rank);
      if (own == ranks.end()) continue;
      writeNccl(m_pid, at, at + 1, "ncclCommInitRankConfig",
                NcclPayloadBlob(kFirstSchema + 11)
                    .add(communicatorOf(event), 8)
                    .add(ranks.size(), 4)
                    .add(static_cast<std::uint64_t>(own - ranks.begin()), 4)
                    .add(0, 4)
                    .sql());
      at += 2;
    }
  }

  void writeNccl(std::int64_t thread, std::int64_t begin, std::int64_t end, std::string_view name,
                 const std::string& payload) {
    const std::string binary = hasPayloads() ? ", binaryData" : "";
    m_file.run("INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid, domainId" + binary +
               ") VALUES (" + std::to_string(begin) + ", " + std::to_string(end) + ", 59, " +
               std::to_string(m_file.string(name)) + ", " + std::to_string(NsysFile::thread(m_pid, thread)) +
               ", 1" + (hasPayloads() ? ", " + payload : "") + ")");
  }

  [[nodiscard]] std::string payloadOf(const NcclFunction& function, const ReadEvent& kernel,
                                      std::int64_t elements, std::int64_t peer) const {
    if (elements < 0 || kernel.groupRanks.empty()) return "NULL";
    NcclPayloadBlob blob(function.schema);
    blob.add(communicatorOf(kernel), 8).add(static_cast<std::uint64_t>(elements * bytesOf(kernel.dtype)), 8);
    if (function.hasPeer) blob.add(static_cast<std::uint64_t>(peer), 4);
    return blob.sql();
  }

  // NCCL counts peers within the communicator, PyTorch within the job.
  static std::int64_t peerOf(const ReadEvent& kernel) {
    const std::vector<std::int64_t> ranks = ranksOf(kernel.groupRanks);
    const auto found = std::ranges::find(ranks, kernel.peer);
    return found == ranks.end() ? kernel.peer : found - ranks.begin();
  }

  // NCCL's range around the call that launched a collective.
  void writeCollective(const ReadEvent& kernel, std::int64_t thread, std::int64_t begin, std::int64_t end) {
    const NcclFunction function = functionOf(kernel.collective);
    if (function.name.empty()) return;
    if (function.name == kExchange) writeParts(kernel, thread, begin);
    std::int64_t elements = kernel.inElements;
    if (function.name == "ncclReduceScatter" || function.name == "ncclRecv") elements = kernel.outElements;
    if (function.name == "ncclAlltoAll")
      elements /= std::max<std::int64_t>(static_cast<std::int64_t>(ranksOf(kernel.groupRanks).size()), 1);
    writeNccl(thread, begin, end, function.name,
              function.name == kExchange ? "NULL" : payloadOf(function, kernel, elements, peerOf(kernel)));
  }

  // Sends and receives of an exchange, before the end of their group. Only the sums are known of the parts.
  void writeParts(const ReadEvent& kernel, std::int64_t thread, std::int64_t end) {
    const auto peers = static_cast<std::int64_t>(ranksOf(kernel.groupRanks).size());
    std::int64_t at = end - 4 * peers - 4;
    writeNccl(thread, at, at + 1, "ncclGroupStart", "NULL");
    for (std::int64_t peer = 0; peer < peers; ++peer) {
      for (const char* const name : {"send", "recv"}) {
        const NcclFunction function = functionOf(name);
        const std::int64_t all = function.name == "ncclSend" ? kernel.inElements : kernel.outElements;
        const std::int64_t part = all / peers + (peer < all % peers ? 1 : 0);
        at += 2;
        writeNccl(thread, at, at + 1, function.name, payloadOf(function, kernel, part, peer));
      }
    }
  }

  // What a stream or the host waited for, and the record of the CUDA event.
  void writeSync(const ReadEvent& event, std::int64_t begin, std::int64_t end) {
    const auto number = [](std::int64_t value) { return std::to_string(value < 0 ? kNone : value); };
    const bool waits = event.recordCorrelation >= 0;
    const bool hasIds = m_version == NsysFile::Version::New;
    const std::string process = std::to_string(NsysFile::process(m_pid));
    const std::string id = waits ? number(event.recordCorrelation) : std::to_string(kNone);
    m_file.run(
        std::string("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, "
                    "streamId, correlationId, globalPid, syncType, eventId") +
        (hasIds ? ", eventSyncId" : "") + ") VALUES (" + std::to_string(begin) + ", " + std::to_string(end) +
        ", 0, 1, " + number(event.stream) + ", " + number(event.correlation) + ", " + process + ", 0, " +
        number(event.waitedEvent) + (hasIds ? ", " + id : "") + ")");
    if (!waits || !m_recorded.insert(event.recordCorrelation).second) return;
    m_file.run(std::string("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId, "
                           "correlationId, globalPid, eventId") +
               (hasIds ? ", eventSyncId" : "") + ") VALUES (0, 1, " + number(event.waitedStream) + ", " +
               number(event.recordCorrelation) + ", " + process + ", " + number(event.waitedEvent) +
               (hasIds ? ", " + id : "") + ")");
  }

  void take(const ReadEvent& event) {
    const std::int64_t begin = event.begin - m_zero, end = event.end - m_zero;
    const auto number = [](const std::string& text) { return std::stoll(text); };
    const std::string& category = event.category;
    if (category == "cpu_op" || category == "user_annotation") {
      m_file.range(NsysFile::thread(m_pid, number(event.thread)), begin, end,
                   rangeText(event, m_version, ++m_number));
    } else if (category == "cuda_runtime" || category == "cuda_driver") {
      m_file.call(NsysFile::thread(m_pid, number(event.thread)), begin, end, event.name + "_v7000",
                  std::max<std::int64_t>(event.correlation, 0), category == "cuda_driver" ? 1 : 0);
      if (const auto kernel = m_launched.find(event.correlation); kernel != m_launched.end())
        writeCollective(*kernel->second, number(event.thread), begin, end);
    } else if (category == "cuda_sync") {
      writeSync(event, begin, end);
    } else if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
      const std::int64_t device = number(event.process), stream = number(event.thread);
      const std::int64_t process = NsysFile::process(m_pid);
      if (category == "kernel") {
        NsysFile::LaunchShape shape;
        if (event.grid[0] >= 0) shape = {event.grid, event.block, event.registers, event.sharedBytes};
        m_file.kernel(process, device, stream, begin, end, event.name, event.correlation, shape);
      } else if (category == "gpu_memcpy") {
        const CopyKinds kinds(event.name);
        m_file.copy(process, device, stream, begin, end, event.bytes, event.correlation, kinds.kind,
                    kinds.from, kinds.to);
      } else {
        m_file.set(process, device, stream, begin, end, event.bytes, event.correlation);
      }
    }
  }

  NsysFile m_file;
  NsysFile::Version m_version;
  std::int64_t m_zero;
  std::int64_t m_number = 0;
  std::set<std::int64_t> m_gpus; // that are written
  // Of the process that is written.
  std::int64_t m_pid = 0;
  std::int64_t m_rank = 0;
  std::map<std::int64_t, const ReadEvent*> m_launched; // collectives by the correlation of their launch
  std::set<std::int64_t> m_recorded;                   // events of which the record is written
};

std::vector<RecordedRank> recordedRanks(const fs::path& from) {
  std::vector<RecordedRank> all;
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "ground_truth.json" || name.find(".json") == std::string::npos)
      continue;
    RecordedRank& of = all.emplace_back();
    of.trace = fs::relative(entry.path(), from);
    of.stem = name.substr(0, name.find(".json"));
    const ReadOrigin origin = readOrigin(entry.path());
    of.host = origin.host;
    of.devices = origin.devices;
    std::smatch rank;
    static const std::regex kRank("rank[_-]?([0-9]+)");
    of.rank = std::regex_search(name, rank, kRank) ? std::stoll(rank[1].str())
                                                   : std::max<std::int64_t>(origin.rank, 0);
    of.events = readStrictly(entry.path());
  }
  std::ranges::sort(all, {}, [](const RecordedRank& of) { return std::tie(of.rank, of.trace); });
  return all;
}

// That of the trace, or the next one that no other process of the host has.
std::int64_t freePid(const RecordedRank& of, std::set<std::int64_t>& taken) {
  std::int64_t pid = of.pid();
  while (!taken.insert(pid).second) ++pid;
  return pid;
}

void writeHost(const std::vector<const RecordedRank*>& ranks, const std::string& path,
               NsysFile::Version version, std::int64_t node, std::int64_t nodes) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const RecordedRank* of : ranks) first = std::min(first, of->firstNs());
  ExportWriter writer(path, version, first, ranks.front()->host);
  writer.environment("SLURM_PROCID", node); // of the launcher: no rank
  writer.environment("SLURM_NTASKS", nodes);
  writer.environment("SLURM_NODEID", node);
  std::set<std::int64_t> pids;
  for (const RecordedRank* of : ranks) writer.add(*of, freePid(*of, pids));
  writer.finish();
}

} // namespace

void writeAsNsys(const fs::path& from, const fs::path& to, NsysFile::Version version, NsysReports reports) {
  const std::vector<RecordedRank> all = recordedRanks(from);
  if (reports == NsysReports::OfRanks) {
    std::map<std::string, std::set<std::int64_t>> taken; // by host
    std::map<std::int64_t, std::int64_t> pids;           // by rank, which may have several captures
    for (const RecordedRank& of : all) {
      fs::path path = to / of.trace;
      path.replace_filename(of.stem + ".sqlite");
      fs::create_directories(path.parent_path());
      ExportWriter writer(path.string(), version, of.firstNs(), of.host);
      writer.environment("RANK", of.rank);
      const auto [pid, isNew] = pids.try_emplace(of.rank);
      if (isNew) pid->second = freePid(of, taken[of.host]);
      writer.add(of, pid->second);
      writer.finish();
    }
    return;
  }
  std::map<std::string, std::vector<const RecordedRank*>> hosts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].rank == all[i - 1].rank) throw std::invalid_argument("a report has each rank once");
    hosts[all[i].host].push_back(&all[i]);
  }
  fs::create_directories(to);
  std::int64_t node = 0;
  for (const auto& [host, ranks] : hosts)
    writeHost(ranks, (to / ("profile_" + host + ".sqlite")).string(), version, node++,
              static_cast<std::int64_t>(hosts.size()));
}

} // namespace rankscope::test
