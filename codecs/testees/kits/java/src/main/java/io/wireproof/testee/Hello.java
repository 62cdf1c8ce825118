package io.wireproof.testee;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who is under test and what is claimed for it: filled in by its methods, one after the other. */
public final class Hello {
    private final Map<String, Object> codec = new LinkedHashMap<>();
    private final Map<String, Object> links = new LinkedHashMap<>();
    private final Map<String, Map<String, Object>> messages = new LinkedHashMap<>();
    private final Map<String, Map<String, Object>> embedded = new LinkedHashMap<>();
    private final Map<String, Object> primitives = new LinkedHashMap<>();
    private final Map<String, Object> compressions = new LinkedHashMap<>();
    private final Map<String, Map<String, Object>> index = new LinkedHashMap<>();
    private final List<Object> unclaimed = new ArrayList<>();
    private final Map<String, Object> limits = new LinkedHashMap<>();
    private final Map<Short, Map<String, Object>> registry = new LinkedHashMap<>();
    private final Map<String, Object> more = new LinkedHashMap<>();

    /** Name and version of the codec. */
    public Hello(String name, String version) {
        codec.put("name", name);
        codec.put("version", version);
        codec.put("language", "java");
        codec.put("runtime", "Java " + System.getProperty("java.version"));
    }

    /** What of it is under test, where there are several ways to run it. */
    public Hello variant(String variant) {
        codec.put("variant", variant);
        return this;
    }

    /** Where to read about it. */
    public Hello link(String name, String url) {
        links.put(name, url);
        codec.put("links", links);
        return this;
    }

    /**
     * Claim operations of a message.
     *
     * @param message Kafka's name of it
     * @param versions ranges: {@code "0-17"}, {@code "3"}, {@code "0-3,5-7"}
     * @param operations such as {@code "decode"}
     */
    public Hello claim(String message, String versions, String... operations) {
        for (String operation : operations) {
            messages.computeIfAbsent(message, ignored -> new LinkedHashMap<>()).put(operation, versions);
        }
        return this;
    }

    /** Claim operations of a message in its framing: decode, encode, reencode, size. */
    public Hello claimEmbedded(String message, String versions, String... operations) {
        for (String operation : operations) {
            embedded.computeIfAbsent(message, ignored -> new LinkedHashMap<>()).put(operation, versions);
        }
        return this;
    }

    /**
     * Claim a single primitive.
     *
     * @param name {@code Varint}, {@code CompactString}, ...
     * @param ways {@code "encode"}, {@code "decode"} or both
     */
    public Hello primitive(String name, String... ways) {
        primitives.put(name, List.of(ways));
        return this;
    }

    /** Claim a compression of record sets, the message RecordBatch: none, gzip, snappy, lz4, zstd. */
    public Hello compression(String name, String versions) {
        compressions.put(name, versions);
        return this;
    }

    /** What record sets cannot hold, by the protocol's names, such as {@code tail}: random sets leave it out. */
    public Hello recordLimits(String... names) {
        more.put("recordLimits", List.of(names));
        return this;
    }

    /**
     * What the library has, claimed or not, out of its own index.
     *
     * @param ways {@code "encode"}, {@code "decode"} or both
     */
    public Hello has(String message, String versions, String... ways) {
        for (String way : ways) {
            index.computeIfAbsent(message, ignored -> new LinkedHashMap<>()).put(way, versions);
        }
        return this;
    }

    /** Versions of the index that are not claimed, and why; they are asked for a little all the same. */
    public Hello unclaimed(String message, String versions, String reason) {
        return unclaimed(message, versions, reason, null);
    }

    /**
     * The same for one way.
     *
     * @param way {@code "encode"}, {@code "decode"}, or null for both
     */
    public Hello unclaimed(String message, String versions, String reason, String way) {
        Map<String, Object> each = new LinkedHashMap<>(Map.of("reason", reason, "messages", Map.of(message, versions)));
        if (way != null) {
            each.put("way", way);
        }
        unclaimed.add(each);
        return this;
    }

    /** Something of Kafka's values that the codec's types cannot hold, and why; see {@link Refusal#unsupported}. */
    public Hello limit(String name, String reason) {
        limits.put(name, reason);
        return this;
    }

    /** The Kafka release that the codec's field names are of, such as {@code "4.1"}. */
    public Hello names(String release) {
        more.put("names", release);
        return this;
    }

    /** The codec promises to decline values that a version cannot hold. */
    public Hello refuses() {
        more.put("refuses", true);
        return this;
    }

    /** The codec has no defaults: values are to come with every field. */
    public Hello whole() {
        more.put("whole", true);
        return this;
    }

    /**
     * What the codec's own registry says of a request.
     *
     * @param headers the header's version by versions of the message: {@code {"0-11": 1, "12-17": 2}}
     */
    public Hello request(short apiKey, String message, String versions, Map<String, Integer> headers) {
        return registered(apiKey, "request", message, versions, headers);
    }

    /** What the codec's own registry says of a response. */
    public Hello response(short apiKey, String message, String versions, Map<String, Integer> headers) {
        return registered(apiKey, "response", message, versions, headers);
    }

    private Hello registered(
            short apiKey, String direction, String message, String versions, Map<String, Integer> headers) {
        registry.computeIfAbsent(apiKey, key -> new LinkedHashMap<>(Map.of("apiKey", key)))
                .put(direction, Map.of("message", message, "versions", versions, "headers", headers));
        return this;
    }

    /** The answer's content. */
    Map<String, Object> tree() {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("protocol", Testee.PROTOCOL);
        tree.put("codec", codec);
        tree.put("messages", messages);
        if (!embedded.isEmpty()) {
            tree.put("embedded", embedded);
        }
        if (!primitives.isEmpty()) {
            tree.put("primitives", primitives);
        }
        if (!compressions.isEmpty()) {
            tree.put("compressions", compressions);
        }
        tree.put("limits", limits);
        if (!registry.isEmpty()) {
            List<Object> entries = new ArrayList<>(registry.values());
            tree.put("registry", entries);
        }
        if (!index.isEmpty()) {
            tree.put("index", index);
        }
        if (!unclaimed.isEmpty()) {
            tree.put("unclaimed", unclaimed);
        }
        tree.putAll(more);
        return tree;
    }
}
