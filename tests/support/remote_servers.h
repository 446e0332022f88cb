// SPDX-License-Identifier: GPL-3.0-or-later
// Real servers of remotes on the loopback, for tests: s3rver as S3, and those of rclone. They end with their
// object. Tests are skipped where the programs are missing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace rankscope::test {

// Path of a program on the PATH; empty if there is none.
[[nodiscard]] std::string programPath(std::string_view name);
// s3rver, in $RANKSCOPE_NODE_MODULES, where packaging/install_dependencies.sh puts it, or on the PATH; empty
// if it or node is missing.
[[nodiscard]] std::string s3rverPath();
inline constexpr const char* kNoRclone = "no rclone is installed";
inline constexpr const char* kNoS3rver =
    "no s3rver is installed (npm install s3rver, RANKSCOPE_NODE_MODULES)";

class RemoteServer {
 public:
  // S3 with an empty bucket "traces"; both keys are S3RVER.
  [[nodiscard]] static RemoteServer s3(const std::filesystem::path& folder);
  // `rclone serve KIND` of a folder; options: further arguments.
  [[nodiscard]] static RemoteServer rclone(const std::string& kind, const std::filesystem::path& folder,
                                           const std::vector<std::string>& options = {});
  ~RemoteServer();
  RemoteServer(RemoteServer&& other) noexcept;
  RemoteServer(const RemoteServer&) = delete;
  RemoteServer& operator=(const RemoteServer&) = delete;
  RemoteServer& operator=(RemoteServer&&) = delete;

  [[nodiscard]] int port() const { return m_port; } // 0: it did not start
  // Ends it, as if the network were gone.
  void stop();

 private:
  RemoteServer() = default;
  void start(std::vector<std::string> command);

  pid_t m_process = -1;
  int m_output = -1;
  int m_port = 0;
};

// The environment of this process while the object exists, in which rclone finds no user's configuration:
// HOME and the folders for configuration and cache are below `folder`, and no credentials are set.
class RemoteEnvironment {
 public:
  explicit RemoteEnvironment(const std::filesystem::path& folder);
  ~RemoteEnvironment();
  RemoteEnvironment(const RemoteEnvironment&) = delete;
  RemoteEnvironment& operator=(const RemoteEnvironment&) = delete;

  void set(const std::string& name, const std::string& value);
  void unset(const std::string& name);

 private:
  struct Before {
    std::string name, value;
    bool there = false;
  };
  void remember(const std::string& name);
  std::vector<Before> m_before;
};

// Runs rclone with these arguments; its exit code.
int runRclone(const std::vector<std::string>& arguments);

// The remote of rclone for a folder of the bucket of RemoteServer::s3.
[[nodiscard]] std::string s3Remote(int port, std::string_view path);
// What a user types for it.
[[nodiscard]] std::string s3Address(int port, std::string_view path);

} // namespace rankscope::test
