// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/plain_data.h"

#include "core/io/files/file_bytes.h"
#include "core/io/json/json_scan.h"
#include "core/io/json/json_walk.h"
#include "core/io/pickle/json_values.h"
#include "core/io/pickle/pickle_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kStartBytes = std::size_t{64} << 10;

// The bytes of a file, as recorded or decompressed, followed by zeros where they are a copy.
struct PlainText {
  std::string_view text;
  std::shared_ptr<const void> owner;
  bool padded = false;
  std::string damage; // of the compressed data
};

std::string startOfText(const FileBytes& file) {
  std::string start;
  if (!file.compressed()) {
    start.assign(file.bytes().data(), std::min(kStartBytes, file.bytes().size()));
    return start;
  }
  start.resize(kStartBytes);
  start.resize(Inflater(file.bytes()).read({start.data(), start.size()}));
  return start;
}

PlainText padded(std::string text) {
  PlainText result;
  const std::size_t length = text.size();
  text.append(JsonStructure::kPadding, '\0');
  const auto kept = std::make_shared<const std::string>(std::move(text));
  result.text = std::string_view(*kept).substr(0, length);
  result.owner = kept;
  result.padded = true;
  return result;
}

Result<PlainText> textOf(const FileBytes& file) {
  PlainText result;
  if (!file.compressed()) {
    result.text = {file.bytes().data(), file.bytes().size()};
    result.owner = file.owner();
    return result;
  }
  constexpr std::uint64_t kMost = UINT32_MAX - 1;
  Inflater inflater(file.bytes());
  std::string text(std::min<std::uint64_t>(file.bytes().size() * 8 + 4096, kMost), '\0');
  std::size_t length = 0;
  for (;;) {
    length += inflater.read({text.data() + length, text.size() - length});
    if (length < text.size()) break;
    if (text.size() >= kMost)
      return Error{ErrorKind::Unsupported, "more than 4 GiB when decompressed", file.path(), std::nullopt};
    text.resize(std::min<std::uint64_t>(text.size() * 2, kMost));
  }
  text.resize(length);
  result = padded(std::move(text));
  result.damage = inflater.problem();
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool isPage(std::string_view start) {
  return contains(start.substr(0, 4096), "local_files = [{\"name\"");
}

bool isPicturePage(std::string_view start) {
  return contains(start.substr(0, 4096), "GPU Memory Timeline HTML");
}

PlainKind kindOfRoot(const ValueTree& values, ValueId root) {
  const auto has = [&](ValueId dict, std::string_view key) { return values.member(dict, key) != kNoValue; };
  if (values.isDict(root)) {
    if (has(root, "segments") || has(root, "device_traces")) return PlainKind::Snapshot;
    if (has(root, "pg_config") || has(root, "pg_status")) return PlainKind::FlightRecorder;
    const ValueId first = values.item(values.member(root, "entries"), 0);
    return has(first, "profiling_name") ? PlainKind::FlightRecorder : PlainKind::None;
  }
  const ValueId first = values.item(root, 0);
  if (has(first, "blocks")) return PlainKind::Snapshot;
  return has(first, "profiling_name") ? PlainKind::FlightRecorder : PlainKind::None;
}

PlainGuess guessOfPickle(std::string_view start) {
  // Where the first bytes are all that is looked at, the ranks of a large job alone may go beyond them.
  const auto read = start.size() < kStartBytes ? readPickle(start) : readPickleStart(start);
  if (read) {
    // Of a file that is cut, nothing may tell what it was.
    std::string reason = read->truncated && start.size() < kStartBytes
                             ? "a Python pickle that ends too early, at byte " + std::to_string(start.size())
                             : "a Python pickle, but neither a memory snapshot "
                               "(torch.cuda.memory._dump_snapshot) nor a Flight Recorder dump; open it with "
                               "pickle.load";
    return {kindOfRoot(read->values, read->root), std::move(reason)};
  }
  const std::string where = read.error().byteOffset ? "byte " + std::to_string(*read.error().byteOffset) : "";
  std::string reason = "a Python pickle, " + where + ": " + read.error().message;
  if (read.error().kind == ErrorKind::Unsupported)
    reason += "; memory snapshots and Flight Recorder dumps contain none";
  return {PlainKind::None, std::move(reason)};
}

// Whether a member of this name is a list ('[') or an object ('{').
bool hasMember(std::string_view text, std::string_view key, char opening) {
  const std::string quoted = '"' + std::string(key) + '"';
  const char* const end = text.data() + text.size();
  for (std::size_t at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
    const char* next = skipJsonSpace(text.data() + at + quoted.size(), end);
    if (next == end || *next != ':') continue;
    next = skipJsonSpace(next + 1, end);
    if (next != end && *next == opening) return true;
  }
  return false;
}

// From the keys that the first 64 KiB hold: parsing needs the whole text.
PlainKind kindOfJson(std::string_view start) {
  const char* const end = start.data() + start.size();
  const char* at = skipJsonSpace(start.data(), end);
  if (at == end) return PlainKind::None;
  if (*at == '[') {
    at = skipJsonSpace(at + 1, end);
    if (at == end || *at != '[') return PlainKind::None;
    at = skipJsonSpace(at + 1, end);
    const bool number = at != end && (*at == '-' || (*at >= '0' && *at <= '9'));
    return number ? PlainKind::Timeline : PlainKind::None;
  }
  if (*at != '{' || contains(start, "\"traceEvents\"") || contains(start, "\"schemaVersion\""))
    return PlainKind::None;
  if (contains(start, "\"profiling_name\"") || contains(start, "\"pg_status\"") ||
      hasMember(start, "pg_config", '{')) // in traces it is a list
    return PlainKind::FlightRecorder;
  const bool snapshot = hasMember(start, "segments", '[') || hasMember(start, "device_traces", '[');
  return snapshot ? PlainKind::Snapshot : PlainKind::None;
}

int base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

// Stops at the first character that is no digit: the padding or the closing quote.
std::string fromBase64(std::string_view digits) {
  std::string bytes;
  bytes.reserve(digits.size() / 4 * 3 + 3);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : digits) {
    const int digit = base64Digit(c);
    if (digit < 0) break;
    group = (group << 6) | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((group >> bits) & 0xffU);
  }
  return bytes;
}

