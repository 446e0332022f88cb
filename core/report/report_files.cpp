// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_files.h"

#include "core/analysis/network/job_network.h"
#include "core/export/csv.h"
#include "core/export/json.h"
#include "core/export/whole_file.h"
#include "core/report/digest_rows.h"
#include "core/report/findings_table.h"
#include "core/report/summary_json.h"

#include <filesystem>
#include <system_error>

namespace rankscope {

std::string formattedTable(const ResultTable& table, TableFormat format) {
  return format == TableFormat::Json ? toJson(table) : toCsv(table);
}

std::optional<Error> makeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::error_code unknown;
  if (!error && std::filesystem::is_directory(folder, unknown)) return std::nullopt;
  return Error{ErrorKind::Io, "cannot make this folder" + (error ? ": " + error.message() : std::string()),
               folder, std::nullopt};
}

ResultTable markedTable(const JobReport& report, const TableSpec& spec,
                        std::span<const AcceptedFinding> accepted) {
  return spec.name == "findings" ? findingsTable(report, accepted) : tableOf(report, spec);
}

Result<std::vector<std::string>> writeReport(const JobReport& report, const std::string& folder,
                                             std::span<const TableSpec* const> specs, TableFormat format,
                                             std::span<const AcceptedFinding> accepted, const JobPart& part,
                                             const Progress* progress) {
  const auto write = [&](const std::string& name, std::string_view content) {
    return writeWholeFile((std::filesystem::path(folder) / name).string(), content);
  };
  std::vector<std::string> files;
  for (const TableSpec* const spec : specs) {
    if (progress != nullptr && progress->cancelled())
      return Error{ErrorKind::Cancelled, "cancelled", folder, std::nullopt};
    std::string name = std::string(spec->name) + (format == TableFormat::Json ? ".json" : ".csv");
    if (auto error = write(name, formattedTable(markedTable(report, *spec, accepted), format))) return *error;
    files.push_back(std::move(name));
  }
  if (auto error = write("summary.json", summaryJson(report, files, accepted, part))) return *error;
  files.emplace_back("summary.json");
  return files;
}

std::vector<const TableSpec*> reportTables(const JobReport& report) {
  const bool logs = !report.network().records->empty();
  std::vector<const TableSpec*> specs;
  for (const TableSpec& spec : tableSpecs()) {
    if (logs || !spec.nccl) specs.push_back(&spec);
  }
  return specs;
}

} // namespace rankscope
