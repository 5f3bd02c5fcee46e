{
  "variables": {
    "platform_sources": [
      "src/platform/clock.cc",
      "src/platform/realtime.cc",
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
      "src/recorder/recorder.cc",
      "src/recorder/termination.cc"
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
      "src/boost/actuator/daemon_actuator.cc",
      "src/boost/daemon/arbiter.cc",
      "src/boost/daemon/boost_server.cc",
      "src/boost/daemon/boost_server_requests.cc",
      "src/boost/daemon/boostd_options.cc",
      "src/boost/daemon/boostd_status.cc",
      "src/boost/daemon/client_memory.cc",
      "src/boost/daemon/client_thread.cc",
      "src/boost/daemon/domains.cc",
      "src/boost/daemon/event_log.cc",
      "src/boost/daemon/greeting.cc",
      "src/boost/daemon/local_socket.cc"
    ],
    "boostd_sources": [
      "src/boostd/main.cc"
    ],
    "hooks_sources": [
      "src/hooks/arrival.cc",
      "src/hooks/async_ids.cc",
      "src/hooks/descriptors.cc",
      "src/hooks/interpose.cc",
      "src/hooks/patched_v8.cc",
      "src/hooks/script_calls.cc",
      "src/hooks/stock_provider.cc",
      "src/hooks/thread_pool.cc"
    ],
    "addon_sources": [
      "src/addon/binding.cc",
      "src/addon/recording.cc",
      "src/addon/reporting.cc"
    ]
  }
}
