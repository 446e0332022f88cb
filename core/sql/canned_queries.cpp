// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/canned_queries.h"

#include <array>

namespace rankscope {

namespace {

constexpr std::array kQueries{
    CannedQuery{"kernels_by_step", "Kernels by time per step",
                "Device time of each kernel in each step, summed over ranks.",
                R"(SELECT step, short_name(name) AS kernel, count(*) AS calls,
       us(sum(duration_ns)) AS total_us, us(max(duration_ns)) AS max_us
FROM kernel_events
WHERE step IS NOT NULL AND is_communication = 0
GROUP BY step, name
ORDER BY step, total_us DESC
LIMIT 500)"},
    CannedQuery{"top_modules", "Modules by device time",
                "Modules that launched the most device work, without their submodules.",
                R"(SELECT rank, path, class, calls, device_self_us, backward_device_us, exposed_us
FROM modules
ORDER BY device_self_us + backward_device_us DESC
LIMIT 100)"},
    CannedQuery{"exposed_communication", "Exposed communication by group and step",
                "Communication that no computation hid, mean over ranks.",
                R"(SELECT step, group_name, operation, count(*) AS calls,
       us(sum(exposed_ns)) / count(DISTINCT rank) AS exposed_us_per_rank,
       us(sum(wait_ns)) / count(DISTINCT rank) AS wait_us_per_rank
FROM collective_events
WHERE step IS NOT NULL
GROUP BY step, group_name, operation
ORDER BY exposed_us_per_rank DESC)"},
    CannedQuery{"last_by_size", "Last rank by collective and size",
                "Which rank came last how often, for each operation and message size.",
                R"(SELECT operation, bytes, rank, count(*) AS collectives, sum(is_last) AS last,
       100.0 * sum(is_last) / count(*) AS last_pct, us(avg(arrival_ns)) AS arrival_us
FROM collective_events
WHERE is_last IS NOT NULL
GROUP BY operation, bytes, rank
ORDER BY last_pct DESC, collectives DESC)"},
    CannedQuery{"launch_delay", "Launch delay by thread",
                "How long kernels waited after their launch, for each launching thread.",
                R"(SELECT t.rank, t.thread, t.label, count(*) AS kernels,
       us(percentile(k.launch_delay_ns, 50)) AS median_us, us(percentile(k.launch_delay_ns, 95)) AS p95_us,
       us(max(k.launch_delay_ns)) AS max_us
FROM kernel_events AS k
JOIN events AS l ON l.id = k.launch_id
JOIN tracks AS t ON t.track_id = l.track_id
GROUP BY t.track_id
ORDER BY p95_us DESC)"},
    CannedQuery{
        "after_idle", "First kernel after each idle gap over 1 ms",
        "What ended the long idle gaps of devices, and which operator launched it.",
        R"(SELECT g.rank, g.step, us(g.duration_ns) AS gap_us, g.cause, g.leaf, k.id, short_name(k.name) AS kernel,
       o.name AS operator, k.begin_ns, k.end_ns
FROM gap_events AS g
JOIN kernel_events AS k ON k.id = g.next_id
LEFT JOIN events AS o ON o.id = k.operator_id
WHERE g.stream IS NULL AND g.duration_ns > 1000000
ORDER BY g.duration_ns DESC
LIMIT 500)"},
    CannedQuery{
        "uneven_operators", "Operators that differ most between ranks",
        "Operators whose device time varies most from rank to rank.",
        R"(SELECT operator, count(*) AS ranks, min(device_self_us) AS min_us, max(device_self_us) AS max_us,
       max(device_self_us) - min(device_self_us) AS difference_us,
       stddev(device_self_us) AS stddev_us
FROM operators
GROUP BY operator
HAVING count(*) > 1 AND max(device_self_us) > 0
ORDER BY difference_us DESC
LIMIT 100)"},
    CannedQuery{"contention", "Kernels with and without concurrent communication",
                "Duration of equal kernels while collectives of the same device run, and while none do.",
                R"(CREATE TEMP TABLE collective AS
  SELECT rank, capture, device, begin_ns, end_ns FROM kernel_events WHERE kind = 'collective';
CREATE TEMP TABLE kernel AS
  SELECT k.id, k.name, k.duration_ns,
         EXISTS (SELECT 1 FROM collective AS c
                 WHERE c.rank = k.rank AND c.capture = k.capture AND c.device = k.device
                   AND c.begin_ns < k.end_ns AND c.end_ns > k.begin_ns) AS beside
  FROM (SELECT id, name, rank, capture, device, begin_ns, end_ns, duration_ns FROM kernel_events
        WHERE kind = 'kernel' LIMIT 20000) AS k;
SELECT short_name(name) AS kernel, sum(beside) AS calls_beside, count(*) - sum(beside) AS calls_alone,
       us(avg(CASE WHEN beside THEN duration_ns END)) AS mean_beside_us,
       us(avg(CASE WHEN NOT beside THEN duration_ns END)) AS mean_alone_us,
       avg(CASE WHEN beside THEN duration_ns END) / avg(CASE WHEN NOT beside THEN duration_ns END) AS ratio
FROM kernel
GROUP BY name
HAVING calls_beside > 2 AND calls_alone > 2
ORDER BY ratio DESC)"},
    CannedQuery{
        "copies", "Bytes copied by direction",
        "Memory copies of each rank by direction and kind of memory, with their bandwidth.",
        R"(SELECT rank, name, count(*) AS copies, sum(bytes) AS total_bytes, us(sum(duration_ns)) AS total_us,
       gb_s(sum(bytes), sum(duration_ns)) AS mean_gb_s, max(name LIKE '%pageable%') AS pageable
FROM kernel_events
WHERE kind = 'memcpy'
GROUP BY rank, name
ORDER BY total_us DESC)"},
    CannedQuery{"synchronizations", "Python line of each synchronization",
                "Where the host waited for the device: the line of Python, or the operator, around the call.",
                R"(SELECT s.id, s.rank, s.step, s.name, us(s.duration_ns) AS duration_us,
       coalesce(o.source, p.name) AS caller, s.begin_ns, s.end_ns
FROM events AS s
LEFT JOIN operator_events AS o ON o.id = s.parent_id
LEFT JOIN events AS p ON p.id = s.parent_id
WHERE s.kind = 'runtime call' AND s.name REGEXP 'synchronize'
ORDER BY s.duration_ns DESC
LIMIT 500)"},
    CannedQuery{
        "slow_steps", "Slow steps",
        "Steps longer than 1.1 times their rank's median, and what of them was longer.",
        R"(SELECT s.rank, s.capture, s.step, s.duration_us, m.typical_us, s.duration_us - m.typical_us AS excess_us,
       s.compute_us - m.compute_us AS compute_excess_us,
       s.exposed_communication_us - m.exposed_us AS exposed_excess_us, s.idle_us - m.idle_us AS idle_excess_us
FROM steps AS s
JOIN (SELECT rank, capture, median(duration_us) AS typical_us, median(compute_us) AS compute_us,
             median(exposed_communication_us) AS exposed_us, median(idle_us) AS idle_us
      FROM steps WHERE kept = 1 GROUP BY rank, capture) AS m ON m.rank = s.rank AND m.capture = s.capture
WHERE s.duration_us > 1.1 * m.typical_us
ORDER BY excess_us DESC)"},
    CannedQuery{"memory_growth", "Memory growth by operator",
                "What operators allocated less what was freed within them, on devices.",
                R"(SELECT rank, operator, sum(calls) AS calls, sum(size_increase_bytes) AS increase_bytes,
       sum(self_size_increase_bytes) AS self_increase_bytes
FROM memory
WHERE device <> 'CPU'
GROUP BY rank, operator
HAVING increase_bytes > 0
ORDER BY self_increase_bytes DESC
LIMIT 100)"}};

} // namespace

std::span<const CannedQuery> cannedQueries() {
  return kQueries;
}

} // namespace rankscope
