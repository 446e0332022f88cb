// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/trace_set.h"

#include "core/model/side_files.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rankscope {

TraceSet::TraceSet(std::string jobName, StringTable names, std::vector<RankEntry> ranks,
                   std::vector<FileRecord> files, TraceOrigin origin, std::shared_ptr<const SideFiles> side)
    : m_jobName(std::move(jobName)), m_names(std::move(names)), m_ranks(std::move(ranks)),
      m_files(std::move(files)), m_origin(std::move(origin)),
      m_side(side != nullptr ? std::move(side) : std::make_shared<const SideFiles>()) {
  std::sort(m_ranks.begin(), m_ranks.end(), [](const RankEntry& a, const RankEntry& b) {
    return std::tie(a.rank, a.capture, a.file) < std::tie(b.rank, b.capture, b.file);
  });
  std::set<std::string_view> hosts;
  std::set<std::pair<int, int>> recordings; // rank and capture
  for (const RankEntry& entry : m_ranks) {
    recordings.emplace(entry.rank, entry.capture);
    m_extent = m_extent.unitedWith(entry.trace->extent);
    m_eventCount += entry.trace->fileEvents;
    hosts.insert(entry.host);
    m_severalCaptures = m_severalCaptures || entry.capture > 1;
    if (entry.trace->metadata.worldSize) {
      m_worldSize = std::max(m_worldSize.value_or(0), *entry.trace->metadata.worldSize);
    }
  }
  m_hostCount = hosts.size();
  std::set<std::string_view> shown;
  for (const FileRecord& file : m_files) {
    const bool isShown = file.rank && recordings.contains({*file.rank, file.capture});
    if (isShown && shown.insert(file.path).second) m_shownBytes += file.bytes;
    if (file.recording > 0) continue;
    ++m_fileCount;
    m_textBytes += file.textBytes;
  }
}

bool TraceSet::recordedByNsight(RankIndex index) const {
  const FileIndex file = m_ranks[index.value].file;
  return file.valid() && file.value < m_files.size() && m_files[file.value].format == "nsys";
}

} // namespace rankscope
