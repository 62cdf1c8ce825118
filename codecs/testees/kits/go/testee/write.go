package testee

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// writer writes answers as JSON. It writes hexadecimal digits in chunks, so a long answer is never in memory as
// a whole. Write errors stay in the bufio.Writer until the flush.
type writer struct {
	out     *bufio.Writer
	scratch [1024]byte
}

func (w *writer) raw(chars string) { w.out.WriteString(chars) }

func (w *writer) key(chars string) {
	w.raw(`"`)
	w.raw(chars)
	w.raw(`":`)
}

func (w *writer) int(value int64) { w.out.Write(strconv.AppendInt(w.scratch[:0], value, 10)) }

func (w *writer) quoted(digits []byte) {
	w.out.WriteByte('"')
	w.out.Write(digits)
	w.out.WriteByte('"')
}

func (w *writer) value(value any) {
	switch typed := value.(type) {
	case nil:
		w.raw("null")
	case bool:
		w.raw(strconv.FormatBool(typed))
	case int8:
		w.int(int64(typed))
	case int16:
		w.int(int64(typed))
	case int32:
		w.int(int64(typed))
	case int:
		w.int(int64(typed))
	case uint8:
		w.int(int64(typed))
	case uint16:
		w.int(int64(typed))
	case int64:
		w.quoted(strconv.AppendInt(w.scratch[:0], typed, 10))
	case uint32:
		w.quoted(strconv.AppendUint(w.scratch[:0], uint64(typed), 10))
	case uint64:
		w.quoted(strconv.AppendUint(w.scratch[:0], typed, 10))
	case float64:
		w.float64(typed)
	default:
		w.long(value)
	}
}

func (w *writer) long(value any) {
	switch typed := value.(type) {
	case string:
		w.string(typed)
	case text:
		w.string(string(typed))
	case number:
		w.out.Write(typed)
	case []byte:
		w.hex(typed)
	case [16]byte:
		w.uuid(typed)
	case []any:
		w.list(typed)
	case Object:
		w.object(typed)
	default:
		panic(fmt.Sprintf("testee: a value of type %T has no canonical form", value))
	}
}

// float64 writes the shortest decimal that parses to the same value, or the bits if JSON has no such number.
func (w *writer) float64(value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) || value == 0 && math.Signbit(value) {
		w.raw(fmt.Sprintf(`"0x%016x"`, math.Float64bits(value)))
		return
	}
	digits := strconv.AppendFloat(w.scratch[:0], value, 'g', -1, 64)
	if !bytes.ContainsAny(digits, ".e") {
		digits = append(digits, ".0"...) // some JSON parsers read it as an integer otherwise
	}
	w.out.Write(digits)
}

func (w *writer) hex(data []byte) {
	w.raw(`"`)
	for len(data) > 0 {
		n := min(len(data), len(w.scratch)/2)
		hex.Encode(w.scratch[:], data[:n])
		w.out.Write(w.scratch[:2*n])
		data = data[n:]
	}
	w.raw(`"`)
}

func (w *writer) uuid(uuid [16]byte) {
	chars := append(w.scratch[:0], '"')
	for i, octet := range uuid {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			chars = append(chars, '-')
		}
		chars = hex.AppendEncode(chars, []byte{octet})
	}
	w.out.Write(append(chars, '"'))
}

// string writes a JSON string. Bytes that are not valid UTF-8 become U+FFFD.
func (w *writer) string(chars string) {
	w.raw(`"`)
	from := 0
	for at, char := range chars {
		if char >= ' ' && char != '"' && char != '\\' && char != utf8.RuneError {
			continue
		}
		w.raw(chars[from:at])
		_, width := utf8.DecodeRuneInString(chars[at:])
		from = at + width
		fmt.Fprintf(w.out, `\u%04x`, char)
	}
	w.raw(chars[from:])
	w.raw(`"`)
}

func (w *writer) list(list []any) {
	w.raw("[")
	for i, item := range list {
		if i > 0 {
			w.raw(",")
		}
		w.value(item)
	}
	w.raw("]")
}

func (w *writer) object(object Object) {
	w.raw("{")
	for i, member := range object {
		if i > 0 {
			w.raw(",")
		}
		w.string(member.Name)
		w.raw(":")
		w.value(member.Value)
	}
	w.raw("}")
}
