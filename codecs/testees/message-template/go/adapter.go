// Command adapter connects my-codec to wireproof. It only calls the codec: package testee implements the protocol.
package main

import (
	// <encode>
	"fmt"
	// </encode>
	"reflect"
	"strconv"
	"strings"

	"wireproof/testee"
)

// shape is a struct of Kafka as a struct of the codec. Each row has Kafka's name of a field, the codec's field, and the
// versions that have it. Go's types say the rest: a nil pointer or slice is null.
type shape []row

type row struct {
	name, held, versions string
	shape                shape // of structs
}

// SHAPES
func main() {
	testee.Main(&testee.Testee{
		Hello: testee.Hello{
			Name:    "my-codec",
			Version: "0.1.0", // better: read it from debug.ReadBuildInfo
			Claims:  map[string]testee.Claim{"MESSAGE": {OPERATIONS}},
			// Claim record sets as the message RecordBatch, with Compressions; for messages inside other data set
			// Testee.Embedded. Index lists all that your codec implements, read from the codec itself. List messages
			// without a claim in Unclaimed, with the reason.
			Index: map[string]testee.Ways{"MESSAGE": {WAYS}},
		},
		// <decode>
		Decode: func(_ string, version int16, data []byte) (testee.Object, int, error) {
			read, consumed, err := decode(version, data)
			return toObject(reflect.ValueOf(read).Elem(), ROOT, version), consumed, err
		},
		// </decode>
		// <encode>
		Encode: func(_ string, version int16, value testee.Object) ([]byte, error) {
			made := New[MESSAGE]()
			if err := fromObject(value, reflect.ValueOf(made).Elem(), ROOT); err != nil {
				return nil, err
			}
			return Encode(made, version) // if your codec rejects values: return a *testee.EncodeError
		},
		// </encode>
		// <both>
		Reencode: func(_ string, version int16, data []byte) ([]byte, int, error) {
			read, consumed, err := decode(version, data)
			if err != nil {
				return nil, consumed, err
			}
			made, err := Encode(read, version)
			return made, consumed, err
		},
		// </both>
	})
}

// has says whether a version is one of "3-5", or of "3"; none is one of "".
func has(version int16, versions string) bool {
	first, last, found := strings.Cut(versions, "-")
	if !found {
		last = first
	}
	low, err := strconv.Atoi(first)
	high, _ := strconv.Atoi(last)
	return err == nil && low <= int(version) && int(version) <= high
}

// <decode>
// decode calls the codec and returns its errors as *testee.DecodeError. The kit reports any other error, and a
// panic, as a failure of the codec.
func decode(version int16, data []byte) (read *MESSAGE, consumed int, err error) {
	read = New[MESSAGE]()
	if consumed, err = Decode(data, version, read); err != nil {
		err = &testee.DecodeError{Class: "malformed", Message: err.Error()}
	}
	return read, consumed, err
}

// toObject converts the codec's struct to an object with Kafka's names and the fields of the version.
func toObject(read reflect.Value, rows shape, version int16) testee.Object {
	value := testee.Object{}
	for _, each := range rows {
		if has(version, each.versions) {
			value = append(value, testee.Member{Name: each.name, Value: toValue(read.FieldByName(each.held), each.shape, version)})
		}
	}
	if unknown := read.FieldByName("UnknownTags").Interface().([]UnknownTag); len(unknown) > 0 {
		tags := make([]testee.Tag, len(unknown))
		for i, tag := range unknown {
			tags[i] = testee.Tag(tag)
		}
		value = append(value, testee.Member{Name: testee.TagsName, Value: testee.TagsObject(tags)})
	}
	return value
}

func toValue(read reflect.Value, inner shape, version int16) any {
	switch kind := read.Kind(); {
	case (kind == reflect.Pointer || kind == reflect.Slice) && read.IsNil():
		return nil
	case kind == reflect.Pointer:
		return toValue(read.Elem(), inner, version)
	case kind == reflect.Struct:
		return toObject(read, inner, version)
	case kind == reflect.Slice && read.Type().Elem().Kind() != reflect.Uint8:
		values := make([]any, read.Len())
		for i := range values {
			values[i] = toValue(read.Index(i), inner, version)
		}
		return values
	}
	return read.Interface()
}

// </decode>
// <encode>
// fromObject converts an object to the codec's struct. Absent fields keep the codec's defaults.
func fromObject(value testee.Object, made reflect.Value, rows shape) error {
	for _, each := range rows {
		if held, found := value.Get(each.name); found {
			if err := fromValue(held, made.FieldByName(each.held), each.shape); err != nil {
				return fmt.Errorf("%s: %w", each.name, err)
			}
		}
	}
	if held, found := value.Get(testee.TagsName); found {
		tags, err := testee.AsTags(held)
		if err != nil {
			return err
		}
		unknown := make([]UnknownTag, len(tags))
		for i, tag := range tags {
			unknown[i] = UnknownTag(tag)
		}
		made.FieldByName("UnknownTags").Set(reflect.ValueOf(unknown))
	}
	return nil
}

func fromValue(value any, made reflect.Value, inner shape) (err error) {
	kind := made.Type()
	if value == nil && (kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice) {
		made.SetZero()
		return nil
	}
	switch kind.Kind() {
	case reflect.Pointer:
		made.Set(reflect.New(kind.Elem()))
		return fromValue(value, made.Elem(), inner)
	case reflect.Struct:
		made.Set(newOf(kind))
		object, ok := value.(testee.Object)
		if !ok {
			return fmt.Errorf("%v is no struct", value)
		}
		return fromObject(object, made, inner)
	case reflect.Slice:
		if kind.Elem().Kind() == reflect.Uint8 {
			return set(made.SetBytes, value, testee.AsBytes)
		}
		values, _ := value.([]any)
		made.Set(reflect.MakeSlice(kind, len(values), len(values)))
		for i, each := range values {
			if err = fromValue(each, made.Index(i), inner); err != nil {
				return err
			}
		}
		return nil
	case reflect.Bool:
		return set(made.SetBool, value, testee.AsBool)
	case reflect.String:
		return set(made.SetString, value, testee.AsString)
	case reflect.Float64:
		return set(made.SetFloat, value, testee.AsFloat64)
	case reflect.Array:
		return set(func(uuid [16]byte) { made.Set(reflect.ValueOf(uuid)) }, value, testee.AsUUID)
	case reflect.Uint16, reflect.Uint32:
		return set(made.SetUint, value, func(value any) (uint64, error) { return testee.AsUint(value, kind.Bits()) })
	}
	return set(made.SetInt, value, func(value any) (int64, error) { return testee.AsInt(value, kind.Bits()) })
}

// newOf returns a struct with the codec's defaults.
func newOf(kind reflect.Type) reflect.Value {
	made := reflect.New(kind).Elem()
	setDefaults(made)
	return made
}

// set gives a value to a function, after its conversion.
func set[T any](to func(T), value any, as func(any) (T, error)) error {
	held, err := as(value)
	if err == nil {
		to(held)
	}
	return err
}

// </encode>
