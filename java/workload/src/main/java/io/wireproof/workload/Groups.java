package io.wireproof.workload;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Calls of an admin client about groups and transactions, once there are some. */
final class Groups {
    private static final TopicPartition FIRST = new TopicPartition(Session.TOPIC, 0);

    private final Admin admin;
    private final Steps steps;

    Groups(Admin admin, Steps steps) {
        this.admin = admin;
        this.steps = steps;
    }

    @SuppressWarnings("removal") // what replaces it is not in the older jars
    void run() {
        steps.step("admin/list-groups", () -> Results.await(admin.listConsumerGroups()));
        steps.step("admin/describe-groups", () -> Results.await(admin.describeConsumerGroups(
                List.of("wireproof-static", "wireproof-kip848", "wireproof-none"))));
        steps.step("admin/list-group-offsets", () -> Results.await(
                admin.listConsumerGroupOffsets("wireproof-static")));
        steps.step("admin/alter-group-offsets", () -> Results.await(admin.alterConsumerGroupOffsets(
                "wireproof-altered", Map.of(FIRST, new OffsetAndMetadata(3, "altered")))));
        steps.step("admin/remove-members", () -> Results.await(admin.removeMembersFromConsumerGroup(
                "wireproof-static",
                new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove("wireproof-instance"))))));
        steps.step("admin/delete-group-offsets", () -> Results.await(
                admin.deleteConsumerGroupOffsets("wireproof-altered", Set.of(FIRST))));
        steps.step("admin/delete-groups", () -> Results.await(
                admin.deleteConsumerGroups(List.of("wireproof-altered", "wireproof-none"))));
        transactions();
    }

    private void transactions() {
        steps.step("admin/list-transactions", () -> Results.await(admin.listTransactions()));
        steps.step("admin/describe-transactions", () -> Results.await(
                admin.describeTransactions(List.of("wireproof-committed", "wireproof-none"))));
        steps.step("admin/fence-producers", () -> Results.await(
                admin.fenceProducers(List.of("wireproof-committed"))));
    }
}
