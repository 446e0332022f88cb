// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/detail_source.h"

namespace rankscope {

namespace {

class NoDetails final : public DetailSource {
 public:
  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef) const override { return problem(); }
  [[nodiscard]] std::optional<Error> arguments(std::span<const SourceRef>, EventArgument,
                                               const std::function<void(std::size_t, std::string_view)>&,
                                               const Progress*) const override {
    return problem();
  }

 private:
  [[nodiscard]] static Error problem() {
    return {ErrorKind::Io, "this recording has no file", {}, std::nullopt};
  }
};

} // namespace

std::shared_ptr<const DetailSource> noDetails() {
  return std::make_shared<const NoDetails>();
}

} // namespace rankscope
