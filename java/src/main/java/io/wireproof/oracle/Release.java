package io.wireproof.oracle;

import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/** One Kafka release: its jars in a class loader of their own. */
public final class Release {
    private static final Map<String, ClassLoader> SHARED = new ConcurrentHashMap<>();

    private final ClassLoader loader;
    private final KafkaProtocol protocol;
    private final BiFunction<Method, Class<?>, Object> accessors;
    private final Map<Class<?>, ClassShape> shapes = new ConcurrentHashMap<>();
    private final Map<Class<?>, RecordsAccess> records = new ConcurrentHashMap<>();
    private ApiMessageTypes messageTypes;
    private RecordSets recordSets;
    private SchemaTypes schemaTypes;
    private VersionBounds bounds;
    private BlobForms blobForms;

    private Release(ReleaseLoader loader) throws ReflectiveOperationException {
        this.loader = loader;
        this.accessors = loader.accessors();
        this.protocol = new KafkaProtocol(loader);
    }

    /**
     * Open a release.
     *
     * @param jars its own jars: of two releases, each has its own classes
     * @param shared jars that all releases use together (slf4j, compression): loaded once for each list
     */
    public static Release open(String[] jars, String[] shared) throws ReflectiveOperationException {
        ClassLoader parent = SHARED.computeIfAbsent(
                String.join(File.pathSeparator, shared),
                ignored -> new URLClassLoader(urls(shared), ClassLoader.getPlatformClassLoader()));
        return new Release(new ReleaseLoader(urls(jars), parent));
    }

    /**
     * Open classes that Kafka's generator made in this process, over the classes of a release.
     *
     * @param classes class files by qualified name; unloaded with the object that this returns
     * @param parent the loader of the release's clients
     */
    public static Release over(Map<String, byte[]> classes, ClassLoader parent) throws ReflectiveOperationException {
        return new Release(new ReleaseLoader(Map.copyOf(classes), parent));
    }

    /**
     * A cell of this release.
     *
     * @param className the generated class, qualified
     * @param plan the cell's layout in the form of {@link StructPlan}
     */
    public CellCodec cell(String className, int version, byte[] plan) throws Throwable {
        StructPlan struct = StructPlan.read(new ByteSource(plan));
        return new CellCodec(this, message(className), (short) version, struct);
    }

    /**
     * A cell of a protocol that Kafka writes by hand.
     *
     * @param places where its schemas are, each {@code class#FIELD}
     * @param plan the cell's layout in the form of {@link StructPlan}
     */
    public SchemaCell schemaCell(String[] places, int version, byte[] plan) throws Throwable {
        return new SchemaCell(this, loader, places, (short) version, StructPlan.read(new ByteSource(plan)));
    }

    /**
     * A single primitive.
     *
     * @param type its constant in Kafka's {@code Type}; empty for the unsigned varint
     */
    public PrimitiveCell primitive(String type, byte[] plan) throws Throwable {
        return new PrimitiveCell(this, loader, type, StructPlan.read(new ByteSource(plan)));
    }

    /** The schemas of a hand-written protocol, as in {@link SchemaReport}; places as above. */
    public byte[] schemaReport(String[] places) throws Throwable {
        return new SchemaReport(schemaTypes()).write(SchemaCell.schemasAt(loader, places));
    }

    /** Whole frames of a cell, with the header's layout at the version {@link #headerVersion} returns. */
    public FrameCodec frame(CellCodec header, CellCodec body) {
        return new FrameCodec(header, body);
    }

    /**
     * Frames of a cell one at a time.
     *
     * @param header null for bodies without a frame
     */
    public OneFrame oneFrame(CellCodec header, CellCodec body) {
        return new OneFrame(header, body);
    }

    /** The version of the header that goes before a cell's body; -1 where it is not a request or response. */
    public synchronized int headerVersion(String className, int version) throws Throwable {
        return messageTypes().headerVersion(message(className), (short) version);
    }

    /** The outcome of a message at a version that the release may lack: see {@link VersionBounds}. */
    public synchronized byte[] bounds(String className, int version) throws Throwable {
        if (bounds == null) {
            bounds = new VersionBounds(this, loader, messageTypes());
        }
        return bounds.report(message(className), (short) version);
    }

    private ApiMessageTypes messageTypes() throws ReflectiveOperationException {
        if (messageTypes == null) {
            messageTypes = new ApiMessageTypes(loader);
        }
        return messageTypes;
    }

    /** The class's own schema of a version: see {@link SchemaReport}. */
    public byte[] schema(String className, int version) throws Throwable {
        return new SchemaReport(schemaTypes()).write(message(className), version);
    }

    /** Readers and builders of record sets. */
    public synchronized RecordSets recordSets() throws ReflectiveOperationException {
        if (recordSets == null) {
            recordSets = new RecordSets(loader);
        }
        return recordSets;
    }

    /** The readers and writers of coordinators' records. */
    public CoordinatorLoads coordinatorLoads() {
        return new CoordinatorLoads(loader);
    }

    /** True if the release has this class, and it is a generated one. */
    public boolean has(String className) {
        try {
            return protocol.message.isAssignableFrom(loader.loadClass(className));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    KafkaProtocol protocol() {
        return protocol;
    }

    ClassShape shape(Class<?> type) throws ReflectiveOperationException {
        ClassShape known = shapes.get(type);
        if (known == null) {
            known = new ClassShape(type, accessors);
            shapes.put(type, known);
        }
        return known;
    }

    RecordsAccess records(Class<?> declared) throws ReflectiveOperationException {
        RecordsAccess known = records.get(declared);
        if (known == null) {
            known = new RecordsAccess(declared);
            records.put(declared, known);
        }
        return known;
    }

    synchronized SchemaTypes schemaTypes() throws ReflectiveOperationException {
        if (schemaTypes == null) {
            schemaTypes = new SchemaTypes(loader);
        }
        return schemaTypes;
    }

    synchronized BlobForm blobForm(String framing, Class<?> message) throws Throwable {
        if (blobForms == null) {
            blobForms = new BlobForms(loader);
        }
        return blobForms.form(framing, message);
    }

    JsonConversion json(Class<?> message) throws ReflectiveOperationException {
        return new JsonConversion(loader, message);
    }

    private Class<?> message(String className) throws ClassNotFoundException {
        return Class.forName(className, true, loader);
    }

    private static URL[] urls(String[] jars) {
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            try {
                urls[i] = new File(jars[i]).toURI().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException(jars[i], e);
            }
        }
        return urls;
    }
}
