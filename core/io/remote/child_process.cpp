// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/child_process.h"

#include "core/base/ending_signals.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace rankscope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : m_number(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    m_number = std::exchange(other.m_number, -1);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return m_number; }
  [[nodiscard]] bool open() const { return m_number >= 0; }
  void close() {
    if (m_number >= 0) ::close(m_number);
    m_number = -1;
  }

 private:
  int m_number;
};

struct Pipe {
  Descriptor read, write;
};

std::optional<Pipe> newPipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void neverBlocks(const Descriptor& of) {
  ::fcntl(of.number(), F_SETFL, ::fcntl(of.number(), F_GETFL) | O_NONBLOCK);
}

// A program that ends early must not end this one: writing to it fails instead.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    ::sigemptyset(&m_pipe);
    ::sigaddset(&m_pipe, SIGPIPE);
    sigset_t pending;
    ::sigemptyset(&pending);
    ::sigpending(&pending);
    m_wasPending = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
  }
  ~WithoutPipeSignal() {
    if (!m_wasPending) {
      const timespec now{0, 0};
      while (::sigtimedwait(&m_pipe, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t m_pipe{};
  sigset_t m_before{};
  bool m_wasPending = false;
};

class LineBuffer {
 public:
  explicit LineBuffer(const LineTaker& take) : m_take(take) {}

  void add(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view part = text.substr(0, end);
      m_line.append(part.substr(0, kLongestLine - std::min(kLongestLine, m_line.size())));
      if (end == std::string_view::npos) return;
      finish();
      text.remove_prefix(end + 1);
    }
  }
  void finish() {
    if (m_line.ends_with('\r')) m_line.pop_back();
    if (!m_line.empty() && m_take) m_take(m_line);
    m_line.clear();
  }

 private:
  const LineTaker& m_take;
  std::string m_line;
};

// The environment of this process with additions, as the system wants it.
std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::ranges::any_of(added, [&](const auto& of) { return of.first == name; });
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) {
    std::string& entry = all.emplace_back(name);
    entry += '=';
    entry += value;
  }
  return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Programs that run. Each leaves before its number may be another one's.
class Running {
 public:
  void add(pid_t id) {
    static const bool once = (onEndingSignal(&killChildren), true);
    static_cast<void>(once);
    const std::lock_guard lock(m_mutex);
    m_ids.insert(id);
  }
  // As waitpid().
  pid_t wait(pid_t id, int* status, int options) {
    const std::lock_guard lock(m_mutex);
    const pid_t ended = ::waitpid(id, status, options);
    if (ended != 0 && !(ended < 0 && errno == EINTR)) m_ids.erase(id);
    return ended;
  }
  void kill() {
    const std::lock_guard lock(m_mutex);
    for (const pid_t id : m_ids) ::kill(id, SIGKILL);
  }

 private:
  std::mutex m_mutex;
  std::set<pid_t> m_ids;
};

Running& running() {
  static Running all;
  return all;
}

class Child {
 public:
  explicit Child(const ChildCommand& command) : m_grace(command.grace), m_givenUp(command.givenUp) {}
  // After an exception: it would not be waited for otherwise.
  ~Child() {
    if (m_id <= 0) return;
    ::kill(m_id, SIGKILL);
    while (running().wait(m_id, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // An errno; 0 if it runs.
  int start(const ChildCommand& command) {
    auto in = newPipe(), out = newPipe(), err = newPipe();
    if (!in || !out || !err) return errno;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (const int failed = ::posix_spawn_file_actions_init(&files)) return failed;
    if (const int failed = ::posix_spawnattr_init(&attributes)) {
      ::posix_spawn_file_actions_destroy(&files);
      return failed;
    }
    ::posix_spawn_file_actions_adddup2(&files, in->read.number(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, out->write.number(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, err->write.number(), STDERR_FILENO);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
#endif
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> words = command.arguments;
    words.insert(words.begin(), command.program);
    std::vector<std::string> environment = environmentWith(command.environment);
    const int failed = ::posix_spawnp(&m_id, command.program.c_str(), &files, &attributes,
                                      pointersTo(words).data(), pointersTo(environment).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (failed != 0) return failed;
    running().add(m_id);
    m_in = std::move(in->write);
    m_out = std::move(out->read);
    m_err = std::move(err->read);
    for (const Descriptor* of : {&m_in, &m_out, &m_err}) neverBlocks(*of);
    return 0;
  }

  // Reads and writes until the program has closed both of its outputs.
  void serve(std::string_view input, LineBuffer& output, LineBuffer& errors,
             const std::atomic<bool>& cancel) {
    if (input.empty()) m_in.close();
    while (m_out.open() || m_err.open()) {
      std::array<pollfd, 3> wanted{pollfd{m_out.number(), POLLIN, 0}, pollfd{m_err.number(), POLLIN, 0},
                                   pollfd{m_in.number(), POLLOUT, 0}};
      ::poll(wanted.data(), wanted.size(), kPollMs);
      if (wanted[0].revents != 0) read(m_out, output);
      if (wanted[1].revents != 0) read(m_err, errors);
      if (wanted[2].revents != 0) write(input);
      if (!askToEnd(cancel)) break; // what it started itself may hold the pipes open
    }
    m_in.close();
  }

  // Waits for the end of a program that has closed its outputs.
  ChildEnd end(const std::atomic<bool>& cancel) {
    int status = 0;
    while (running().wait(m_id, &status, WNOHANG) == 0) {
      ::poll(nullptr, 0, kPollMs);
      askToEnd(cancel);
    }
    m_id = -1;
    ChildEnd end;
    end.cancelled = m_askedToEnd.has_value() && cancel;
    end.givenUp = m_askedToEnd.has_value() && !cancel;
    end.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return end;
  }

 private:
  static void read(Descriptor& from, LineBuffer& to) {
    std::array<char, 16384> block;
    while (true) {
      const ssize_t got = ::read(from.number(), block.data(), block.size());
      if (got > 0) {
        to.add(std::string_view(block.data(), static_cast<std::size_t>(got)));
        continue;
      }
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      to.finish();
      from.close();
      return;
    }
  }

  void write(std::string_view& input) {
    const ssize_t wrote = ::write(m_in.number(), input.data(), input.size());
    if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (wrote > 0) input.remove_prefix(static_cast<std::size_t>(wrote));
    if (wrote < 0 || input.empty()) m_in.close();
  }

  // False when it was ended by force.
  bool askToEnd(const std::atomic<bool>& cancel) {
    if (!m_askedToEnd && !cancel && !(m_givenUp && m_givenUp())) return true;
    if (!m_askedToEnd) {
      m_askedToEnd = Clock::now();
      ::kill(m_id, SIGINT);
    } else if (Clock::now() - *m_askedToEnd > m_grace) {
      ::kill(m_id, SIGKILL);
      return false;
    }
    return true;
  }

  pid_t m_id = -1;
  Descriptor m_in, m_out, m_err;
  std::chrono::milliseconds m_grace;
  const std::function<bool()>& m_givenUp;
  std::optional<Clock::time_point> m_askedToEnd;
};

} // namespace

Result<ChildEnd> runChild(const ChildCommand& command, const LineTaker& output, const LineTaker& errors,
                          const std::atomic<bool>& cancel) {
  const WithoutPipeSignal noSignal;
  Child child(command);
  if (const int failed = child.start(command)) {
    const bool absent = failed == ENOENT;
    return Error{ErrorKind::Io,
                 absent ? std::string(kProgramNotFound)
                        : "cannot be started: " + std::generic_category().message(failed),
                 command.program, std::nullopt};
  }
  LineBuffer outputLines(output), errorLines(errors);
  child.serve(command.input, outputLines, errorLines, cancel);
  return child.end(cancel);
}

void killChildren() noexcept {
  running().kill();
}

} // namespace rankscope
