// SPDX-License-Identifier: GPL-3.0-or-later
// Who says a line, and which communicator it is about. Collects the facts of a log: processes by host and
// process id, communicators by pointer, which is used again after a communicator is gone. Names of hosts that
// another process wrote into are put right. For one thread.
#pragma once

#include "core/io/nccl/nccl_line.h"
#include "core/model/nccl_log.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace rankscope {

struct NcclSpeaker {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  bool repaired = false; // its host was damaged in this line
};

class NcclAssignment {
 public:
  // Of links, rings, trees and choices together; further ones are counted only.
  static constexpr std::size_t kMaxFacts = 4'000'000;

  NcclLog log;

  void beginFile() { m_bareVersion.clear(); }
  [[nodiscard]] NcclSpeaker speaker(const NcclHead& head);
  void version(const NcclSpeaker& speaker, std::string_view version);
  void bareVersion(std::string_view version); // on a line without a head
  void environment(const NcclSpeaker& speaker, std::string_view name, std::string_view value,
                   const NcclPlace& at);

  // False if the line names no rank of the communicator that begins.
  bool initialization(const NcclSpeaker& speaker, std::string_view text, std::string_view state,
                      const NcclPlace& at);
  void nodes(const NcclSpeaker& speaker, std::string_view text);
  void timings(const NcclSpeaker& speaker, std::string_view text);
  void channels(const NcclSpeaker& speaker, std::string_view text);
  void linkType(const NcclSpeaker& speaker, std::string_view type);

  // comm: the communicator's address if the message names it.
  void add(NcclLink link, const NcclSpeaker& speaker, std::string_view comm);
  void add(NcclRingLine ring, const NcclSpeaker& speaker);
  void add(NcclRingStep step, const NcclSpeaker& speaker);
  void add(NcclTreeNode node, const NcclSpeaker& speaker);
  void add(NcclTuning cell);

  [[nodiscard]] std::uint32_t kindNamed(std::string_view name);
  // The communicator at an address, made up if no line has told of its creation.
  [[nodiscard]] std::uint32_t instanceAt(const NcclSpeaker& speaker, std::uint64_t pointer,
                                         std::int64_t ranks, const NcclPlace& at);
  // The communicator that a line is about that names none.
  [[nodiscard]] std::uint32_t talkingOf(const NcclSpeaker& speaker) const;

  [[nodiscard]] NcclLog finish();

 private:
  struct Thread {
    std::uint32_t process = 0;
    std::int64_t tid = 0;
    std::uint32_t open = kNoNcclIndex; // communicator that it is creating
    std::uint32_t last = kNoNcclIndex; // that it has created last
    // Facts before the line that says which communicator they are about.
    std::vector<std::uint32_t> links, rings, steps, nodes;
    NcclInstance waiting; // channels of the same
    bool hasWaiting = false;
  };

  [[nodiscard]] std::uint32_t processOf(std::string_view host, std::int64_t pid, bool& repaired);
  [[nodiscard]] std::uint32_t threadOf(std::uint32_t process, std::int64_t tid);
  // The only communicator of the process in which it has this rank and `other` is another one.
  [[nodiscard]] std::uint32_t ofRank(std::uint32_t process, std::int64_t rank, std::int64_t other,
                                     bool alsoDestroyed = false) const;
  [[nodiscard]] bool waits(const Thread& thread) const;
  std::uint32_t newInstance(std::uint32_t process, std::uint64_t pointer, const NcclPlace& at);
  void assignWaiting(Thread& thread, std::uint32_t instance);
  [[nodiscard]] bool isNew(std::uint64_t hash);
  void mergeDamagedHosts();
  void renumberProcesses(const std::vector<std::uint32_t>& becomes);
  void assignRest();

  std::unordered_map<std::string, std::uint32_t> m_processes; // "host:pid"
  std::vector<std::uint64_t> m_linesOf;                       // by process
  std::map<std::int64_t, std::vector<std::uint32_t>> m_byPid;
  std::unordered_map<std::uint64_t, std::uint32_t> m_threads; // process and thread id
  std::vector<Thread> m_threadStates;
  std::vector<std::vector<std::uint32_t>> m_instancesOf; // by process, in order
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> m_byPointer;
  std::vector<bool> m_modern; // by process: it says when it begins to create a communicator
  std::unordered_set<std::uint64_t> m_seen;
  std::string m_bareVersion;
  std::string m_key;                          // kept for its memory
  std::uint32_t m_lastProcess = kNoNcclIndex; // most lines follow one of the same process
  std::string m_lastHost;
  std::int64_t m_lastPid = -1;
  std::uint32_t m_lastThread = kNoNcclIndex;
  std::uint64_t m_headed = 0;
};

} // namespace rankscope
