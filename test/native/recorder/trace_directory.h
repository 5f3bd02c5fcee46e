#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "trace/reader.h"

namespace edgewise {

// A directory with one trace file, gone when the test ends.
class TraceDirectory {
 public:
  TraceDirectory() {
    char name[] = "/tmp/edgewise-recorder-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    directory_ = name;
  }
  ~TraceDirectory() { std::filesystem::remove_all(directory_); }
  std::string file() const { return directory_ + "/1-0.ewt"; }

  struct Contents {
    std::vector<Record> records;  // without string slots
    std::vector<std::string> strings;
    std::vector<ChunkHeader> headers;
    size_t problems = 0;
  };
  Contents Read() const {
    Contents contents;
    auto source = FileSource::Open(file());
    EXPECT_TRUE(source.ok()) << source.status();
    ProblemLog problems;
    ChunkReader reader(source->get(), file(), &problems);
    Chunk chunk;
    while (reader.Next(&chunk)) {
      contents.headers.push_back(chunk.header);
      Append(chunk, &contents);
    }
    contents.problems = problems.kept().size();
    return contents;
  }

 private:
  static void Append(const Chunk& chunk, Contents* contents) {
    for (size_t i = 0; i < chunk.records.size(); ++i) {
      const Record& record = chunk.records[i];
      if (record.kind != RecordKind::kString) {
        contents->records.push_back(record);
        continue;
      }
      const auto* text =
          reinterpret_cast<const char*>(chunk.records.data() + i + 1);
      contents->strings.emplace_back(text, record.id_lo);
      i += StringSlots(record.id_lo);
    }
  }

  std::string directory_;
};

}  // namespace edgewise
