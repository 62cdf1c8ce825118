package main

import (
	"bytes"
	"reflect"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// message is what kmsg's requests, responses and data types have in common.
type message interface {
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

// shape is which of a Go struct's fields one version of a message has. kmsg does not tell, so it is asked by
// its own bytes: a field is there if the encoding changes with it.
type shape struct {
	fields []field
	tags   int // the index of UnknownTags where the version is flexible, else -1
}

type field struct {
	index    int
	name     string // Kafka's
	nullable bool   // nil and empty are written differently
	inner    *shape // of a struct, or of a slice's structs
}

var (
	messageType = reflect.TypeFor[message]()
	tagsType    = reflect.TypeFor[kmsg.Tags]()
)

// shapeOf finds the shape of the messages that fresh makes, at its version.
func shapeOf(fresh func() message, version int16) *shape {
	return probe(version, func() (message, reflect.Value) {
		made := fresh()
		return made, reflect.ValueOf(made).Elem()
	})
}

// probe finds the shape of one struct. Each call of place makes a new message in which this struct stands.
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

// structIn is the type of the struct that a field holds, itself, behind a pointer, or in a slice.
func structIn(kind reflect.Type) reflect.Type {
	if kind.Kind() == reflect.Slice || kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind.Kind() == reflect.Struct {
		return kind
	}
	return nil
}

// occupy has one struct stand in a field, and returns it.
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

// setDefaults gives a struct the values that kmsg has for absent fields.
func setDefaults(at reflect.Value) {
	if defaulting, ok := at.Addr().Interface().(interface{ Default() }); ok {
		defaulting.Default()
	}
}

func keep(reflect.Value) {}

func empty(at reflect.Value) { at.Set(reflect.MakeSlice(at.Type(), 0, 0)) }

// change gives a field another value than its default.
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
