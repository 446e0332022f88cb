// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_export.h"

#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace rankscope {

namespace {

// The only variables that are read from a recorded environment.
constexpr std::array<std::string_view, 21> kVariables{"RANK",
                                                      "SLURM_PROCID",
                                                      "OMPI_COMM_WORLD_RANK",
                                                      "PMIX_RANK",
                                                      "PMI_RANK",
                                                      "PALS_RANKID",
                                                      "MV2_COMM_WORLD_RANK",
                                                      "FLUX_TASK_RANK",
                                                      "JSM_NAMESPACE_RANK",
                                                      "WORLD_SIZE",
                                                      "SLURM_NTASKS",
                                                      "OMPI_COMM_WORLD_SIZE",
                                                      "PMI_SIZE",
                                                      "LOCAL_RANK",
                                                      "SLURM_LOCALID",
                                                      "OMPI_COMM_WORLD_LOCAL_RANK",
                                                      "PMI_LOCAL_RANK",
                                                      "PALS_LOCAL_RANKID",
                                                      "GROUP_RANK",
                                                      "NODE_RANK",
                                                      "SLURM_NODEID"};

constexpr std::int64_t kMostSmallRows = 1'000'000; // of tables that are kept as a whole

using Columns = std::initializer_list<std::string_view>;

// A file and what of its small tables could not be read.
struct SmallTables {
  const SqliteFile& file;
  std::map<std::string, std::vector<SqliteFile::RowRange>, std::less<>> damaged = {};
};

// Calls use(rows) for each row of a table that may be missing.
template <class Use> void eachRow(SmallTables& tables, std::string_view name, Columns columns, Use&& use) {
  const SqliteTable* const table = tables.file.table(name);
  if (table == nullptr) return;
  SqliteRows rows(tables.file, *table, {columns.begin(), columns.size()});
  if (!rows.readable()) return;
  SqliteScan scan(rows);
  for (std::int64_t count = 0; count < kMostSmallRows && scan.next(); ++count) use(rows);
  if (!scan.damaged().empty()) tables.damaged[table->name] = scan.damaged();
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// "2026.2.1" of ".../nsight-systems-cli/2026.2.1/target-linux-x64".
std::string versionInPath(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find_first_of("/\\");
    const std::string_view part = path.substr(0, slash);
    if (part.size() > 5 && part.starts_with("20") && part[4] == '.' &&
        part.find_first_not_of("0123456789.") == std::string_view::npos)
      return std::string(part);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return {};
}

// Three parts of a version are enough to find it.
std::string shortVersion(std::string version) {
  std::size_t dots = 0;
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (version[i] == '.' && ++dots == 3) return version.substr(0, i);
  }
  return version;
}

struct ExportSettings {
  std::string version;
  std::string host;
  bool normalized = false;
  std::int64_t shift = 0;       // that this export added
  std::int64_t wantedShift = 0; // that the user asked for
  bool blobs = true;
};

ExportSettings readSettings(SmallTables& file, NsysExport& to) {
  ExportSettings settings;
  for (const std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    eachRow(file, table, {"name", "value"}, [&](const SqliteRows& row) {
      const std::string_view name = row.bytes(0);
      const std::string_view value = row.bytes(1);
      if (name == "EXPORT_PRODUCT_VERSION") settings.version = displayText(value);
      if (name == "EXPORT_HOST") settings.host = displayText(value);
      if (name == "EXPORT_SCHEMA_VERSION_MAJOR") to.schemaMajor = wholeNumber(value).value_or(0);
      if (name == "EXPORT_PARAM_TIME_NORMALIZE") settings.normalized = value == "true" || value == "1";
      if (name == "EXPORT_PARAM_TIME_SHIFT") settings.wantedShift = wholeNumber(value).value_or(0);
      if (name == "EXPORT_CONFIG_TIME_SHIFT") settings.shift = wholeNumber(value).value_or(0);
      if (name == "EXPORT_PARAM_INCLUDE_BLOBS") settings.blobs = value == "true" || value == "1";
      if (name == "EXPORT_PARAM_INPUT_FILE" || name == "EXPORT_INPUT_FILE") to.report = displayText(value);
      if ((name == "EXPORT_PARAM_TABLES_TO_EXPORT" || name == "EXPORT_PARAM_TIMES_TO_EXPORT") &&
          !value.empty())
        to.partial = true;
    });
  }
  return settings;
}

void readSystem(SmallTables& file, std::string& installed, NsysExport& to) {
  eachRow(file, "TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](const SqliteRows& row) {
    const std::string name(row.bytes(0));
    if (name == "Hostname") to.host = displayText(row.bytes(1));
    if (name == "TargetInstallDir") installed = versionInPath(row.bytes(1));
    if (name == "DeviceEnvironment" && to.environment.empty()) takeEnvironment(row.bytes(1), to.environment);
  });
}

