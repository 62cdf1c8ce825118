package io.wireproof.workload;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;

/** Clients that log in by SASL, over a listener of plain text. */
final class Logins {
    private final Session session;
    private final Steps steps;

    Logins(Session session, Steps steps) {
        this.session = session;
        this.steps = steps;
    }

    void run() {
        for (String mechanism : new String[] {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}) {
            steps.step("login/" + mechanism, () -> login(mechanism, Security.PASSWORD));
            steps.step("login/" + mechanism + "-wrong", () -> login(mechanism, "wrong"));
        }
        try (Admin admin = Admin.create(session.client("tokens", user("SCRAM-SHA-256", Security.PASSWORD)))) {
            steps.step("login/denied", () -> Results.await(admin.createPartitions(
                    Map.of(Security.DENIED_TOPIC, NewPartitions.increaseTo(2)))));
            new Security(admin, steps).tokens(session);
        }
    }

    private void login(String mechanism, String password) throws Exception {
        try (Admin admin = Admin.create(session.client("login", user(mechanism, password)))) {
            Results.await(admin.describeCluster());
        }
    }

    /** The login that all clients need where the cluster wants one; empty where it wants none. */
    static String[] ofEnvironment() {
        String mechanism = System.getenv().getOrDefault("WIREPROOF_LOGIN", "");
        return mechanism.isEmpty()
                ? new String[0]
                : user(mechanism, System.getenv("WIREPROOF_LOGIN_USER"), System.getenv("WIREPROOF_LOGIN_PASSWORD"));
    }

    private static String[] user(String mechanism, String password) {
        return user(mechanism, Security.USER, password);
    }

    private static String[] user(String mechanism, String name, String password) {
        return properties(mechanism, "username=" + quoted(name) + " password=" + quoted(password));
    }

    private static String quoted(String word) {
        return '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** The settings that a client needs to log in. */
    static String[] properties(String mechanism, String options) {
        String module = mechanism.startsWith("SCRAM")
                ? "org.apache.kafka.common.security.scram.ScramLoginModule"
                : "org.apache.kafka.common.security.plain.PlainLoginModule";
        return new String[] {
            "security.protocol", "SASL_PLAINTEXT",
            "sasl.mechanism", mechanism,
            "sasl.jaas.config", module + " required " + options + ";",
        };
    }
}
