// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/rclone_output.h"

#include "core/io/pickle/json_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kLongestQuote = 300;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestPath = 3000;
constexpr std::string_view kGoOn = "what is whole stays; open again to go on";

// Calls use(tree, root) for a line that is a JSON object.
template <class Use> void withObject(std::string_view line, Use&& use) {
  while (line.ends_with(',') || line.ends_with(' ')) line.remove_suffix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  if (!line.starts_with('{') || !line.ends_with('}')) return;
  std::string padded(line);
  padded.append(kJsonPadding, '\0');
  const auto values = readJsonValues(padded.data(), line.size());
  if (values && values->values.isDict(values->root)) use(values->values, values->root);
}

bool hasAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// "2026/11/23 09:55:24 Failed to lsjson: ..." without time and level.
std::string_view withoutStamp(std::string_view line) {
  constexpr std::string_view kPattern = "####/##/## ##:##:## ";
  const auto fits = [](char c, char pattern) {
    return pattern == '#' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == pattern;
  };
  if (line.size() > kPattern.size() && std::ranges::equal(line.substr(0, kPattern.size()), kPattern, fits))
    line.remove_prefix(kPattern.size());
  for (const std::string_view level : {"ERROR : ", "CRITICAL: ", "NOTICE: ", "Fatal error: "})
    if (line.starts_with(level)) line.remove_prefix(level.size());
  while (line.starts_with(": ") || line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  return line;
}

// The message of a line of the log, JSON or text; empty for lines that say nothing about an error.
std::string messageOf(std::string_view line) {
  std::string message(withoutStamp(line));
  withObject(line, [&](const ValueTree& tree, ValueId root) {
    message = tree.text(tree.member(root, "msg"));
    const std::string_view level = tree.text(tree.member(root, "level"));
    if (level == "info" || level == "debug") message.clear();
  });
  if (message.find("Config file") != std::string::npos && message.find("not found") != std::string::npos)
    return {};
  return message;
}

struct Wording {
  std::string_view title;
  std::string_view advice;
};

std::string_view credentialAdvice(RemoteStore store) {
  switch (store) {
  case RemoteStore::S3:
    return "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or fill ~/.aws/credentials";
  case RemoteStore::GoogleCloud:
    return "set GOOGLE_APPLICATION_CREDENTIALS, or run gcloud auth application-default login; "
           "?anonymous=true opens a public bucket";
  case RemoteStore::AzureBlob:
    return "set RCLONE_AZUREBLOB_KEY or RCLONE_AZUREBLOB_SAS_URL, or name a remote of rclone's configuration "
           "(rclone before 1.61 reads no AZURE_ variables)";
  case RemoteStore::Sftp:
    return "run an ssh agent with your key (ssh-add), or have a key without a passphrase in ~/.ssh";
  case RemoteStore::Configured:
    break;
  }
  return "see rclone config";
}

Wording wordingOf(RemoteStore store, std::string_view said) {
  if (hasAny(said, {"unable to load custom CA bundle", "LoadCustomCABundleError"}))
    return {"this rclone cannot use AWS_CA_BUNDLE",
            "unset that variable and open again (env -u AWS_CA_BUNDLE rankscope ...), or use a newer rclone"};
  if (hasAny(said, {"no space left on device", "disk quota exceeded"}))
    return {"the disk of the cache folder is full", "what is whole stays; make room and open again"};
  if (hasAny(said, {"knownhosts: key is unknown"}))
    return {"the key of this host is not known", "connect once with ssh and compare it, then open again"};
  if (hasAny(said, {"knownhosts: key mismatch"}))
    return {"the host has another key than in ~/.ssh/known_hosts",
            "ask its administrator before you connect"};
  if (hasAny(said, {"couldn't parse known_hosts_file"}))
    return {"there is no ~/.ssh/known_hosts", "connect once with ssh, then open again"};
  if (hasAny(said, {"NoCredentialProviders", "could not find default credentials",
                    "no authentication method configured", "couldn't connect to ssh-agent",
                    "failed to refresh cached credentials", "need to set either", "unable to load AWS",
                    "no EC2 IMDS role found"}))
    return {"no credentials", credentialAdvice(store)};
  if (hasAny(said, {"status code: 403", "StatusCode: 403", "AccessDenied", "InvalidAccessKeyId",
                    "SignatureDoesNotMatch", "ExpiredToken", "AuthenticationFailed", "AuthorizationFailure",
                    "AuthorizationPermissionMismatch", "Error 401", "Error 403", "401 Unauthorized",
                    "403 Forbidden", "unable to authenticate", "ermission denied", "googleapi: Error 403",
                    "Access Denied"}))
    return {"access denied", credentialAdvice(store)};
  if (hasAny(said, {"didn't find section in config file"}))
    return {"rclone has no remote of this name", "see rclone listremotes"};
  if (hasAny(said, {"directory not found", "NoSuchBucket", "NoSuchKey", "object not found",
                    "ContainerNotFound", "bucket doesn't exist", "status code: 404", "StatusCode: 404",
                    "404 Not Found", "notFound", "file does not exist", "no such file or directory"}))
    return {"not found", "check the name, and whether these credentials see it"};
  if (hasAny(said, {"dial tcp", "no such host", "connection refused", "i/o timeout", "connection reset",
                    "network is unreachable", "no route to host", "TLS handshake", "unexpected EOF",
                    "context deadline", "broken pipe", "x509:", "RequestError: send request failed",
                    "couldn't connect SSH"}))
    return {"cannot be reached", kGoOn};
  return {"rclone failed", {}};
}

// The word after the last `before`, up to a space; without a ':' at its end.
std::string wordAfter(std::string_view text, std::string_view before) {
  const std::size_t at = text.rfind(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  text = text.substr(0, std::min(text.find_first_of(" \n"), kLongestName));
  while (text.ends_with(':')) text.remove_suffix(1);
  return std::string(text);
}

// Why there is no connection, where rclone's words say it: they are those of its libraries. Empty otherwise.
std::string networkReason(std::string_view said) {
  if (hasAny(said, {"dial tcp: lookup ", "dial udp: lookup "}))
    return fmt::format("no address is known for {}: check the name and the network",
                       wordAfter(said, ": lookup "));
  const std::string place = wordAfter(said, "dial tcp ");
  if (!place.empty() && hasAny(said, {"connection refused"}))
    return fmt::format("nothing answers at {}: check the address and its port", place);
  if (!place.empty() && hasAny(said, {"network is unreachable", "no route to host"}))
    return fmt::format("there is no way to {}: check the network", place);
  if (hasAny(said, {"i/o timeout", "context deadline exceeded", "TLS handshake timeout", "Client.Timeout"}))
    return "no answer in time (15 s to connect, 20 s for each answer)";
  return {};
}

void replaceAll(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

} // namespace

std::optional<RemoteFile> listedFile(std::string_view line) {
  std::optional<RemoteFile> file;
  withObject(line, [&](const ValueTree& tree, ValueId root) {
    const std::string_view path = tree.text(tree.member(root, "Path"));
    const auto bytes = tree.integer(tree.member(root, "Size"));
    if (path.empty() || tree.truth(tree.member(root, "IsDir"))) return;
    file = RemoteFile{std::string(path),
                      static_cast<std::uint64_t>(std::max<std::int64_t>(bytes.value_or(0), 0)),
                      std::string(tree.text(tree.member(root, "ModTime")))};
  });
  return file;
}

std::string_view nameProblem(std::string_view path) {
  if (path.size() > kLongestPath) return "its name is too long";
  if (std::ranges::any_of(path, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    return "its name has a control character";
  std::string_view rest = path;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") return "its name would lead out of a folder";
    if (part.size() > kLongestName) return "its name is too long";
    if (part.size() == rest.size()) return {};
    rest.remove_prefix(part.size() + 1);
  }
}

CopyLine copyLine(std::string_view line) {
  CopyLine found;
  withObject(line, [&](const ValueTree& tree, ValueId root) {
    const std::string_view message = tree.text(tree.member(root, "msg"));
    if (message.find("Copied (") != std::string_view::npos)
      found.copied = tree.text(tree.member(root, "object"));
    const ValueId stats = tree.member(root, "stats");
    if (tree.isDict(stats)) {
      found.stats = true;
      found.bytes = static_cast<std::uint64_t>(
          std::max<std::int64_t>(tree.integer(tree.member(stats, "bytes")).value_or(0), 0));
      for (const char* const figure :
           {"bytes", "checks", "transfers", "totalBytes", "totalTransfers", "totalChecks"})
        found.done += static_cast<std::uint64_t>(
            std::max<std::int64_t>(tree.integer(tree.member(stats, figure)).value_or(0), 0));
      const double speed = tree.real(tree.member(stats, "speed")).value_or(0);
      if (speed > 0 && speed < 1e15) found.bytesPerSecond = static_cast<std::uint64_t>(speed);
    }
  });
  if (found.copied.empty() && !found.stats) found.problem = messageOf(line);
  return found;
}

std::string withoutSecrets(std::string text, const EnvironmentEntries& secrets) {
  for (const auto& [name, value] : secrets)
    if (value.size() >= 3) replaceAll(text, value, "***");
  for (const std::string_view scheme : {"http://", "https://"}) {
    for (std::size_t at = text.find(scheme); at != std::string::npos; at = text.find(scheme, at + 1)) {
      const std::size_t end = std::min(text.find_first_of(" \t\n\"'<>", at), text.size());
      const std::size_t question = text.find('?', at);
      if (question < end) text.erase(question, end - question);
    }
  }
  return text;
}

Error noAnswer(const RemoteName& remote, std::chrono::seconds silence) {
  return {ErrorKind::Io,
          fmt::format("no answer for {} s: check the address and the network; {}", silence.count(), kGoOn),
          remote.shown, std::nullopt};
}

Error rcloneMissing(const std::string& shown) {
  return {ErrorKind::Unsupported,
          "remotes are read by rclone, which is not installed (Debian, Ubuntu: apt install rclone; others: "
          "rclone.org/downloads); or mount the remote and open the folder",
          shown, std::nullopt};
}

Error remoteError(const RemoteName& remote, std::span<const std::string> said) {
  std::string all, quote;
  for (const std::string& line : said) {
    const std::string message = messageOf(line);
    if (message.empty()) continue;
    all += message;
    all += '\n';
    quote = message; // the last one says most
    // Of several lines the first names the error.
    if (const std::size_t failed = all.rfind("Failed to "); failed != std::string::npos)
      quote = all.substr(failed, all.find('\n', failed) - failed);
  }
  const Wording wording = wordingOf(remote.store, all);
  if (wording.advice == kGoOn)
    if (const std::string reason = networkReason(all); !reason.empty())
      return {ErrorKind::Io,
              withoutSecrets(fmt::format("{}: {}; {}", wording.title, reason, kGoOn), remote.secrets),
              remote.shown, std::nullopt};
  std::string text(wording.title);
  if (!wording.advice.empty()) text += fmt::format(": {}", wording.advice);
  std::string escaped = remote.remote; // as Go quotes it
  replaceAll(escaped, "\"", "\\\"");
  for (const std::string& form : {escaped, remote.remote}) replaceAll(quote, form, remote.shown);
  quote = withoutSecrets(std::move(quote), remote.secrets);
  std::ranges::replace(quote, '\n', ' ');
  if (quote.size() > kLongestQuote) quote.resize(kLongestQuote);
  if (!quote.empty()) text += fmt::format(" (rclone: {})", quote);
  return {ErrorKind::Io, std::move(text), remote.shown, std::nullopt};
}

} // namespace rankscope
