// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/rclone.h"

#include "core/base/natural_order.h"
#include "core/io/remote/child_process.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <system_error>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "rclone";
constexpr std::size_t kLinesKept = 40;
// rclone's own limits (commandOf) end most calls before; its libraries try some again for minutes.
constexpr std::chrono::seconds kLongestSilence{60};

Error cancelledError() {
  return {ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
}

// The last lines of what a program wrote.
class LastLines {
 public:
  void add(std::string_view line) {
    if (m_lines.size() == kLinesKept) m_lines.pop_front();
    m_lines.emplace_back(line.substr(0, 4096));
  }
  [[nodiscard]] std::vector<std::string> take() const { return {m_lines.begin(), m_lines.end()}; }

 private:
  std::deque<std::string> m_lines;
};

// operands: behind "--", so that a name may begin with '-'.
ChildCommand commandOf(std::vector<std::string> arguments, const RemoteName* remote,
                       std::initializer_list<std::string_view> operands = {}) {
  arguments.reserve(arguments.size() + operands.size() + 5);
  // It has no terminal to ask on, and a host that does not answer ends a call: retries multiply the time,
  // those of a library below rclone too.
  for (const char* common :
       {"--ask-password=false", "--contimeout=15s", "--timeout=20s", "--low-level-retries=1", "--retries=1"})
    arguments.emplace_back(common);
  if (operands.size() > 0) arguments.emplace_back("--");
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  return {kProgram, std::move(arguments), remote != nullptr ? remote->secrets : EnvironmentEntries(), {}};
}

// An answer of a remote is waited for while it lives.
class Waiting {
 public:
  Waiting(FetchProgress& progress, const RemoteName& remote) : m_progress(progress) {
    m_progress.waitFor(shownFile(remote, {}));
  }
  ~Waiting() { m_progress.silenceEnds(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  [[nodiscard]] bool tooLong() const { return m_progress.silentFor() >= kLongestSilence; }
  // Runs the command until it ends or nothing was heard for too long.
  Result<ChildEnd> run(ChildCommand command, const LineTaker& output, const LineTaker& errors,
                       const std::atomic<bool>& cancel) {
    command.givenUp = [this] { return tooLong(); };
    return runChild(command, output, errors, cancel);
  }

 private:
  FetchProgress& m_progress;
};

std::optional<Error> problemOf(const Result<ChildEnd>& end, const RemoteName& remote, const LastLines& said) {
  if (!end) return end.error().message == kProgramNotFound ? rcloneMissing(remote.shown) : end.error();
  if (end->cancelled) return cancelledError();
  if (end->givenUp) return noAnswer(remote, kLongestSilence);
  if (end->exitCode != 0) return remoteError(remote, said.take());
  return std::nullopt;
}

std::string homeFile(const char* below) {
  const char* const home = std::getenv("HOME");
  return home != nullptr ? (fs::path(home) / below).string() : std::string();
}

// As ssh has them, without asking for a passphrase.
void findSshFiles(RemoteSurroundings& around) {
  const char* const agent = std::getenv("SSH_AUTH_SOCK");
  around.sshAgent = agent != nullptr && *agent != '\0';
  around.knownHosts = homeFile(".ssh/known_hosts");
  for (const char* name : {".ssh/id_ed25519", ".ssh/id_ecdsa", ".ssh/id_rsa"}) {
    std::error_code failed;
    const std::string key = homeFile(name);
    if (!around.sshKey.empty() || key.empty() || !fs::exists(key, failed)) continue;
    around.sshKey = key;
  }
}

std::string lastPartOf(const RemoteName& remote) {
  const std::size_t slash = remote.remote.find_last_of("/:");
  return remote.remote.substr(slash + 1);
}

// rclone lists a file that is named as a folder of one.
Result<bool> isFile(const RemoteName& remote, const std::vector<RemoteFile>& files, FetchProgress& waiting,
                    const std::atomic<bool>& cancel) {
  if (files.size() != 1 || files.front().path != lastPartOf(remote)) return false;
  std::string itself; // an object over several lines
  LastLines said;
  const auto end = Waiting(waiting, remote)
                       .run(
                           commandOf({"lsjson", "--stat", "--no-mimetype"}, &remote, {remote.remote}),
                           [&](std::string_view line) { itself += line; },
                           [&](std::string_view line) { said.add(line); }, cancel);
  if (auto problem = problemOf(end, remote, said)) return std::move(*problem);
  return listedFile(itself).has_value();
}

} // namespace

Result<RemoteSurroundings> surroundingsOf(std::string_view typed, const std::atomic<bool>& cancel) {
  RemoteSurroundings around;
  findSshFiles(around);
  if (!needsConfigured(typed)) return around;
  const RemoteName named{RemoteStore::Configured, shownUnresolved(typed), {}, {}, {}};
  LastLines said;
  const auto end = runChild(
      commandOf({"listremotes"}, nullptr),
      [&](std::string_view line) {
        if (line.ends_with(':')) around.configured.emplace_back(line.substr(0, line.size() - 1));
      },
      [&](std::string_view line) { said.add(line); }, cancel);
  if (auto problem = problemOf(end, named, said)) return std::move(*problem);
  return around;
}

Result<std::vector<RemoteFile>> listRemote(RemoteName& remote, FetchProgress& waiting,
                                           const std::atomic<bool>& cancel) {
  std::vector<RemoteFile> files;
  LastLines said;
  const auto end =
      Waiting(waiting, remote)
          .run(
              commandOf({"lsjson", "-R", "--files-only", "--no-mimetype"}, &remote, {remote.remote}),
              [&](std::string_view line) {
                waiting.heard();
                if (auto file = listedFile(line)) files.push_back(std::move(*file));
              },
              [&](std::string_view line) { said.add(line); }, cancel);
  if (auto problem = problemOf(end, remote, said)) return std::move(*problem);
  const auto one = isFile(remote, files, waiting, cancel);
  if (!one) return one.error();
  if (*one) remote = parentOf(remote);
  std::ranges::sort(files,
                    [](const RemoteFile& a, const RemoteFile& b) { return naturalLess(a.path, b.path); });
  return files;
}

std::optional<Error> fetchFiles(const RemoteName& remote, std::span<const RemoteFile> files,
                                const std::string& folder, FetchProgress& fetched,
                                const std::atomic<bool>& cancel,
                                const std::function<void(const std::string& path)>& arrived) {
  ChildCommand command = commandOf({"copy", "--files-from-raw", "-", "--transfers", "8", "--checkers", "8",
                                    "--use-json-log", "--stats", "250ms", "-v"},
                                   &remote, {remote.remote, folder});
  std::set<std::string> missing;
  for (const RemoteFile& file : files) {
    missing.insert(file.path);
    command.input += file.path;
    command.input += '\n';
  }
  std::uint64_t bytes = 0;
  for (const RemoteFile& file : files) bytes += file.bytes;
  const std::uint64_t before = fetched.bytesDone;
  std::uint64_t done = 0;
  LastLines said;
  const auto take = [&](std::string_view text) {
    CopyLine line = copyLine(text);
    if (line.stats) {
      // When all is here, rclone compares checksums.
      if (line.done != done || line.bytes >= bytes) fetched.heard();
      done = line.done;
      fetched.bytesDone = before + line.bytes;
      fetched.speed = line.bytesPerSecond;
    }
    if (!line.copied.empty() && missing.erase(line.copied) > 0) arrived(line.copied);
    if (!line.problem.empty()) said.add(text);
  };
  const auto end = Waiting(fetched, remote).run(std::move(command), {}, take, cancel);
  fetched.speed = 0;
  if (auto problem = problemOf(end, remote, said)) return problem;
  // What it did not say of each file, it says by its success.
  for (const std::string& path : missing) arrived(path);
  return std::nullopt;
}

} // namespace rankscope
