// A testee for the tests of the Go kit: each operation, each kind of answer, and output of the codec.
package main

import (
	"bytes"
	"fmt"
	"io"
	"syscall"

	"wireproof/testee"
)

func main() {
	offset := 2
	testee.Main(&testee.Testee{
		Hello: testee.Hello{
			Name: "tiny", Version: "1.0.0", Refuses: true, Whole: true,
			Claims:       map[string]testee.Claim{"Tiny": {Decode: "0-1", Encode: "0", Reencode: "0", Size: "0", Frame: "0", Unframe: "0", Feed: "0", Equal: "0", Copy: "0"}},
			Embedded:     map[string]testee.Claim{"Tiny": {Decode: "0", Encode: "0", Reencode: "0", Size: "0"}},
			Compressions: map[string]string{"none": "0-2", "gzip": "2"},
			RecordLimits: []string{"tail"},
			RecordValues: true,
			Limits:       map[string]string{"mood": "it has none"},
			Registry:     []testee.API{{Key: -1, Request: &testee.Direction{Message: "Tiny", Versions: "0", Headers: map[string]int{"0": 2}}}},
		},
		Decode: func(_ string, version int16, data []byte) (testee.Object, int, error) {
			fmt.Println("printed by the codec")
			syscall.Write(1, []byte("written by the codec\n"))
			switch len(data) {
			case 0:
				return nil, 0, &testee.DecodeError{Class: "Empty", Message: "nothing", Offset: &offset}
			case 1:
				panic("one byte")
			}
			return testee.Object{{Name: "version", Value: version}, {Name: "data", Value: append([]byte{}, data...)}}, len(data), nil
		},
		Encode: func(_ string, _ int16, value testee.Object) ([]byte, error) {
			data, found := value.Get("data")
			if !found {
				return nil, &testee.EncodeError{Class: "Missing", Message: "no data", Path: "data"}
			}
			if data == nil {
				return nil, &testee.Unsupported{Reason: "mood", Message: "not today"}
			}
			return testee.AsBytes(data)
		},
		Reencode: func(_ string, _ int16, data []byte) ([]byte, int, error) { return data, len(data), nil },
		Size:     func(_ string, _ int16, value testee.Object) (int, error) { return len(value), nil },
		Frame:    func(_ string, _ int16, header, value testee.Object) ([]byte, error) { return []byte{0, 0, 0, 0}, nil },
		Unframe: func(_ string, _ int16, data []byte) (testee.Object, testee.Object, int, error) {
			return testee.Object{}, testee.Object{}, len(data), nil
		},
		// The first byte of a frame is the number of bytes after it.
		Feed: func(_ string, _ int16, stream io.Reader) (testee.Object, int, error) {
			frame := make([]byte, 256)
			if _, err := io.ReadFull(stream, frame[:1]); err != nil {
				return nil, 0, err
			}
			length := int(frame[0])
			if _, err := io.ReadFull(stream, frame[1:1+length]); err != nil {
				return nil, 0, &testee.DecodeError{Class: "Incomplete", Message: err.Error()}
			}
			return testee.Object{{Name: "length", Value: length}}, 1 + length, nil
		},
		Equal: func(_ string, _ int16, data, other []byte) (testee.Equality, error) {
			hashes := len(data) == len(other)
			return testee.Equality{Equal: bytes.Equal(data, other), Hashes: &hashes}, nil
		},
		Copy: func(_ string, _ int16, data []byte) ([]byte, error) { return data, nil },
		Primitives: map[string]testee.Primitive{
			"Int8": {
				Decode: func(data []byte) (any, int, error) { return int8(data[0]), 1, nil },
				Encode: func(value any) ([]byte, error) {
					number, err := testee.AsInt(value, 8)
					return []byte{byte(number)}, err
				},
			},
			"NullableString": {Encode: func(value any) ([]byte, error) {
				if value == nil {
					return []byte{255, 255}, nil
				}
				return []byte{0, 0}, nil
			}},
			"NullableBytes": {Decode: func([]byte) (any, int, error) { return nil, 4, nil }},
		},
		Embedded: testee.Embedded{
			Decode: func(framing, known string, data, key []byte) (testee.Found, error) {
				value := testee.Object{{Name: "framing", Value: framing}, {Name: "known", Value: known}, {Name: "key", Value: nil}}
				if key != nil {
					value[2].Value = key
				}
				return testee.Found{Message: "Tiny", Version: 3, Value: value, Consumed: len(data)}, nil
			},
			Encode: func(_, _ string, _ int16, _ testee.Object) ([]byte, []byte, error) {
				return []byte{0, 3}, []byte{9}, nil
			},
			Reencode: func(_, _ string, data, key []byte) ([]byte, []byte, int, error) {
				return data, nil, len(data), nil
			},
			Size: func(_, _ string, _ int16, value testee.Object) (int, error) { return len(value), nil },
		},
	})
}
