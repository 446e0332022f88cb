// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mpi_team.h"

#ifdef RANKSCOPE_MPI
#define OMPI_SKIP_MPICXX 1 // its C++ bindings are deprecated
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mpi.h>
#endif

namespace rankscope {

#ifdef RANKSCOPE_MPI

namespace {

// A count of MPI is an int.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

class MpiTeam : public DigestTeam {
 public:
  MpiTeam(int& argc, char**& argv) {
    int provided = 0;
    // Other threads read files meanwhile, but this one alone communicates. An error ends all processes.
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &m_index);
    MPI_Comm_size(MPI_COMM_WORLD, &m_size);
  }
  ~MpiTeam() override { MPI_Finalize(); }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  [[nodiscard]] std::size_t index() const override { return static_cast<std::size_t>(m_index); }
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(m_size); }
  [[nodiscard]] std::string host() const override {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return {name.data(), static_cast<std::size_t>(length)};
  }

  [[nodiscard]] std::vector<std::string> exchange(std::vector<std::string> parts) override {
    std::vector<std::uint64_t> sending(size());
    std::vector<std::uint64_t> coming(size());
    for (std::size_t i = 0; i < size(); ++i) sending[i] = parts[i].size();
    MPI_Alltoall(sending.data(), 1, MPI_UINT64_T, coming.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    std::vector<std::string> received(size());
    received[index()] = std::move(parts[index()]);
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < size(); ++i) {
      if (i == index()) continue;
      received[i].resize(coming[i]);
      inPieces(received[i], [&](char* bytes, int count) {
        MPI_Irecv(bytes, count, MPI_BYTE, static_cast<int>(i), 0, MPI_COMM_WORLD, &requests.emplace_back());
      });
    }
    for (std::size_t i = 0; i < size(); ++i) {
      if (i == index()) continue;
      inPieces(parts[i], [&](char* bytes, int count) {
        MPI_Isend(bytes, count, MPI_BYTE, static_cast<int>(i), 0, MPI_COMM_WORLD, &requests.emplace_back());
      });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return received;
  }

  // Not as a message to each process, for which the first one would need a copy each.
  [[nodiscard]] std::string broadcast(std::string text) override {
    std::uint64_t bytes = text.size();
    MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    text.resize(bytes);
    inPieces(text, [](char* piece, int count) { MPI_Bcast(piece, count, MPI_BYTE, 0, MPI_COMM_WORLD); });
    return text;
  }

  void abort(int exitCode) override {
    MPI_Abort(MPI_COMM_WORLD, exitCode);
    std::abort();
  }

 private:
  // Messages between two processes arrive in order.
  template <class Visit> static void inPieces(std::string& bytes, Visit&& visit) {
    for (std::uint64_t at = 0; at < bytes.size(); at += kMostBytes)
      visit(bytes.data() + at, static_cast<int>(std::min(kMostBytes, bytes.size() - at)));
  }

  int m_index = 0;
  int m_size = 1;
};

} // namespace

bool hasMpi() {
  return true;
}

std::unique_ptr<DigestTeam> mpiTeam(int& argc, char**& argv) {
  return std::make_unique<MpiTeam>(argc, argv);
}

#else

bool hasMpi() {
  return false;
}

std::unique_ptr<DigestTeam> mpiTeam(int& /*argc*/, char**& /*argv*/) {
  return nullptr;
}

#endif

} // namespace rankscope
