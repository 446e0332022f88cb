// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/nsys_file.h"

#include <initializer_list>
#include <stdexcept>
#include <variant>

#include <sqlite3.h>

namespace rankscope::test {

namespace {

// Columns that are not read are left out, but for some that a reader must cope with.
constexpr const char* kTables =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
    "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, nameEnum INTEGER, value TEXT);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT, "
    "systemClockNs INTEGER);"
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER,"
    " maxRegistersPerSm INTEGER, maxShmemPerSm INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER,"
    " computeMajor INTEGER, computeMinor INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, pid INTEGER NOT "
    "NULL,"
    " uuid TEXT, numMultiprocessors INTEGER);"
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
    "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"
    "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, timestampType INTEGER, source INTEGER, severity "
    "INTEGER,"
    " text TEXT, globalPid INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER "
    "NOT NULL,"
    " contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,"
    " globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, registersPerThread "
    "INTEGER NOT NULL,"
    " gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,"
    " blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,"
    " dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER "
    "NOT NULL,"
    " contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,"
    " globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind "
    "INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER "
    "NOT NULL,"
    " contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,"
    " globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind "
    "INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT "
    "NULL,"
    " correlationId INTEGER, globalPid INTEGER, deprecatedSyncType INTEGER, syncType INTEGER NOT NULL,"
    " eventId INTEGER NOT NULL, eventSyncId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INTEGER, deviceId INTEGER NOT NULL,"
    " contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,"
    " globalPid INTEGER, eventId INTEGER NOT NULL, eventSyncId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,"
    " returnValue INTEGER NOT NULL, callchainId INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId "
    "INTEGER,"
    " category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,"
    " domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER,"
    " int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);"
    "CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,"
    " globalTid INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER,"
    " callchainId INTEGER NOT NULL, argumentsId INTEGER);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.2.1.210'),"
    " ('EXPORT_SCHEMA_VERSION_MAJOR', '3');";

// Values between commas; texts as they are for SQL.
std::string row(std::string_view table,
                std::initializer_list<std::variant<std::int64_t, std::string>> values) {
  std::string sql = "INSERT INTO ";
  sql.append(table).append(" VALUES (");
  bool first = true;
  for (const auto& value : values) {
    if (!first) sql += ", ";
    first = false;
    sql += std::holds_alternative<std::string>(value) ? std::get<std::string>(value)
                                                      : std::to_string(std::get<std::int64_t>(value));
  }
  return sql += ')';
}

const std::string kNull = "NULL";

} // namespace

std::string sqlText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += c;
    quoted += c;
  }
  return quoted += '\'';
}

void NsysFile::Close::operator()(sqlite3* file) const {
  sqlite3_close_v2(file);
}

NsysFile::NsysFile(const std::string& path, Version version) : m_version(version) {
  sqlite3* file = nullptr;
  const int opened =
      sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  m_file.reset(file);
  if (opened != SQLITE_OK) throw std::runtime_error(path + " cannot be created");
  run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF");
  run(kTables);
  if (version == Version::New) return;
  // What was added since, or had another name.
  run("ALTER TABLE META_DATA_EXPORT RENAME TO EXPORT_META_DATA;"
      "DELETE FROM EXPORT_META_DATA; INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_PRODUCT_VERSION', "
      "'2022.1.3.3'),"
      " ('EXPORT_SCHEMA_VERSION_MAJOR', '2');"
      "DROP TABLE META_DATA_CAPTURE; DROP TABLE TARGET_INFO_CUDA_DEVICE; DROP TABLE DIAGNOSTIC_EVENT;"
      "ALTER TABLE TARGET_INFO_SESSION_START_TIME DROP COLUMN systemClockNs;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN greenContextId;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN greenContextId;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET DROP COLUMN greenContextId;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION DROP COLUMN greenContextId;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION DROP COLUMN deprecatedSyncType;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION DROP COLUMN eventSyncId;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT DROP COLUMN eventSyncId;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT DROP COLUMN timestamp;"
      "ALTER TABLE NVTX_EVENTS DROP COLUMN binaryData");
}

