// SPDX-License-Identifier: GPL-3.0-or-later
// Network links of a communicator as a matrix: hosts by NIC, so that unequal use stands out, or hosts by
// hosts. Only links that NCCL's log has. Pure; O(links).
#pragma once

#include "core/analysis/network/job_network.h"
#include "ui/charts/heat_map.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::ui {

enum class MatrixKind : std::uint8_t { Nics, Hosts };

struct NetworkMatrix {
  HeatContents heat; // no cells: nothing to show
  QStringList columnNames;
  std::vector<QString> tips; // by column, then row
  QString caption;

  [[nodiscard]] bool empty() const { return heat.cells == nullptr; }
  [[nodiscard]] const QString& tip(std::size_t column, std::size_t row) const {
    return tips[column * heat.cells->rows + row];
  }
};

// communicator: a place in the topology. Empty without links of a network. A row is marked as an outlier if
// it has links without GPUDirect RDMA while others have it, or a NIC with twice its host's mean while another
// has none.
[[nodiscard]] NetworkMatrix networkMatrix(const JobNetwork& network, std::size_t communicator,
                                          MatrixKind kind);

} // namespace rankscope::ui
