// Apache Kafka: a length, the key of the operation, its version.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr std::string_view kApiNames[] = {
    "Produce",
    "Fetch",
    "ListOffsets",
    "Metadata",
    "LeaderAndIsr",
    "StopReplica",
    "UpdateMetadata",
    "ControlledShutdown",
    "OffsetCommit",
    "OffsetFetch",
    "FindCoordinator",
    "JoinGroup",
    "Heartbeat",
    "LeaveGroup",
    "SyncGroup",
    "DescribeGroups",
    "ListGroups",
    "SaslHandshake",
    "ApiVersions",
    "CreateTopics",
    "DeleteTopics",
    "DeleteRecords",
    "InitProducerId",
    "OffsetForLeaderEpoch",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "EndTxn",
    "WriteTxnMarkers",
    "TxnOffsetCommit",
    "DescribeAcls",
    "CreateAcls",
    "DeleteAcls",
    "DescribeConfigs",
    "AlterConfigs",
    "AlterReplicaLogDirs",
    "DescribeLogDirs",
    "SaslAuthenticate",
    "CreatePartitions",
    "CreateDelegationToken",
    "RenewDelegationToken",
    "ExpireDelegationToken",
    "DescribeDelegationToken",
    "DeleteGroups",
    "ElectLeaders",
    "IncrementalAlterConfigs",
    "AlterPartitionReassignments",
    "ListPartitionReassignments",
    "OffsetDelete",
    "DescribeClientQuotas",
    "AlterClientQuotas",
    "DescribeUserScramCredentials",
    "AlterUserScramCredentials",
    "Vote",
    "BeginQuorumEpoch",
    "EndQuorumEpoch",
    "DescribeQuorum",
    "AlterPartition",
    "UpdateFeatures",
    "Envelope",
    "FetchSnapshot",
    "DescribeCluster",
    "DescribeProducers",
    "BrokerRegistration",
    "BrokerHeartbeat",
    "UnregisterBroker",
    "DescribeTransactions",
    "ListTransactions",
    "AllocateProducerIds",
    "ConsumerGroupHeartbeat",
    "ConsumerGroupDescribe",
    "ControllerRegistration",
    "GetTelemetrySubscriptions",
    "PushTelemetry",
    "AssignReplicasToDirs",
    "ListClientMetricsResources",
    "DescribeTopicPartitions",
};
constexpr uint16_t kNewestVersion = 20;
constexpr uint32_t kLongestRequest = 256U << 20;
constexpr size_t kLongestClientId = 255;

bool IsName(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return !text.empty();
}

}  // namespace

bool LooksLikeKafka(Cursor cursor, bool usual_port) {
  const uint32_t length = cursor.U32();
  const uint16_t key = cursor.U16();
  const uint16_t version = cursor.U16();
  cursor.Skip(4);
  const uint16_t client = cursor.U16();
  if (cursor.ended() || length < 10 || length > kLongestRequest ||
      key >= std::size(kApiNames) || version > kNewestVersion) {
    return false;
  }
  // Without a client's name there is too little to tell.
  if (client == 0xffff || client == 0) return usual_port;
  return client <= kLongestClientId && client + 10U <= length &&
         IsName(cursor.Bytes(client)) && !cursor.ended();
}

void NameKafka(Inquiry& question) {
  Cursor& cursor = question.cursor;
  cursor.Skip(4);
  cursor.DecidedFrom(cursor.position());
  const uint16_t key = cursor.U16();
  const uint16_t version = cursor.U16();
  if (cursor.ended() || key >= std::size(kApiNames) ||
      version > kNewestVersion) {
    // The rest of a long question, or the bare token of an old SASL.
    question.keep = true;
    return;
  }
  question.operation->Assign(kApiNames[key]);
}

}  // namespace edgewise
