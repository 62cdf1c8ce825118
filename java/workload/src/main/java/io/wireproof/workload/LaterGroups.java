package io.wireproof.workload;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.common.TopicPartition;

/** Groups of the protocols that came with 4.x: in a class of its own, since older jars have none of its types. */
final class LaterGroups {
    private static final TopicPartition FIRST = new TopicPartition(Session.TOPIC, 0);

    private final Admin admin;
    private final Steps steps;

    LaterGroups(Admin admin, Steps steps) {
        this.admin = admin;
        this.steps = steps;
    }

    void run() {
        steps.step("admin/list-all-groups", () -> Results.await(admin.listGroups()));
        steps.step("admin/describe-classic-groups", () -> Results.await(
                admin.describeClassicGroups(List.of("wireproof-static"))));
        steps.step("admin/describe-share-groups", () -> Results.await(
                admin.describeShareGroups(List.of("wireproof-share", "wireproof-none"))));
        steps.step("admin/list-share-offsets", () -> Results.await(
                admin.listShareGroupOffsets(Map.of("wireproof-share", new ListShareGroupOffsetsSpec()))));
        steps.step("admin/alter-share-offsets", () -> Results.await(
                admin.alterShareGroupOffsets("wireproof-share", Map.of(FIRST, 1L))));
        steps.step("admin/delete-share-offsets", () -> Results.await(
                admin.deleteShareGroupOffsets("wireproof-share", Set.of(Session.TOPIC))));
        steps.step("admin/delete-share-groups", () -> Results.await(
                admin.deleteShareGroups(List.of("wireproof-share"))));
        steps.step("admin/describe-streams-groups", () -> Results.await(
                admin.describeStreamsGroups(List.of("wireproof-none"))));
        steps.step("admin/list-streams-offsets", () -> Results.await(
                admin.listStreamsGroupOffsets(Map.of("wireproof-none", new ListStreamsGroupOffsetsSpec()))));
    }
}
