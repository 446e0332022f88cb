// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/network_tables.h"

#include "core/base/whole_number.h"

#include <filesystem>

namespace rankscope {

namespace {

Cell whole(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

Cell known(std::int64_t value) {
  return value >= 0 ? Cell(value) : Cell();
}

Cell yesNo(bool value) {
  return std::int64_t{value};
}

// 1, 2, ... of the communicator that a fact is about; empty if it is not known.
Cell numberOf(const JobNetwork& network, std::uint32_t instance) {
  if (instance == kNoNcclIndex) return {};
  const std::uint32_t of = network.topology.communicatorOf[instance];
  return of == kNoNcclIndex ? Cell() : Cell(network.topology.communicators[of].number);
}

ResultTable emptyLinks() {
  return ResultTable("nccl_links", {{"communicator", Unit::Identity},
                                    {"channel", Unit::Identity},
                                    {"connection", Unit::Identity},
                                    {"from_rank", Unit::Identity},
                                    {"to_rank", Unit::Identity},
                                    {"from_host", Unit::Text},
                                    {"to_host", Unit::Text},
                                    {"kind", Unit::Text},
                                    {"nic", Unit::Identity},
                                    {"gdr", Unit::Identity},
                                    {"pxn", Unit::Identity},
                                    {"shared", Unit::Identity},
                                    {"seen_by", Unit::Count}});
}

void addLink(const JobNetwork& network, const NetCommunicator* communicator, const NetLink& link,
             ResultTable& table) {
  const NcclLog& log = network.log();
  const std::string& kind = log.kinds[link.kind];
  const bool net = kind.starts_with("NET/") || kind.starts_with("COLLNET/");
  const auto host = [&](std::int32_t rank) {
    return communicator == nullptr ? Cell() : textCell(hostOf(log, *communicator, rank));
  };
  table.addRow({communicator == nullptr ? Cell() : Cell(communicator->number),
                Cell(std::int64_t{link.channel}), known(link.connection), Cell(std::int64_t{link.from}),
                Cell(std::int64_t{link.to}), host(link.from), host(link.to), textCell(kind), known(link.nic),
                net ? yesNo(link.gdr) : Cell(), known(link.viaRank), net ? yesNo(link.shared) : Cell(),
                Cell(link.seenBy)});
}

} // namespace

ResultTable linksOfCommunicator(const JobNetwork& network, std::size_t communicator) {
  ResultTable table = emptyLinks();
  const NetCommunicator& of = network.topology.communicators[communicator];
  for (const NetLink& link : of.links) addLink(network, &of, link, table);
  return table;
}

ResultTable communicatorsTable(const JobNetwork& network) {
  ResultTable table("communicators", {{"communicator", Unit::Identity},
                                      {"comm_id", Unit::Text},
                                      {"ranks", Unit::Count},
                                      {"members_known", Unit::Count},
                                      {"nodes", Unit::Count},
                                      {"local_ranks", Unit::Count},
                                      {"version", Unit::Text},
                                      {"coll_channels", Unit::Count},
                                      {"p2p_channels", Unit::Count},
                                      {"nvls_channels", Unit::Count},
                                      {"group", Unit::Text},
                                      {"matched_by", Unit::Text},
                                      {"init_us", Unit::Nanoseconds},
                                      {"warnings", Unit::Count}});
  for (std::size_t i = 0; i < network.topology.communicators.size(); ++i) {
    const NetCommunicator& of = network.topology.communicators[i];
    const JoinedCommunicator* const joined = network.join.empty() ? nullptr : &network.join.communicators[i];
    const bool group = joined != nullptr && !joined->name.empty();
    std::string by(membersByText(of.by));
    if (group) by.append("+").append(ranksFromText(joined->from));
    table.addRow({Cell(of.number), textCell(of.commId), Cell(of.ranks), Cell(of.membersKnown),
                  cellOf(of.nodes), cellOf(of.localRanks), textCell(of.version), cellOf(of.collChannels),
                  cellOf(of.p2pChannels), cellOf(of.nvlsChannels), group ? textCell(joined->name) : Cell(),
                  textCell(by), of.initSeconds ? Cell(rounded(*of.initSeconds * 1e9)) : Cell(),
                  Cell(of.warnings)});
  }
  return table;
}

ResultTable ncclLinksTable(const JobNetwork& network) {
  ResultTable table = emptyLinks();
  for (const NetCommunicator& of : network.topology.communicators)
    for (const NetLink& link : of.links) addLink(network, &of, link, table);
  for (const NetLink& link : network.topology.unassigned) addLink(network, nullptr, link, table);
  return table;
}

ResultTable ncclRingsTable(const JobNetwork& network) {
  ResultTable table("nccl_rings", {{"communicator", Unit::Identity},
                                   {"channel", Unit::Identity},
                                   {"position", Unit::Identity},
                                   {"rank", Unit::Identity}});
  for (const NetCommunicator& of : network.topology.communicators)
    for (const NetRing& ring : of.rings)
      for (std::size_t i = 0; i < ring.ranks.size(); ++i)
        table.addRow(
            {Cell(of.number), Cell(std::int64_t{ring.channel}), whole(i), Cell(std::int64_t{ring.ranks[i]})});
  return table;
}

ResultTable ncclTreesTable(const JobNetwork& network) {
  ResultTable table("nccl_trees", {{"communicator", Unit::Identity},
                                   {"channel", Unit::Identity},
                                   {"rank", Unit::Identity},
                                   {"up", Unit::Identity},
                                   {"down0", Unit::Identity},
                                   {"down1", Unit::Identity},
                                   {"down2", Unit::Identity}});
  for (const NetCommunicator& of : network.topology.communicators)
    for (const NetTree& tree : of.trees)
      for (const NcclTreeNode& node : tree.nodes)
        table.addRow({Cell(of.number), Cell(std::int64_t{tree.channel}), Cell(std::int64_t{node.rank}),
                      Cell(std::int64_t{node.up}), Cell(std::int64_t{node.down[0]}),
                      Cell(std::int64_t{node.down[1]}), Cell(std::int64_t{node.down[2]})});
  return table;
}

ResultTable ncclCallsTable(const JobNetwork& network) {
  ResultTable table("nccl_calls", {{"communicator", Unit::Identity},
                                   {"rank", Unit::Identity},
                                   {"op_count", Unit::Identity},
                                   {"operation", Unit::Text},
                                   {"bytes", Unit::Bytes},
                                   {"dtype", Unit::Text},
                                   {"reduction", Unit::Text},
                                   {"root", Unit::Identity},
                                   {"instance", Unit::Identity}});
  const NcclLog& log = network.log();
  for (std::size_t i = 0; i < log.calls.size(); ++i) {
    const NcclCall& call = log.calls[i];
    const auto matched = network.join.instanceOfCall.find(i);
    const std::string_view operation =
        call.operation < log.operations.size() ? std::string_view(log.operations[call.operation]) : "";
    const std::int64_t rank = call.instance == kNoNcclIndex ? -1 : log.instances[call.instance].rank;
    table.addRow({numberOf(network, call.instance), known(rank), Cell(std::int64_t{call.opCount}),
                  textCell(operation), cellOf(bytesOfNcclCall(log, call)), textCell(ncclTypeText(call.dtype)),
                  textCell(ncclReductionText(call.reduction)), known(call.root),
                  matched == network.join.instanceOfCall.end()
                      ? Cell()
                      : Cell(static_cast<std::int64_t>(matched->second.value) + 1)});
  }
  return table;
}

ResultTable ncclChoicesTable(const JobNetwork& network) {
  ResultTable table("nccl_choices", {{"communicator", Unit::Identity},
                                     {"operation", Unit::Text},
                                     {"bytes", Unit::Bytes},
                                     {"algorithm", Unit::Text},
                                     {"protocol", Unit::Text},
                                     {"channels", Unit::Count},
                                     {"predicted_us", Unit::Nanoseconds},
                                     {"count", Unit::Count}});
  const NcclLog& log = network.log();
  for (const NcclChoice& choice : log.choices) {
    const auto predicted = predictedOfNcclChoice(log, choice);
    table.addRow({numberOf(network, choice.instance), textCell(choice.operation),
                  Cell(bytesOfNcclChoice(log, choice)), textCell(choice.algorithm), textCell(choice.protocol),
                  cellOf(choice.channels), predicted ? Cell(rounded(*predicted * 1e3)) : Cell(),
                  Cell(choice.count)});
  }
  return table;
}

ResultTable ncclWarningsTable(const JobNetwork& network) {
  ResultTable table("nccl_warnings", {{"cause", Unit::Text},
                                      {"text", Unit::Text},
                                      {"count", Unit::Count},
                                      {"hosts", Unit::Count},
                                      {"first_file", Unit::Text},
                                      {"first_line", Unit::Identity}});
  const NcclLog& log = network.log();
  for (const NcclWarning& warning : log.warnings)
    table.addRow({textCell(warning.cause), textCell(warning.text), Cell(warning.count),
                  warning.ofNccl ? whole(warning.hosts.size()) : Cell(),
                  textCell(log.files[warning.at.file].path), whole(warning.at.line)});
  return table;
}

ResultTable ncclFilesTable(const JobNetwork& network) {
  ResultTable table("nccl_files", {{"file", Unit::Text},
                                   {"lines", Unit::Count},
                                   {"nccl_lines", Unit::Count},
                                   {"damaged_lines", Unit::Count},
                                   {"unused_lines", Unit::Count},
                                   {"first_damaged_line", Unit::Identity},
                                   {"problem", Unit::Text}});
  for (const NcclFile& file : network.log().files) {
    // What could not be read at all is worse than a line.
    const bool damaged = !file.damage.empty();
    const std::string_view problem = !file.problem.empty() ? std::string_view(file.problem)
                                     : damaged             ? std::string_view(file.damage.front().what)
                                                           : std::string_view();
    table.addRow({textCell(file.path), whole(file.lines), whole(file.ncclLines), whole(file.damagedLines),
                  whole(file.unusedLines), damaged ? whole(file.damage.front().line) : Cell(),
                  textCell(problem)});
  }
  return table;
}

} // namespace rankscope
