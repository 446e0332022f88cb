// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/event_parser.h"

#include "core/io/json_text.h"

#include <cstring>

namespace rankscope {

namespace {

namespace ondemand = simdjson::ondemand;

std::string_view rawToken(ondemand::value& value) {
  return trimmedToken(value.raw_json_token());
}

bool keyIs(const char* raw, std::string_view key) {
  return std::memcmp(raw, key.data(), key.size()) == 0 && raw[key.size()] == '"';
}

void takeCollectiveArgument(const char* key, std::string_view token, CollectiveFields& to) {
  const auto name = [&] { return insideQuotes(token); };
  const auto number = [&] { return signedFromToken(token).value_or(-1); };
  if (keyIs(key, "Collective name"))
    to.operation = name();
  else if (keyIs(key, "dtype"))
    to.dtype = name();
  else if (keyIs(key, "In msg nelems") || keyIs(key, "In msg size"))
    to.numbers.inElements = number();
  else if (keyIs(key, "Out msg nelems") || keyIs(key, "Out msg size"))
    to.numbers.outElements = number();
  else if (keyIs(key, "Group size"))
    to.numbers.groupSize = number();
  else if (keyIs(key, "Process Group Name") || keyIs(key, "Process Group ID"))
    to.groupName = name();
  else if (keyIs(key, "Process Group Description"))
    to.groupDescription = name();
  else if (keyIs(key, "Process Group Ranks"))
    to.groupRanks = name();
  else if (keyIs(key, "Global rank start"))
    to.numbers.rankStart = number();
  else if (keyIs(key, "Global rank stride"))
    to.numbers.rankStride = number();
  else if (keyIs(key, "Comms Id"))
    to.numbers.commsId = unsignedFromToken(token).value_or(0);
  else if (keyIs(key, "Seq"))
    to.numbers.sequence = number();
  else if (keyIs(key, "Rank"))
    to.numbers.rank = number();
  else if (keyIs(key, "Src Rank") || keyIs(key, "Dst Rank"))
    to.numbers.peer = number();
}

simdjson::error_code readAllArguments(ondemand::object& arguments, EventFields& to) {
  for (auto field : arguments) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    const std::string_view token = rawToken(value);
    const char* k = key.raw();
    switch (*k) {
    case 'c':
      if (keyIs(k, "correlation")) to.device.correlation = unsignedFromToken(token).value_or(0);
      break;
    case 'd':
      if (keyIs(k, "device"))
        to.device.device = static_cast<std::int32_t>(signedFromToken(token).value_or(-1));
      else
        takeCollectiveArgument(k, token, to.collective);
      break;
    case 's':
      if (keyIs(k, "stream"))
        to.device.stream = signedFromToken(token).value_or(-1);
      else if (keyIs(k, "size") && to.device.bytes < 0)
        to.device.bytes = signedFromToken(token).value_or(-1);
      break;
    case 'b':
      if (keyIs(k, "bytes"))
        to.device.bytes = signedFromToken(token).value_or(-1);
      else if (keyIs(k, "blocks per SM"))
        to.device.blocksPerSm = static_cast<float>(doubleFromToken(token).value_or(-1));
      break;
    case 'e':
      if (keyIs(k, "est. achieved occupancy %")) {
        to.device.occupancyPct = static_cast<float>(doubleFromToken(token).value_or(-1));
      } else if (keyIs(k, "external id")) {
        to.device.externalId = unsignedFromToken(token).value_or(0);
      }
      break;
    case 'E':
      if (keyIs(k, "External id")) to.device.externalId = unsignedFromToken(token).value_or(0);
      break;
    case 'B':
      if (keyIs(k, "Bytes")) {
        to.memory.bytes = signedFromToken(token).value_or(0);
        to.hasMemory = true;
      }
      break;
    case 'A':
      if (keyIs(k, "Addr")) to.memory.address = unsignedFromToken(token).value_or(0);
      break;
    case 'T':
      if (keyIs(k, "Total Allocated"))
        to.memory.totalAllocated = signedFromToken(token).value_or(-1);
      else if (keyIs(k, "Total Reserved"))
        to.memory.totalReserved = signedFromToken(token).value_or(-1);
      break;
    case 'D':
      if (keyIs(k, "Device Type"))
        to.memory.deviceType = static_cast<std::int32_t>(signedFromToken(token).value_or(-1));
      else if (keyIs(k, "Device Id"))
        to.memory.device = static_cast<std::int32_t>(signedFromToken(token).value_or(-1));
      else
        takeCollectiveArgument(k, token, to.collective);
      break;
    case 'C':
    case 'G':
    case 'I':
    case 'O':
    case 'P':
    case 'R':
    case 'S':
      takeCollectiveArgument(k, token, to.collective);
      break;
    default:
      break;
    }
  }
  return simdjson::SUCCESS;
}

// Host events have many arguments and only their ids become columns; those stand first.
simdjson::error_code readHostArguments(ondemand::object& arguments, EventFields& to) {
  for (auto field : arguments) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    const char* k = key.raw();
    if (!keyIs(k, "External id") && !keyIs(k, "external id")) continue;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    to.device.externalId = unsignedFromToken(rawToken(value)).value_or(0);
    return simdjson::SUCCESS;
  }
  return simdjson::SUCCESS;
}

