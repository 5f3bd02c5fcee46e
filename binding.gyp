{
  # Of src/sources.gypi, by scripts/build-addon.
  "includes": ["sources.gypi"],
  "variables": {
    "napi_include": ["<!(node -p \"require('node-addon-api').include_dir\")"],
    # Swallow: no call succeeds in a worker that is being ended, and no exception can be thrown there.
    "napi_defines": [
      "NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED",
      "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
    ],
    # Node unloads the addon of a worker that ends, but V8 calls the deleter of
    # an ArrayBuffer after that, and redirected calls may yet return into it.
    "addon_ldflags": ["-Wl,-z,nodelete"]
  },
  "target_defaults": {
    "include_dirs": ["src"],
    # The same for each Node, so that what does not depend on it is compiled once.
    "cflags_cc!": ["-std=gnu++14", "-std=gnu++17", "-std=gnu++20", "-fno-rtti", "-fno-strict-aliasing"],
    "cflags_cc": [
      "-std=c++20", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter",
      "-fvisibility=hidden",
      "<!@(pkg-config --cflags absl_status absl_statusor absl_strings absl_flat_hash_map absl_btree)"
    ],
    "libraries": [
      "<!@(pkg-config --libs absl_status absl_statusor absl_strings absl_flat_hash_map absl_btree)",
      "-ldl", "-lpthread"
    ]
  },
  "targets": [
    {
      "target_name": "edgewise-core",
      "type": "static_library",
      "sources": [
        "<@(platform_sources)",
        "<@(trace_sources)",
        "<@(boost_sources)"
      ]
    },
    {
      "target_name": "edgewise",
      "dependencies": ["edgewise-core"],
      "sources": [
        "<@(recorder_sources)",
        "<@(hooks_sources)",
        "<@(addon_sources)"
      ],
      "include_dirs": ["<@(napi_include)"],
      "defines": ["<@(napi_defines)"],
      "ldflags": ["<@(addon_ldflags)"]
    },
    {
      "target_name": "edgewise-report",
      "dependencies": ["edgewise-core"],
      "sources": [
        "<@(parquet_sources)",
        "<@(analysis_sources)",
        "<@(compare_sources)",
        "<@(across_sources)",
        "<@(handover_sources)",
        "<@(live_sources)",
        "<@(whatif_sources)",
        "<@(reporting_sources)"
      ],
      "include_dirs": ["<@(napi_include)"],
      "defines": ["<@(napi_defines)"],
      "ldflags": ["<@(addon_ldflags)"]
    },
    {
      "target_name": "edgewise-boostd",
      "type": "executable",
      "dependencies": ["edgewise-core"],
      "sources": ["<@(boostd_sources)"]
    },
    {
      "target_name": "edgewise-poker",
      "type": "executable",
      "dependencies": ["edgewise-core"],
      "sources": ["<@(poke_sources)", "<@(poker_sources)"]
    }
  ]
}
