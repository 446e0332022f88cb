// SPDX-License-Identifier: GPL-3.0-or-later
// Reader of folded stacks, a line for each: "outer;inner 123", as stackcollapse, py-spy, perf and Rankscope
// write them. They have no times: equal beginnings are merged, and frames are laid one after another, as long
// as what they weigh, so that the Stacks tab shows the tree and every export works. Of two columns (the
// difference of two profiles) the second counts. Opened by name only, never found in a folder.
#pragma once

#include "core/io/reader/trace_reader.h"

namespace rankscope {

class FoldedReader final : public TraceReader {
 public:
  [[nodiscard]] std::string_view format() const override { return "folded"; }
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