void readCapture(SmallTables& file, NsysExport& to) {
  std::string mode;
  eachRow(file, "META_DATA_CAPTURE", {"name", "value"}, [&](const SqliteRows& row) {
    const std::string_view name = row.bytes(0);
    if (name.ends_with("ENVIRONMENT_VARIABLE")) takeEnvironmentLine(row.bytes(1), to.environment);
    if (name.ends_with("CUDA_GRAPH_TRACE_OPTIONS:MODE")) mode = row.bytes(1);
    if (name.ends_with("PROFILING_SESSION_UUID")) to.session = displayText(row.bytes(1));
  });
  to.graphsAsWhole = mode == "Graph";
}

void readGpus(SmallTables& file, NsysExport& to) {
  eachRow(file, "TARGET_INFO_GPU",
          {"id", "cuDevice", "name", "totalMemory", "smCount", "maxWarpsPerSm", "maxBlocksPerSm",
           "maxRegistersPerSm", "maxShmemPerSm", "computeMajor", "computeMinor"},
          [&](const SqliteRows& row) {
            NsysGpu gpu;
            gpu.id = row.optionalInteger(0).value_or(-1);
            gpu.cudaDevice = row.optionalInteger(1).value_or(-1);
            gpu.name = displayText(row.bytes(2));
            gpu.memoryBytes = row.integer(3);
            gpu.multiprocessors = row.integer(4);
            gpu.maxWarps = row.integer(5);
            gpu.maxBlocks = row.integer(6);
            gpu.maxRegisters = row.integer(7);
            gpu.maxSharedBytes = row.integer(8);
            gpu.computeMajor = row.integer(9);
            gpu.computeMinor = row.integer(10);
            const bool known =
                std::ranges::any_of(to.gpus, [&](const NsysGpu& of) { return of.id == gpu.id; });
            if (!known) to.gpus.push_back(std::move(gpu));
          });
  eachRow(file, "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid", "numMultiprocessors"},
          [&](const SqliteRows& row) {
            to.gpuOfDevice.emplace(std::pair(row.integer(2), row.integer(1)), row.integer(0));
            for (NsysGpu& gpu : to.gpus) {
              if (gpu.id == row.integer(0) && gpu.multiprocessors == 0) gpu.multiprocessors = row.integer(3);
            }
          });
}

void readNames(SmallTables& file, NsysExport& to) {
  eachRow(file, "PROCESSES", {"globalPid", "name"}, [&](const SqliteRows& row) {
    if (!row.isNull(0)) to.processes[processKey(row.integer(0))] = displayText(row.bytes(1));
  });
  eachRow(file, "ThreadNames", {"globalTid", "nameId"}, [&](const SqliteRows& row) {
    if (!row.isNull(0) && !row.isNull(1)) to.threadNames[row.integer(0)] = row.integer(1);
  });
  eachRow(file, "TARGET_INFO_NVTX_CUDA_STREAM", {"processId", "streamId", "name"},
          [&](const SqliteRows& row) {
            std::string name = displayText(row.bytes(2));
            if (!name.empty()) to.streamNames[{row.integer(0), row.integer(1)}] = std::move(name);
          });
  eachRow(file, "MPI_RANKS", {"globalTid", "rank"}, [&](const SqliteRows& row) {
    const std::int64_t rank = row.optionalInteger(1).value_or(-1);
    if (!row.isNull(0) && rank >= 0 && rank <= std::numeric_limits<int>::max())
      to.mpiRanks[processKey(row.integer(0))] = static_cast<int>(rank);
  });
  eachRow(file, "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}, [&](const SqliteRows& row) {
    to.metrics[{row.integer(0), row.integer(1)}] = displayText(row.bytes(2));
  });
}

