// SPDX-License-Identifier: GPL-3.0-or-later
// Reader of the Chrome trace format as written by PyTorch's profiler and others: JSON, plain or compressed. A
// file has one recording. A SourceRef is the offset of the event's object in the (decompressed) text.
#pragma once

#include "core/io/kineto/event_slicer.h"
#include "core/io/reader/trace_reader.h"

namespace rankscope {

class KinetoReader final : public TraceReader {
 public:
  // sliceBytes: approximate amount of text that a thread reads at a time.
  explicit KinetoReader(std::size_t sliceBytes = EventSlicer::kSliceBytes) : m_sliceBytes(sliceBytes) {}

  [[nodiscard]] std::string_view format() const override { return "kineto"; }
  [[nodiscard]] std::span<const std::string_view> nameEndings() const override;
  [[nodiscard]] FormatMatch match(const FileBytes& file) const override;
  [[nodiscard]] Result<FileReading> read(const FileBytes& file, ReadContext& context) const override;
  [[nodiscard]] std::shared_ptr<const DetailSource> details(const std::string& path,
                                                            std::size_t recording) const override;
  [[nodiscard]] FileSample sample(const FileBytes& file, const LoadFilter& filter) const override;
  [[nodiscard]] std::optional<int> rankInFront(const FileBytes& file) const override;
  [[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const FileBytes& file,
                                                             const std::atomic<bool>& cancel) const override;
  [[nodiscard]] Result<Excerpt> excerpt(const FileBytes& file, const ExcerptRequest& request) const override;

 private:
  std::size_t m_sliceBytes;
};

} // namespace rankscope
