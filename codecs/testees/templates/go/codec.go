package main

// An example codec for one message, so that the adapter works at once. Delete this file.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"
)

const (
	longestText = 1<<15 - 1
	highestTag  = 1<<31 - 2
	lastVersion = 3
)

// ApiVersionsRequest has fields since version 3.
type ApiVersionsRequest struct {
	ClientSoftwareName    string
	ClientSoftwareVersion string
	Tags                  []Tag
}

// Tag is a tagged field that this codec does not know.
type Tag struct {
	Number uint32
	Data   []byte
}

// Encode encodes the request.
func (r *ApiVersionsRequest) Encode(version int16) (out []byte, err error) {
	if err = checkVersion(version); err != nil || version < 3 {
		return nil, err
	}
	for _, text := range []string{r.ClientSoftwareName, r.ClientSoftwareVersion} {
		out = binary.AppendUvarint(out, uint64(len(text))+1)
		out = append(out, text...)
	}
	sort.Slice(r.Tags, func(i, j int) bool { return r.Tags[i].Number < r.Tags[j].Number })
	out = binary.AppendUvarint(out, uint64(len(r.Tags)))
	for _, tag := range r.Tags {
		out = binary.AppendUvarint(out, uint64(tag.Number))
		out = binary.AppendUvarint(out, uint64(len(tag.Data)))
		out = append(out, tag.Data...)
	}
	return out, nil
}

// Decode decodes the request and returns the number of bytes read.
func (r *ApiVersionsRequest) Decode(version int16, data []byte) (consumed int, err error) {
	if err = checkVersion(version); err != nil || version < 3 {
		return 0, err
	}
	in := reader{left: data}
	r.ClientSoftwareName, r.ClientSoftwareVersion = in.text(), in.text()
	last := int64(-1)
	for count := in.uvarint(); count > 0 && in.err == nil; count-- {
		tag := Tag{Number: in.uvarint()}
		tag.Data = in.take(int64(in.uvarint()))
		if int64(tag.Number) <= last || tag.Number > highestTag {
			in.fail("a tag number that is not above the previous one, or too large")
		}
		r.Tags, last = append(r.Tags, tag), int64(tag.Number)
	}
	return len(data) - len(in.left), in.err
}

func checkVersion(version int16) error {
	if version < 0 || version > lastVersion {
		return fmt.Errorf("ApiVersionsRequest has versions 0 to %d, not %d", lastVersion, version)
	}
	return nil
}

// reader returns zero values after its first error.
type reader struct {
	left []byte
	err  error
}

func (in *reader) fail(message string) {
	if in.err == nil {
		in.err = errors.New(message)
	}
}

func (in *reader) take(count int64) []byte {
	if count < 0 || count > int64(len(in.left)) || in.err != nil {
		in.fail("a length beyond the end of the data")
		return nil
	}
	taken := in.left[:count]
	in.left = in.left[count:]
	return taken
}

func (in *reader) text() string {
	taken := in.take(int64(in.uvarint()) - 1)
	if !utf8.Valid(taken) || len(taken) > longestText {
		in.fail("a string that is not UTF-8, or too long")
	}
	return string(taken)
}

func (in *reader) uvarint() uint32 {
	number, length := binary.Uvarint(in.left)
	if length <= 0 || length > 5 || number > 1<<32-1 {
		in.fail("a varint that is truncated or too long")
		return 0
	}
	in.left = in.left[length:]
	return uint32(number)
}