void readMessages(SmallTables& file, NsysExport& to) {
  constexpr std::size_t kMostMessages = 100;
  constexpr std::size_t kLongest = 400;
  eachRow(file, "DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const SqliteRows& row) {
    const std::int64_t severity = row.integer(0);
    if (severity != 2 && severity != 3) return;
    std::string text = displayText(row.bytes(1).substr(0, kLongest));
    std::ranges::replace(text, '\n', ' ');
    // About graphics, which no training uses.
    for (const std::string_view api : {"OpenGL", "Vulkan", "DX11", "DX12"}) {
      if (text.find(api) != std::string::npos) return;
    }
    for (NsysMessage& known : to.messages) {
      if (known.severity != severity || known.text != text) continue;
      ++known.count;
      return;
    }
    if (to.messages.size() < kMostMessages) to.messages.push_back({severity, std::move(text), 1});
  });
}

// The first recorded time of any kind.
std::optional<std::int64_t> firstTime(const SqliteFile& file) {
  std::optional<std::int64_t> first;
  for (const NsysTable of : {NsysTable::Kernel, NsysTable::Memcpy, NsysTable::Runtime, NsysTable::Nvtx}) {
    const NsysTableSpec& spec = nsysTable(of);
    const SqliteTable* const table = file.table(spec.name);
    if (table == nullptr) continue;
    SqliteRows rows(file, *table, spec.columns.first(1));
    if (!rows.readable() || rows.next() != SqliteRows::Step::Row || rows.isNull(0)) continue;
    first = std::min(first.value_or(rows.integer(0)), rows.integer(0));
  }
  return first;
}

void readClock(SmallTables& file, const ExportSettings& settings, NsysExport& to) {
  constexpr std::int64_t kLeastUtc = 100'000'000'000'000'000; // 1973: no recording lasts that long
  const auto usable = [](std::int64_t time) { return time > -kMaxTime && time < kMaxTime; };
  std::optional<std::int64_t> epoch;
  eachRow(file, "TARGET_INFO_SESSION_START_TIME", {"utcEpochNs", "systemClockNs"},
          [&](const SqliteRows& row) {
            if (row.isNull(0) || !usable(row.integer(0))) return;
            epoch = row.integer(0);
            to.systemClock = row.integer(1);
          });
  // Unlike its UUID, every exporter writes when a session began, and only it: no two begin in the same
  // nanosecond with the same process ids.
  if (epoch && *epoch > kLeastUtc) to.session = std::to_string(*epoch);
  if (usable(settings.shift)) to.shift = settings.shift;
  const bool honored = settings.normalized || to.shift != 0;
  if (epoch) to.base = *epoch + (honored && usable(settings.wantedShift) ? settings.wantedShift : 0);
  if (const auto first = firstTime(file.file); first && *first > kLeastUtc && usable(*first)) {
    // Normalized: times are UTC already.
    to.base = epoch.value_or(*first);
    to.shift = to.base;
  }
  if (!usable(to.base)) to.base = 0;
  eachRow(file, "ANALYSIS_DETAILS", {"duration"}, [&](const SqliteRows& row) {
    const std::int64_t duration = row.integer(0);
    if (duration > 0 && duration < kMaxDuration) to.captureEnd = duration;
  });
}

void countOthers(const SqliteFile& file, NsysExport& to) {
  static constexpr std::array<std::string_view, 13> kKnown{"StringIds",
                                                           "ThreadNames",
                                                           "PROCESSES",
                                                           "META_DATA_CAPTURE",
                                                           "META_DATA_EXPORT",
                                                           "EXPORT_META_DATA",
                                                           "ANALYSIS_DETAILS",
                                                           "DIAGNOSTIC_EVENT",
                                                           "ProcessStreams",
                                                           "ANALYSIS_FILE",
                                                           "MPI_RANKS",
                                                           "UnwindMethodType",
                                                           "CUDA_GRAPH_NODE_EVENTS"};
  for (const std::string& name : file.tableNames()) {
    const bool metadata = name.starts_with("TARGET_INFO_") || name.starts_with("ENUM_") ||
                          name.starts_with("sqlite_") || name.starts_with("NVTX_PAYLOAD") ||
                          std::ranges::find(kKnown, name) != kKnown.end();
    const bool read = std::ranges::any_of(
        nsysTables(), [&](const NsysTableSpec& spec) { return file.table(spec.name) == file.table(name); });
    if (metadata || read) continue;
    SqliteFile::RowRange rows = file.rowsOf(*file.table(name));
    if (rows.last == SqliteFile::kLastRow)
      rows.last = file.lastReadable(*file.table(name)).value_or(rows.first - 1);
    if (!rows.empty())
      to.notImported.emplace_back(name, static_cast<std::uint64_t>(rows.last) -
                                            static_cast<std::uint64_t>(rows.first) + 1);
  }
}

} // namespace

