// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mcp/mcp_message.h"

#include "core/export/json.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <utility>

namespace rankscope {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxDepth = 64;

std::string textAt(const dom::object& object, std::string_view key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

// A text or whole number as JSON; empty for anything else.
std::string idAt(const dom::object& object, std::string_view key) {
  dom::element value;
  if (object[key].get(value) != simdjson::SUCCESS) return {};
  if (std::string_view text; value.get(text) == simdjson::SUCCESS) return jsonString(text);
  if (std::int64_t number = 0; value.get(number) == simdjson::SUCCESS) return std::to_string(number);
  return {};
}

std::optional<McpArguments::Value> argumentOf(const dom::element& value) {
  if (std::string_view text; value.get(text) == simdjson::SUCCESS) return std::string(text);
  if (std::int64_t whole = 0; value.get(whole) == simdjson::SUCCESS) return whole;
  if (bool flag = false; value.get(flag) == simdjson::SUCCESS) return flag;
  if (double real = 0; value.is_double() && value.get(real) == simdjson::SUCCESS) {
    // Some clients write whole numbers as 5.0.
    if (real >= -9e15 && real <= 9e15 && real == static_cast<double>(static_cast<std::int64_t>(real)))
      return static_cast<std::int64_t>(real);
    return real;
  }
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const dom::element item : list) {
    std::string_view text;
    if (item.get(text) != simdjson::SUCCESS) return std::nullopt;
    texts.emplace_back(text);
  }
  return texts;
}

void readParameters(const dom::object& parameters, McpMessage& message) {
  message.revision = textAt(parameters, "protocolVersion");
  message.name = textAt(parameters, "name");
  message.uri = textAt(parameters, "uri");
  message.cancelled = idAt(parameters, "requestId");
  dom::object meta;
  if (parameters["_meta"].get(meta) == simdjson::SUCCESS)
    message.metaRevision = textAt(meta, "io.modelcontextprotocol/protocolVersion");
  dom::object arguments;
  if (parameters["arguments"].get(arguments) != simdjson::SUCCESS) return;
  for (const auto& [key, value] : arguments) {
    if (value.is_null()) continue; // as if it were left out
    auto argument = argumentOf(value);
    if (argument)
      message.arguments.values.insert_or_assign(std::string(key), std::move(*argument));
    else
      message.badArgument = key;
  }
}

McpParsed faulty(int code, std::string text, std::string id = "null") {
  return {std::nullopt, McpFault{code, std::move(text), std::move(id)}};
}

} // namespace

McpParsed parsedMessage(std::string_view line) {
  dom::parser parser;
  if (parser.allocate(line.size() + 64, kMaxDepth) != simdjson::SUCCESS)
    return faulty(kMcpParseError, "not enough memory for this message");
  dom::element root;
  if (const auto error = parser.parse(line.data(), line.size()).get(root); error != simdjson::SUCCESS)
    return faulty(kMcpParseError, fmt::format("Parse error: {}", simdjson::error_message(error)));
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS)
    return faulty(kMcpInvalidRequest, "Invalid request: a message is one object");
  McpMessage message;
  message.id = idAt(object, "id");
  message.method = textAt(object, "method");
  dom::element anyId;
  const bool hasId = object["id"].get(anyId) == simdjson::SUCCESS;
  if (hasId && message.id.empty())
    return faulty(kMcpInvalidRequest, "Invalid request: id is no text or whole number");
  const std::string id = hasId ? message.id : "null";
  if (textAt(object, "jsonrpc") != "2.0")
    return faulty(kMcpInvalidRequest, "Invalid request: jsonrpc is not \"2.0\"", id);
  if (message.method.empty()) return faulty(kMcpInvalidRequest, "Invalid request: method is missing", id);
  dom::element parameters;
  if (object["params"].get(parameters) == simdjson::SUCCESS) {
    dom::object members;
    if (parameters.get(members) != simdjson::SUCCESS)
      return faulty(kMcpInvalidParameters, "Invalid params: params is no object", id);
    readParameters(members, message);
  }
  return {std::move(message), std::nullopt};
}

std::string errorMessage(const McpFault& fault, std::string_view data) {
  return fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "error": {{"code": {}, "message": {}{}{}}}}})",
                     fault.id, fault.code, jsonString(fault.text), data.empty() ? "" : ", \"data\": ", data);
}

std::string resultMessage(const std::string& id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "result": {}}})", id, result);
}

} // namespace rankscope
