package testee

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Object is a struct: its fields under Kafka's names, in the order of the output.
//
// In an answer a value may be nil, a bool, any of Go's integers, a float64, a string, a []byte, a [16]byte (a
// UUID), a []any or an Object. The kit writes the canonical form of each: int64, uint32 and uint64 as decimal
// strings, bytes as hexadecimal digits, and so on.
//
// In a request a value is nil, a bool, a []any, an Object, or a type that only the As functions can read.
type Object []Member

// Member is a field of an Object.
type Member struct {
	Name  string
	Value any
}

// Get returns the value of a field.
func (o Object) Get(name string) (value any, found bool) {
	for i := range o {
		if o[i].Name == name {
			return o[i].Value, true
		}
	}
	return nil, false
}

// TagsName is the name of the field that holds the unknown tagged fields of a struct.
const TagsName = "_tags"

// Tag is an unknown tagged field.
type Tag struct {
	Number uint32
	Data   []byte
}

// TagsObject converts tags to a value of the field TagsName.
func TagsObject(tags []Tag) Object {
	object := make(Object, len(tags))
	for i, tag := range tags {
		object[i] = Member{strconv.FormatUint(uint64(tag.Number), 10), tag.Data}
	}
	return object
}

// AsTags reads a value of the field TagsName.
func AsTags(value any) ([]Tag, error) {
	object, ok := value.(Object)
	if !ok {
		return nil, misfit(value, "an object of tags")
	}
	tags := make([]Tag, len(object))
	for i, member := range object {
		number, err := strconv.ParseUint(member.Name, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("tag %q is not a uint32", member.Name)
		}
		data, err := AsBytes(member.Value)
		if err != nil {
			return nil, err
		}
		tags[i] = Tag{uint32(number), data}
	}
	return tags, nil
}

// text is a JSON string of a request, without its quotes and escapes: a slice of the line.
type text []byte

// number is a JSON number of a request: a slice of the line.
type number []byte

// AsBool reads a bool.
func AsBool(value any) (bool, error) {
	if truth, ok := value.(bool); ok {
		return truth, nil
	}
	return false, misfit(value, "a bool")
}

// AsInt reads a signed integer of the given width in bits, from a JSON number or a decimal string.
func AsInt(value any, bits int) (int64, error) {
	digits, ok := digitsOf(value)
	if !ok {
		return 0, misfit(value, "an integer")
	}
	return strconv.ParseInt(digits, 10, bits)
}

// AsUint reads an unsigned integer of the given width in bits, from a JSON number or a decimal string.
func AsUint(value any, bits int) (uint64, error) {
	digits, ok := digitsOf(value)
	if !ok {
		return 0, misfit(value, "an unsigned integer")
	}
	return strconv.ParseUint(digits, 10, bits)
}

// AsFloat64 reads a float64 from a JSON number, or from a string with its 64 bits ("0x" and 16 digits).
func AsFloat64(value any) (float64, error) {
	digits, ok := digitsOf(value)
	if !ok {
		return 0, misfit(value, "a float64")
	}
	if bits, found := strings.CutPrefix(digits, "0x"); found {
		pattern, err := strconv.ParseUint(bits, 16, 64)
		return math.Float64frombits(pattern), err
	}
	return strconv.ParseFloat(digits, 64)
}

// AsString reads a string.
func AsString(value any) (string, error) {
	if chars, ok := value.(text); ok {
		return string(chars), nil
	}
	return "", misfit(value, "a string")
}

// AsBytes reads bytes or records from hexadecimal digits. The result is never nil.
func AsBytes(value any) ([]byte, error) {
	digits, ok := value.(text)
	if !ok {
		return nil, misfit(value, "hexadecimal bytes")
	}
	data := make([]byte, hex.DecodedLen(len(digits)))
	_, err := hex.Decode(data, digits)
	return data, err
}

// AsUUID reads a UUID.
func AsUUID(value any) (uuid [16]byte, err error) {
	chars, ok := value.(text)
	if !ok || len(chars) != 36 || chars[8] != '-' || chars[13] != '-' || chars[18] != '-' || chars[23] != '-' {
		return uuid, misfit(value, "a uuid")
	}
	digits := make([]byte, 0, 32)
	for i, char := range chars {
		if i != 8 && i != 13 && i != 18 && i != 23 {
			digits = append(digits, char)
		}
	}
	_, err = hex.Decode(uuid[:], digits)
	return uuid, err
}

func digitsOf(value any) (string, bool) {
	switch typed := value.(type) {
	case number:
		return string(typed), true
	case text:
		return string(typed), true
	}
	return "", false
}

// misfit returns the error of an As function that does not fit the value. A null is a question to the codec: a case
// may hold one where the schema allows none. Anything else is the adapter's mistake.
func misfit(value any, wanted string) error {
	if value == nil {
		return fmt.Errorf("null is not %s", wanted)
	}
	words := fmt.Sprintf("%v", value)
	switch typed := value.(type) {
	case text:
		words = fmt.Sprintf("%.40q", []byte(typed))
	case number:
		words = fmt.Sprintf("%.40s", []byte(typed))
	case Object:
		words = "an object"
	case []any:
		words = "a list"
	}
	return &AdapterError{fmt.Sprintf("%s is not %s: take the As function of the field's type", words, wanted)}
}