Result<PlainText> pickleOfPage(std::string_view page, const std::string& path) {
  const std::size_t files = page.find("local_files = [{");
  const std::size_t key = page.find("\"base64\"", files == std::string_view::npos ? 0 : files);
  const std::size_t quote = key == std::string_view::npos ? key : page.find('"', key + 8);
  if (quote == std::string_view::npos)
    return Error{ErrorKind::Format, "an HTML page without a snapshot inside", path, std::nullopt};
  std::string bytes = fromBase64(page.substr(quote + 1));
  if (bytes.empty()) return Error{ErrorKind::Format, "the snapshot inside the page is empty", path, quote};
  return padded(std::move(bytes));
}

Error inFile(Error error, const std::string& path) {
  error.file = path;
  return error;
}

Result<PlainFile> readPickleText(PlainText text, const std::string& path, const Progress* progress) {
  auto read = readPickle(text.text, progress);
  if (!read) return inFile(read.error(), path);
  PlainFile file;
  file.path = path;
  file.protocol = read->protocol;
  file.truncated = read->truncated || !text.damage.empty();
  file.values = std::move(read->values);
  file.root = read->root;
  file.text = std::move(text.owner);
  return file;
}

} // namespace

PlainGuess plainKindOf(const std::string& path) {
  const auto file = FileBytes::open(path);
  if (!file) return {};
  const std::string start = startOfText(*file);
  if (beginsLikePickle(start)) return guessOfPickle(start);
  if (isPage(start)) return {PlainKind::Snapshot, {}};
  if (isPicturePage(start)) return {PlainKind::TimelinePicture, {}};
  return {kindOfJson(start), {}};
}

Result<PlainFile> readPlainFile(const std::string& path, const Progress* progress) {
  const auto bytes = FileBytes::open(path);
  if (!bytes) return bytes.error();
  auto text = textOf(*bytes);
  if (!text) return text.error();
  const std::uint64_t size = bytes->bytes().size();
  if (beginsLikePickle(text->text)) {
    auto file = readPickleText(std::move(*text), path, progress);
    if (file) file->bytes = size;
    return file;
  }
  if (isPage(text->text)) {
    auto inside = pickleOfPage(text->text, path);
    if (!inside) return inside.error();
    auto file = readPickleText(std::move(*inside), path, progress);
    if (!file) return file;
    file->form = PlainForm::Page;
    file->bytes = size;
    return file;
  }
  if (!text->padded) *text = padded(std::string(text->text));
  auto json = readJsonValues(text->text.data(), text->text.size());
  if (!json) return inFile(json.error(), path);
  PlainFile file;
  file.path = path;
  file.bytes = size;
  file.form = PlainForm::Json;
  file.values = std::move(json->values);
  file.root = json->root;
  file.text = std::move(text->owner);
  return file;
}

} // namespace rankscope
