// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/attention_kernels.h"

#include <algorithm>

namespace rankscope {

namespace {

// Between a product and the softmax there is scaling, masking, dropout, a cast: no more than this.
constexpr std::size_t kMaxBetween = 8;
constexpr double kMinScores = 256.0 * 256.0;

bool mayBeBetween(KernelWork work) {
  return work == KernelWork::Elementwise || work == KernelWork::Copy || work == KernelWork::Cast ||
         work == KernelWork::Dropout;
}

class Search {
 public:
  Search(std::span<const EventIndex> stream, const std::function<const KernelTraits&(EventIndex)>& traitsOf,
         const std::function<bool(EventIndex)>& isBatched)
      : m_stream(stream), m_traitsOf(traitsOf), m_isBatched(isBatched) {}

  // The place of the count-th product in a direction from a softmax; what is between is passed over.
  template <class Products>
  [[nodiscard]] std::optional<std::size_t> productFrom(std::size_t softmax, int direction, int count,
                                                       Products& products) const {
    std::size_t between = 0;
    std::optional<std::size_t> last;
    auto at = static_cast<std::ptrdiff_t>(softmax) + direction;
    for (; at >= 0 && at < std::ssize(m_stream) && between <= kMaxBetween; at += direction) {
      const EventIndex event = m_stream[static_cast<std::size_t>(at)];
      const KernelTraits& traits = m_traitsOf(event);
      if (traits.work == KernelWork::Product && !traits.dtype.fusedAttention && !traits.dtype.vector &&
          m_isBatched(event)) {
        products.push_back(event);
        last = static_cast<std::size_t>(at);
        if (--count == 0) break;
        between = 0;
        continue;
      }
      if (!mayBeBetween(traits.work)) break;
      ++between;
    }
    return last;
  }

 private:
  std::span<const EventIndex> m_stream;
  const std::function<const KernelTraits&(EventIndex)>& m_traitsOf;
  const std::function<bool(EventIndex)>& m_isBatched;
};

} // namespace

std::vector<WrittenAttention> writtenAttention(std::span<const EventIndex> stream,
                                               const std::function<const KernelTraits&(EventIndex)>& traitsOf,
                                               const std::function<bool(EventIndex)>& isBatched) {
  std::vector<WrittenAttention> found;
  const Search search(stream, traitsOf, isBatched);
  std::size_t taken = 0; // by the one before
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const KernelWork work = traitsOf(stream[i]).work;
    if (work != KernelWork::Softmax && work != KernelWork::SoftmaxBackward) continue;
    WrittenAttention attention;
    attention.softmax = stream[i];
    attention.backward = work == KernelWork::SoftmaxBackward;
    const int count = attention.backward ? 2 : 1;
    const auto first = search.productFrom(i, -1, count, attention.products);
    const auto last = search.productFrom(i, 1, count, attention.products);
    if (!first || !last) continue;
    const std::size_t begin = std::max(*first, taken);
    taken = *last + 1;
    attention.kernels.assign(stream.begin() + static_cast<std::ptrdiff_t>(begin),
                             stream.begin() + static_cast<std::ptrdiff_t>(taken));
    found.push_back(std::move(attention));
  }
  return found;
}

std::optional<double> attentionOperations(const AttentionShapes& shapes, bool backward) {
  const std::size_t rank = shapes.scores.size();
  if (rank < 2) return std::nullopt;
  const std::int64_t rows = shapes.scores[rank - 2];
  const std::int64_t columns = shapes.scores[rank - 1];
  if (static_cast<double>(rows) * static_cast<double>(columns) < kMinScores) return std::nullopt;
  double heads = 1;
  for (std::size_t i = 0; i + 2 < rank; ++i) heads *= static_cast<double>(shapes.scores[i]);
  for (const auto& [left, right] : shapes.products) {
    if (left.size() < 2 || right.size() < 2) continue;
    if (left[left.size() - 2] != rows || right.back() != columns) continue;
    const double forward = 4 * heads * static_cast<double>(rows) * static_cast<double>(columns) *
                           static_cast<double>(left.back());
    // Scores made once more, and the products of four derivatives.
    return backward ? 2.5 * forward : forward;
  }
  return std::nullopt;
}

} // namespace rankscope
