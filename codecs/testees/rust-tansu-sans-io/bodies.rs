//! The messages of tansu-sans-io by name: its structs have serde's traits, its `Body` has them for other structs.

use ciborium::Value;
use tansu_sans_io::{Body, *};

macro_rules! bodies {
    ($($name:ident)*) => {
        /// The messages that this adapter can convert. `main` compares them with the crate's own index.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// Converts the struct in a body to plain data with the crate's names.
        pub fn opened(body: &Body) -> Result<Value, ciborium::value::Error> {
            match body {
                $(Body::$name(inner) => Value::serialized(inner),)*
                other => panic!("{} is not in the list of bodies", other.api_name()),
            }
        }

        /// Converts plain data to a body.
        pub fn made(name: &str, value: &Value) -> Result<Body, ciborium::value::Error> {
            match name {
                $(stringify!($name) => value.deserialized::<$name>().map(Body::from),)*
                other => panic!("{other} is not in the list of bodies"),
            }
        }
    };
}

bodies! {
    AddOffsetsToTxnRequest AddOffsetsToTxnResponse AddPartitionsToTxnRequest AddPartitionsToTxnResponse
    AddRaftVoterRequest AddRaftVoterResponse AlterClientQuotasRequest AlterClientQuotasResponse
    AlterConfigsRequest AlterConfigsResponse AlterPartitionReassignmentsRequest
    AlterPartitionReassignmentsResponse AlterReplicaLogDirsRequest AlterReplicaLogDirsResponse
    AlterUserScramCredentialsRequest AlterUserScramCredentialsResponse ApiVersionsRequest
    ApiVersionsResponse ConsumerGroupDescribeRequest ConsumerGroupDescribeResponse
    ConsumerGroupHeartbeatRequest ConsumerGroupHeartbeatResponse CreateAclsRequest CreateAclsResponse
    CreateDelegationTokenRequest CreateDelegationTokenResponse CreatePartitionsRequest
    CreatePartitionsResponse CreateTopicsRequest CreateTopicsResponse DeleteAclsRequest DeleteAclsResponse
    DeleteGroupsRequest DeleteGroupsResponse DeleteRecordsRequest DeleteRecordsResponse
    DeleteShareGroupStateRequest DeleteShareGroupStateResponse DeleteTopicsRequest DeleteTopicsResponse
    DescribeAclsRequest DescribeAclsResponse DescribeClientQuotasRequest DescribeClientQuotasResponse
    DescribeClusterRequest DescribeClusterResponse DescribeConfigsRequest DescribeConfigsResponse
    DescribeDelegationTokenRequest DescribeDelegationTokenResponse DescribeGroupsRequest
    DescribeGroupsResponse DescribeLogDirsRequest DescribeLogDirsResponse DescribeProducersRequest
    DescribeProducersResponse DescribeQuorumRequest DescribeQuorumResponse DescribeTopicPartitionsRequest
    DescribeTopicPartitionsResponse DescribeTransactionsRequest DescribeTransactionsResponse
    DescribeUserScramCredentialsRequest DescribeUserScramCredentialsResponse ElectLeadersRequest
    ElectLeadersResponse EndTxnRequest EndTxnResponse ExpireDelegationTokenRequest
    ExpireDelegationTokenResponse FetchRequest FetchResponse FindCoordinatorRequest FindCoordinatorResponse
    GetTelemetrySubscriptionsRequest GetTelemetrySubscriptionsResponse HeartbeatRequest HeartbeatResponse
    IncrementalAlterConfigsRequest IncrementalAlterConfigsResponse InitProducerIdRequest
    InitProducerIdResponse InitializeShareGroupStateRequest InitializeShareGroupStateResponse
    JoinGroupRequest JoinGroupResponse LeaveGroupRequest LeaveGroupResponse
    ListClientMetricsResourcesResponse ListGroupsRequest ListGroupsResponse ListOffsetsRequest
    ListOffsetsResponse ListPartitionReassignmentsRequest ListPartitionReassignmentsResponse
    ListTransactionsRequest ListTransactionsResponse MetadataRequest MetadataResponse OffsetCommitRequest
    OffsetCommitResponse OffsetDeleteRequest OffsetDeleteResponse OffsetFetchRequest OffsetFetchResponse
    OffsetForLeaderEpochRequest OffsetForLeaderEpochResponse ProduceRequest ProduceResponse
    PushTelemetryRequest PushTelemetryResponse ReadShareGroupStateRequest ReadShareGroupStateResponse
    ReadShareGroupStateSummaryRequest ReadShareGroupStateSummaryResponse RemoveRaftVoterRequest
    RemoveRaftVoterResponse RenewDelegationTokenRequest RenewDelegationTokenResponse SaslAuthenticateRequest
    SaslAuthenticateResponse SaslHandshakeRequest SaslHandshakeResponse ShareAcknowledgeRequest
    ShareAcknowledgeResponse ShareFetchRequest ShareFetchResponse ShareGroupDescribeRequest
    ShareGroupDescribeResponse ShareGroupHeartbeatRequest ShareGroupHeartbeatResponse SyncGroupRequest
    SyncGroupResponse TxnOffsetCommitRequest TxnOffsetCommitResponse UnregisterBrokerRequest
    UnregisterBrokerResponse UpdateFeaturesRequest UpdateFeaturesResponse WriteShareGroupStateRequest
    WriteShareGroupStateResponse WriteTxnMarkersRequest WriteTxnMarkersResponse
}
