// SPDX-License-Identifier: GPL-3.0-or-later
// Reader of JSON lines that `nsys export --type=jsonlines` writes (experimental). Their events are converted
// into tables in a temporary file, which is read like an SQLite export and removed. A SourceRef is the kind
// of the event and the offset of its line, so details come from the file itself.
#pragma once

#include "core/io/reader/trace_reader.h"

namespace rankscope {

class NsysJsonReader final : public TraceReader {
 public:
  [[nodiscard]] std::string_view format() const override { return "nsysjson"; }
  [[nodiscard]] std::span<const std::string_view> nameEndings() const override;
  [[nodiscard]] FormatMatch match(const FileBytes& file) const override;
  [[nodiscard]] Result<FileReading> read(const FileBytes& file, ReadContext& context) const override;
  [[nodiscard]] std::shared_ptr<const DetailSource> details(const std::string& path,
                                                            std::size_t recording) const override;
  [[nodiscard]] FileSample sample(const FileBytes& file, const LoadFilter& filter) const override;
  [[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const FileBytes& file,
                                                             const std::atomic<bool>& cancel) const override;
};

} // namespace rankscope
