// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_kinds.h"

#include <array>

namespace rankscope {

namespace {

struct KindTexts {
  std::string_view rule;
  std::string_view text;
  std::string_view title;
};

constexpr std::array<KindTexts, kFindingKindCount> kWords{{
    {"R10", "straggler", "stragglers"},
    {"R11", "late_straggler", "late stragglers"},
    {"R12", "uneven_input", "uneven input between ranks"},
    {"R13", "slow_host", "slow hosts"},
    {"R15", "expert_imbalance", "unequal experts"},
    {"R16", "start_skew", "recordings that start at different times"},
    {"R20", "exposed_communication", "exposed communication"},
    {"R21", "last_bucket", "last gradient bucket"},
    {"R22", "fragmented_collectives", "many small collectives"},
    {"R23", "no_overlap", "no communication/compute overlap"},
    {"R24", "slow_link", "slow links"},
    {"R25", "few_channels", "few NCCL channels"},
    {"R26", "ddp_buffers_broadcast", "DDP buffers broadcast"},
    {"R28", "ddp_bucket_copies", "gradients copied to DDP buckets"},
    {"R29", "fsdp_exposed_gather", "exposed FSDP all-gather"},
    {"R30", "fsdp_rate_limited", "FSDP rate limiter"},
    {"R31", "fsdp_no_reshard_needed", "FSDP gathers that memory could spare"},
    {"R32", "fsdp_units_too_small", "small FSDP units"},
    {"R33", "tp_exposed", "exposed tensor-parallel communication"},
    {"R34", "pipeline_bubble", "pipeline bubble"},
    {"R35", "alltoall_wait", "waits in all-to-all"},
    {"R36", "object_collectives", "host communication in steps"},
    {"R37", "barrier_in_step", "barriers in steps"},
    {"R38", "sync_batch_norm", "SyncBatchNorm communication"},
    {"R39", "accumulation_without_no_sync", "gradient accumulation without no_sync"},
    {"R40", "no_tensor_cores", "GEMM and convolution without tensor cores"},
    {"R41", "unfused_attention", "unfused attention"},
    {"R42", "misaligned_gemm", "misaligned GEMM"},
    {"R43", "layout_conversions", "layout conversions"},
    {"R44", "casts", "dtype casts"},
    {"R45", "contiguity_copies", "copies for contiguity"},
    {"R46", "unfused_elementwise", "unfused elementwise kernels"},
    {"R47", "norms", "slow normalization kernels"},
    {"R48", "small_grids", "kernels with fewer blocks than SMs"},
    {"R49", "contention", "kernels slowed by communication"},
    {"R50", "slow_clock", "slow GPU clock"},
    {"R51", "throttling", "GPU clock that drops over time"},
    {"R52", "atomics", "atomic accumulation"},
    {"R53", "recomputation", "recomputation"},
    {"R54", "conv_bias", "convolution bias before batch norm"},
    {"R55", "memory_bound_decode", "decode at the memory bandwidth"},
    {"R56", "tiny_kernels", "gaps between tiny kernels"},
    {"R57", "sort_topk", "sort and top-k in steps"},
    {"R58", "empty_cache", "cache emptied in steps"},
    {"R59", "interpreter_lock", "Python threads beside the training thread"},
    {"R60", "launch_bound", "eager dispatch"},
    {"R61", "unfused_optimizer", "unfused optimizer"},
    {"R62", "zero_grad", "zeros written by zero_grad"},
    {"R63", "synchronization", "CPU-GPU synchronization"},
    {"R64", "grad_clip_sync", "synchronization of gradient clipping"},
    {"R65", "dataloader_stall", "DataLoader stalls"},
    {"R66", "graph_breaks", "compilation in steps"},
    {"R69", "device_allocation", "device allocations in steps"},
    {"R70", "caching_off", "allocator without cache"},
    {"R71", "oom_retry", "retries after out-of-memory"},
    {"R72", "pinning_in_loop", "memory pinned in steps"},
    {"R73", "slow_host_launch", "slow launches"},
    {"R74", "python", "Python between launches"},
    {"R75", "garbage_collection", "garbage collection"},
    {"R76", "descheduled", "descheduled host threads"},
    {"R77", "host_random", "random numbers made on the CPU"},
    {"R78", "host_constant", "constants made on the CPU"},
    {"R79", "indexing_loop", "loops over tensor elements"},
    {"R80", "memory_growth", "memory growth per step"},
    {"R81", "fragmentation", "memory fragmentation"},
    {"R82", "pageable_copy", "exposed memcpy from pageable memory"},
    {"R83", "input_on_compute_stream", "exposed host-to-device memcpy"},
    {"R84", "device_to_host_copy", "exposed device-to-host memcpy"},
    {"R85", "small_device_copies", "exposed device-to-device memcpy"},
    {"R87", "near_limit", "memory near its limit"},
    {"R88", "memory_expected", "memory beside what is expected"},
    {"R89", "out_of_memory", "out of memory"},
    {"R90", "recording_edge", "recording edge"},
    {"R91", "startup_recorded", "start-up in the recording"},
    {"R92", "events_dropped", "events missing from the recording"},
    {"R93", "profiler_overhead", "profiler overhead in steps"},
    {"R94", "one_step", "gains from fewer than 3 kept steps"},
    {"R95", "launch_queue_full", "full launch queue"},
    {"R96", "unexplained_idle", "unexplained GPU idle time"},
    {"R97", "other_process", "other process on the GPU"},
    {"R98", "benchmark", "benchmark recordings"},
    {"R99", "clock_disagreement", "clock disagreement"},
    {"R99", "capture_quality", "recording quality"},
    {"R110", "ddp_late_first_bucket", "late first DDP bucket"},
    {"R111", "ddp_buckets_too_large", "large last DDP bucket"},
    {"R112", "ddp_one_bucket", "one DDP bucket"},
    {"R113", "ddp_fp32_gradients", "32-bit gradients of 16-bit compute in DDP"},
    {"R114", "ddp_order_differs", "DDP buckets that differ between ranks"},
    {"R115", "fsdp_one_unit", "one FSDP unit"},
    {"R116", "fsdp_regather", "repeated FSDP gathers"},
    {"R117", "fsdp_reduce_fp32", "32-bit gradients of 16-bit compute in FSDP"},
    {"R118", "fsdp_copy_overhead", "copies around FSDP collectives"},
    {"R119", "tp_across_hosts", "tensor parallelism across hosts"},
    {"R120", "tp_no_sequence_parallel", "norms repeated on tensor-parallel ranks"},
    {"R121", "tp_imbalance", "unequal tensor-parallel ranks"},
    {"R122", "tp_small_messages", "small tensor-parallel messages"},
    {"R123", "cp_exposed", "exposed context-parallel communication"},
    {"R124", "cp_imbalance", "unequal attention of context-parallel ranks"},
    {"R125", "pipeline_few_microbatches", "few microbatches"},
    {"R126", "pipeline_imbalance", "unequal pipeline stages"},
    {"R127", "pipeline_p2p_exposed", "exposed sends of the pipeline"},
    {"R128", "pipeline_schedule", "pipeline schedule"},
    {"R129", "expert_across_hosts", "expert traffic between hosts"},
    {"R130", "expert_tiny", "small GEMMs of experts"},
    {"R140", "inference_gaps", "gaps between inference iterations"},
    {"R141", "decode_bandwidth_low", "decode below the memory bandwidth"},
    {"R142", "prefill_blocks_decode", "prefill that delays decode"},
    {"R143", "no_cuda_graph", "decode without CUDA graphs"},
    {"R144", "padded_batch", "padded decode batches"},
    {"R145", "step_burst", "checkpoint or evaluation in steps"},
    {"R150", "net_socket", "TCP sockets between hosts"},
    {"R151", "net_no_gdr", "network links without GPUDirect RDMA"},
    {"R152", "net_shm", "GPU pairs through host memory"},
    {"R153", "net_nic_unused", "idle NICs"},
    {"R154", "net_nvls_off", "NVLink SHARP that is off"},
    {"R155", "net_pinned", "pinned NCCL settings"},
    {"R156", "net_choice", "slower NCCL algorithms"},
    {"R157", "net_mixed_version", "several NCCL versions"},
    {"R158", "net_init_slow", "slow NCCL initialization"},
    {"R159", "net_warning", "NCCL warnings"},
    {"R160", "net_incomplete", "communicators that were not completed"},
    {"R170", "hang_host", "collectives that a rank did not call"},
    {"R171", "hang_device", "stuck devices"},
    {"R172", "hang_mismatch", "collectives that do not match"},
    {"R173", "hang_no_dump", "ranks without a Flight Recorder dump"},
}};

} // namespace

std::string_view findingKindText(FindingKind kind) {
  return kWords[static_cast<std::size_t>(kind)].text;
}

std::string_view findingKindTitle(FindingKind kind) {
  return kWords[static_cast<std::size_t>(kind)].title;
}

std::string_view findingRule(FindingKind kind) {
  return kWords[static_cast<std::size_t>(kind)].rule;
}

} // namespace rankscope
