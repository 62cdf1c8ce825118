"""Recipes about what administrators ask of brokers, most of it of controllers too."""

from typing import Final
from uuid import UUID

from kafkawire.values import StructValue
from wireproof.capture.workloads.listener_session import ListenerSession
from wireproof.capture.workloads.recipes.fixtures import FOR_OTHERS, fresh_topic, topic

__all__ = ["ADMIN", "ADMIN_OF_CONTROLLERS", "DIRECTORY"]

_TOPIC: Final = 2
_BROKER: Final = 4
_ANY: Final = 1
_LITERAL: Final = 3
_PREFIXED: Final = 4
_READ: Final = 3
_ALLOW: Final = 3
_SET: Final = 0
_APPEND: Final = 2
_SCRAM_SHA_256: Final = 1


def api_versions(scene: ListenerSession, version: int) -> None:
    body = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1.0"}
    scene.ask("ApiVersionsRequest", version, body, "named client")
    if version >= 3:
        scene.ask("ApiVersionsRequest", version, {**body, "clientSoftwareName": "no name!"}, "wrong name")
    scene.ask_newer_than_known("ApiVersionsRequest")


def describe_cluster(scene: ListenerSession, version: int) -> None:
    own_end = 2 if scene.is_controller else 1
    for end in (own_end, 3 - own_end):
        body = {
            "includeClusterAuthorizedOperations": True,
            "endpointType": end,
            "includeFencedBrokers": False,
        }
        scene.ask("DescribeClusterRequest", version, body, f"endpoints of type {end}")


def describe_quorum(scene: ListenerSession, version: int) -> None:
    for name in (scene.metadata_topic, "no-such-topic"):
        body = {"topics": [{"topicName": name, "partitions": [{"partitionIndex": 0}]}]}
        scene.ask("DescribeQuorumRequest", version, body, f"of {name}")


def create_acls(scene: ListenerSession, version: int) -> None:
    for pattern in (_LITERAL, _PREFIXED):
        acl = {**_acl(scene), "resourcePatternType": pattern if version >= 1 else _LITERAL}
        scene.ask("CreateAclsRequest", version, {"creations": [acl]}, f"pattern {pattern}")
    wrong = {**_acl(scene), "principal": "no principal"}
    scene.ask("CreateAclsRequest", version, {"creations": [wrong]}, "wrong principal")


def describe_acls(scene: ListenerSession, version: int) -> None:
    creations = {"creations": [_acl(scene)]}
    scene.tell("CreateAclsRequest", creations, FOR_OTHERS)
    scene.ask("DescribeAclsRequest", version, _acl_filter(), "all")
    named = {**_acl_filter(), "resourceTypeFilter": _TOPIC, "resourceNameFilter": "nobody's"}
    scene.ask("DescribeAclsRequest", version, named, "none")


def delete_acls(scene: ListenerSession, version: int) -> None:
    acl = _acl(scene)
    scene.tell("CreateAclsRequest", {"creations": [acl]}, FOR_OTHERS)
    found = {**_acl_filter(), "resourceNameFilter": acl["resourceName"]}
    scene.ask("DeleteAclsRequest", version, {"filters": [found]}, "one")


def _acl(scene: ListenerSession) -> StructValue:
    return {
        "resourceType": _TOPIC,
        "resourceName": scene.name("guarded"),
        "resourcePatternType": _LITERAL,
        "principal": "User:alice",
        "host": "*",
        "operation": _READ,
        "permissionType": _ALLOW,
    }


def _acl_filter() -> StructValue:
    return {
        "resourceTypeFilter": _ANY,
        "resourceNameFilter": None,
        "patternTypeFilter": _ANY,
        "principalFilter": None,
        "hostFilter": None,
        "operation": _ANY,
        "permissionType": _ANY,
    }


def describe_configs(scene: ListenerSession, version: int) -> None:
    resources = [(_TOPIC, topic(scene).name), (_BROKER, str(scene.brokers[0])), (_TOPIC, "no-such-topic")]
    for kind, name in resources:
        one = {"resourceType": kind, "resourceName": name, "configurationKeys": None}
        body = {"resources": [one], "includeSynonyms": True, "includeDocumentation": True}
        scene.ask("DescribeConfigsRequest", version, body, f"of {name.partition('-')[0]}")
    few = {"resourceType": _TOPIC, "resourceName": topic(scene).name, "configurationKeys": ["retention.ms"]}
    scene.ask("DescribeConfigsRequest", version, {"resources": [few]}, "one key")


