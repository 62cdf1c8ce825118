package io.wireproof.workload;

import java.util.HashMap;
import java.util.Map;

/** What all steps share: the cluster's address, the names they use, the limits of their clients. */
final class Session {
    static final String TOPIC = "wireproof.words";
    static final String OTHER_TOPIC = "wireproof.numbers";
    static final int PARTITIONS = 3;
    static final int LIMIT_MS = 10_000;
    static final int PAUSE_MS = 100;

    private final String bootstrap;
    private final short replicas;

    Session(String bootstrap, short replicas) {
        this.bootstrap = bootstrap;
        this.replicas = replicas;
    }

    /** How many replicas topics have. */
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
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        return properties;
    }
}
