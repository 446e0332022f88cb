// SPDX-License-Identifier: GPL-3.0-or-later
// A server of the Model Context Protocol: JSON-RPC messages, one a line. Speaks the revisions with a
// handshake (2024-11-05 to 2025-11-25) and the one without (2026-07-28). Every call is independent of earlier
// ones. Nothing is written but answers; no network; files are only read. Requests are answered one after the
// other on a thread of their own, so that a request that is being answered can be cancelled.
#pragma once

#include "core/mcp/mcp_jobs.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Longer messages are refused.
inline constexpr std::size_t kMaxMcpLine = 1 << 20;

class McpServer {
 public:
  explicit McpServer(McpOptions options);

  // Answers until the input ends. read: up to a number of bytes, 0 at the end. write: one message with its
  // line break; called by one thread at a time.
  void serve(const std::function<std::size_t(char*, std::size_t)>& read,
             const std::function<void(std::string_view)>& write);

  // The answer to one message, without a line break; empty if there is none to give.
  [[nodiscard]] std::optional<std::string> answer(std::string_view message, Progress& progress);

 private:
  McpOptions m_options;
  McpJobs m_jobs;
};

} // namespace rankscope
