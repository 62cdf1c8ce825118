"""Recipes of admin requests; controllers take most of them, too."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from kafkawire.values import StructValue, Value
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.workloads.listener_session import FOR_OTHERS, ListenerSession, SweptRequest
from wireproof.traffic.capture.workloads.recipes.fixtures import fresh_topic, topic

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


def api_versions(session: ListenerSession, request: SweptRequest) -> None:
    body = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1.0"}
    request.ask(body, "named client")
    if request.version >= 3:
        request.ask({**body, "clientSoftwareName": "no name!"}, "wrong name")
    session.ask_newer_than_known("ApiVersionsRequest")


def describe_cluster(session: ListenerSession, request: SweptRequest) -> None:
    own_end = 2 if session.listener is Listener.CONTROLLER else 1
    for end in (own_end, 3 - own_end):
        body = {
            "includeClusterAuthorizedOperations": True,
            "endpointType": end,
            "includeFencedBrokers": False,
        }
        request.ask(body, f"endpoints of type {end}")


def describe_quorum(session: ListenerSession, request: SweptRequest) -> None:
    for name in (session.metadata_topic, "no-such-topic"):
        body = {"topics": [{"topicName": name, "partitions": [{"partitionIndex": 0}]}]}
        request.ask(body, f"of {name}")


def create_acls(session: ListenerSession, request: SweptRequest) -> None:
    for pattern in (_LITERAL, _PREFIXED):
        acl = {**_acl(session), "resourcePatternType": pattern if request.version >= 1 else _LITERAL}
        request.ask({"creations": [acl]}, f"pattern {pattern}")
    wrong = {**_acl(session), "principal": "no principal"}
    request.ask({"creations": [wrong]}, "wrong principal")


def describe_acls(session: ListenerSession, request: SweptRequest) -> None:
    acl = _acl(session)
    session.ask_newest("CreateAclsRequest", {"creations": [acl]}, FOR_OTHERS)
    shown = _shows("resources", "resourceName", acl["resourceName"])
    request.ask_until_settled(_acl_filter(), "all", shown)
    named = {**_acl_filter(), "resourceTypeFilter": _TOPIC, "resourceNameFilter": "no-such-topic"}
    request.ask(named, "none")


def delete_acls(session: ListenerSession, request: SweptRequest) -> None:
    acl = _acl(session)
    session.ask_newest("CreateAclsRequest", {"creations": [acl]}, FOR_OTHERS)
    found = {**_acl_filter(), "resourceNameFilter": acl["resourceName"]}
    request.ask({"filters": [found]}, "one")


def _shows(array: str, key: str, name: Value) -> Callable[[StructValue], bool]:
    """Return a test of a response: true once an array of it has an element of this name."""
    return lambda answer: any(each[key] == name for each in answer[array] or ())


def _acl(session: ListenerSession) -> StructValue:
    return {
        "resourceType": _TOPIC,
        "resourceName": session.name("guarded"),
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


def describe_configs(session: ListenerSession, request: SweptRequest) -> None:
    resources = [(_TOPIC, topic(session).name), (_BROKER, str(session.brokers[0])), (_TOPIC, "no-such-topic")]
    for kind, name in resources:
        one = {"resourceType": kind, "resourceName": name, "configurationKeys": None}
        body = {"resources": [one], "includeSynonyms": True, "includeDocumentation": True}
        request.ask(body, f"of {name.partition('-')[0]}")
    few = {"resourceType": _TOPIC, "resourceName": topic(session).name, "configurationKeys": ["retention.ms"]}
    request.ask({"resources": [few]}, "one key")


def alter_configs(session: ListenerSession, request: SweptRequest) -> None:
    for name, key in ((topic(session).name, "retention.ms"), (topic(session).name, "no.such.key")):
        configs = [{"name": key, "value": "3600000"}]
        body = {"resources": [{"resourceType": _TOPIC, "resourceName": name, "configs": configs}]}
        request.ask(body, key)


def incremental_alter_configs(session: ListenerSession, request: SweptRequest) -> None:
    for key, value, operation in (
        ("retention.ms", "7200000", _SET),
        ("cleanup.policy", "delete", _APPEND),
        ("no.such.key", "1", _SET),
    ):
        configs = [{"name": key, "configOperation": operation, "value": value}]
        one = {"resourceType": _TOPIC, "resourceName": topic(session).name, "configs": configs}
        request.ask({"resources": [one]}, key)


def list_config_resources(session: ListenerSession, request: SweptRequest) -> None:
    configs = [{"name": "interval.ms", "configOperation": _SET, "value": "60000"}]
    one = {"resourceType": 16, "resourceName": session.name("metrics"), "configs": configs}
    session.ask_newest("IncrementalAlterConfigsRequest", {"resources": [one]}, FOR_OTHERS)
    shown = _shows("configResources", "resourceName", one["resourceName"])
    request.ask_until_settled({"resourceTypes": []}, "0 kinds", shown)
    request.ask({"resourceTypes": [_TOPIC, _BROKER]}, "2 kinds")


def alter_client_quotas(session: ListenerSession, request: SweptRequest) -> None:
    for user, key in (("alice", "producer_byte_rate"), ("alice", "no_such_quota")):
        entity = [{"entityType": "user", "entityName": user}, {"entityType": "client-id", "entityName": None}]
        ops = [{"key": key, "value": 1e9, "remove": False}]
        request.ask({"entries": [{"entity": entity, "ops": ops}]}, key)


def describe_client_quotas(session: ListenerSession, request: SweptRequest) -> None:
    entity = [{"entityType": "user", "entityName": "bob"}]
    entry = {"entity": entity, "ops": [{"key": "consumer_byte_rate", "value": 1e9, "remove": False}]}
    session.ask_newest("AlterClientQuotasRequest", {"entries": [entry]}, FOR_OTHERS)
    component = {"entityType": "user", "matchType": 0, "match": "bob"}
    one = {"components": [component], "strict": True}
    request.ask_until_settled(one, "one user", lambda answer: bool(answer["entries"]))
    request.ask({"components": [], "strict": False}, "all")


def alter_user_scram_credentials(session: ListenerSession, request: SweptRequest) -> None:
    upsertion = {
        "name": "carol",
        "mechanism": _SCRAM_SHA_256,
        "iterations": 4096,
        "salt": b"some salt",
        "saltedPassword": bytes(range(32)),
    }
    request.ask({"upsertions": [upsertion]}, "new user")
    deletion = {"name": "unknown", "mechanism": _SCRAM_SHA_256}
    request.ask({"deletions": [deletion]}, "unknown user")


def describe_user_scram_credentials(session: ListenerSession, request: SweptRequest) -> None:
    shown = _shows("results", "user", "carol")
    request.ask_until_settled({"users": None}, "all", shown)
    request.ask({"users": [{"name": "unknown"}]}, "unknown user")


def update_features(session: ListenerSession, request: SweptRequest) -> None:
    current = [(name, level, "as it is") for name, level in session.finalized_features.items()]
    wrong = [("metadata.version", 0, "too low"), ("metadata.version", 99, "too high")]
    for name, level, case in [*current, *wrong]:
        update = {"feature": name, "maxVersionLevel": level, "upgradeType": 1}
        body = {"timeoutMs": 1000, "featureUpdates": [update], "validateOnly": True}
        request.ask(body, case)
    request.ask({"timeoutMs": 1000, "featureUpdates": []}, "none")


def unregister_broker(session: ListenerSession, request: SweptRequest) -> None:
    request.ask({"brokerId": 98}, "unknown broker")


def elect_leaders(session: ListenerSession, request: SweptRequest) -> None:
    wanted = [
        # the names of the partitions: since 3.0, and before
        {"topic": topic(session).name, "partitions": [0, 1], "partitionId": [0, 1]},
        {"topic": "no-such-topic", "partitions": [0], "partitionId": [0]},
    ]
    for kind in (0, 1) if request.version else (0,):
        body = {"electionType": kind, "topicPartitions": wanted, "timeoutMs": 1000}
        request.ask(body, f"kind {kind}")
    request.ask({"topicPartitions": None, "timeoutMs": 1000}, "all")


def alter_partition_reassignments(session: ListenerSession, request: SweptRequest) -> None:
    found = fresh_topic(session, "moved")
    for name, replicas in (
        (found.name, list(session.brokers[:1])),
        (found.name, None),
        ("no-such-topic", [99]),
    ):
        partition = {"partitionIndex": 0, "replicas": replicas}
        body = {"timeoutMs": 1000, "topics": [{"name": name, "partitions": [partition]}]}
        request.ask(body, f"to {replicas}")


def list_partition_reassignments(session: ListenerSession, request: SweptRequest) -> None:
    body = {"timeoutMs": 1000, "topics": [{"name": topic(session).name, "partitionIndexes": [0]}]}
    request.ask(body, "one partition")
    request.ask({"timeoutMs": 1000, "topics": None}, "all")


def add_raft_voter(session: ListenerSession, request: SweptRequest) -> None:
    body = {**_voter(session), "timeoutMs": 1000, "listeners": [_ENDPOINT]}
    request.ask(body, "unknown voter")
    request.ask({**body, "clusterId": "another-cluster"}, "another cluster")


def remove_raft_voter(session: ListenerSession, request: SweptRequest) -> None:
    request.ask(_voter(session), "unknown voter")
    other = {**_voter(session), "clusterId": "another-cluster"}
    request.ask(other, "another cluster")


CLIENT: Final = UUID("01234567-89ab-4cde-8f01-23456789abcd")
DIRECTORY: Final = UUID("12345678-9abc-4def-8012-3456789abcde")
_ENDPOINT: Final = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 19_099}


def _voter(session: ListenerSession) -> StructValue:
    return {"clusterId": session.cluster_id, "voterId": 97, "voterDirectoryId": DIRECTORY}


def get_telemetry_subscriptions(session: ListenerSession, request: SweptRequest) -> None:
    request.ask({"clientInstanceId": CLIENT}, "known client")


def push_telemetry(session: ListenerSession, request: SweptRequest) -> None:
    answer = session.ask_newest("GetTelemetrySubscriptionsRequest", {"clientInstanceId": CLIENT}, FOR_OTHERS)
    body = {
        "clientInstanceId": answer.get("clientInstanceId", CLIENT),
        "subscriptionId": answer.get("subscriptionId", 0),
        "terminating": True,
        "metrics": b"",
    }
    request.ask(body, "last")
    request.ask({**body, "subscriptionId": 1}, "unknown subscription")


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
