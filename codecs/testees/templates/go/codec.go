package main

// Stands in for your codec, so that the adapter works at once: one message, by hand. Delete it.

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

// Encode makes bytes.
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

// Decode reads bytes and tells how many it read.
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
			in.fail("a tag that is not above the one before it, or too high")
		}
		r.Tags, last = append(r.Tags, tag), int64(tag.Number)
	}
	return len(data) - len(in.left), in.err
}

func checkVersion(version int16) error {
	if version < 0 || version > lastVersion {
		return fmt.Errorf("ApiVersionsRequest has no version %d, only 0 to %d", version, lastVersion)
	}
	return nil
}

// reader gives zero values once something was wrong.
type reader struct {
	left []byte
	err  error
}

func (in *reader) fail(words string) {
	if in.err == nil {
		in.err = errors.New(words)
	}
}

func (in *reader) take(count int64) []byte {
	if count < 0 || count > int64(len(in.left)) || in.err != nil {
		in.fail("a length that is beyond the end")
		return nil
	}
	taken := in.left[:count]
	in.left = in.left[count:]
	return taken
}

func (in *reader) text() string {
	taken := in.take(int64(in.uvarint()) - 1)
	if !utf8.Valid(taken) || len(taken) > longestText {
		in.fail("a string that is no UTF-8, or too long")
	}
	return string(taken)
}

func (in *reader) uvarint() uint32 {
	number, length := binary.Uvarint(in.left)
	if length <= 0 || length > 5 || number > 1<<32-1 {
		in.fail("a varint that does not end, or too long a one")
		return 0
	}
	in.left = in.left[length:]
	return uint32(number)
}
