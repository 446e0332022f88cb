// SPDX-License-Identifier: GPL-3.0-or-later
// Reader of the SQLite files that `nsys export` writes from a report of Nsight Systems. A file has one
// recording per rank, each of one process. A SourceRef is a table and a row of it. Reports themselves
// (.nsys-rep) cannot be read: the error says how to export them.
#pragma once

#include "core/io/reader/trace_reader.h"

#include <cstdint>
#include <string>

namespace rankscope {

class NsysReader final : public TraceReader {
 public:
  static constexpr std::int64_t kRowsAtOnce = 1 << 15;

  // rowsAtOnce: number of rows that a thread reads at a time.
  explicit NsysReader(std::int64_t rowsAtOnce = kRowsAtOnce) : m_rowsAtOnce(rowsAtOnce) {}

  [[nodiscard]] std::string_view format() const override { return "nsys"; }
  [[nodiscard]] std::span<const std::string_view> nameEndings() const override;
  [[nodiscard]] FormatMatch match(const FileBytes& file) const override;
  [[nodiscard]] Result<FileReading> read(const FileBytes& file, ReadContext& context) const override;
  [[nodiscard]] std::shared_ptr<const DetailSource> details(const std::string& path,
                                                            std::size_t recording) const override;
  [[nodiscard]] FileSample sample(const FileBytes& file, const LoadFilter& filter) const override;
  [[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const FileBytes& file,
                                                             const std::atomic<bool>& cancel) const override;

 private:
  std::int64_t m_rowsAtOnce;
};

// The recordings of an export whose tables are in this SQLite file: the file itself, or one made from it.
struct NsysSource {
  const FileBytes& file;
  std::string tables;      // path
  std::uint64_t bytes = 0; // that count as progress
  std::int64_t rowsAtOnce = 0;
  bool jsonLines = false;
};
[[nodiscard]] Result<FileReading> readNsysExport(const NsysSource& source, ReadContext& context);

} // namespace rankscope
