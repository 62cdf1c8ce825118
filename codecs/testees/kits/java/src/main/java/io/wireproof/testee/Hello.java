package io.wireproof.testee;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A builder for the description of the codec and the adapter's claims for it. */
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

    /** Creates a description with the name and the version of the codec. */
    public Hello(String name, String version) {
        codec.put("name", name);
        codec.put("version", version);
        codec.put("language", "java");
        codec.put("runtime", "Java " + System.getProperty("java.version"));
    }

    /** Sets the variant of the codec, if it has several. */
    public Hello variant(String variant) {
        codec.put("variant", variant);
        return this;
    }

    /** Adds a link to the codec's documentation or source. */
    public Hello link(String name, String url) {
        links.put(name, url);
        codec.put("links", links);
        return this;
    }

    /**
     * Claims operations of a message.
     *
     * @param message Kafka's name of the message
     * @param versions ranges: {@code "0-17"}, {@code "3"}, {@code "0-3,5-7"}
     * @param operations such as {@code "decode"}
     */
    public Hello claim(String message, String versions, String... operations) {
        for (String operation : operations) {
            messages.computeIfAbsent(message, ignored -> new LinkedHashMap<>()).put(operation, versions);
        }
        return this;
    }

    /** Claims operations of an embedded message: decode, encode, reencode, size. */
    public Hello claimEmbedded(String message, String versions, String... operations) {
        for (String operation : operations) {
            embedded.computeIfAbsent(message, ignored -> new LinkedHashMap<>()).put(operation, versions);
        }
        return this;
    }

    /**
     * Claims a primitive type.
     *
     * @param name {@code Varint}, {@code CompactString}, ...
     * @param ways {@code "encode"}, {@code "decode"} or both
     */
    public Hello primitive(String name, String... ways) {
        primitives.put(name, List.of(ways));
        return this;
    }

    /** Claims a compression of record sets (the message RecordBatch): none, gzip, snappy, lz4 or zstd. */
    public Hello compression(String name, String versions) {
        compressions.put(name, versions);
        return this;
    }

    /**
     * Sets the parts of record sets that the codec cannot represent, in the protocol's words, such as {@code "tail"}.
     * Random record sets omit them.
     */
    public Hello recordLimits(String... names) {
        more.put("recordLimits", List.of(names));
        return this;
    }

    /**
     * Says that the codec reads the records with the message: values hold record sets, in the form of RecordBatch, in
     * place of the bytes of the fields of type records.
     */
    public Hello recordValues() {
        more.put("recordValues", true);
        return this;
    }

    /**
     * Adds a message that the library implements, claimed or not. Read the messages from the library itself.
     *
     * @param ways {@code "encode"}, {@code "decode"} or both
     */
    public Hello has(String message, String versions, String... ways) {
        for (String way : ways) {
            index.computeIfAbsent(message, ignored -> new LinkedHashMap<>()).put(way, versions);
        }
        return this;
    }

    /** Gives the reason why versions of a message that the library implements are not claimed. */
    public Hello unclaimed(String message, String versions, String reason) {
        return unclaimed(message, versions, reason, null);
    }

    /**
     * Gives the reason why versions of a message are not claimed for encoding, decoding, or both.
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

    /** Adds a limit: values that the codec's types cannot hold, with the reason; see {@link Refusal#unsupported}. */
    public Hello limit(String name, String reason) {
        limits.put(name, reason);
        return this;
    }

    /** Sets the Kafka release whose field names the codec uses, such as {@code "4.1"}. */
    public Hello names(String release) {
        more.put("names", release);
        return this;
    }

    /** Declares that the codec rejects values that a version cannot hold. */
    public Hello refuses() {
        more.put("refuses", true);
        return this;
    }

    /** Declares that the codec has no defaults: values must have every field. */
    public Hello whole() {
        more.put("whole", true);
        return this;
    }

    /**
     * Adds a request of the codec's own table of APIs.
     *
     * @param headers the header version by ranges of versions: {@code {"0-11": 1, "12-17": 2}}
     */
    public Hello request(short apiKey, String message, String versions, Map<String, Integer> headers) {
        return registered(apiKey, "request", message, versions, headers);
    }

    /** Adds a response of the codec's own table of APIs. */
    public Hello response(short apiKey, String message, String versions, Map<String, Integer> headers) {
        return registered(apiKey, "response", message, versions, headers);
    }

    private Hello registered(
            short apiKey, String direction, String message, String versions, Map<String, Integer> headers) {
        registry.computeIfAbsent(apiKey, key -> new LinkedHashMap<>(Map.of("apiKey", key)))
                .put(direction, Map.of("message", message, "versions", versions, "headers", headers));
        return this;
    }

    /** Returns the content of the answer to a hello request. */
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
