// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/hand_made_job.h"

#include <utility>

namespace rankscope {

HandMadeRank::HandMadeRank() : m_tables(std::make_unique<ReaderTables>()) {}

HandMadeRank& HandMadeRank::device(EventKind kind, int stream, TimeNs begin, TimeNs duration,
                                   const std::string& name, RawDevice detail) {
  detail.stream = stream;
  if (detail.device < 0) detail.device = 0;
  const auto link = static_cast<std::uint32_t>(m_slice.device.size());
  m_slice.device.push_back(detail);
  add(kind, track("0", std::to_string(stream), TrackKind::Stream, detail.device), begin, duration, name,
      link);
  return *this;
}

HandMadeRank& HandMadeRank::annotation(TimeNs begin, TimeNs duration, const std::string& name,
                                       const std::string& thread) {
  add(EventKind::Annotation, track("100", thread, TrackKind::Annotations), begin, duration, name, 0);
  return *this;
}

HandMadeRank& HandMadeRank::gpuAnnotation(int stream, TimeNs begin, TimeNs duration,
                                          const std::string& name) {
  add(EventKind::GpuAnnotation, track("0", std::to_string(stream), TrackKind::GpuAnnotations), begin,
      duration, name, 0);
  return *this;
}

HandMadeRank& HandMadeRank::op(TimeNs begin, TimeNs duration, const std::string& name,
                               const std::string& thread, std::uint32_t externalId) {
  add(EventKind::CpuOp, track("100", thread, TrackKind::Thread), begin, duration, name, externalId);
  return *this;
}

HandMadeRank& HandMadeRank::hostCollective(TimeNs begin, TimeNs duration, const std::string& name,
                                           const std::string& thread) {
  add(EventKind::HostCollective, track("100", thread, TrackKind::Thread), begin, duration, name, 0);
  return *this;
}

HandMadeRank& HandMadeRank::runtime(TimeNs begin, TimeNs duration, const std::string& name,
                                    std::uint32_t correlation, const std::string& thread) {
  add(EventKind::Runtime, track("100", thread, TrackKind::Thread), begin, duration, name, correlation);
  return *this;
}

HandMadeRank& HandMadeRank::python(TimeNs begin, TimeNs duration, const std::string& name,
                                   const std::string& thread) {
  add(EventKind::Python, track("100", thread, TrackKind::Python), begin, duration, name, 0);
  return *this;
}

HandMadeRank& HandMadeRank::arrow(TimeNs from, const std::string& fromThread, TimeNs to,
                                  const std::string& toThread) {
  const std::uint64_t id = m_slice.flows.size() + 1;
  m_slice.flows.push_back({id, from, track("100", fromThread, TrackKind::Thread), true});
  m_slice.flows.push_back({id, to, track("100", toThread, TrackKind::Thread), false});
  return *this;
}

HandMadeRank& HandMadeRank::memory(TimeNs time, RawMemory record, const std::string& thread) {
  const auto link = static_cast<std::uint32_t>(m_slice.memory.size());
  m_slice.memory.push_back(record);
  add(EventKind::Instant, track("100", thread, TrackKind::Instants), time, 0, "[memory]", link);
  return *this;
}

HandMadeRank& HandMadeRank::launched(TimeNs call, int stream, TimeNs begin, TimeNs duration,
                                     const std::string& name, const std::string& thread) {
  RawDevice detail;
  detail.correlation = ++m_correlation;
  runtime(call, 2000, "cudaLaunchKernel", m_correlation, thread);
  return device(EventKind::Kernel, stream, begin, duration, name, detail);
}

std::shared_ptr<const RankTrace> HandMadeRank::build(StringInterner& names, TraceMetadata metadata) {
  m_slice.objects = m_slice.events.size();
  FileEvents file;
  file.metadata = std::move(metadata);
  file.tables.push_back(std::move(m_tables));
  file.slices.push_back(std::move(m_slice));
  const NameMaps maps = mergeNames(file.tables, names);
  return buildRankTrace(std::move(file), maps, names.snapshot(), 1);
}

void HandMadeRank::add(EventKind kind, std::uint32_t track, TimeNs begin, TimeNs duration,
                       const std::string& name, std::uint32_t link) {
  RawEvent event{};
  event.begin = begin;
  event.duration = duration;
  event.setSource(SourceRef(m_slice.events.size() + 1));
  event.kind = static_cast<std::uint8_t>(kind);
  event.name = m_tables->names.intern(name).value;
  if (event.name == m_tables->nameFirstAt.size()) m_tables->nameFirstAt.push_back(event.source());
  event.track = track;
  event.link = link;
  m_slice.events.push_back(event);
}

std::uint32_t HandMadeRank::track(const std::string& process, const std::string& thread, TrackKind kind,
                                  int device) {
  const auto next = static_cast<std::uint32_t>(m_tables->tracks.size());
  const auto [place, isNew] = m_tracks.try_emplace({process, thread, kind}, next);
  if (isNew) m_tables->tracks.push_back({process, thread, kind, device});
  return place->second;
}

HandMadeJob& HandMadeJob::add(int rank, HandMadeRank events, int capture, const std::string& host) {
  TraceMetadata metadata;
  metadata.rank = rank;
  metadata.worldSize = m_worldSize;
  RankEntry entry;
  entry.rank = rank;
  entry.capture = capture;
  entry.host = host;
  entry.gpu = "Test GPU";
  entry.file = FileIndex(m_files.size());
  entry.trace = events.build(m_names, std::move(metadata));
  FileRecord file;
  file.path = "job/rank" + std::to_string(rank) + "_" + std::to_string(capture) + ".json";
  file.bytes = 100;
  file.textBytes = 1000;
  file.status = FileStatus::Shown;
  file.rank = rank;
  file.capture = capture;
  file.rankFrom = "metadata";
  file.host = host;
  file.events = entry.trace->fileEvents;
  file.extent = entry.trace->extent;
  m_files.push_back(std::move(file));
  m_ranks.push_back(std::move(entry));
  return *this;
}

HandMadeJob& HandMadeJob::leaveOut(const std::string& path, const std::string& note) {
  FileRecord file;
  file.path = path;
  file.bytes = 7;
  file.note = note;
  m_files.push_back(std::move(file));
  return *this;
}

std::shared_ptr<const TraceSet> HandMadeJob::build() const {
  return std::make_shared<const TraceSet>("job", m_names.snapshot(), m_ranks, m_files);
}

} // namespace rankscope
