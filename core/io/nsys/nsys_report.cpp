// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_report.h"

#include <charconv>
#include <filesystem>
#include <system_error>

namespace rankscope {

namespace {

constexpr std::string_view kMagic = "NVIDIA Tegra Profiler Report ";
constexpr std::size_t kVersionParts = 3;

} // namespace

bool isNsysReport(std::string_view start) {
  return start.starts_with(kMagic);
}

std::string reportVersion(std::string_view start) {
  if (!isNsysReport(start)) return {};
  start.remove_prefix(kMagic.size());
  // "2026@1@3@425-261338342291v0."; reports of 2022.1 and before have "1." only.
  std::string version;
  for (std::size_t part = 0; part < kVersionParts; ++part) {
    std::size_t digits = 0;
    while (digits < start.size() && start[digits] >= '0' && start[digits] <= '9') ++digits;
    if (digits == 0 || digits == start.size() || start[digits] != '@') return {};
    if (!version.empty()) version += '.';
    version += start.substr(0, digits);
    start.remove_prefix(digits + 1);
  }
  return version;
}

bool exportsBlobs(std::string_view version) {
  constexpr int kSince = 2026;
  int year = 0;
  std::from_chars(version.data(), version.data() + version.size(), year);
  return year >= kSince;
}

std::string exportCommand(std::string_view ending, std::string_view version) {
  std::string command = "for f in *";
  command.append(ending).append("; do nsys export --type=sqlite ");
  if (exportsBlobs(version)) command += "--include-blobs=true ";
  return command.append("--output=\"${f%").append(ending).append("}.sqlite\" \"$f\"; done");
}

std::string reportMessage(const std::string& path, std::string_view start) {
  const std::filesystem::path file(path);
  std::error_code failed;
  for (const char* const ending : {".sqlite", ".sqlite3", ".db"}) {
    std::filesystem::path sibling = file;
    sibling.replace_extension(ending);
    if (!std::filesystem::is_regular_file(sibling, failed)) continue;
    std::string message = "the report that " + sibling.filename().string() + " was exported from; not read";
    const auto report = std::filesystem::last_write_time(file, failed);
    const auto exported = std::filesystem::last_write_time(sibling, failed);
    if (!failed && report > exported) message += ". It is newer than the export: export it again";
    return message;
  }
  const std::string ending = file.extension().string();
  const std::string version = reportVersion(start);
  std::string message = "an Nsight Systems report";
  if (!version.empty()) message.append(" (written by nsys ").append(version).append(")");
  message += ". Its format is NVIDIA's own; Rankscope reads the export. ";
  if (ending == ".qdstrm")
    return message += "It is unfinished: open it once with the nsys of the same version to finish it.";
  message += version.empty() ? "In this folder: " : "With nsys " + version + " or newer, in this folder: ";
  return message.append(exportCommand(ending.empty() ? ".nsys-rep" : ending, version))
      .append(" - then open the folder again");
}

} // namespace rankscope
