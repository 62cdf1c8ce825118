package io.wireproof.workload;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.admin.Admin;

/**
 * Kafka's own clients doing all that they can.
 *
 * <p>Usage: {@code Main BOOTSTRAP REPLICAS [SASL_BOOTSTRAP]}. A line of JSON for each step on standard output; the
 * last one is {@code {"step":"end",...}}. Exit status 1: the cluster does not answer. Where it wants a login, the
 * environment has one ({@code WIREPROOF_LOGIN}, the mechanism, with {@code _USER} and {@code _PASSWORD}).
 */
public final class Main {
    private Main() {}

    /** Run all steps. */
    public static void main(String[] args) {
        if (args.length < 2) {
            System.err.println("usage: Main BOOTSTRAP REPLICAS [SASL_BOOTSTRAP]");
            System.exit(2);
        }
        Steps steps = new Steps(new PrintStream(System.out, true, StandardCharsets.UTF_8));
        Session session = new Session(args[0], Short.parseShort(args[1]), Logins.ofEnvironment());
        try (Admin admin = Admin.create(session.client("admin"))) {
            if (!steps.step("connect", () -> Results.await(admin.describeCluster()))) {
                System.exit(1); // every other step would only wait
            }
            run(admin, session, steps);
            if (args.length > 2) {
                new Logins(new Session(args[2], session.replicas()), steps).run();
            }
        }
        steps.step("end", () -> {});
    }

    private static void run(Admin admin, Session session, Steps steps) {
        Topics topics = new Topics(admin, session, steps);
        topics.begin();
        steps.step("admin/cluster", () -> new Cluster(admin, steps).run());
        steps.step("admin/security", () -> new Security(admin, steps).run());
        new Producers(session, steps).run();
        new Consumers(admin, session, steps).run();
        steps.step("share/explicit", () -> new ShareConsumers(admin, session).run("share"));
        steps.step("streams/applications", () -> new Streams(admin, session, steps).run());
        topics.run();
        new Groups(admin, steps).run();
        steps.step("admin/later-groups", () -> new LaterGroups(admin, steps).run());
        topics.end();
    }
}