def alter_configs(scene: ListenerSession, version: int) -> None:
    for name, key in ((topic(scene).name, "retention.ms"), (topic(scene).name, "no.such.key")):
        configs = [{"name": key, "value": "3600000"}]
        body = {"resources": [{"resourceType": _TOPIC, "resourceName": name, "configs": configs}]}
        scene.ask("AlterConfigsRequest", version, body, key)


def incremental_alter_configs(scene: ListenerSession, version: int) -> None:
    for key, value, operation in (
        ("retention.ms", "7200000", _SET),
        ("cleanup.policy", "delete", _APPEND),
        ("no.such.key", "1", _SET),
    ):
        configs = [{"name": key, "configOperation": operation, "value": value}]
        one = {"resourceType": _TOPIC, "resourceName": topic(scene).name, "configs": configs}
        scene.ask("IncrementalAlterConfigsRequest", version, {"resources": [one]}, key)


def list_config_resources(scene: ListenerSession, version: int) -> None:
    configs = [{"name": "interval.ms", "configOperation": _SET, "value": "60000"}]
    one = {"resourceType": 16, "resourceName": scene.name("metrics"), "configs": configs}
    scene.tell("IncrementalAlterConfigsRequest", {"resources": [one]}, FOR_OTHERS)
    for kinds in ([], [_TOPIC, _BROKER]):
        body = {"resourceTypes": kinds}
        scene.ask("ListConfigResourcesRequest", version, body, f"{len(kinds)} kinds")


def alter_client_quotas(scene: ListenerSession, version: int) -> None:
    for user, key in (("alice", "producer_byte_rate"), ("alice", "no_such_quota")):
        entity = [{"entityType": "user", "entityName": user}, {"entityType": "client-id", "entityName": None}]
        ops = [{"key": key, "value": 1e9, "remove": False}]
        scene.ask("AlterClientQuotasRequest", version, {"entries": [{"entity": entity, "ops": ops}]}, key)


def describe_client_quotas(scene: ListenerSession, version: int) -> None:
    entity = [{"entityType": "user", "entityName": "bob"}]
    entry = {"entity": entity, "ops": [{"key": "consumer_byte_rate", "value": 1e9, "remove": False}]}
    scene.tell("AlterClientQuotasRequest", {"entries": [entry]}, FOR_OTHERS)
    component = {"entityType": "user", "matchType": 0, "match": "bob"}
    scene.ask("DescribeClientQuotasRequest", version, {"components": [component], "strict": True}, "one user")
    scene.ask("DescribeClientQuotasRequest", version, {"components": [], "strict": False}, "all")


def alter_user_scram_credentials(scene: ListenerSession, version: int) -> None:
    upsertion = {
        "name": "carol",
        "mechanism": _SCRAM_SHA_256,
        "iterations": 4096,
        "salt": b"some salt",
        "saltedPassword": bytes(range(32)),
    }
    scene.ask("AlterUserScramCredentialsRequest", version, {"upsertions": [upsertion]}, "new user")
    deletion = {"name": "nobody", "mechanism": _SCRAM_SHA_256}
    scene.ask("AlterUserScramCredentialsRequest", version, {"deletions": [deletion]}, "unknown user")


def describe_user_scram_credentials(scene: ListenerSession, version: int) -> None:
    scene.ask("DescribeUserScramCredentialsRequest", version, {"users": None}, "all")
    scene.ask("DescribeUserScramCredentialsRequest", version, {"users": [{"name": "nobody"}]}, "unknown user")


def update_features(scene: ListenerSession, version: int) -> None:
    for name, level in scene.finalized_features.items():
        update = {"feature": name, "maxVersionLevel": level, "upgradeType": 1}
        body = {"timeoutMs": 1000, "featureUpdates": [update], "validateOnly": True}
        scene.ask("UpdateFeaturesRequest", version, body, "as it is")
    for level, case in ((0, "too low"), (99, "too high")):
        update = {"feature": "metadata.version", "maxVersionLevel": level, "upgradeType": 1}
        body = {"timeoutMs": 1000, "featureUpdates": [update], "validateOnly": True}
        scene.ask("UpdateFeaturesRequest", version, body, case)
    scene.ask("UpdateFeaturesRequest", version, {"timeoutMs": 1000, "featureUpdates": []}, "none")


def unregister_broker(scene: ListenerSession, version: int) -> None:
    scene.ask("UnregisterBrokerRequest", version, {"brokerId": 98}, "unknown broker")


def elect_leaders(scene: ListenerSession, version: int) -> None:
    wanted = [
        # the names of the partitions: since 3.0, and before
        {"topic": topic(scene).name, "partitions": [0, 1], "partitionId": [0, 1]},
        {"topic": "no-such-topic", "partitions": [0], "partitionId": [0]},
    ]
    for kind in (0, 1) if version else (0,):
        body = {"electionType": kind, "topicPartitions": wanted, "timeoutMs": 1000}
        scene.ask("ElectLeadersRequest", version, body, f"kind {kind}")
    scene.ask("ElectLeadersRequest", version, {"topicPartitions": None, "timeoutMs": 1000}, "all")


