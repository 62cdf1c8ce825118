package io.wireproof.workload;

import java.util.HashMap;
import java.util.Map;

/** The state that all steps share: the cluster's address, the names they use, the limits of their clients. */
final class Session {
    static final String TOPIC = "wireproof.words";
    static final String OTHER_TOPIC = "wireproof.numbers";
    static final int PARTITIONS = 3;
    static final int LIMIT_MS = 10_000;
    static final int PAUSE_MS = 100;

    private final String bootstrap;
    private final short replicas;
    private final String[] login;

    /** The login is what every client says of who it is, as {@link Logins#properties} gives it; empty without. */
    Session(String bootstrap, short replicas, String... login) {
        this.bootstrap = bootstrap;
        this.replicas = replicas;
        this.login = login;
    }

    /** The number of replicas of topics. */
    short replicas() {
        return replicas;
    }

    /** Properties of any client of this cluster, and more: name, value, name, value. */
    Map<String, Object> client(String id, String... more) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", bootstrap);
        properties.put("client.id", "wireproof-" + id);
        properties.put("request.timeout.ms", String.valueOf(LIMIT_MS));
        properties.put("default.api.timeout.ms", String.valueOf(LIMIT_MS));
        put(properties, login);
        put(properties, more);
        return properties;
    }

    private static void put(Map<String, Object> properties, String... more) {
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
    }
}
