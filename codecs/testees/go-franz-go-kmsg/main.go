// Command adapter connects franz-go's kmsg to wireproof: requests, responses and data types by reflection.
//
// ReadFrom takes a slice and does not return where it stopped. It fails if bytes are missing and ignores bytes that it
// does not need, so the shortest prefix that it accepts is the part that it consumes.
package main

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sort"

	"github.com/twmb/franz-go/pkg/kmsg"
	"wireproof/testee"
)

var limits = map[string]string{
	"header":  "a request header that kmsg.RequestFormatter does not write: another API, tags, ...",
	"version": "LeaderChangeMessage says its version in a field, and kmsg goes by that alone",
	"null":    "null where kmsg's type is neither a pointer nor a slice",
	"type":    "a value outside kmsg's Go type",
	"field":   "a field that kmsg's struct does not have",
}

// batches is the reason why record sets are not claimed. Code that this adapter adds would be under test, not kmsg.
const batches = "kmsg has the fields of a batch and of a record; lengths, checksums and compression are its caller's"

func main() {
	kinds := catalogue()
	embedded, framed := kinds.embedded()
	testee.Main(&testee.Testee{
		Hello: testee.Hello{
			Name:     "franz-go kmsg",
			Version:  versionOf("github.com/twmb/franz-go/pkg/kmsg"),
			Links:    map[string]string{"source": "https://github.com/twmb/franz-go/tree/master/pkg/kmsg"},
			Claims:   claims(kinds),
			Embedded: framed,
			Index:    index(kinds),
			Limits:   limits,
			Registry: registry(),
			Unclaimed: []testee.Unclaimed{{
				Reason:   batches,
				Messages: map[string]string{"RecordBatch": "0-2"},
			}},
		},
		Decode: func(name string, version int16, data []byte) (testee.Object, int, error) {
			read, err := kinds.decode(name, version, data)
			if err != nil {
				return nil, 0, err
			}
			return kinds[name].shape(version).object(reflect.ValueOf(read).Elem()), kinds.consumed(name, version, data), nil
		},
		Encode: func(name string, version int16, value testee.Object) ([]byte, error) {
			made, err := kinds.make(name, version, value)
			if err != nil {
				return nil, err
			}
			return kinds.encode(name, made), nil
		},
		Reencode: func(name string, version int16, data []byte) ([]byte, int, error) {
			read, err := kinds.decode(name, version, data)
			if err != nil {
				return nil, 0, err
			}
			return kinds.encode(name, read), kinds.consumed(name, version, data), nil
		},
		Frame:    kinds.frame,
		Embedded: embedded,
	})
}

func (c kinds) decode(name string, version int16, data []byte) (message, error) {
	of, err := c.find(name)
	if err != nil {
		return nil, err
	}
	if of.labelled && len(data) > 1 && binary.BigEndian.Uint16(data) != uint16(version) {
		return nil, &testee.Unsupported{Reason: "version", Message: "the bytes say another version"}
	}
	if of.prefixed {
		data = append(binary.BigEndian.AppendUint16(make([]byte, 0, len(data)+2), uint16(version)), data...)
	}
	read := of.fresh(version)
	if err := read.ReadFrom(data); err != nil {
		return nil, &testee.DecodeError{Class: fmt.Sprintf("%T", err), Message: err.Error()}
	}
	return read, nil
}

// consumed returns the number of bytes that kmsg reads from data that it can decode.
func (c kinds) consumed(name string, version int16, data []byte) int {
	reads := func(length int) bool {
		_, err := c.decode(name, version, data[:length])
		return err == nil
	}
	if len(data) == 0 || !reads(len(data)-1) {
		return len(data)
	}
	if c[name].optional {
		length := len(data) - 1
		for length > 0 && reads(length-1) {
			length--
		}
		return length
	}
	return sort.Search(len(data), reads)
}

func (c kinds) make(name string, version int16, value testee.Object) (message, error) {
	of, err := c.find(name)
	if err != nil {
		return nil, err
	}
	made := of.fresh(version)
	if of.labelled {
		reflect.ValueOf(made).Elem().FieldByName("Version").SetInt(0) // the field's default, if the value omits it
	}
	if err := fill(reflect.ValueOf(made).Elem(), version, value); err != nil {
		return nil, err
	}
	if of.labelled && reflect.ValueOf(made).Elem().FieldByName("Version").Int() != int64(version) {
		return nil, &testee.Unsupported{Reason: "version", Message: "the value says another version"}
	}
	return made, nil
}

func (c kinds) encode(name string, made message) []byte {
	data := made.AppendTo(nil)
	if c[name].prefixed {
		data = data[2:]
	}
	return data
}

// frame encodes a frame with kmsg.RequestFormatter, which builds the header from the request, client id and correlation id.
func (c kinds) frame(name string, version int16, header, value testee.Object) ([]byte, error) {
	made, err := c.make(name, version, value)
	if err != nil {
		return nil, err
	}
	request, ok := made.(kmsg.Request)
	if !ok {
		return nil, fmt.Errorf("%s is not a request", name)
	}
	options := []kmsg.RequestFormatterOpt{kmsg.FormatterClientID("")} // the default of a header without a client id
	var correlation int64
	for _, member := range header {
		var number int64
		switch err = nil; member.Name {
		case "correlationId":
			correlation, err = testee.AsInt(member.Value, 32)
		case "clientId":
			options = nil
			if member.Value != nil {
				var id string
				id, err = testee.AsString(member.Value)
				options = []kmsg.RequestFormatterOpt{kmsg.FormatterClientID(id)}
			}
		case "requestApiKey":
			if number, err = testee.AsInt(member.Value, 16); err == nil && number != int64(request.Key()) {
				err = fmt.Errorf("%s has the key %d", name, request.Key())
			}
		case "requestApiVersion":
			if number, err = testee.AsInt(member.Value, 16); err == nil && number != int64(version) {
				err = fmt.Errorf("the request has version %d", version)
			}
		default:
			err = fmt.Errorf("%s is not written", member.Name)
		}
		if err != nil {
			return nil, &testee.Unsupported{Reason: "header", Message: err.Error()}
		}
	}
	return kmsg.NewRequestFormatter(options...).AppendRequest(nil, request, int32(correlation)), nil
}
