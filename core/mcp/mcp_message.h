// SPDX-License-Identifier: GPL-3.0-or-later
// A message of JSON-RPC 2.0 as the server needs it, and answers to it.
#pragma once

#include "core/mcp/mcp_tools.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

struct McpMessage {
  std::string id; // as JSON; empty: a notification
  std::string method;
  // Of the parameters:
  std::string revision;     // protocolVersion of initialize
  std::string metaRevision; // the revision that the message itself names; empty before 2026-07-28
  std::string name;         // of a tool
  std::string uri;          // of a resource
  std::string cancelled;    // id of the request to cancel, as JSON
  McpArguments arguments;   // of a tool
  std::string badArgument;  // name of an argument of no known type
};

// Codes of errors.
inline constexpr int kMcpParseError = -32700;
inline constexpr int kMcpInvalidRequest = -32600;
inline constexpr int kMcpUnknownMethod = -32601;
inline constexpr int kMcpInvalidParameters = -32602;
inline constexpr int kMcpUnsupportedRevision = -32022;

struct McpFault {
  int code = 0;
  std::string text;
  std::string id = "null";
};

// One of the two.
struct McpParsed {
  std::optional<McpMessage> message;
  std::optional<McpFault> fault;
};

[[nodiscard]] McpParsed parsedMessage(std::string_view line);

// Without a line break. data: JSON, may be empty.
[[nodiscard]] std::string errorMessage(const McpFault& fault, std::string_view data = {});
[[nodiscard]] std::string resultMessage(const std::string& id, std::string_view result);

} // namespace rankscope
