package io.wireproof.oracle;

/** The framings of a release, by the names that harness/wireproof/model/embedding.py gives them. */
final class BlobForms {
    private final ClassLoader loader;
    private final VersionPrefix prefix;

    BlobForms(ClassLoader loader) throws ReflectiveOperationException {
        this.loader = loader;
        this.prefix = new VersionPrefix(loader);
    }

    /** The form of this name for a message class. */
    BlobForm form(String name, Class<?> message) throws Throwable {
        switch (name) {
            case "version-prefix":
                return prefix.plain();
            case "subscription":
                return new ConsumerProtocolForm(loader, prefix, "Subscription", false);
            case "subscription-message":
                return new ConsumerProtocolForm(loader, prefix, "Subscription", true);
            case "assignment":
                return new ConsumerProtocolForm(loader, prefix, "Assignment", false);
            case "assignment-message":
                return new ConsumerProtocolForm(loader, prefix, "Assignment", true);
            case "principal":
                return new PrincipalForm(loader, prefix);
            case "metadata-record":
                return RecordFrameForm.metadata(loader);
            case "remote-log-metadata":
                return RecordFrameForm.remoteLog(loader);
            case "coordinator-key":
                return new CoordinatorForm(loader, message, true);
            case "coordinator-value":
                return new CoordinatorForm(loader, message, false);
            case "control-record":
                return new ControlRecordForm(loader, message);
            case "transaction-marker":
                return new TransactionMarkerForm(loader);
            case "control-type":
                return new ControlTypeForm(loader, prefix);
            case "sticky-schema":
                return SchemaForm.plain(false);
            case "sticky":
                return SchemaForm.sticky(loader);
            case "connect-schema":
                return SchemaForm.plain(true);
            case "connect-metadata":
                return SchemaForm.connect(loader, "Metadata");
            case "connect-assignment":
                return SchemaForm.connect(loader, "Assignment");
            default:
                throw new IllegalArgumentException("no framing " + name);
        }
    }
}
