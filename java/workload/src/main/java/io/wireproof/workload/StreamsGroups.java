package io.wireproof.workload;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.GroupProtocol;

/** Groups of the streams protocol (KIP-1071): since 4.1, so in a class of its own. */
final class StreamsGroups {
    private static final String NAME = "kip1071";
    private static final TopicPartition FIRST = new TopicPartition(Session.TOPIC, 0);

    private final Admin admin;
    private final Session session;

    StreamsGroups(Admin admin, Session session) {
        this.admin = admin;
        this.session = session;
    }

    /** Runs two members and describes their group; then makes the calls for a group without members. */
    void run() throws Exception {
        String group = StreamsApplication.group(NAME);
        new StreamsApplication(session, NAME, "group.protocol", GroupProtocol.STREAMS.name).run(2, () -> {
            Results.await(admin.describeStreamsGroups(List.of(group)));
            Results.await(admin.listStreamsGroupOffsets(Map.of(group, new ListStreamsGroupOffsetsSpec())));
        });
        Results.await(admin.alterStreamsGroupOffsets(group, Map.of(FIRST, new OffsetAndMetadata(1))));
        Results.await(admin.deleteStreamsGroupOffsets(group, Set.of(FIRST)));
        Results.await(admin.deleteStreamsGroups(List.of(group)));
    }
}
