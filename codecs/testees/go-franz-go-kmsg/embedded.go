package main

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
	"wireproof/testee"
)

// embedded returns the operations and claims of the data types that start with their version. It does not claim
// the keys of coordinators: users of kmsg have to read the version themselves and choose the type by it.
func (c kinds) embedded() (testee.Embedded, map[string]testee.Claim) {
	claimed := map[string]testee.Claim{}
	for name, of := range c {
		if of.prefixed && !strings.HasSuffix(name, "Key") {
			claimed[name] = testee.Claim{Decode: of.versions, Encode: of.versions, Reencode: of.versions}
		}
	}
	return testee.Embedded{
		Decode: func(_, name string, data, _ []byte) (testee.Found, error) {
			read, version, err := c.decodeEmbedded(name, data)
			if err != nil {
				return testee.Found{}, err
			}
			value := c[name].shape(version).object(reflect.ValueOf(read).Elem())
			return testee.Found{Message: name, Version: version, Value: value, Consumed: c.consumedEmbedded(name, data)}, nil
		},
		Encode: func(framing, name string, version int16, value testee.Object) (data, key []byte, err error) {
			made, err := c.make(name, version, value)
			if err != nil {
				return nil, nil, err
			}
			if framing == "transaction-marker" { // the value of a record whose key marks a commit
				commit := kmsg.NewControlRecordKey()
				commit.Type = kmsg.ControlRecordKeyTypeCommit
				key = commit.AppendTo(nil)
			}
			return made.AppendTo(nil), key, nil
		},
		Reencode: func(_, name string, data, _ []byte) (again, key []byte, consumed int, err error) {
			read, _, err := c.decodeEmbedded(name, data)
			if err != nil {
				return nil, nil, 0, err
			}
			return read.AppendTo(nil), nil, c.consumedEmbedded(name, data), nil
		},
	}, claimed
}

// consumedEmbedded returns the number of bytes that kmsg reads from data that it can decode.
func (c kinds) consumedEmbedded(name string, data []byte) int {
	return sort.Search(len(data), func(length int) bool {
		_, _, err := c.decodeEmbedded(name, data[:length])
		return err == nil
	})
}

// decodeEmbedded decodes a message and returns its version. kmsg keeps a version newer than its own and reads the
// fields that it knows; the result is then kmsg's newest version.
func (c kinds) decodeEmbedded(name string, data []byte) (message, int16, error) {
	of, err := c.find(name)
	if err != nil {
		return nil, 0, err
	}
	read := of.fresh(0)
	if err := read.ReadFrom(data); err != nil {
		return nil, 0, &testee.DecodeError{Class: fmt.Sprintf("%T", err), Message: err.Error()}
	}
	newest, err := strconv.Atoi(of.versions[strings.LastIndexByte(of.versions, '-')+1:])
	version := int16(reflect.ValueOf(read).Elem().FieldByName("Version").Int())
	return read, min(version, int16(newest)), err
}
