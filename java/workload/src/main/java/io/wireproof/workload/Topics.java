package io.wireproof.workload;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.config.ConfigResource;

/** Calls of an admin client about topics, their partitions, records, configurations and places on disk. */
final class Topics {
    private static final ConfigResource TOPIC = new ConfigResource(ConfigResource.Type.TOPIC, Session.TOPIC);
    private static final TopicPartition FIRST = new TopicPartition(Session.TOPIC, 0);

    private final Admin admin;
    private final Session session;
    private final Steps steps;

    Topics(Admin admin, Session session, Steps steps) {
        this.admin = admin;
        this.session = session;
        this.steps = steps;
    }

    /** Make the topics that all others use. */
    void begin() {
        List<NewTopic> topics = List.of(
                new NewTopic(Session.TOPIC, Session.PARTITIONS, session.replicas())
                        .configs(Map.of("retention.ms", "3600000", "cleanup.policy", "delete")),
                new NewTopic(Session.OTHER_TOPIC, Map.of(0, List.of(1))));
        steps.step("admin/create-topics-dry", () -> Results.await(
                admin.createTopics(topics, new CreateTopicsOptions().validateOnly(true))));
        steps.step("admin/create-topics", () -> Results.await(admin.createTopics(topics)));
        steps.step("admin/create-topics-again", () -> Results.await(admin.createTopics(topics)));
    }

    /** Steps that need records in the topics. */
    void run() {
        steps.step("admin/list-topics", () -> Results.await(admin.listTopics()));
        steps.step("admin/describe-topics", () -> Results.await(
                admin.describeTopics(List.of(Session.TOPIC, "no.such.topic"))));
        steps.step("admin/create-partitions", () -> Results.await(
                admin.createPartitions(Map.of(Session.OTHER_TOPIC, NewPartitions.increaseTo(2)))));
        for (OffsetSpec spec : List.of(OffsetSpec.earliest(), OffsetSpec.latest(), OffsetSpec.forTimestamp(0))) {
            steps.step("admin/list-offsets-" + spec.getClass().getSimpleName(),
                    () -> Results.await(admin.listOffsets(Map.of(FIRST, spec))));
        }
        steps.step("admin/list-offsets-of-maximum", () -> Results.await(
                admin.listOffsets(Map.of(FIRST, OffsetSpec.maxTimestamp()))));
        steps.step("admin/delete-records", () -> Results.await(
                admin.deleteRecords(Map.of(FIRST, RecordsToDelete.beforeOffset(1)))));
        steps.step("admin/describe-producers", () -> Results.await(admin.describeProducers(List.of(FIRST))));
        steps.step("admin/elect-leaders", () -> Results.await(
                admin.electLeaders(ElectionType.PREFERRED, Set.of(FIRST))));
        steps.step("admin/elect-unclean", () -> Results.await(
                admin.electLeaders(ElectionType.UNCLEAN, Set.of(FIRST))));
        configs();
        places();
    }

    /** Delete topics that no step needs any more. */
    void end() {
        steps.step("admin/delete-topics", () -> Results.await(
                admin.deleteTopics(List.of(Session.OTHER_TOPIC))));
        steps.step("admin/delete-topics-again", () -> Results.await(
                admin.deleteTopics(List.of(Session.OTHER_TOPIC))));
    }

    private void configs() {
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        ConfigResource logger = new ConfigResource(ConfigResource.Type.BROKER_LOGGER, "1");
        steps.step("admin/describe-configs", () -> Results.await(admin.describeConfigs(
                List.of(TOPIC, broker, logger),
                new DescribeConfigsOptions().includeSynonyms(true).includeDocumentation(true))));
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        List<AlterConfigOp> ops = new ArrayList<>();
        ops.add(new AlterConfigOp(new ConfigEntry("segment.bytes", "1048576"), AlterConfigOp.OpType.SET));
        ops.add(new AlterConfigOp(new ConfigEntry("retention.ms", null), AlterConfigOp.OpType.DELETE));
        ops.add(new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.APPEND));
        ops.add(new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.SUBTRACT));
        for (AlterConfigOp op : ops) {
            changes.put(TOPIC, List.of(op));
            steps.step("admin/alter-configs-" + op.opType().name().toLowerCase(java.util.Locale.ROOT),
                    () -> Results.await(admin.incrementalAlterConfigs(changes)));
        }
        steps.step("admin/alter-configs-unknown", () -> Results.await(admin.incrementalAlterConfigs(
                Map.of(TOPIC, List.of(new AlterConfigOp(new ConfigEntry("no.such", "1"), AlterConfigOp.OpType.SET))))));
    }

    private void places() {
        TopicPartitionReplica replica = new TopicPartitionReplica(Session.TOPIC, 0, 1);
        steps.step("admin/describe-log-dirs", () -> Results.await(admin.describeLogDirs(List.of(1))));
        steps.step("admin/describe-replica-log-dirs", () -> Results.await(
                admin.describeReplicaLogDirs(List.of(replica))));
        steps.step("admin/alter-replica-log-dirs", () -> Results.await(
                admin.alterReplicaLogDirs(Map.of(replica, "/no/such/place"))));
        steps.step("admin/reassign", () -> Results.await(admin.alterPartitionReassignments(
                Map.of(FIRST, Optional.of(new NewPartitionReassignment(List.of(1)))))));
        steps.step("admin/reassign-cancel", () -> Results.await(
                admin.alterPartitionReassignments(Map.of(FIRST, Optional.empty()))));
        steps.step("admin/reassign-strange", () -> Results.await(admin.alterPartitionReassignments(
                Map.of(FIRST, Optional.of(new NewPartitionReassignment(List.of(77)))))));
        steps.step("admin/list-reassignments", () -> Results.await(admin.listPartitionReassignments()));
        steps.step("admin/list-reassignments-of", () -> Results.await(
                admin.listPartitionReassignments(Set.of(FIRST))));
    }
}
