// An example codec for MESSAGE, so that the adapter works at once. Delete this file.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"unicode/utf8"
)

const (
	messageVersions  = "VERSIONS_TEXT"
	flexibleVersions = "FLEXIBLE_TEXT"
	longestText      = 0x7fff
	highestTag       = 0x7ffffffe
)

// UnknownTag is a tagged field that the codec does not know.
type UnknownTag struct {
	Number uint32
	Data   []byte
}

// New returns a struct with Kafka's defaults. The tags of its fields say how they are on the wire.
func New[T any]() *T {
	made := new(T)
	setDefaults(reflect.ValueOf(made).Elem())
	return made
}

func setDefaults(made reflect.Value) {
	for i := 0; i < made.NumField(); i++ {
		field, text := made.Field(i), made.Type().Field(i).Tag.Get("default")
		inner := field
		if field.Kind() == reflect.Pointer && text != "null" {
			field.Set(reflect.New(field.Type().Elem()))
			inner = field.Elem()
		}
		switch inner.Kind() {
		case reflect.Struct:
			setDefaults(inner)
		case reflect.Slice:
			if text != "null" && made.Type().Field(i).Name != "UnknownTags" {
				inner.Set(reflect.MakeSlice(inner.Type(), 0, 0))
			}
		case reflect.String:
			inner.SetString(text)
		case reflect.Bool:
			inner.SetBool(text == "true")
		case reflect.Float64:
			number, _ := strconv.ParseFloat(text, 64)
			inner.SetFloat(number)
		case reflect.Uint16, reflect.Uint32:
			number, _ := strconv.ParseUint(text, 10, 32)
			inner.SetUint(number)
		case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			number, _ := strconv.ParseInt(text, 10, 64)
			inner.SetInt(number)
		}
	}
}

// form is how a field is on the wire in one version.
type form struct {
	there, tagged, nullable, compact bool
	tag                              uint32
}

func formOf(tags reflect.StructTag, version int16) form {
	number, _ := strconv.ParseUint(tags.Get("tag"), 10, 32)
	compact, found := tags.Lookup("compact")
	if !found {
		compact = flexibleVersions
	}
	return form{
		there: has(version, tags.Get("kafka")), tagged: has(version, tags.Get("tagged")),
		nullable: has(version, tags.Get("nullable")), compact: has(version, compact), tag: uint32(number),
	}
}

// Encode encodes a message, of which made is a pointer.
func Encode(made any, version int16) ([]byte, error) {
	if !has(version, messageVersions) {
		return nil, fmt.Errorf("MESSAGE has the versions %s, not %d", messageVersions, version)
	}
	return appendStruct(nil, reflect.ValueOf(made).Elem(), version)
}

func appendStruct(out []byte, held reflect.Value, version int16) (_ []byte, err error) {
	tags := append([]UnknownTag{}, held.FieldByName("UnknownTags").Interface().([]UnknownTag)...)
	initial := reflect.New(held.Type()).Elem()
	setDefaults(initial)
	for i := 0; i < held.NumField(); i++ {
		as := formOf(held.Type().Field(i).Tag, version)
		switch {
		case as.tagged:
			data, err := appendField(nil, held.Field(i), as, version)
			if err != nil {
				return nil, err
			}
			usual, err := appendField(nil, initial.Field(i), as, version)
			if err != nil || string(data) != string(usual) {
				tags = append(tags, UnknownTag{as.tag, data})
			}
		case as.there:
			if out, err = appendField(out, held.Field(i), as, version); err != nil {
				return nil, err
			}
		}
	}
	if !has(version, flexibleVersions) {
		return out, nil
	}
	sort.Slice(tags, func(i, j int) bool { return tags[i].Number < tags[j].Number })
	out = binary.AppendUvarint(out, uint64(len(tags)))
	for _, tag := range tags {
		out = binary.AppendUvarint(out, uint64(tag.Number))
		out = append(binary.AppendUvarint(out, uint64(len(tag.Data))), tag.Data...)
	}
	return out, nil
}