const NsysGpu* NsysExport::gpuOf(std::int64_t process, std::int64_t device) const {
  const auto with = [&](auto&& member, std::int64_t value) {
    const auto found = std::ranges::find(gpus, value, member);
    return found == gpus.end() ? nullptr : &*found;
  };
  const auto mapped = gpuOfDevice.find({pidOf(process), device});
  if (mapped != gpuOfDevice.end()) return with(&NsysGpu::id, mapped->second);
  if (const NsysGpu* const gpu = with(&NsysGpu::cudaDevice, device)) return gpu;
  return with(&NsysGpu::id, device);
}

void takeEnvironmentLine(std::string_view line, std::map<std::string, std::int64_t, std::less<>>& to) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const auto known = std::ranges::find(kVariables, line.substr(0, equals));
  if (known == kVariables.end()) return;
  std::string_view value = line.substr(equals + 1);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  if (const auto number = wholeNumber(value); number && *number >= 0)
    to.try_emplace(std::string(*known), *number);
}

void takeEnvironment(std::string_view text, std::map<std::string, std::int64_t, std::less<>>& to) {
  const char mark = text.find('\0') != std::string_view::npos ? '\0' : ';';
  while (!text.empty()) {
    const std::size_t end = text.find(mark);
    takeEnvironmentLine(text.substr(0, end), to);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

bool isNsysExport(const SqliteFile& file) {
  if (file.table("StringTable") != nullptr) return false; // nvprof's, with tables of the same names
  const std::vector<std::string> names = file.tableNames();
  return std::ranges::any_of(names, [](const std::string& name) {
    return name.starts_with("CUPTI_ACTIVITY_KIND_") || name == "NVTX_EVENTS" || name == "OSRT_API" ||
           name == "TARGET_INFO_SYSTEM_ENV";
  });
}

NsysExport readExport(const SqliteFile& database) {
  NsysExport facts;
  SmallTables file{database};
  const ExportSettings settings = readSettings(file, facts);
  std::string installed;
  readCapture(file, facts);
  readSystem(file, installed, facts);
  facts.recordedBy = "Nsight Systems";
  const std::string version = !installed.empty() ? installed : shortVersion(settings.version);
  if (!version.empty()) facts.recordedBy.append(" ").append(version);
  readClock(file, settings, facts);
  readGpus(file, facts);
  readNames(file, facts);
  readMessages(file, facts);
  const SqliteTable* const schemas = database.table("NVTX_PAYLOAD_SCHEMAS");
  facts.blobsLeftOut = !settings.blobs && schemas != nullptr && !database.rowsOf(*schemas).empty();
  countOthers(database, facts);
  facts.fileDamage = database.damage();
  for (const auto& [name, ranges] : file.damaged) {
    for (const SqliteFile::RowRange& range : ranges)
      facts.damage.emplace_back(name).append(": ").append(damagedRowsText(range));
  }
  facts.lacks = missingColumns(database);
  return facts;
}

NsysStrings::NsysStrings(const SqliteFile& file) {
  const SqliteTable* const table = file.table("StringIds");
  static constexpr std::array<std::string_view, 2> kColumns{"id", "value"};
  if (table == nullptr || !table->has("id")) return;
  m_rows.emplace(file, *table, kColumns);
  if (!m_rows->readable()) m_rows.reset();
}

bool NsysStrings::seek(std::int64_t rowid) {
  m_rows->restrictTo({rowid, rowid});
  return m_rows->next() == SqliteRows::Step::Row;
}

std::optional<std::string_view> NsysStrings::text(std::int64_t id) {
  if (!m_rows) return std::nullopt;
  if (!m_indexed && seek(id) && m_rows->integer(0) == id) return m_rows->bytes(1);
  if (!m_indexed) {
    // Ids that are not the rowids: helper tools rewrite tables. Only numbers are read here.
    m_indexed = true;
    SqliteScan scan(*m_rows);
    while (scan.next()) {
      if (m_rows->integer(0) != m_rows->rowid()) m_rowOfId.emplace(m_rows->integer(0), m_rows->rowid());
    }
  }
  const auto found = m_rowOfId.find(id);
  if (!seek(found == m_rowOfId.end() ? id : found->second) || m_rows->integer(0) != id) return std::nullopt;
  return m_rows->bytes(1);
}

} // namespace rankscope
