// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/remote_servers.h"

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankscope::test {

namespace fs = std::filesystem;

namespace {

std::vector<char*> pointersTo(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The number after the last "127.0.0.1:" of a text.
int portIn(std::string_view text) {
  constexpr std::string_view kHost = "127.0.0.1:";
  const std::size_t at = text.rfind(kHost);
  if (at == std::string_view::npos) return 0;
  std::size_t end = at + kHost.size();
  int port = 0;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0)
    port = port * 10 + (text[end++] - '0');
  return end < text.size() ? port : 0; // more digits may follow
}

} // namespace

std::string programPath(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / name;
    if (access(program.c_str(), X_OK) == 0 && !fs::is_directory(program)) return program.string();
  }
  return {};
}

// The first answer counts: later ones may be asked for in another environment.
std::string s3rverPath() {
  static const std::string path = [] {
    const auto variable = [](const char* name) {
      const char* const value = std::getenv(name);
      return fs::path(value != nullptr ? value : "");
    };
    const fs::path cache =
        variable("XDG_CACHE_HOME").empty() ? variable("HOME") / ".cache" : variable("XDG_CACHE_HOME");
    if (programPath("node").empty()) return std::string();
    for (const fs::path& modules :
         {variable("RANKSCOPE_NODE_MODULES"), cache / "rankscope-tests/node_modules"}) {
      const fs::path program = modules / ".bin/s3rver";
      if (!modules.empty() && fs::exists(program)) return program.string();
    }
    return programPath("s3rver");
  }();
  return path;
}

RemoteServer RemoteServer::s3(const fs::path& folder) {
  fs::create_directories(folder);
  RemoteServer server;
  server.start({s3rverPath(), "--directory", folder.string(), "--address", "127.0.0.1", "--port", "0",
                "--no-vhost-buckets", "--configure-bucket", "traces"});
  return server;
}

RemoteServer RemoteServer::rclone(const std::string& kind, const fs::path& folder,
                                  const std::vector<std::string>& options) {
  RemoteServer server;
  std::vector<std::string> command{programPath("rclone"), "serve",  kind,
                                   folder.string(),       "--addr", "127.0.0.1:0"};
  command.insert(command.end(), options.begin(), options.end());
  server.start(std::move(command));
  return server;
}

void RemoteServer::start(std::vector<std::string> command) {
  int ends[2];
  if (pipe(ends) != 0) return;
  std::vector<char*> words = pointersTo(command);
  m_process = fork();
  if (m_process == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  m_output = ends[0];
  std::string said;
  char block[4096];
  // It says where it listens once it does.
  while (m_port == 0) {
    const ssize_t got = read(m_output, block, sizeof block);
    if (got <= 0) break;
    said.append(block, static_cast<std::size_t>(got));
    m_port = portIn(said);
  }
}

RemoteServer::RemoteServer(RemoteServer&& other) noexcept
    : m_process(std::exchange(other.m_process, -1)), m_output(std::exchange(other.m_output, -1)),
      m_port(std::exchange(other.m_port, 0)) {}

RemoteServer::~RemoteServer() {
  stop();
}

void RemoteServer::stop() {
  if (m_process > 0) {
    kill(m_process, SIGKILL);
    waitpid(m_process, nullptr, 0);
  }
  if (m_output >= 0) close(m_output);
  m_process = -1;
  m_output = -1;
}

RemoteEnvironment::RemoteEnvironment(const fs::path& folder) {
  static_cast<void>(s3rverPath());
  fs::create_directories(folder / "home");
  for (const char* name :
       {"AWS_CA_BUNDLE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
        "SSH_AUTH_SOCK", "RCLONE_CONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "HTTP_PROXY", "http_proxy"})
    unset(name);
  set("HOME", (folder / "home").string());
  set("XDG_CONFIG_HOME", (folder / "home/.config").string());
  set("XDG_CACHE_HOME", (folder / "home/.cache").string());
  set("AWS_EC2_METADATA_DISABLED", "true");
}

RemoteEnvironment::~RemoteEnvironment() {
  for (auto before = m_before.rbegin(); before != m_before.rend(); ++before) {
    if (before->there)
      setenv(before->name.c_str(), before->value.c_str(), 1);
    else
      unsetenv(before->name.c_str());
  }
}

void RemoteEnvironment::remember(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  m_before.push_back({name, value != nullptr ? value : "", value != nullptr});
}

void RemoteEnvironment::set(const std::string& name, const std::string& value) {
  remember(name);
  setenv(name.c_str(), value.c_str(), 1);
}

void RemoteEnvironment::unset(const std::string& name) {
  remember(name);
  unsetenv(name.c_str());
}

int runRclone(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{programPath("rclone")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> words = pointersTo(command);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string s3Remote(int port, std::string_view path) {
  std::string remote = ":s3,provider=Other,endpoint=\"http://127.0.0.1:";
  remote += std::to_string(port);
  remote += "\",force_path_style=true,access_key_id=S3RVER,secret_access_key=S3RVER:traces/";
  remote += path;
  return remote;
}

std::string s3Address(int port, std::string_view path) {
  std::string address = "s3://traces/";
  address += path;
  address += "?endpoint=http://127.0.0.1:";
  address += std::to_string(port);
  return address;
}

} // namespace rankscope::test