def alter_partition_reassignments(scene: ListenerSession, version: int) -> None:
    found = fresh_topic(scene, "moved")
    for name, replicas in (
        (found.name, list(scene.brokers[:1])),
        (found.name, None),
        ("no-such-topic", [99]),
    ):
        partition = {"partitionIndex": 0, "replicas": replicas}
        body = {"timeoutMs": 1000, "topics": [{"name": name, "partitions": [partition]}]}
        scene.ask("AlterPartitionReassignmentsRequest", version, body, f"to {replicas}")


def list_partition_reassignments(scene: ListenerSession, version: int) -> None:
    body = {"timeoutMs": 1000, "topics": [{"name": topic(scene).name, "partitionIndexes": [0]}]}
    scene.ask("ListPartitionReassignmentsRequest", version, body, "one partition")
    scene.ask("ListPartitionReassignmentsRequest", version, {"timeoutMs": 1000, "topics": None}, "all")


def add_raft_voter(scene: ListenerSession, version: int) -> None:
    body = {**_voter(scene), "timeoutMs": 1000, "listeners": [_ENDPOINT]}
    scene.ask("AddRaftVoterRequest", version, body, "unknown voter")
    scene.ask("AddRaftVoterRequest", version, {**body, "clusterId": "another-cluster"}, "another cluster")


def remove_raft_voter(scene: ListenerSession, version: int) -> None:
    scene.ask("RemoveRaftVoterRequest", version, _voter(scene), "unknown voter")
    other = {**_voter(scene), "clusterId": "another-cluster"}
    scene.ask("RemoveRaftVoterRequest", version, other, "another cluster")


CLIENT: Final = UUID("01234567-89ab-4cde-8f01-23456789abcd")
DIRECTORY: Final = UUID("12345678-9abc-4def-8012-3456789abcde")
_ENDPOINT: Final = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 19_099}


def _voter(scene: ListenerSession) -> StructValue:
    return {"clusterId": scene.cluster_id, "voterId": 97, "voterDirectoryId": DIRECTORY}


def get_telemetry_subscriptions(scene: ListenerSession, version: int) -> None:
    scene.ask("GetTelemetrySubscriptionsRequest", version, {"clientInstanceId": CLIENT}, "known client")


def push_telemetry(scene: ListenerSession, version: int) -> None:
    answer = scene.tell("GetTelemetrySubscriptionsRequest", {"clientInstanceId": CLIENT}, FOR_OTHERS)
    body = {
        "clientInstanceId": answer.get("clientInstanceId", CLIENT),
        "subscriptionId": answer.get("subscriptionId", 0),
        "terminating": True,
        "metrics": b"",
    }
    scene.ask("PushTelemetryRequest", version, body, "last")
    scene.ask("PushTelemetryRequest", version, {**body, "subscriptionId": 1}, "unknown subscription")


ADMIN_OF_CONTROLLERS = {
    "ApiVersionsRequest": api_versions,
    "DescribeClusterRequest": describe_cluster,
    "DescribeQuorumRequest": describe_quorum,
    "CreateAclsRequest": create_acls,
    "DescribeAclsRequest": describe_acls,
    "DeleteAclsRequest": delete_acls,
    "DescribeConfigsRequest": describe_configs,
    "AlterConfigsRequest": alter_configs,
    "IncrementalAlterConfigsRequest": incremental_alter_configs,
    "AlterClientQuotasRequest": alter_client_quotas,
    "AlterUserScramCredentialsRequest": alter_user_scram_credentials,
    "DescribeUserScramCredentialsRequest": describe_user_scram_credentials,
    "UpdateFeaturesRequest": update_features,
    "ElectLeadersRequest": elect_leaders,
    "AlterPartitionReassignmentsRequest": alter_partition_reassignments,
    "ListPartitionReassignmentsRequest": list_partition_reassignments,
    "AddRaftVoterRequest": add_raft_voter,
    "RemoveRaftVoterRequest": remove_raft_voter,
}

ADMIN = {
    **ADMIN_OF_CONTROLLERS,
    "UnregisterBrokerRequest": unregister_broker,
    "DescribeClientQuotasRequest": describe_client_quotas,
    "ListConfigResourcesRequest": list_config_resources,
    "GetTelemetrySubscriptionsRequest": get_telemetry_subscriptions,
    "PushTelemetryRequest": push_telemetry,
}