func appendField(out []byte, held reflect.Value, as form, version int16) (_ []byte, err error) {
	kind := held.Type()
	pointer, slice := kind.Kind() == reflect.Pointer, kind.Kind() == reflect.Slice
	if null := (pointer || slice) && held.IsNil(); null {
		if !as.nullable {
			return nil, fmt.Errorf("null in a field that is not nullable in version %d", version)
		}
		if pointer && kind.Elem().Kind() == reflect.Struct {
			return append(out, nullMarker(as)), nil
		}
		return appendLength(out, -1, as, pointer), nil
	}
	if pointer {
		if held = held.Elem(); held.Kind() == reflect.Struct && as.nullable {
			out = append(out, 1)
		}
	}
	if !slice || kind.Elem().Kind() == reflect.Uint8 {
		return appendItem(out, held, as, version)
	}
	out = appendLength(out, held.Len(), as, false)
	for i := 0; i < held.Len(); i++ {
		if out, err = appendItem(out, held.Index(i), as, version); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func nullMarker(as form) byte {
	if as.tagged {
		return 0
	}
	return 0xff
}

func appendItem(out []byte, held reflect.Value, as form, version int16) ([]byte, error) {
	switch held.Kind() {
	case reflect.Struct:
		return appendStruct(out, held, version)
	case reflect.String:
		if held.Len() > longestText {
			return nil, fmt.Errorf("a string of %d bytes", held.Len())
		}
		return append(appendLength(out, held.Len(), as, true), held.String()...), nil
	case reflect.Slice:
		return append(appendLength(out, held.Len(), as, false), held.Bytes()...), nil
	}
	var data bytes.Buffer // of a number, a bool, a UUID
	err := binary.Write(&data, binary.BigEndian, held.Interface())
	return append(out, data.Bytes()...), err
}

func appendLength(out []byte, length int, as form, text bool) []byte {
	switch {
	case as.compact:
		return binary.AppendUvarint(out, uint64(length+1))
	case text:
		return binary.BigEndian.AppendUint16(out, uint16(length))
	}
	return binary.BigEndian.AppendUint32(out, uint32(length))
}

// Decode decodes a message into made, a pointer, and returns the number of bytes read.
func Decode(data []byte, version int16, made any) (consumed int, err error) {
	if !has(version, messageVersions) {
		return 0, fmt.Errorf("MESSAGE has the versions %s, not %d", messageVersions, version)
	}
	in := reader{left: data, version: version}
	in.readStruct(reflect.ValueOf(made).Elem())
	return len(data) - len(in.left), in.err
}

// reader returns zero values after its first error.
type reader struct {
	left    []byte
	version int16
	err     error
}

func (in *reader) fail(words string) {
	if in.err == nil {
		in.err = errors.New(words)
		in.left = nil
	}
}

func (in *reader) readStruct(made reflect.Value) {
	setDefaults(made)
	for i := 0; i < made.NumField() && in.err == nil; i++ {
		if as := formOf(made.Type().Field(i).Tag, in.version); as.there && !as.tagged {
			in.readField(made.Field(i), as)
		}
	}
	if !has(in.version, flexibleVersions) {
		return
	}
	last := int64(-1)
	for count := in.uvarint(); count > 0 && in.err == nil; count-- {
		tag := UnknownTag{Number: in.uvarint()}
		tag.Data = in.take(int64(in.uvarint()))
		if int64(tag.Number) <= last || tag.Number > highestTag {
			in.fail("a tag that is not above the previous one, or too large")
		}
		last = int64(tag.Number)
		if in.err == nil && !in.readTag(made, tag) {
			unknown := made.FieldByName("UnknownTags")
			unknown.Set(reflect.Append(unknown, reflect.ValueOf(tag)))
		}
	}
}

// readTag reads a field from the bytes of its tag. It returns false if the struct has no such field.
func (in *reader) readTag(made reflect.Value, tag UnknownTag) bool {
	for i := 0; i < made.NumField(); i++ {
		tags := made.Type().Field(i).Tag
		as := formOf(tags, in.version)
		if tags.Get("tag") == "" || as.tag != tag.Number {
			continue
		}
		inner := reader{left: tag.Data, version: in.version}
		if !as.tagged {
			inner.fail("a tag of another version")
		}
		inner.readField(made.Field(i), as)
		if len(inner.left) > 0 {
			inner.fail("bytes behind a tagged field")
		}
		if inner.err != nil {
			in.fail(inner.err.Error())
		}
		return true
	}
	return false
}

func (in *reader) readField(made reflect.Value, as form) {
	switch kind := made.Type(); {
	case kind.Kind() == reflect.Pointer && kind.Elem().Kind() == reflect.Struct:
		if as.nullable {
			marker := in.take(1)
			if in.err == nil && marker[0] == nullMarker(as) {
				made.SetZero()
				return
			}
			if in.err == nil && marker[0] != 1 {
				in.fail("an invalid marker before a struct that may be null")
			}
		}
		made.Set(reflect.New(kind.Elem()))
		in.readStruct(made.Elem())
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8:
		count := in.length(as, false)
		if count > len(in.left) {
			in.fail("more elements than bytes are left")
		}
		if made.SetZero(); count < 0 || in.err != nil {
			return
		}
		made.Set(reflect.MakeSlice(kind, count, count))
		for i := 0; i < count && in.err == nil; i++ {
			in.readItem(made.Index(i), form{compact: as.compact})
		}
	default:
		in.readItem(made, as)
	}
}

func (in *reader) readItem(made reflect.Value, as form) {
	switch kind := made.Type(); kind.Kind() {
	case reflect.Struct:
		in.readStruct(made)
	case reflect.Pointer, reflect.String:
		length := in.length(as, true)
		if length < 0 || in.err != nil {
			made.SetZero()
			return
		}
		text := string(in.take(int64(length)))
		if len(text) > longestText || !utf8.ValidString(text) {
			in.fail("a string that is not UTF-8, or too long")
		}
		if kind.Kind() == reflect.Pointer {
			made.Set(reflect.ValueOf(&text))
		} else {
			made.SetString(text)
		}
	case reflect.Slice:
		length := in.length(as, false)
		if made.SetZero(); length >= 0 && in.err == nil {
			made.SetBytes(append([]byte{}, in.take(int64(length))...))
		}
	case reflect.Bool:
		made.SetBool(in.number(1) != 0)
	case reflect.Uint16, reflect.Uint32:
		made.SetUint(in.number(int64(kind.Size())))
	case reflect.Float64:
		made.SetFloat(math.Float64frombits(in.number(8)))
	case reflect.Array:
		reflect.Copy(made, reflect.ValueOf(in.take(16)))
	default:
		bits := 64 - 8*int(kind.Size())
		made.SetInt(int64(in.number(int64(kind.Size()))<<bits) >> bits)
	}
}

func (in *reader) take(count int64) []byte {
	if count < 0 || count > int64(len(in.left)) {
		in.fail("a length beyond the end of the data")
	}
	if in.err != nil {
		return nil
	}
	taken := in.left[:count]
	in.left = in.left[count:]
	return taken
}

func (in *reader) number(width int64) (number uint64) {
	for _, each := range in.take(width) {
		number = number<<8 | uint64(each)
	}
	return number
}

func (in *reader) length(as form, text bool) (length int) {
	switch {
	case as.compact:
		length = int(in.uvarint()) - 1
	case text:
		length = int(int16(in.number(2)))
	default:
		length = int(int32(in.number(4)))
	}
	if length < -1 || length == -1 && !as.nullable {
		in.fail("a negative length")
	}
	return length
}

func (in *reader) uvarint() uint32 {
	number, length := binary.Uvarint(in.left)
	if length <= 0 || length > 5 || number > math.MaxUint32 {
		in.fail("a varint that is truncated or too long")
		return 0
	}
	in.left = in.left[length:]
	return uint32(number)
}
// STRUCTS