constexpr int kDeepestShape = 8;

// Elements of all tensors of "Input Dims": [[4096], [4096]] are 8192, a tensor without dimensions has 1.
// An absurd shape, or one nested deeper than any list of tensors, makes them unknown: -1.
simdjson::error_code addElements(ondemand::value& value, std::int64_t& elements, int depth = 0) {
  ondemand::array items;
  if (auto error = value.get_array().get(items)) return error;
  std::int64_t product = 1;
  bool nested = false;
  for (auto item : items) {
    ondemand::value inner;
    if (auto error = item.get(inner)) return error;
    ondemand::json_type type{};
    if (auto error = inner.type().get(type)) return error;
    if (type == ondemand::json_type::array) {
      nested = true;
      if (depth == kDeepestShape) {
        elements = -1;
        return simdjson::SUCCESS;
      }
      if (auto error = addElements(inner, elements, depth + 1)) return error;
    } else if (const auto size = signedFromToken(rawToken(inner));
               !size || *size < 0 || __builtin_mul_overflow(product, *size, &product)) {
      elements = -1;
      return simdjson::SUCCESS;
    }
  }
  if (!nested && (elements < 0 || __builtin_add_overflow(elements, product, &elements))) elements = -1;
  return simdjson::SUCCESS;
}

// The n-th text of an array of texts; empty when there is none.
simdjson::error_code readText(ondemand::value& value, std::size_t n, std::string_view& text) {
  ondemand::array items;
  if (auto error = value.get_array().get(items)) return error;
  std::size_t i = 0;
  for (auto item : items) {
    ondemand::value inner;
    if (auto error = item.get(inner)) return error;
    if (i++ == n) text = insideQuotes(rawToken(inner));
  }
  return simdjson::SUCCESS;
}

