package main

import (
	"bytes"
	"reflect"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// message is the common interface of kmsg's requests, responses and data types.
type message interface {
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

// shape holds the fields of a Go struct that one version of a message has. kmsg does not list them, so probe
// compares encodings: a version has a field if the encoding changes with the field.
type shape struct {
	fields []field
	tags   int // the index of UnknownTags where the version is flexible, else -1
}

type field struct {
	index    int
	name     string // Kafka's
	nullable bool   // kmsg encodes nil and empty differently
	inner    *shape // of a struct, or of the structs of a slice
}

var (
	messageType = reflect.TypeFor[message]()
	tagsType    = reflect.TypeFor[kmsg.Tags]()
)

// shapeOf returns the shape of the messages that fresh creates.
func shapeOf(fresh func() message, version int16) *shape {
	return probe(version, func() (message, reflect.Value) {
		made := fresh()
		return made, reflect.ValueOf(made).Elem()
	})
}

// probe returns the shape of one struct. Each call of place returns a new message and the struct inside it.
func probe(version int16, place func() (message, reflect.Value)) *shape {
	_, sample := place()
	found := &shape{tags: -1}
	encoded := func(index int, change func(reflect.Value)) []byte {
		whole, part := place()
		change(part.Field(index))
		return whole.AppendTo(nil)
	}
	for index := range sample.NumField() {
		kind := sample.Field(index).Type()
		differs := func(one, other func(reflect.Value)) bool {
			return !bytes.Equal(encoded(index, one), encoded(index, other))
		}
		if kind == tagsType {
			if differs(keep, change) {
				found.tags = index
			}
			continue
		}
		names := fieldNames(sample.Type(), sample.Type().Field(index).Name, version)
		if names == nil {
			continue
		}
		one := field{index: index, name: names[0]}
		if element := structIn(kind); element != nil {
			one.inner = probe(version, func() (message, reflect.Value) {
				whole, part := place()
				return whole, occupy(part.Field(index))
			})
		}
		there := differs(keep, change)
		if kind.Kind() == reflect.Struct {
			there = len(one.inner.fields) > 0
		}
		if there {
			one.nullable = kind.Kind() == reflect.Slice && differs(reflect.Value.SetZero, empty)
			found.fields = append(found.fields, one)
		}
	}
	return found
}

// structIn returns the struct type of a field that is a struct, a pointer to one or a slice of them, else nil.
func structIn(kind reflect.Type) reflect.Type {
	if kind.Kind() == reflect.Slice || kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind.Kind() == reflect.Struct {
		return kind
	}
	return nil
}

// occupy puts one struct with defaults into a field and returns it.
func occupy(at reflect.Value) reflect.Value {
	switch at.Kind() {
	case reflect.Slice:
		at.Set(reflect.MakeSlice(at.Type(), 1, 1))
		at = at.Index(0)
	case reflect.Pointer:
		at.Set(reflect.New(at.Type().Elem()))
		at = at.Elem()
	}
	setDefaults(at)
	return at
}

// setDefaults sets kmsg's defaults for absent fields.
func setDefaults(at reflect.Value) {
	if defaulting, ok := at.Addr().Interface().(interface{ Default() }); ok {
		defaulting.Default()
	}
}

func keep(reflect.Value) {}

func empty(at reflect.Value) { at.Set(reflect.MakeSlice(at.Type(), 0, 0)) }

// change sets a field to a value that is not its default.
func change(at reflect.Value) {
	switch at.Kind() {
	case reflect.Bool:
		at.SetBool(!at.Bool())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		at.SetInt(at.Int() ^ 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		at.SetUint(at.Uint() ^ 1)
	case reflect.Float64:
		at.SetFloat(at.Float() + 1)
	case reflect.String:
		at.SetString(at.String() + "x")
	case reflect.Array:
		change(at.Index(0))
	case reflect.Slice:
		at.Set(reflect.MakeSlice(at.Type(), 1, 1))
	case reflect.Pointer:
		changed := reflect.New(at.Type().Elem())
		if !at.IsNil() {
			changed.Elem().Set(at.Elem())
		}
		change(changed.Elem())
		at.Set(changed)
	case reflect.Struct:
		if at.Type() == tagsType {
			at.Addr().Interface().(*kmsg.Tags).Set(1000, nil)
		}
	}
}
