package io.wireproof.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A struct of a layout bound to its class: the canonical form of its instances. */
final class StructForm {
    private final KafkaProtocol protocol;
    private final ClassShape shape;
    private final boolean flexible;
    private final FieldAccess[] fields;
    private final AbsentField[] absent;
    private final List<NestedStruct> nested;

    /** A struct inside this one, for the paths of absent fields. */
    private static final class NestedStruct {
        final ClassField field;
        final StructForm struct;

        NestedStruct(ClassField field, StructForm struct) {
            this.field = field;
            this.struct = struct;
        }
    }

    StructForm(Release release, Class<?> type, StructPlan plan) throws Throwable {
        protocol = release.protocol();
        shape = release.shape(type);
        flexible = plan.flexible;
        nested = new ArrayList<>();
        List<FieldAccess> bound = new ArrayList<>();
        for (StructPlan.FieldPlan field : plan.fields) {
            if (!field.absent) {
                bound.add(bind(release, field));
            }
        }
        fields = bound.toArray(new FieldAccess[0]);
        absent = absentFields(plan);
    }

    /** Write the canonical form: the fields in order, then the unknown tags of a flexible struct. */
    void write(Object instance, ByteSink out) throws Throwable {
        for (FieldAccess field : fields) {
            field.write(instance, out);
        }
        if (flexible) {
            List<Object> tags = protocol.unknownTags(instance);
            out.putInt(tags.size());
            for (Object tag : tags) {
                out.putInt(protocol.rawTag(tag));
                out.putBlock(protocol.rawData(tag));
            }
        }
    }

    /** Write the canonical form of one field, counted among those of the version. */
    void writeField(int index, Object instance, ByteSink out) throws Throwable {
        fields[index].write(instance, out);
    }

    /** Build an instance from its canonical form. */
    Object read(ByteSource in) throws Throwable {
        Object instance = shape.newInstance();
        for (FieldAccess field : fields) {
            field.read(in, instance);
        }
        if (flexible) {
            int count = in.getInt();
            List<Object> tags = count == 0 ? null : protocol.unknownTags(instance);
            for (int i = 0; i < count; i++) {
                int tag = in.getInt();
                tags.add(protocol.newRawTag(tag, in.getBytes(in.getInt())));
            }
        }
        return instance;
    }

    /** Collect the paths of the fields outside the version that are off their defaults. */
    void collectAbsentSet(Object instance, String path, List<String> found) throws Throwable {
        for (AbsentField field : absent) {
            if (!field.isDefault(instance)) {
                found.add(path + field.name);
            }
        }
        for (NestedStruct inner : nested) {
            Object value = inner.field.get(instance);
            if (value == null) {
                continue;
            }
            if (inner.field.isCollection()) {
                int index = 0;
                for (Object element : (Iterable<?>) value) {
                    inner.struct.collectAbsentSet(element, path + inner.field.name + "[" + index++ + "].", found);
                }
            } else {
                inner.struct.collectAbsentSet(value, path + inner.field.name + ".", found);
            }
        }
    }

    private AbsentField[] absentFields(StructPlan plan) throws Throwable {
        Object fresh = shape.newInstance();
        List<AbsentField> found = new ArrayList<>();
        for (ClassField field : shape.fields()) {
            StructPlan.FieldPlan planned = plan.find(field.name);
            if (planned == null || planned.absent) {
                found.add(AbsentField.of(field, fresh));
            }
        }
        return found.toArray(new AbsentField[0]);
    }

    private FieldAccess bind(Release release, StructPlan.FieldPlan plan) throws Throwable {
        ClassField field = shape.field(plan.name);
        if (field == null) {
            return new FieldAccess.Unfit(shape.type.getSimpleName() + " has no field " + plan.name);
        }
        Class<?> single = plan.array ? field.elementType : field.type;
        if (single == null || !plan.kind.fits(single) || plan.array != field.isCollection()) {
            return new FieldAccess.Unfit("the layout says " + plan + ", the class has " + field);
        }
        if (field.type.isPrimitive()) {
            return new FieldAccess.Primitive(field, plan.kind);
        }
        ValueForm form = form(release, plan, field, single);
        return new FieldAccess.Reference(field, plan.array
                ? new ValueForm.Elements(ClassShape.collectionMaker(field.type), form)
                : form);
    }

    private ValueForm form(Release release, StructPlan.FieldPlan plan, ClassField field, Class<?> single)
            throws Throwable {
        if (plan.kind == Kind.STRUCT) {
            StructForm struct = new StructForm(release, single, plan.struct);
            if (struct.watches()) {
                nested.add(new NestedStruct(field, struct));
            }
            return new ValueForm.Struct(struct, plan.nullable && !plan.array);
        }
        return scalarForm(release, plan.kind, single);
    }

    /** The canonical form of one value that is not a struct. */
    static ValueForm scalarForm(Release release, Kind kind, Class<?> type) throws ReflectiveOperationException {
        switch (kind) {
            case STRING:
                return new ValueForm.Text();
            case BYTES:
                return new ValueForm.Bytes(type != byte[].class);
            case RECORDS:
                return new ValueForm.Records(release.records(type));
            case UUID:
                return new ValueForm.Uuids(release.protocol());
            default:
                return new ValueForm.Numbers(kind, Objects.requireNonNull(type));
        }
    }

    /** True if it, or a struct inside it, has fields of other versions. */
    private boolean watches() {
        return absent.length > 0 || !nested.isEmpty();
    }
}