// Annotations of a back end say what they move by the shape of their tensors; a send and a receive name the
// other rank as their third argument.
simdjson::error_code readBackendArguments(ondemand::object& arguments, EventFields& to) {
  std::int64_t elements = 0;
  bool hasShapes = false;
  std::string_view type;
  std::string_view peer;
  for (auto field : arguments) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    const char* k = key.raw();
    if (keyIs(k, "External id") || keyIs(k, "external id")) {
      to.device.externalId = unsignedFromToken(rawToken(value)).value_or(0);
    } else if (keyIs(k, "Input Dims") || keyIs(k, "Input dims")) {
      ondemand::json_type kind{};
      if (auto error = value.type().get(kind)) return error;
      if (kind != ondemand::json_type::array) continue;
      hasShapes = true;
      if (auto error = addElements(value, elements)) return error;
    } else if (keyIs(k, "Input type") || keyIs(k, "Concrete Inputs")) {
      ondemand::json_type kind{};
      if (auto error = value.type().get(kind)) return error;
      if (kind != ondemand::json_type::array) continue;
      const bool isType = *k == 'I';
      if (auto error = readText(value, isType ? 0 : 2, isType ? type : peer)) return error;
    }
  }
  to.collective.operation = to.name;
  to.collective.dtype = type;
  // Before 2.0 a list of tensors was written without its shapes.
  if (hasShapes && elements > 0 && type != "TensorList") to.collective.numbers.inElements = elements;
  if (to.name.starts_with("c10d::")) {
    to.collective.numbers.inElements = -1;
    to.collective.numbers.peer = signedFromToken(peer).value_or(-1);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code readMetadataArguments(ondemand::object& arguments, EventFields& to) {
  for (auto field : arguments) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    if (keyIs(key.raw(), "name") || keyIs(key.raw(), "labels"))
      to.metadataText = insideQuotes(rawToken(value));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code readCounterArguments(ondemand::object& arguments, EventFields& to) {
  for (auto field : arguments) {
    std::string_view text;
    if (auto error = field.unescaped_key().get(text)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    if (const auto number = doubleFromToken(rawToken(value))) to.counters.emplace_back(text, *number);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code readArguments(ondemand::object& arguments, EventFields& fields) {
  switch (fields.phase) {
  case 'M':
    return readMetadataArguments(arguments, fields);
  case 'C':
    return readCounterArguments(arguments, fields);
  case 's':
  case 't':
  case 'f':
    return simdjson::SUCCESS;
  default:
    break;
  }
  switch (fields.category.value_or(EventCategory::None)) {
  case EventCategory::Python:
  case EventCategory::Trace:
  case EventCategory::Overhead:
    return simdjson::SUCCESS;
  case EventCategory::CpuOp:
  case EventCategory::UserAnnotation:
    if (isBackendCollectiveName(fields.name)) return readBackendArguments(arguments, fields);
    if (fields.name != "record_param_comms") return readHostArguments(arguments, fields);
    [[fallthrough]];
  default:
    return readAllArguments(arguments, fields);
  }
}

} // namespace

simdjson::error_code readEventFields(ondemand::object& object, CategoryNames& categories,
                                     EventFields& fields) {
  bool argumentsLate = false; // they stood before the members that say how to read them
  for (auto field : object) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    const char* k = key.raw();
    const auto inside = [&] { return insideQuotes(rawToken(value)); };
    switch (*k) {
    case 'p':
      if (keyIs(k, "ph")) {
        const std::string_view phase = inside();
        fields.phase = phase.size() == 1 ? phase.front() : '?';
      } else if (keyIs(k, "pid")) {
        fields.process = inside();
      }
      break;
    case 'c':
      if (keyIs(k, "cat")) fields.category = categories.of(inside());
      break;
    case 'n':
      if (keyIs(k, "name")) fields.name = inside();
      break;
    case 't':
      if (keyIs(k, "ts"))
        fields.time = inside();
      else if (keyIs(k, "tid"))
        fields.thread = inside();
      break;
    case 'd':
      if (keyIs(k, "dur")) fields.duration = inside();
      break;
    case 'i':
      if (keyIs(k, "id")) fields.id = inside();
      break;
    case 'a':
      if (keyIs(k, "args") && rawToken(value).starts_with('{')) {
        if (fields.phase == '\0' || fields.name.data() == nullptr || fields.time.data() == nullptr ||
            (!fields.category && fields.phase == 'X')) {
          argumentsLate = true;
          break;
        }
        ondemand::object inner;
        if (auto error = value.get_object().get(inner)) return error;
        if (auto error = readArguments(inner, fields)) return error;
      }
      break;
    default:
      break;
    }
  }
  if (!argumentsLate) return simdjson::SUCCESS;
  if (auto error = object.reset().error()) return error;
  ondemand::object inner;
  if (auto error = object.find_field_unordered("args").get_object().get(inner)) return error;
  return readArguments(inner, fields);
}

} // namespace rankscope
