// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/network_source.h"

#include "core/base/lazy.h"
#include "core/io/load/job_places.h"
#include "core/io/nccl/nccl_files.h"

#include <memory>
#include <utility>

namespace rankscope {

NetworkInput networkInputOf(std::vector<std::string> paths, FabricSettings fabrics) {
  NetworkInput input;
  input.fabrics = std::move(fabrics);
  auto read = std::make_shared<Lazy<std::shared_ptr<const NcclRecords>>>();
  input.records = [read, paths = std::move(paths)] {
    return read->get([&]() -> std::shared_ptr<const NcclRecords> {
      const std::vector<std::string> files = findNcclFiles(withPlaces(paths));
      return files.empty() ? nullptr : std::make_shared<const NcclRecords>(readNcclFiles(files));
    });
  };
  return input;
}

} // namespace rankscope
