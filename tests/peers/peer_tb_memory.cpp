// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace rankscope::peers {

namespace {

// Size increase, allocation size, allocations; first of the operator itself, then with what is within.
using Metrics = std::array<double, 6>;
using ByDevice = std::map<std::string, Metrics>;

class MemoryParser {
 public:
  explicit MemoryParser(const TbProfile& profile)
      : m_threads(profile.threads()), m_nodes(profile.nodes()), m_rules(profile.rules()) {
    std::map<std::string, std::vector<const PeerMemory*>> byThread;
    for (const PeerMemory& record : profile.events().memory) byThread[threadOf(record)].push_back(&record);
    for (const TbThread& thread : m_threads)
      if (const auto records = byThread.find(thread.key); records != byThread.end())
        place(thread.root, records->second);
  }

  // By device and operator's name.
  std::map<std::string, std::map<std::string_view, Metrics>> sums() {
    std::map<std::string, std::map<std::string_view, Metrics>> result;
    for (const TbThread& thread : m_threads)
      for (const std::uint32_t child : m_nodes.nodes[thread.root].children) add(child);
    for (const auto& [node, byDevice] : m_metrics) {
      if (!isOperatorNode(m_nodes.nodes[node], m_rules)) continue;
      for (const auto& [device, metrics] : byDevice) {
        Metrics& sum = result[device][m_nodes.nodes[node].name];
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += metrics[i];
        ++m_callsWithRecord[{device, m_nodes.nodes[node].name}];
      }
    }
    return result;
  }

  [[nodiscard]] double calls(const std::string& device, std::string_view name) const {
    if (m_rules.has(TbRule::CallsWhereRecordsLed)) {
      const auto found = m_calls.find(name);
      return found == m_calls.end() ? 0 : found->second;
    }
    const auto found = m_callsWithRecord.find({device, name});
    return found == m_callsWithRecord.end() ? 0 : found->second;
  }

 private:
  [[nodiscard]] std::string threadOf(const PeerMemory& record) const {
    if (m_rules.has(TbRule::ThreadsByNumberAlone)) return std::string(record.thread);
    return std::string(record.process) + '/' + std::string(record.thread);
  }

  // Walks records and tree together; a record goes to the innermost node that contains its time.
  void place(std::uint32_t root, const std::vector<const PeerMemory*>& records) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    std::uint32_t current = root;
    std::size_t child = 0;
    m_visited.insert(root);
    for (std::size_t r = 0; r < records.size();) {
      const double ts = records[r]->ts;
      const TbNode* node = &m_nodes.nodes[current];
      if (!node->hasTime) return;
      if (ts < node->start) {
        ++r;
        continue;
      }
      if (ts >= node->end) {
        if (stack.empty()) return;
        std::tie(current, child) = stack.back();
        stack.pop_back();
        ++child;
        continue;
      }
      while (child < node->children.size()) {
        const std::uint32_t next = node->children[child];
        if (ts < m_nodes.nodes[next].start) break;
        if (ts >= m_nodes.nodes[next].end) {
          ++child;
          continue;
        }
        m_visited.insert(next);
        stack.emplace_back(current, child);
        current = next;
        node = &m_nodes.nodes[current];
        child = 0;
      }
      if (isOperatorNode(*node, m_rules)) m_records[current].push_back(records[r]);
      ++r;
    }
  }

  void add(std::uint32_t index) {
    const TbNode& node = m_nodes.nodes[index];
    const bool isOperator = isOperatorNode(node, m_rules);
    if (isOperator) ++m_calls[node.name];
    if (!m_visited.contains(index)) return;
    if (isOperator) addOwn(index);
    for (const std::uint32_t child : node.children) {
      add(child);
      const auto metrics = m_metrics.find(child);
      if (metrics == m_metrics.end()) continue;
      const ByDevice ofChild = metrics->second;
      for (const auto& [device, values] : ofChild)
        for (std::size_t i = 3; i < values.size(); ++i) m_metrics[index][device][i] += values[i];
    }
  }

  void addOwn(std::uint32_t index) {
    const auto records = m_records.find(index);
    if (records == m_records.end()) return;
    for (const PeerMemory* record : records->second) {
      const MemoryEvent& r = record->record;
      if (r.deviceType < 0) continue;
      if (r.deviceType > 1 && m_rules.has(TbRule::OtherDeviceTypesUnknown)) continue;
      const std::string device = r.deviceType == 0 ? "CPU" : "GPU" + std::to_string(r.device);
      Metrics& metrics = m_metrics[index][device];
      const auto bytes = static_cast<double>(r.bytes);
      for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
        metrics[i] += bytes;
        metrics[i + 1] += bytes > 0 ? bytes : 0;
        metrics[i + 2] += bytes > 0 ? 1 : 0;
      }
    }
  }

  std::span<const TbThread> m_threads;
  const TbNodes& m_nodes;
  TbRules m_rules;
  std::unordered_set<std::uint32_t> m_visited;
  std::unordered_map<std::uint32_t, std::vector<const PeerMemory*>> m_records; // by node
  std::map<std::uint32_t, ByDevice> m_metrics;                                 // by node
  std::map<std::string_view, double> m_calls;
  std::map<std::pair<std::string, std::string_view>, double> m_callsWithRecord;
};

} // namespace

void addTbMemory(const TbProfile& profile, const std::string& worker, Figures& to) {
  MemoryParser parser(profile);
  constexpr double kKilobyte = 1024;
  for (const auto& [device, operators] : parser.sums()) {
    for (const auto& [name, m] : operators) {
      if (std::ranges::all_of(m, [](double value) { return value == 0; })) continue;
      const std::string row = fmt::format("{},{},{}", worker, device, name);
      to[{row, "Calls"}] = parser.calls(device, name);
      to[{row, "Self Size Increase (KB)"}] = m[0] / kKilobyte;
      to[{row, "Self Allocation Size (KB)"}] = m[1] / kKilobyte;
      to[{row, "Self Allocation Count"}] = m[2];
      to[{row, "Size Increase (KB)"}] = m[3] / kKilobyte;
      to[{row, "Allocation Size (KB)"}] = m[4] / kKilobyte;
      to[{row, "Allocation Count"}] = m[5];
    }
  }
}

} // namespace rankscope::peers
