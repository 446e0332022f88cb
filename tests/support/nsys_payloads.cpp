// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/nsys_payloads.h"

#include <regex>

namespace rankscope::test {

namespace {

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>((value >> (8 * i)) & 0xff);
}

} // namespace

NcclFunction functionOf(std::string_view collective) {
  const auto has = [&](std::string_view part) { return collective.find(part) != std::string_view::npos; };
  if (has("allreduce")) return {"ncclAllReduce", kFirstSchema + 5};
  if (has("allgather")) return {"ncclAllGather", kFirstSchema + 4};
  if (has("reduce_scatter")) return {"ncclReduceScatter", kFirstSchema + 7};
  if (has("broadcast")) return {"ncclBroadcast", kFirstSchema + 6};
  if (has("all_to_allv")) return {kExchange};
  if (has("all_to_all")) return {"ncclAlltoAll", kFirstSchema + 16};
  if (has("send")) return {"ncclSend", kFirstSchema + 9, true};
  if (has("recv")) return {"ncclRecv", kFirstSchema + 10, true};
  return {};
}

std::int64_t bytesOf(std::string_view dtype) {
  if (dtype == "BFloat16" || dtype == "Half") return 2;
  if (dtype == "Float" || dtype == "Int") return 4;
  return dtype == "Double" || dtype == "Long" ? 8 : 1;
}

std::vector<std::int64_t> ranksOf(const std::string& list) {
  std::vector<std::int64_t> ranks;
  static const std::regex kNumber("[0-9]+");
  for (std::sregex_iterator at(list.begin(), list.end(), kNumber), end; at != end; ++at)
    ranks.push_back(std::stoll(at->str()));
  return ranks;
}

std::uint64_t communicatorOf(const ReadEvent& event) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : event.groupName + ' ' + event.groupRanks)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  return hash;
}

NcclPayloadBlob& NcclPayloadBlob::add(std::uint64_t value, int bytes) {
  put(m_body, value, bytes);
  return *this;
}

std::string NcclPayloadBlob::sql() const {
  std::string all;
  for (const std::uint64_t value :
       {std::uint64_t{1}, m_schema, std::uint64_t{m_body.size()}, std::uint64_t{32}})
    put(all, value, 8);
  all += m_body;
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : all) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return "x'" + hex + "'";
}

} // namespace rankscope::test
