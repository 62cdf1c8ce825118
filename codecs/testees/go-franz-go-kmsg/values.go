package main

import (
	"fmt"
	"reflect"

	"github.com/twmb/franz-go/pkg/kmsg"
	"wireproof/testee"
)

// object converts a Go struct to an object with the fields of this version.
func (s *shape) object(from reflect.Value) testee.Object {
	object := make(testee.Object, 0, len(s.fields)+1)
	for i := range s.fields {
		one := &s.fields[i]
		object = append(object, testee.Member{Name: one.name, Value: one.value(from.Field(one.index))})
	}
	if s.tags >= 0 {
		unknown := from.Field(s.tags).Addr().Interface().(*kmsg.Tags)
		if unknown.Len() > 0 {
			var tags []testee.Tag
			unknown.Each(func(number uint32, data []byte) { tags = append(tags, testee.Tag{Number: number, Data: data}) })
			object = append(object, testee.Member{Name: testee.TagsName, Value: testee.TagsObject(tags)})
		}
	}
	return object
}

func (f *field) value(from reflect.Value) any {
	switch from.Kind() {
	case reflect.Pointer:
		if from.IsNil() {
			return nil
		}
		return f.value(from.Elem())
	case reflect.Slice:
		return f.slice(from)
	case reflect.Struct:
		return f.inner.object(from)
	}
	return scalar(from)
}

func (f *field) slice(from reflect.Value) any {
	if from.IsNil() && f.nullable {
		return nil
	}
	if from.Type().Elem().Kind() == reflect.Uint8 {
		return from.Bytes()
	}
	list := make([]any, from.Len())
	for i := range list {
		if f.inner != nil {
			list[i] = f.inner.object(from.Index(i))
		} else {
			list[i] = scalar(from.Index(i))
		}
	}
	return list
}

// scalar converts kmsg's named integer types to Go's own.
func scalar(from reflect.Value) any {
	switch from.Kind() {
	case reflect.Int8:
		return int8(from.Int())
	case reflect.Int16:
		return int16(from.Int())
	}
	return from.Interface()
}

// fill sets a struct's fields from an object, including the fields of other versions: kmsg's structs have them all.
func fill(to reflect.Value, version int16, object testee.Object) error {
	for _, member := range object {
		if member.Name == testee.TagsName {
			if err := fillTags(to, member.Value); err != nil {
				return err
			}
			continue
		}
		index, found := fieldIndex(to.Type(), member.Name, version)
		if !found {
			return &testee.Unsupported{Reason: "field", Message: to.Type().Name() + " has no field for " + member.Name}
		}
		if err := set(to.Field(index), version, member.Value); err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
	}
	return nil
}

func fillTags(to reflect.Value, value any) error {
	tags, err := testee.AsTags(value)
	if err != nil {
		return err
	}
	unknown := to.FieldByName("UnknownTags")
	if !unknown.IsValid() {
		return &testee.Unsupported{Reason: "field", Message: to.Type().Name() + " has no tags"}
	}
	for _, tag := range tags {
		unknown.Addr().Interface().(*kmsg.Tags).Set(tag.Number, tag.Data)
	}
	return nil
}

func set(to reflect.Value, version int16, value any) error {
	switch to.Kind() {
	case reflect.Slice:
		return setSlice(to, version, value)
	case reflect.Pointer:
		if value == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return set(to.Elem(), version, value)
	case reflect.Struct:
		if object, ok := value.(testee.Object); ok {
			setDefaults(to)
			return fill(to, version, object)
		}
	default:
		if value != nil {
			return setScalar(to, value)
		}
	}
	return &testee.Unsupported{Reason: "null", Message: fmt.Sprintf("a %s is never null", to.Type())}
}

func setSlice(to reflect.Value, version int16, value any) error {
	if value == nil {
		to.SetZero()
		return nil
	}
	if to.Type().Elem().Kind() == reflect.Uint8 {
		data, err := testee.AsBytes(value)
		to.SetBytes(data)
		return err
	}
	list, ok := value.([]any)
	if !ok {
		return &testee.Unsupported{Reason: "type", Message: fmt.Sprintf("a %s is a list", to.Type())}
	}
	to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
	for i, item := range list {
		if err := set(to.Index(i), version, item); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

// setScalar sets a field without parts. It returns a *testee.Unsupported if Go's type cannot hold the value.
func setScalar(to reflect.Value, value any) (err error) {
	switch to.Kind() {
	case reflect.Bool:
		var truth bool
		truth, err = testee.AsBool(value)
		to.SetBool(truth)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var number int64
		number, err = testee.AsInt(value, to.Type().Bits())
		to.SetInt(number)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var number uint64
		number, err = testee.AsUint(value, to.Type().Bits())
		to.SetUint(number)
	case reflect.Float64:
		var number float64
		number, err = testee.AsFloat64(value)
		to.SetFloat(number)
	case reflect.String:
		var chars string
		chars, err = testee.AsString(value)
		to.SetString(chars)
	case reflect.Array:
		var uuid [16]byte
		uuid, err = testee.AsUUID(value)
		to.Set(reflect.ValueOf(uuid))
	default:
		return fmt.Errorf("the adapter cannot set a field of type %s", to.Type())
	}
	if err != nil {
		return &testee.Unsupported{Reason: "type", Message: err.Error()}
	}
	return nil
}
