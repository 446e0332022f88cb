// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/remote_name.h"

#include "core/io/remote/redacted_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

namespace rankscope {

namespace {

constexpr std::string_view kBlobHost = ".blob.core.windows.net";
constexpr std::string_view kForms = "s3://, gs://, az://, abfss://, sftp://, and NAME:path of rclone";

Error wrong(std::string reason) {
  return {ErrorKind::Unsupported, std::move(reason), {}, std::nullopt};
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The part before "://", in lower case; empty if there is none.
std::string schemeOf(std::string_view typed) {
  const std::size_t end = typed.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string scheme = lowered(typed.substr(0, end));
  const bool plain = std::ranges::all_of(
      scheme, [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.'; });
  return plain && std::isalpha(static_cast<unsigned char>(scheme.front())) != 0 ? scheme : std::string();
}

std::string_view afterScheme(std::string_view typed) {
  return typed.substr(typed.find("://") + 3);
}

// Of "https://account.blob.core.windows.net/...": the account.
std::optional<std::string> blobAccount(std::string_view typed) {
  if (schemeOf(typed) != "https") return std::nullopt;
  const std::string_view rest = afterScheme(typed);
  const std::string host = lowered(rest.substr(0, rest.find('/')));
  if (!host.ends_with(kBlobHost)) return std::nullopt;
  return host.substr(0, host.size() - kBlobHost.size());
}

// Of "NAME:path", also "user@host:/path": what stands before the colon. As rclone has it: letters, digits,
// and _ - . + @ and spaces. A single letter is a drive.
std::optional<std::string_view> nameBeforeColon(std::string_view typed) {
  const std::size_t colon = typed.find(':');
  if (colon == std::string_view::npos || colon < 2) return std::nullopt;
  const std::string_view name = typed.substr(0, colon);
  const bool plain = std::ranges::all_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || std::string_view("_-.+@ ").find(c) != std::string_view::npos;
  });
  if (!plain || name.front() == '-' || name.front() == ' ' || name.back() == ' ') return std::nullopt;
  return name;
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percentDecoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? hexDigit(text[i + 2]) : -1;
    if (low >= 0) {
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

// Without slashes at both ends, and none twice at its start.
std::string trimmedPath(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

// A value of an option in rclone's connection strings.
std::string optionValue(std::string_view value) {
  const bool plain = std::ranges::all_of(value, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./@").find(c) != std::string_view::npos;
  });
  if (plain && !value.empty()) return std::string(value);
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
  return text;
}

struct Option {
  std::string key;
  std::string value;
};

struct Address {
  std::string_view before; // everything before the options
  std::vector<Option> options;
};

// Options begin at a '?' that a key and '=' follow, or what was hidden because it might be a secret; any
// other
// '?' belongs to the path.
Address splitOptions(std::string_view typed) {
  std::size_t at = typed.find('?');
  while (at != std::string_view::npos) {
    std::size_t end = at + 1;
    while (end < typed.size() &&
           (std::isalnum(static_cast<unsigned char>(typed[end])) != 0 || typed[end] == '_'))
      ++end;
    if (end > at + 1 && end < typed.size() && typed[end] == '=') break;
    if (typed.substr(at + 1).starts_with("***")) break;
    at = typed.find('?', at + 1);
  }
  Address address{typed.substr(0, at), {}};
  if (at == std::string_view::npos) return address;
  std::string_view rest = typed.substr(at + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest = part.size() < rest.size() ? rest.substr(part.size() + 1) : std::string_view();
    const std::size_t equals = part.find('=');
    if (part.empty()) continue;
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    address.options.push_back({lowered(part.substr(0, equals)), percentDecoded(value)});
  }
  return address;
}

std::string lastPart(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

struct Bucket {
  std::string name;
  std::string path; // below it
  [[nodiscard]] std::string whole() const { return path.empty() ? name : name + "/" + path; }
  [[nodiscard]] std::string title() const { return path.empty() ? name : lastPart(path); }
};

Bucket bucketOf(std::string_view rest) {
  const std::size_t slash = rest.find('/');
  Bucket bucket{std::string(rest.substr(0, slash)), {}};
  if (slash != std::string_view::npos) bucket.path = trimmedPath(rest.substr(slash));
  return bucket;
}

std::optional<Error> bucketProblem(const Bucket& bucket, std::string_view what) {
  if (bucket.name.empty()) return wrong(fmt::format("the name of the {} is missing", what));
  if (bucket.name.find_first_of("@:") != std::string::npos)
    return wrong(fmt::format("no credentials belong before the name of the {}", what));
  const bool plain = std::ranges::all_of(bucket.name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-.$").find(c) != std::string_view::npos;
  });
  if (!plain)
    return wrong(fmt::format("the name of the {} has letters, digits, '-', '.' and '_' only", what));
  return std::nullopt;
}

// The environment variables of options of an S3 address that are credentials.
std::optional<std::string_view> s3Secret(std::string_view key) {
  if (key == "access_key_id") return "AWS_ACCESS_KEY_ID";
  if (key == "secret_access_key") return "AWS_SECRET_ACCESS_KEY";
  if (key == "session_token") return "AWS_SESSION_TOKEN";
  return std::nullopt;
}

bool isTrue(std::string_view value) {
  return value == "true" || value == "1";
}

std::string unknownOption(std::string_view key, std::string_view known) {
  // Anything but a word is rather a part of a secret.
  const bool word = key.size() <= 20 && std::ranges::all_of(key, [](unsigned char c) {
                      return std::islower(c) != 0 || c == '_';
                    });
  const std::string_view name = word ? key : "of that name";
  return fmt::format("no option {}; there are {}", name, known);
}

Result<RemoteName> s3Name(std::string_view typed) {
  const Address address = splitOptions(typed);
  const Bucket bucket = bucketOf(afterScheme(address.before));
  if (auto problem = bucketProblem(bucket, "bucket")) return *problem;
  RemoteName name{RemoteStore::S3, {}, {}, bucket.title(), {}};
  std::string options, shown, provider;
  bool anonymous = false, endpoint = false;
  for (const auto& [key, value] : address.options) {
    if (const auto variable = s3Secret(key)) {
      name.secrets.emplace_back(*variable, value);
      continue;
    }
    if (key != "endpoint" && key != "region" && key != "provider" && key != "profile" && key != "anonymous")
      return wrong(unknownOption(key, "endpoint, region, provider, profile, anonymous"));
    const bool carriesMore = key == "endpoint" && value.find_first_of("@?#") != std::string::npos;
    if (carriesMore || namesCredential(value))
      return wrong(fmt::format("no credentials belong into the option {}", key));
    shown += fmt::format("{}{}={}", shown.empty() ? '?' : '&', key, value);
    if (key == "anonymous") anonymous = isTrue(value);
    if (key == "provider") provider = value;
    if (key == "endpoint") endpoint = true;
    if (key != "anonymous" && key != "provider") options += fmt::format(",{}={}", key, optionValue(value));
  }
  // Stores of other makers have their buckets in the path of the address, not in the host's name.
  if (provider.empty()) provider = endpoint ? "Other" : "AWS";
  if (endpoint) options += ",force_path_style=true";
  name.remote = fmt::format(":s3,env_auth={},provider={}{}:{}", anonymous ? "false" : "true",
                            optionValue(provider), options, bucket.whole());
  name.shown = fmt::format("s3://{}{}", bucket.whole(), shown);
  return name;
}

Result<RemoteName> googleName(std::string_view typed) {
  const Address address = splitOptions(typed);
  const Bucket bucket = bucketOf(afterScheme(address.before));
  if (auto problem = bucketProblem(bucket, "bucket")) return *problem;
  bool anonymous = false;
  for (const auto& [key, value] : address.options) {
    if (key != "anonymous") return wrong(unknownOption(key, "anonymous"));
    anonymous = isTrue(value);
  }
  const std::string_view access = anonymous ? "anonymous=true" : "env_auth=true";
  return RemoteName{RemoteStore::GoogleCloud,
                    fmt::format("gs://{}{}", bucket.whole(), anonymous ? "?anonymous=true" : ""),
                    fmt::format(":gcs,{}:{}", access, bucket.whole()),
                    bucket.title(),
                    {}};
}

RemoteName azureName(std::string_view account, const Bucket& container, std::string shown) {
  return {RemoteStore::AzureBlob,
          std::move(shown),
          fmt::format(":azureblob,account={},env_auth=true:{}", account, container.whole()),
          container.title(),
          {}};
}

bool isAccount(std::string_view text) {
  return text.size() >= 3 && text.size() <= 24 && std::ranges::all_of(text, [](unsigned char c) {
           return std::isdigit(c) != 0 || std::islower(c) != 0;
         });
}

Error noAccount(std::string_view form) {
  return wrong(fmt::format("the name of the storage account is missing or not one: {}", form));
}

// az://account/container/prefix
Result<RemoteName> azName(std::string_view typed) {
  const Address address = splitOptions(typed);
  if (!address.options.empty()) return wrong("az:// takes no options");
  const Bucket whole = bucketOf(afterScheme(address.before));
  if (!isAccount(whole.name)) return noAccount("az://account/container/path");
  const Bucket container = bucketOf(whole.path);
  if (auto problem = bucketProblem(container, "container")) return *problem;
  return azureName(whole.name, container, fmt::format("az://{}/{}", whole.name, container.whole()));
}

// abfss://container@account.dfs.core.windows.net/prefix
Result<RemoteName> abfsName(std::string_view typed) {
  constexpr std::string_view kForm = "abfss://container@account.dfs.core.windows.net/path";
  const Address address = splitOptions(typed);
  if (!address.options.empty()) return wrong("abfss:// takes no options");
  const Bucket whole = bucketOf(afterScheme(address.before));
  const std::size_t at = whole.name.find('@');
  if (at == std::string::npos || at == 0) return wrong(fmt::format("not as {}", kForm));
  const std::string host = lowered(std::string_view(whole.name).substr(at + 1));
  const std::string account = host.substr(0, host.find('.'));
  if (!isAccount(account)) return noAccount(kForm);
  const Bucket container{whole.name.substr(0, at), whole.path};
  if (auto problem = bucketProblem(container, "container")) return *problem;
  return azureName(account, container,
                   fmt::format("abfss://{}@{}{}{}", container.name, host, container.path.empty() ? "" : "/",
                               container.path));
}

// https://account.blob.core.windows.net/container/prefix, which may carry a signature of access.
Result<RemoteName> blobName(std::string_view typed, const std::string& account) {
  if (!isAccount(account)) return noAccount("https://account.blob.core.windows.net/container/path");
  const std::size_t question = typed.find('?');
  const std::string_view query =
      question == std::string_view::npos ? std::string_view() : typed.substr(question + 1);
  const std::string_view rest = afterScheme(typed.substr(0, question));
  const std::size_t slash = rest.find('/');
  const std::string path =
      slash == std::string_view::npos ? std::string() : percentDecoded(rest.substr(slash + 1));
  const Bucket container = bucketOf(trimmedPath(path));
  if (auto problem = bucketProblem(container, "container")) return *problem;
  RemoteName name =
      azureName(account, container, fmt::format("https://{}{}/{}", account, kBlobHost, container.whole()));
  if (!query.empty())
    name.secrets.emplace_back("RCLONE_AZUREBLOB_SAS_URL",
                              fmt::format("https://{}{}/{}?{}", account, kBlobHost, container.name, query));
  return name;
}

struct SftpPlace {
  std::string user, host, port, path;
};

std::optional<SftpPlace> sftpPlace(std::string_view authority, std::string_view path) {
  SftpPlace place;
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    place.user = percentDecoded(authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  std::size_t colon = authority.rfind(':');
  if (authority.starts_with('[')) { // an IPv6 address
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    place.host = authority.substr(1, end - 1);
    colon = end + 1 < authority.size() && authority[end + 1] == ':' ? end + 1 : std::string_view::npos;
  } else {
    place.host = authority.substr(0, colon);
  }
  if (colon != std::string_view::npos) place.port = authority.substr(colon + 1);
  const bool digits = std::ranges::all_of(place.port, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
                      place.port.size() <= 5;
  const bool encoded = !authority.starts_with('[') && place.host.find('%') != std::string::npos;
  if (place.host.empty() || encoded || !digits || place.user.find(':') != std::string::npos ||
      place.host.starts_with('-'))
    return std::nullopt;
  // "/~/traces" is below the home folder, as in addresses of git.
  place.path = path.starts_with("/~/") ? path.substr(3) : path;
  while (place.path.size() > 1 && place.path.ends_with('/')) place.path.pop_back();
  return place;
}

Result<RemoteName> sftpName(const SftpPlace& place, std::string shown, const RemoteSurroundings& around) {
  // No program is started on the other machine (shell_type), and its host key has to be known, as for ssh.
  std::string options = fmt::format("host={}", optionValue(place.host));
  if (!place.user.empty()) options += fmt::format(",user={}", optionValue(place.user));
  if (!place.port.empty()) options += fmt::format(",port={}", place.port);
  if (!around.sshAgent && !around.sshKey.empty())
    options += fmt::format(",key_file={}", optionValue(around.sshKey));
  if (!around.knownHosts.empty())
    options += fmt::format(",known_hosts_file={}", optionValue(around.knownHosts));
  std::string title = lastPart(place.path);
  if (title.empty()) title = place.host;
  return RemoteName{RemoteStore::Sftp,
                    std::move(shown),
                    fmt::format(":sftp,{},shell_type=none:{}", options, place.path),
                    std::move(title),
                    {}};
}

// sftp://user@host:port/path
Result<RemoteName> sftpAddress(std::string_view typed, const RemoteSurroundings& around) {
  const std::string_view rest = afterScheme(typed);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos && authority.substr(0, at).find(':') != std::string_view::npos)
    return wrong("a password does not belong in an address: use an ssh agent, a key, or a remote of rclone's "
                 "configuration");
  const auto place = sftpPlace(authority, slash < rest.size() ? rest.substr(slash) : "/");
  if (!place) return wrong("not as sftp://user@host:port/path");
  return sftpName(
      *place, fmt::format("sftp://{}{}", authority, slash < rest.size() ? rest.substr(slash) : ""), around);
}

// NAME:path, else host:/path.
Result<RemoteName> namedRemote(std::string_view typed, const RemoteSurroundings& around) {
  const std::string_view name = *nameBeforeColon(typed);
  const std::string_view path = typed.substr(name.size() + 1);
  if (std::ranges::find(around.configured, name) != around.configured.end()) {
    std::string title = lastPart(trimmedPath(path));
    return RemoteName{RemoteStore::Configured,
                      std::string(typed),
                      std::string(typed),
                      title.empty() ? std::string(name) : std::move(title),
                      {}};
  }
  if (path.starts_with('/') && !path.starts_with("//") && name.find(' ') == std::string_view::npos)
    if (const auto place = sftpPlace(name, path)) return sftpName(*place, std::string(typed), around);
  return wrong(fmt::format("no such file, and '{}' is not among the remotes that rclone is configured for "
                           "(rclone listremotes); host:/path opens a folder by SFTP",
                           name));
}

} // namespace

bool looksRemote(std::string_view typed) {
  const std::string scheme = schemeOf(typed);
  if (scheme == "file") return false;
  if (!scheme.empty()) return true;
  return nameBeforeColon(typed).has_value();
}

bool needsConfigured(std::string_view typed) {
  const std::string scheme = schemeOf(typed);
  return scheme.empty() && looksRemote(typed);
}

Result<RemoteName> remoteNameOf(std::string_view typed, const RemoteSurroundings& around) {
  if (typed.find_first_of(std::string_view("\0\r\n", 3)) != std::string_view::npos)
    return wrong("a name of a remote has no line breaks");
  const std::string scheme = schemeOf(typed);
  // As part of a path it would be shown and kept.
  std::string_view path = typed;
  if (blobAccount(typed))
    path = typed.substr(0, typed.find('?'));
  else if (scheme != "sftp")
    path = splitOptions(typed).before;
  if (!scheme.empty() && namesCredential(path))
    return wrong("a credential does not belong into the path; options begin with '?' and '&' separates them");
  if (scheme.empty()) return namedRemote(typed, around);
  if (scheme == "s3") return s3Name(typed);
  if (scheme == "gs") return googleName(typed);
  if (scheme == "az") return azName(typed);
  if (scheme == "abfs" || scheme == "abfss") return abfsName(typed);
  if (scheme == "sftp") return sftpAddress(typed, around);
  if (const auto account = blobAccount(typed)) return blobName(typed, *account);
  return wrong(fmt::format("addresses with {}:// are not opened; there are {}", scheme, kForms));
}

std::string withoutCredentials(std::string_view typed) {
  const std::string scheme = schemeOf(typed);
  if (!scheme.empty())
    if (const auto name = remoteNameOf(typed, {})) return name->shown;
  return redactedName(typed);
}

std::string shownUnresolved(std::string_view typed) {
  std::string shown = withoutCredentials(typed);
  const std::size_t colon = shown.find(':');
  const std::size_t at = shown.rfind('@');
  if (!schemeOf(shown).empty() || at == std::string::npos || at < colon) return shown;
  return shown.replace(colon + 1, at - colon - 1, "***");
}

std::string shownFile(const RemoteName& remote, std::string_view path) {
  std::string shown = remote.shown;
  if (!schemeOf(shown).empty()) shown.resize(splitOptions(shown).before.size());
  if (!path.empty() && !shown.ends_with('/') && !shown.ends_with(':')) shown += '/';
  return shown += path;
}

RemoteName parentOf(const RemoteName& remote) {
  RemoteName parent = remote;
  const std::size_t slash = remote.remote.find_last_of("/:");
  const bool first = remote.remote[slash] == ':' || remote.remote[slash - 1] == ':';
  parent.remote.resize(first ? slash + 1 : slash);
  return parent;
}

} // namespace rankscope
