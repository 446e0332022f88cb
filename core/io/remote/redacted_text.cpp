// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/redacted_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

namespace rankscope {

namespace {

constexpr std::string_view kHidden = "***";
constexpr std::string_view kEndsOfName = " \t\r\n\"'<>";

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool isKeyCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

template <std::size_t N> bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Options of addresses that are none.
bool isHarmless(std::string_view key) {
  constexpr std::array<std::string_view, 8> kHarmless{"endpoint",  "region",  "provider",         "profile",
                                                      "anonymous", "account", "force_path_style", "env_auth"};
  return contains(kHarmless, key);
}

bool isCredential(std::string_view key) {
  constexpr std::array<std::string_view, 14> kWords{
      "key",         "token", "pwd",  "sig",       "signature",     "sas",    "credential",
      "credentials", "pass",  "auth", "sharedkey", "authorization", "bearer", "apikey"};
  constexpr std::array<std::string_view, 7> kParts{"secret",     "passw",      "passphrase", "accesskey",
                                                   "accountkey", "access_key", "sastoken"};
  std::string whole, word;
  bool found = false;
  const auto endWord = [&] {
    found = found || contains(kWords, word);
    word.clear();
  };
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool hump = i > 0 && std::isupper(static_cast<unsigned char>(key[i])) != 0 &&
                      std::islower(static_cast<unsigned char>(key[i - 1])) != 0;
    const bool letter = std::isalnum(static_cast<unsigned char>(key[i])) != 0;
    if (hump || !letter) endWord();
    if (letter) word += lower(key[i]);
    whole += lower(key[i]);
  }
  endWord();
  if (isHarmless(whole)) return false;
  return found || std::ranges::any_of(
                      kParts, [&](std::string_view part) { return whole.find(part) != std::string::npos; });
}

// The name before a '=' that begins at `at`; empty if there is none. "%3D" is a '=' too.
std::string_view keyAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && isKeyCharacter(text[end])) ++end;
  const std::string_view rest = text.substr(end);
  const bool equals = rest.starts_with('=') || rest.starts_with("%3D") || rest.starts_with("%3d");
  return end > at && equals ? text.substr(at, end - at) : std::string_view();
}

// Where a credential under a name begins, at its separator or its name.
std::optional<std::size_t> namedCredential(std::string_view text, std::size_t from = 0) {
  constexpr std::string_view kBefore = "?&#,;:\" \t\n(";
  for (std::size_t i = from; i < text.size(); ++i) {
    const bool encoded = i >= 3 && text[i - 3] == '%'; // "%3Fsecret="
    const bool begins = i == 0 || encoded || kBefore.find(text[i - 1]) != std::string_view::npos;
    if (begins && isCredential(keyAt(text, i))) return i;
  }
  return std::nullopt;
}

// What is behind '?' under names that are not known; in a name also behind '#', and without a name.
std::optional<std::size_t> unknownOption(std::string_view text, std::size_t from, bool wholeName) {
  bool options = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    const bool starts = text[i] == '?' || (wholeName && text[i] == '#');
    options = options || starts;
    if (!starts && !(options && text[i] == '&')) continue;
    const std::string_view key = keyAt(text, i + 1);
    std::string known(key);
    std::ranges::transform(known, known.begin(), lower);
    if (key.empty() ? wholeName : !isHarmless(known)) return i + 1;
  }
  return std::nullopt;
}

std::size_t firstColon(std::string_view text) {
  std::size_t colon = text.find(':');
  for (const std::string_view encoded : {"%3A", "%3a"}) colon = std::min(colon, text.find(encoded));
  return colon;
}

// The last '@' or "%40".
std::size_t lastAt(std::string_view text) {
  const std::size_t at = text.rfind('@');
  const std::size_t encoded = text.rfind("%40");
  if (at == std::string_view::npos || encoded == std::string_view::npos) return std::min(at, encoded);
  return std::max(at, encoded);
}

// Where the '@' behind a password stands; empty if there is none. name: what stands behind "://".
std::optional<std::size_t> endOfPassword(std::string_view scheme, std::string_view name) {
  const std::size_t at = lastAt(name);
  if (at == std::string_view::npos) return std::nullopt;
  const bool userOnly = scheme == "sftp" || scheme == "ssh" || scheme == "abfs" || scheme == "abfss";
  const bool password = firstColon(name) < at;
  const bool keyOnly = !userOnly && name.find_first_of("/?#") > at;
  return password || keyOnly ? std::optional(at) : std::nullopt;
}

// Where the name begins in an address with a slip: "sftp:/user:password@host", "s3:\\KEY:secret@bucket".
std::optional<std::size_t> nameBehindScheme(std::string_view typed) {
  constexpr std::array<std::string_view, 13> kSchemes{"s3",    "gs",  "gcs",  "az",  "azure", "abfs", "abfss",
                                                      "wasbs", "ssh", "sftp", "ftp", "http",  "https"};
  const std::size_t colon = typed.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string scheme(typed.substr(0, colon));
  std::ranges::transform(scheme, scheme.begin(), lower);
  const std::size_t name = typed.find_first_not_of("/\\", colon + 1);
  if (!contains(kSchemes, std::string_view(scheme)) || name == std::string_view::npos) return std::nullopt;
  return name;
}

