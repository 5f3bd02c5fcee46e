#include "recorder/file_places.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

std::string PlaceOf(std::string_view path) {
  OperationText place;
  AppendFilePlace(path, &place);
  return std::string(place.view());
}

TEST(FilePlacesTest, TheFirstTwoDirectories) {
  EXPECT_EQ(PlaceOf("/var/lib/app/users/7.json"), "/var/lib");
  EXPECT_EQ(PlaceOf("/var/lib/secret"), "/var/lib");
  EXPECT_EQ(PlaceOf("/etc/passwd"), "/etc");
  EXPECT_EQ(PlaceOf("/secret"), "/");
  EXPECT_EQ(PlaceOf("/"), "/");
  EXPECT_EQ(PlaceOf("/var/lib/"), "/var");
}

TEST(FilePlacesTest, RelativeOnesBeginWhereTheProcessIs) {
  EXPECT_EQ(PlaceOf("secret.json"), ".");
  EXPECT_EQ(PlaceOf("./data/a/b.json"), "./data/a");
  EXPECT_EQ(PlaceOf("../data/b.json"), "../data");
  EXPECT_EQ(PlaceOf("a/../../b/c.json"), "../b");
  EXPECT_EQ(PlaceOf(""), ".");
}

TEST(FilePlacesTest, DotsAreResolved) {
  EXPECT_EQ(PlaceOf("/var/lib/../../etc/passwd"), "/etc");
  EXPECT_EQ(PlaceOf("/srv//./www/x.html"), "/srv/www");
  EXPECT_EQ(PlaceOf("/srv/a/b/../../../etc/x"), "/etc");
  EXPECT_EQ(PlaceOf("/srv/a/.."), "/srv");
}

TEST(FilePlacesTest, IdsAndWhatIsTooLongAreNotTold) {
  EXPECT_EQ(PlaceOf("/tmp/8f3a19cc77aa01bd/x"), "/tmp/:id");
  EXPECT_EQ(PlaceOf("/uploads/1234567/x"), "/uploads/:id");
  EXPECT_EQ(PlaceOf("/" + std::string(200, 'a') + "/x"), "/");
  EXPECT_EQ(PlaceOf("/a\nb/c#d/x"), "/a_b/c_d");
}

class NamedPlacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecorderConfig config;
    config.path = directory_.file();
    config.meta_json = "{}";
    auto recorder = Recorder::Start(config);
    ASSERT_TRUE(recorder.ok()) << recorder.status();
    recorder_ = *std::move(recorder);
  }
  TraceDirectory directory_;
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(NamedPlacesTest, FilesOfOnePlaceShareAName) {
  FilePlaces places(recorder_.get(), /*whole_paths=*/false);
  const uint32_t name = places.NameOf("/var/lib/app/a");
  EXPECT_NE(name, 0u);
  EXPECT_EQ(places.NameOf("/var/lib/b"), name);
  EXPECT_EQ(recorder_->InternString("/var/lib"), name);
  EXPECT_NE(places.NameOf("/etc/a"), name);
  EXPECT_EQ(places.NameOf(""), 0u);
}

TEST_F(NamedPlacesTest, WholePathsWhereTheyAreAskedFor) {
  FilePlaces places(recorder_.get(), /*whole_paths=*/true);
  EXPECT_EQ(places.NameOf("/var/lib/app/a"),
            recorder_->InternString("/var/lib/app/a"));
  for (int i = 0; i < 10'000; ++i) {
    places.NameOf("/var/lib/app/" + std::to_string(i));
  }
  EXPECT_EQ(places.NameOf("/var/lib/app/one more"),
            recorder_->InternString("/var/lib"));
}

}  // namespace
}  // namespace edgewise
