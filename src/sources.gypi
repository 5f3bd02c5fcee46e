{
  "variables": {
    "platform_sources": [
      "src/platform/clock.cc",
      "src/platform/realtime.cc",
      "src/platform/termination.cc",
      "src/platform/thread.cc"
    ],
    "trace_sources": [
      "src/trace/crc32c.cc",
      "src/trace/reader.cc",
      "src/trace/writer.cc"
    ],
    "recorder_sources": [
      "src/recorder/event_tracker.cc",
      "src/recorder/event_tracker_vm.cc",
      "src/recorder/ready_watcher.cc",
      "src/recorder/recorder.cc"
    ],
    "analysis_sources": [
      "src/analysis/blame.cc",
      "src/analysis/clock_map.cc",
      "src/analysis/critical_path.cc",
      "src/analysis/edg_builder.cc",
      "src/analysis/edg_edges.cc",
      "src/analysis/event_stream.cc",
      "src/analysis/explain_pass.cc",
      "src/analysis/histogram.cc",
      "src/analysis/latency_pass.cc",
      "src/analysis/loop_timeline.cc",
      "src/analysis/names.cc",
      "src/analysis/report.cc",
      "src/analysis/report_json.cc",
      "src/analysis/request_detail.cc",
      "src/analysis/request_graph.cc",
      "src/analysis/request_json.cc",
      "src/analysis/request_log.cc",
      "src/analysis/route_table.cc",
      "src/analysis/statistics.cc",
      "src/analysis/trace_meta.cc",
      "src/analysis/trace_set.cc",
      "src/analysis/vm_shares.cc"
    ],
    "boost_sources": [
      "src/boost/actuator/emulated_actuator.cc",
      "src/boost/actuator/emulated_domain.cc",
      "src/boost/actuator/thief.cc",
      "src/boost/controller.cc",
      "src/boost/controller_stats.cc",
      "src/boost/policy.cc",
      "src/boost/policy/adrenaline.cc",
      "src/boost/policy/duration_history.cc",
      "src/boost/policy/gc_boost.cc",
      "src/boost/policy/in_flight.cc",
      "src/boost/policy/latency_quantile.cc",
      "src/boost/policy/queue_boost.cc",
      "src/boost/policy/rubik.cc",
      "src/boost/policy/slo.cc",
      "src/boost/policy/tail_table.cc"
    ],
    "hooks_sources": [
      "src/hooks/arrival.cc",
      "src/hooks/async_ids.cc",
      "src/hooks/boost_provider.cc",
      "src/hooks/descriptors.cc",
      "src/hooks/interpose.cc",
      "src/hooks/patched_v8.cc",
      "src/hooks/script_calls.cc",
      "src/hooks/stock_provider.cc",
      "src/hooks/thread_pool.cc"
    ],
    "addon_sources": [
      "src/addon/binding.cc",
      "src/addon/boosting.cc",
      "src/addon/recording.cc",
      "src/addon/reporting.cc"
    ]
  }
}