// "user:password@host:/path" without an address' form; or behind a scheme.
std::string withoutScpPassword(std::string_view typed, bool wholeName) {
  const std::optional<std::size_t> behindScheme = nameBehindScheme(typed);
  const std::size_t begin = behindScheme.value_or(0);
  const std::size_t colon = typed.find(':', begin);
  const std::size_t at = typed.rfind('@');
  const bool password = colon != std::string_view::npos && at != std::string_view::npos && begin < colon &&
                        colon < at &&
                        (behindScheme || (wholeName && typed.find(':', at) != std::string_view::npos));
  if (!password) return std::string(typed);
  std::string hidden(typed.substr(0, colon + 1));
  hidden += kHidden;
  hidden += typed.substr(at);
  return hidden;
}

// Where the value of an option begins that is an address itself.
std::optional<std::size_t> endpointIn(std::string_view part) {
  for (const std::string_view option : {"?endpoint=", "&endpoint="})
    if (const std::size_t at = part.find(option); at != std::string_view::npos) return at + option.size();
  return std::nullopt;
}

// The scheme that ends before "://" at `slashes`.
std::string schemeBefore(std::string_view text, std::size_t slashes) {
  std::size_t begin = slashes;
  while (begin > 0 && isKeyCharacter(text[begin - 1])) --begin;
  std::string scheme(text.substr(begin, slashes - begin));
  std::ranges::transform(scheme, scheme.begin(), lower);
  return scheme;
}

std::string redactedPart(std::string_view part, bool wholeName);

// Of "s3://bucket?endpoint=http://key:secret@host&region=x": the credentials of the endpoint, so that it
// stays visible where they stand. Empty if it has none.
std::optional<std::string> withoutEndpointCredentials(std::string_view part, bool wholeName) {
  const auto value = endpointIn(part);
  if (!value) return std::nullopt;
  const std::size_t end = std::min(part.find('&', *value), part.size());
  const std::string_view endpoint = part.substr(*value, end - *value);
  const std::size_t at = lastAt(endpoint);
  if (at == std::string_view::npos || lastAt(part.substr(end)) != std::string_view::npos) return std::nullopt;
  if (endpoint.substr(0, at).find_first_of("?#") != std::string_view::npos) return std::nullopt;
  std::string text = redactedPart(part.substr(0, *value), wholeName);
  if (text.ends_with(kHidden)) return text;
  const std::size_t slashes = endpoint.find("://");
  if (slashes < at) text += endpoint.substr(0, slashes + 3);
  text += kHidden;
  text += redactedPart(endpoint.substr(at), wholeName);
  const std::string_view more = part.substr(end);
  const std::size_t cut = namedCredential(more).value_or(more.size());
  text += more.substr(0, cut);
  if (cut < more.size()) text += kHidden;
  return text;
}

std::string redactedPart(std::string_view part, bool wholeName) {
  if (auto text = withoutEndpointCredentials(part, wholeName)) return std::move(*text);
  std::size_t cut = namedCredential(part).value_or(part.size());
  const std::size_t slashes = part.find("://");
  std::string text;
  std::size_t from = 0; // what is before it is in the text
  if (slashes == std::string_view::npos) {
    if (cut == part.size()) return withoutScpPassword(part, wholeName);
  } else {
    const std::size_t name = slashes + 3;
    cut = std::min(cut, unknownOption(part, name, wholeName).value_or(part.size()));
    if (const auto password = endOfPassword(schemeBefore(part, slashes), part.substr(name))) {
      text = part.substr(0, name);
      text += kHidden;
      from = name + *password;
    }
  }
  if (from < cut) text += part.substr(from, cut - from);
  if (cut < part.size() && !text.ends_with(kHidden)) text += kHidden;
  return text;
}

} // namespace

std::string redactedName(std::string_view typed) {
  return redactedPart(typed, true);
}

std::string redacted(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kEndsOfName), text.size());
    std::string part = redactedPart(text.substr(0, end), false);
    text.remove_prefix(end);
    // A value in quotes belongs to what was hidden.
    const bool hidden = part.ends_with(kHidden);
    all += part;
    if (text.empty()) break;
    const char quote = text.front();
    const bool quoted = hidden && (quote == '"' || quote == '\'') && text.size() > 1;
    const std::size_t closing = quoted ? text.find(quote, 1) : std::string_view::npos;
    const bool value = quoted && closing != std::string_view::npos && closing > 1 && text[1] != ' ' &&
                       text[1] != ':' && text[1] != ';';
    if (value) {
      text.remove_prefix(closing + 1);
      continue;
    }
    all += quote;
    text.remove_prefix(1);
  }
  return all;
}

bool namesCredential(std::string_view text) {
  return namedCredential(text).has_value();
}

} // namespace rankscope
