// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/network_source.h"

#include "core/base/lazy.h"
#include "core/io/load/job_places.h"
#include "core/io/nccl/nccl_files.h"

#include <memory>
#include <utility>

namespace rankscope {

NetworkInput networkInputOf(std::vector<std::string> paths, FabricSettings fabrics,
                            std::function<bool(const std::string&)> mayRead) {
  NetworkInput input;
  input.fabrics = std::move(fabrics);
  auto read = std::make_shared<Lazy<std::shared_ptr<const NcclRecords>>>();
  input.records = [read, paths = std::move(paths), mayRead = std::move(mayRead)] {
    return read->get([&]() -> std::shared_ptr<const NcclRecords> {
      std::vector<std::string> files = findNcclFiles(withPlaces(paths));
      if (mayRead) std::erase_if(files, [&](const std::string& file) { return !mayRead(file); });
      return files.empty() ? nullptr : std::make_shared<const NcclRecords>(readNcclFiles(files));
    });
  };
  return input;
}

} // namespace rankscope