void NsysFile::run(const std::string& sql) {
  if (sqlite3_exec(m_file.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(m_file.get()) + (" in " + sql));
}

std::int64_t NsysFile::string(std::string_view text) {
  if (const auto known = m_strings.find(text); known != m_strings.end()) return known->second;
  const auto id = static_cast<std::int64_t>(m_strings.size()) + 1;
  m_strings.emplace(std::string(text), id);
  run(row("StringIds", {id, sqlText(text)}));
  return id;
}

void NsysFile::session(std::int64_t utc, std::int64_t systemClock, std::string_view host) {
  run("INSERT INTO TARGET_INFO_SESSION_START_TIME (utcEpochNs) VALUES (" + std::to_string(utc) + ")");
  if (m_version == Version::New)
    run("UPDATE TARGET_INFO_SESSION_START_TIME SET systemClockNs = " + std::to_string(systemClock));
  run(row("TARGET_INFO_SYSTEM_ENV", {"'Hostname'", 0, sqlText(host)}));
}

void NsysFile::capture(std::string_view name, std::string_view value) {
  run(row("META_DATA_CAPTURE", {sqlText(name), sqlText(value)}));
}

void NsysFile::call(std::int64_t thread, std::int64_t start, std::int64_t end, std::string_view name,
                    std::int64_t correlation, int eventClass) {
  run(row("CUPTI_ACTIVITY_KIND_RUNTIME",
          {start, end, std::int64_t{eventClass}, thread, correlation, string(name), std::int64_t{0}, kNull}));
}

void NsysFile::environment(std::string_view name, std::string_view value) {
  std::string line(name);
  if (m_version == Version::New) {
    capture("PROCESS_0:ENVIRONMENT_VARIABLE", line.append("=\"").append(value).append("\""));
    return;
  }
  // One text with NULs between the variables.
  const std::string added = sqlText(line.append("=").append(value));
  run("INSERT INTO TARGET_INFO_SYSTEM_ENV SELECT 'DeviceEnvironment', 0, 'SHELL=sh' WHERE NOT EXISTS "
      "(SELECT 1 FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'DeviceEnvironment')");
  run("UPDATE TARGET_INFO_SYSTEM_ENV SET value = value || char(0) || " + added +
      " WHERE name = 'DeviceEnvironment'");
}

void NsysFile::kernel(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
                      std::int64_t end, std::string_view name, std::int64_t correlation) {
  kernel(process, device, stream, start, end, name, correlation, LaunchShape());
}

void NsysFile::kernel(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
                      std::int64_t end, std::string_view name, std::int64_t correlation,
                      const LaunchShape& shape) {
  const std::int64_t id = string(name);
  run(row("CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, "
          "demangledName, shortName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, "
          "staticSharedMemory, dynamicSharedMemory)",
          {start, end, device, std::int64_t{1}, stream, correlation, process, id, id, shape.registers,
           shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
           std::int64_t{0}, shape.sharedBytes}));
}

void NsysFile::copy(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
                    std::int64_t end, std::int64_t bytes, std::int64_t correlation, std::int64_t kind,
                    std::int64_t from, std::int64_t to) {
  run(row("CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, "
          "bytes, copyKind, srcKind, dstKind)",
          {start, end, device, std::int64_t{1}, stream, correlation, process, bytes, kind, from, to}));
}

void NsysFile::set(std::int64_t process, std::int64_t device, std::int64_t stream, std::int64_t start,
                   std::int64_t end, std::int64_t bytes, std::int64_t correlation) {
  run(row("CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId, globalPid, "
          "value, bytes, memKind)",
          {start, end, device, std::int64_t{1}, stream, correlation, process, std::int64_t{0}, bytes,
           std::int64_t{2}}));
}

void NsysFile::range(std::int64_t thread, std::int64_t start, std::int64_t end, std::string_view text,
                     std::int64_t domain) {
  run(row("NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)",
          {start, end, std::int64_t{59}, sqlText(text), thread, domain}));
}

} // namespace rankscope::test
