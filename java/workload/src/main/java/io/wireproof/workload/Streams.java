package io.wireproof.workload;

import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.StreamsConfig;

/** Applications of Kafka Streams: with each guarantee, alone and in company. */
final class Streams {
    private final Admin admin;
    private final Session session;
    private final Steps steps;

    Streams(Admin admin, Session session, Steps steps) {
        this.admin = admin;
        this.session = session;
        this.steps = steps;
    }

    void run() {
        steps.step("streams/at-least-once", () -> application("plain").run(1, () -> describe("plain")));
        steps.step("streams/exactly-once",
                () -> application("exact", "processing.guarantee", exactlyOnce()).run(1, () -> describe("exact")));
        steps.step("streams/company", () -> application("company").run(2, () -> describe("company")));
        steps.step("streams/group-protocol", () -> new StreamsGroups(admin, session).run());
    }

    private StreamsApplication application(String name, String... more) {
        return new StreamsApplication(session, name, more);
    }

    private void describe(String name) throws Exception {
        Results.await(admin.describeConsumerGroups(List.of(StreamsApplication.group(name))));
    }

    /** The word for it: another one before 3.0. */
    private static String exactlyOnce() {
        try {
            StreamsConfig.class.getField("EXACTLY_ONCE_V2");
            return "exactly_once_v2";
        } catch (NoSuchFieldException old) {
            return "exactly_once_beta";
        }
    }
}
