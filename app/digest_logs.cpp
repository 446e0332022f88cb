// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_logs.h"

#include "app/digest_messages.h"
#include "core/base/deflated.h"
#include "core/io/nccl/nccl_files.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kPart = std::size_t{16} << 20;

// Some text of a file. All of a file come one after the other.
struct LogText {
  std::string path; // as shown
  bool begins = false;
  bool ends = false;
  std::string text;    // deflated
  std::string problem; // why the rest could not be read; at its end
};

struct LogPart {
  std::vector<LogText> texts;
  bool more = false;
};

} // namespace

template <class Archive, Described<LogText> T> void describe(Archive& archive, T& text) {
  auto& [path, begins, ends, bytes, problem] = text;
  archive(path, begins, ends, bytes, problem);
}

template <class Archive, Described<LogPart> T> void describe(Archive& archive, T& part) {
  auto& [texts, more] = part;
  archive(texts, more);
}

namespace {

// Reads some files one after the other.
class LogSource {
 public:
  explicit LogSource(std::span<const DigestFile> logs) : m_logs(logs) {}

  LogPart next() {
    LogPart part;
    std::size_t left = kPart;
    while (left > 0 && m_next < m_logs.size()) {
      const DigestFile& file = m_logs[m_next];
      LogText& of = part.texts.emplace_back();
      of.path = file.found.path;
      of.begins = !m_text;
      if (!m_text) m_text.emplace(file.path);
      std::string text(left, '\0');
      const std::size_t got = m_text->read(text);
      text.resize(got);
      of.text = deflated(text);
      of.ends = got < left;
      left -= got;
      if (!of.ends) break;
      of.problem = m_text->problem();
      m_text.reset();
      ++m_next;
    }
    part.more = m_next < m_logs.size();
    return part;
  }

 private:
  std::span<const DigestFile> m_logs;
  std::size_t m_next = 0;
  std::optional<NcclText> m_text; // of a file that is not at its end
};

void take(const LogPart& part, NcclIntake& intake) {
  for (const LogText& of : part.texts) {
    if (of.begins) intake.begin(of.path);
    intake.block(inflated(of.text).value_or(std::string()));
    if (of.ends) intake.end(of.problem);
  }
}

} // namespace

std::shared_ptr<const NcclRecords> readLogs(std::span<const DigestFile> logs, DigestTeam& team) {
  NcclIntake intake;
  while (!logs.empty()) {
    const std::size_t process = logs.front().process;
    const auto end = std::ranges::find_if(logs, [&](const DigestFile& of) { return of.process != process; });
    const auto run = logs.first(static_cast<std::size_t>(end - logs.begin()));
    LogSource source(run);
    for (bool more = true; more;) {
      LogPart own;
      if (team.index() == process) own = source.next();
      const auto parts = team.gather(packed(own));
      if (team.index() == 0) {
        const auto part = unpacked<LogPart>(parts[process]);
        take(part, intake);
        more = part.more;
      }
      more = unpacked<bool>(team.broadcast(packed(more)));
    }
    logs = logs.subspan(run.size());
  }
  NcclRecords records = intake.finish();
  if (team.index() != 0 || records.paths.empty()) return nullptr;
  return std::make_shared<const NcclRecords>(std::move(records));
}

} // namespace rankscope
