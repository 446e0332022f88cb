// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/nsys_writer.h"

#include "tests/support/trace_facts.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::test {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLead = 1'000'000;                 // from the begin of the capture to the first event
constexpr std::int64_t kBoot = 1'700'000'000'000'000'000; // when the host was started

// The number of a word in CUPTI's list; 0 for others.
template <std::size_t Count>
std::int64_t numberOf(const std::array<std::string_view, Count>& words, std::string_view word) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() ? 0 : found - words.begin();
}

// "Memcpy HtoD (Pinned -> Device)".
struct CopyKinds {
  std::int64_t kind = 0, from = 0, to = 0;

  explicit CopyKinds(std::string_view name) {
    static constexpr std::array<std::string_view, 9> kKinds{"",     "HtoD", "DtoH", "HtoA", "AtoH",
                                                            "AtoA", "AtoD", "DtoA", "DtoD"};
    static constexpr std::array<std::string_view, 3> kMemory{"Pageable", "Pinned", "Device"};
    const std::size_t open = name.find('('), arrow = name.find(" -> "), close = name.find(')');
    if (open == std::string_view::npos || arrow == std::string_view::npos || close == std::string_view::npos)
      return;
    kind = numberOf(kKinds, name.substr(7, open - 8));
    from = numberOf(kMemory, name.substr(open + 1, arrow - open - 1));
    to = numberOf(kMemory, name.substr(arrow + 4, close - arrow - 4));
  }
};

// emit_nvtx pushes operators and record_function alike; older versions do not number them.
std::string rangeText(const ReadEvent& event, NsysFile::Version version, std::int64_t number) {
  std::string text = event.name;
  if (event.category == "cpu_op" && event.sequence >= 0) text += ", seq = " + std::to_string(event.sequence);
  if (version == NsysFile::Version::New)
    text += ", op_id = " + std::to_string(number);
  else if (event.category == "cpu_op" && event.sequence < 0)
    text += ", seq = 0";
  return text;
}

class ExportWriter {
 public:
  ExportWriter(const std::string& path, NsysFile::Version version)
      : m_file(path, version), m_version(version) {}

  void write(const std::vector<ReadEvent>& events, std::string_view rank) {
    m_file.run("BEGIN");
    std::int64_t first = INT64_MAX;
    for (const ReadEvent& event : events) {
      if (event.phase != "X") continue;
      first = std::min(first, event.begin);
      if (event.category == "cpu_op" && m_pid == 0) m_pid = std::stoll(event.process);
    }
    m_zero = first - kLead;
    m_file.session(m_zero, m_zero - kBoot, "node0");
    m_file.environment("RANK", rank);
    m_file.run("INSERT INTO PROCESSES VALUES (" + std::to_string(NsysFile::process(m_pid)) + ", " +
               std::to_string(m_pid) + ", 'python3')");
    for (const ReadEvent& event : events) {
      if (event.phase == "X") take(event);
    }
    m_file.run("COMMIT");
  }

 private:
  void take(const ReadEvent& event) {
    const std::int64_t begin = event.begin - m_zero, end = event.end - m_zero;
    const auto number = [](const std::string& text) { return std::stoll(text); };
    const std::string& category = event.category;
    if (category == "cpu_op" || category == "user_annotation") {
      m_file.range(NsysFile::thread(m_pid, number(event.thread)), begin, end,
                   rangeText(event, m_version, ++m_number));
    } else if (category == "cuda_runtime" || category == "cuda_driver") {
      m_file.call(NsysFile::thread(m_pid, number(event.thread)), begin, end, event.name + "_v7000",
                  std::max<std::int64_t>(event.correlation, 0), category == "cuda_driver" ? 1 : 0);
    } else if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
      const std::int64_t device = number(event.process), stream = number(event.thread);
      const std::int64_t process = NsysFile::process(m_pid);
      if (category == "kernel") {
        m_file.kernel(process, device, stream, begin, end, event.name, event.correlation);
      } else if (category == "gpu_memcpy") {
        const CopyKinds kinds(event.name);
        m_file.copy(process, device, stream, begin, end, event.bytes, event.correlation, kinds.kind,
                    kinds.from, kinds.to);
      } else {
        m_file.set(process, device, stream, begin, end, event.bytes, event.correlation);
      }
    }
  }

  NsysFile m_file;
  NsysFile::Version m_version;
  std::int64_t m_pid = 0;
  std::int64_t m_zero = 0;
  std::int64_t m_number = 0;
};

} // namespace

void writeAsNsys(const fs::path& from, const fs::path& to, NsysFile::Version version) {
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == "ground_truth.json" || name.find(".json") == std::string::npos)
      continue;
    const std::vector<ReadEvent> events = readStrictly(entry.path());
    fs::path path = to / fs::relative(entry.path(), from);
    path.replace_filename(name.substr(0, name.find(".json")) + ".sqlite");
    fs::create_directories(path.parent_path());
    std::smatch rank;
    static const std::regex kRank("rank[_-]?([0-9]+)");
    const bool named = std::regex_search(name, rank, kRank);
    ExportWriter(path.string(), version).write(events, named ? rank[1].str() : std::string("0"));
  }
}

} // namespace rankscope::test
