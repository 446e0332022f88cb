// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_parser.h"

#include "core/io/json/json_text.h"

#include <cstring>

namespace rankscope {

namespace {

bool keyIs(const char* raw, std::string_view key) {
  return std::memcmp(raw, key.data(), key.size()) == 0 && raw[key.size()] == '"';
}

// The key whose first byte is at `key`, with escapes.
std::string_view insideKey(const char* key) {
  const char* end = key;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {key, static_cast<std::size_t>(end - key)};
}

// Rare, so kept out of the hot path. Texts, null and numbers of a wider type are not damage.
[[gnu::cold, gnu::noinline]] void noteOddNumber(std::string_view token, EventFields& to) {
  token = trimmedToken(token);
  const bool text = token.empty() || token.front() == '"' || token.front() == '[' || token.front() == '{';
  const bool word = token == "null" || token == "true" || token == "false";
  to.oddNumber = to.oddNumber || (!text && !word && !signedFromToken(token));
}

// Value for an integer column; `none` if it is missing or invalid.
std::int64_t signedOr(std::int64_t none, std::string_view token, EventFields& to) {
  const auto value = signedFromToken(token);
  if (!value) [[unlikely]]
    noteOddNumber(token, to);
  return value.value_or(none);
}

std::uint64_t unsignedOrZero(std::string_view token, EventFields& to) {
  const auto value = unsignedFromToken(token);
  if (!value) [[unlikely]]
    noteOddNumber(token, to);
  return value.value_or(0);
}

// Impossible sizes are damage.
std::int64_t bytesOr(std::int64_t none, std::string_view token, EventFields& to) {
  constexpr std::int64_t kMax = std::int64_t{1} << 45;
  const std::int64_t value = signedOr(none, token, to);
  if (value >= -kMax && value <= kMax) [[likely]]
    return value;
  to.oddNumber = true;
  return none;
}

std::int32_t deviceOr(std::string_view token, EventFields& to) {
  const std::int64_t value = signedOr(-1, token, to);
  if (const auto device = deviceNumber(value)) [[likely]]
    return *device;
  to.oddNumber = true;
  return -1;
}

float floatOr(std::string_view token, EventFields& to) {
  const auto value = doubleFromToken(token);
  if (!value) [[unlikely]]
    noteOddNumber(token, to);
  return static_cast<float>(value.value_or(-1));
}

void takeCollectiveArgument(const char* key, std::string_view token, EventFields& fields) {
  CollectiveFields& to = fields.collective;
  const auto name = [&] { return insideQuotes(token); };
  const auto number = [&] { return signedOr(-1, token, fields); };
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
    to.numbers.commsId = unsignedOrZero(token, fields);
  else if (keyIs(key, "Seq"))
    to.numbers.sequence = number();
  else if (keyIs(key, "Rank"))
    to.numbers.rank = number();
  else if (keyIs(key, "Src Rank") || keyIs(key, "Dst Rank"))
    to.numbers.peer = TransferPeer::of(number(), PeerNumbering::Job);
}

SyncRole syncRole(std::string_view kind) {
  if (kind == "Stream Wait Event") return SyncRole::StreamWait;
  if (kind == "Event Sync") return SyncRole::EventSync;
  return kind == "Stream Sync" ? SyncRole::StreamSync : SyncRole::Other;
}

// Arguments with lower-case keys: of device activity and synchronization.
void takeDeviceArgument(const char* key, std::string_view token, EventFields& to) {
  switch (*key) {
  case 'c':
    if (keyIs(key, "correlation"))
      to.device.correlation = unsignedOrZero(token, to);
    else if (keyIs(key, "cuda_sync_kind"))
      to.sync.role = syncRole(insideQuotes(token));
    break;
  case 'w':
    if (keyIs(key, "wait_on_stream"))
      to.sync.waitedStream = signedOr(-1, token, to);
    else if (keyIs(key, "wait_on_cuda_event_record_corr_id"))
      to.sync.recordCorrelation = unsignedOrZero(token, to); // -1: unknown
    break;
  case 'd':
    if (keyIs(key, "device"))
      to.device.device = deviceOr(token, to);
    else
      takeCollectiveArgument(key, token, to);
    break;
  case 's':
    if (keyIs(key, "stream"))
      to.device.stream = signedOr(-1, token, to);
    else if (keyIs(key, "size") && to.device.bytes < 0)
      to.device.bytes = bytesOr(-1, token, to);
    break;
  case 'b':
    if (keyIs(key, "bytes"))
      to.device.bytes = bytesOr(-1, token, to);
    else if (keyIs(key, "blocks per SM"))
      to.device.blocksPerSm = floatOr(token, to);
    break;
  case 'e':
    if (keyIs(key, "est. achieved occupancy %"))
      to.device.occupancyPct = floatOr(token, to);
    else if (keyIs(key, "external id"))
      to.device.externalId = unsignedOrZero(token, to);
    break;
  default:
    break;
  }
}

// Other arguments: of allocations and collectives.
void takeMemoryOrCollectiveArgument(const char* key, std::string_view token, EventFields& to) {
  switch (*key) {
  case 'E':
    if (keyIs(key, "External id")) to.device.externalId = unsignedOrZero(token, to);
    break;
  case 'B':
    if (keyIs(key, "Bytes")) {
      to.memory.bytes = bytesOr(0, token, to);
      to.hasMemory = true;
    }
    break;
  case 'A':
    if (keyIs(key, "Addr")) to.memory.address = unsignedOrZero(token, to);
    break;
  case 'T':
    if (keyIs(key, "Total Allocated"))
      to.memory.totalAllocated = bytesOr(-1, token, to);
    else if (keyIs(key, "Total Reserved"))
      to.memory.totalReserved = bytesOr(-1, token, to);
    break;
  case 'D':
    if (keyIs(key, "Device Type"))
      to.memory.deviceType = deviceOr(token, to);
    else if (keyIs(key, "Device Id"))
      to.memory.device = deviceOr(token, to);
    else
      takeCollectiveArgument(key, token, to);
    break;
  case 'C':
  case 'G':
  case 'I':
  case 'O':
  case 'P':
  case 'R':
  case 'S':
    takeCollectiveArgument(key, token, to);
    break;
  default:
    break;
  }
}

bool readAllArguments(JsonCursor& arguments, EventFields& to) {
  return arguments.eachMember([&to](const char* key, JsonCursor& value) {
    const std::string_view token = value.value();
    if (token.empty()) return false;
    if (*key >= 'a')
      takeDeviceArgument(key, token, to);
    else
      takeMemoryOrCollectiveArgument(key, token, to);
    return true;
  });
}

// Host events have many arguments, but only the ids are stored in columns; these come first.
bool readHostArguments(JsonCursor& arguments, EventFields& to) {
  JsonCursor look = arguments;
  (void)look.eachMember([&to](const char* k, JsonCursor& value) {
    if (!keyIs(k, "External id") && !keyIs(k, "external id")) return value.skip();
    to.device.externalId = unsignedFromToken(value.value()).value_or(0);
    return false; // no need to read the rest
  });
  return arguments.skip();
}

constexpr int kMaxShapeDepth = 8;

// Number of elements of all tensors in "Input Dims": 8192 for [[4096], [4096]]; a scalar tensor counts 1. -1
// if a shape is impossible or nested too deeply.
bool addElements(JsonCursor& list, std::int64_t& elements, int depth = 0) {
  std::int64_t product = 1;
  bool nested = false;
  bool absurd = false;
  const bool whole = list.eachItem([&](JsonCursor& item) {
    if (item.here() == '[') {
      nested = true;
      absurd = absurd || depth == kMaxShapeDepth;
      return absurd ? item.skip() : addElements(item, elements, depth + 1);
    }
    const auto size = signedFromToken(item.value());
    absurd = absurd || !size || *size < 0 || __builtin_mul_overflow(product, *size, &product);
    return true;
  });
  if (absurd) {
    elements = -1;
  } else if (!nested && (elements < 0 || __builtin_add_overflow(elements, product, &elements))) {
    elements = -1;
  }
  return whole;
}

// The n-th text of a list; empty if there is none.
bool readText(JsonCursor& list, std::size_t n, std::string_view& text) {
  std::size_t i = 0;
  return list.eachItem([&](JsonCursor& item) {
    const std::string_view value = item.value();
    if (i++ == n) text = insideQuotes(value);
    return !value.empty();
  });
}

// Annotations of a backend give the message size as the shapes of their tensors. For send and receive, the
// third argument is the place of the peer in the group.
bool readBackendArguments(JsonCursor& arguments, EventFields& to) {
  std::int64_t elements = 0;
  bool hasShapes = false;
  std::string_view type;
  std::string_view peer;
  const bool whole = arguments.eachMember([&](const char* k, JsonCursor& value) {
    if (keyIs(k, "External id") || keyIs(k, "external id")) {
      to.device.externalId = unsignedFromToken(value.value()).value_or(0);
      return true;
    }
    if (value.here() != '[') return value.skip();
    if (keyIs(k, "Input Dims") || keyIs(k, "Input dims")) {
      hasShapes = true;
      return addElements(value, elements);
    }
    if (keyIs(k, "Input type")) return readText(value, 0, type);
    if (keyIs(k, "Concrete Inputs")) return readText(value, 2, peer);
    return value.skip();
  });
  if (!whole) return false;
  to.collective.operation = to.name;
  to.collective.dtype = type;
  // Before 2.0, lists of tensors were written without shapes.
  if (hasShapes && elements > 0 && type != "TensorList") to.collective.numbers.inElements = elements;
  if (to.name.starts_with("c10d::")) {
    to.collective.numbers.inElements = -1;
    to.collective.numbers.peer = TransferPeer::of(signedFromToken(peer).value_or(-1), PeerNumbering::Group);
  }
  return true;
}

bool readMetadataArguments(JsonCursor& arguments, EventFields& to) {
  return arguments.eachMember([&to](const char* k, JsonCursor& value) {
    const std::string_view token = value.value();
    if (keyIs(k, "name") || keyIs(k, "labels")) to.metadataText = insideQuotes(token);
    return !token.empty();
  });
}

bool readCounterArguments(JsonCursor& arguments, EventFields& to) {
  return arguments.eachMember([&to](const char* k, JsonCursor& value) {
    const std::string_view token = value.value();
    if (const auto number = doubleFromToken(token))
      to.counters.emplace_back(insideKey(k), *number);
    else
      noteOddNumber(token, to);
    return !token.empty();
  });
}

bool readArguments(JsonCursor& arguments, EventFields& fields) {
  switch (fields.phase) {
  case 'M':
    return readMetadataArguments(arguments, fields);
  case 'C':
    return readCounterArguments(arguments, fields);
  case 's':
  case 't':
  case 'f':
    return arguments.skip();
  default:
    break;
  }
  switch (fields.category.value_or(EventCategory::None)) {
  case EventCategory::Python:
  case EventCategory::Trace:
  case EventCategory::Overhead:
    return arguments.skip();
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

bool readEventFields(JsonCursor& event, CategoryNames& categories, EventFields& fields) {
  fields.clear();
  std::optional<JsonCursor> late; // arguments that precede the members needed to interpret them
  const bool whole = event.eachMember([&](const char* k, JsonCursor& value) {
    if (keyIs(k, "args") && value.here() == '{') {
      if (fields.phase != '\0' && fields.name.data() != nullptr && fields.time.data() != nullptr &&
          (fields.category || fields.phase != 'X'))
        return readArguments(value, fields);
      late = value;
      return value.skip();
    }
    const std::string_view token = value.value();
    if (token.empty()) return false;
    switch (*k) {
    case 'p':
      if (keyIs(k, "ph")) {
        const std::string_view phase = insideQuotes(token);
        fields.phase = phase.size() == 1 ? phase.front() : '?';
      } else if (keyIs(k, "pid")) {
        fields.process = insideQuotes(token);
      }
      break;
    case 'c':
      if (keyIs(k, "cat")) fields.category = categories.of(insideQuotes(token));
      break;
    case 'n':
      if (keyIs(k, "name")) fields.name = insideQuotes(token);
      break;
    case 't':
      if (keyIs(k, "ts"))
        fields.time = insideQuotes(token);
      else if (keyIs(k, "tid"))
        fields.thread = insideQuotes(token);
      break;
    case 'd':
      if (keyIs(k, "dur")) fields.duration = insideQuotes(token);
      break;
    case 'i':
      if (keyIs(k, "id")) fields.id = insideQuotes(token);
      break;
    default:
      break;
    }
    return true;
  });
  return whole && (!late || readArguments(*late, fields));
}

} // namespace rankscope
