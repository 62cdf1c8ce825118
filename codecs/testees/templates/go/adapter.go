// The adapter of my-codec: the calls of the codec, and nothing else. The protocol is in the kit.
package main

import "wireproof/testee"

func main() {
	testee.Main(&testee.Testee{
		Hello: testee.Hello{
			Name:    "my-codec",
			Version: "0.1.0", // better asked of the build: debug.ReadBuildInfo
			Claims: map[string]testee.Claim{
				"ApiVersionsRequest": {Decode: "0-3", Encode: "0-3", Reencode: "0-3"},
			},
			// Record sets are the message RecordBatch, with Compressions; what others carry is for Testee.Embedded.
			// All that your codec has, out of its own index; what of that is not claimed goes into Unclaimed, with why.
			Index: map[string]testee.Ways{"ApiVersionsRequest": {Encode: "0-3", Decode: "0-3"}},
		},
		Decode: func(_ string, version int16, data []byte) (testee.Object, int, error) {
			read, consumed, err := decode(version, data)
			return object(version, read), consumed, err
		},
		Encode: func(_ string, version int16, value testee.Object) ([]byte, error) {
			made, err := fromObject(value)
			if err != nil {
				return nil, err
			}
			return made.Encode(version) // a codec that declines values: as *testee.EncodeError
		},
		Reencode: func(_ string, version int16, data []byte) ([]byte, int, error) {
			read, consumed, err := decode(version, data)
			if err != nil {
				return nil, consumed, err
			}
			made, err := read.Encode(version)
			return made, consumed, err
		},
	})
}

// decode calls the codec; its refusals are told as such. Any other error, and a panic, is a failure of the codec.
func decode(version int16, data []byte) (read ApiVersionsRequest, consumed int, err error) {
	if consumed, err = read.Decode(version, data); err != nil {
		err = &testee.DecodeError{Class: "malformed", Message: err.Error()}
	}
	return read, consumed, err
}

// object is the codec's struct under Kafka's names, with the fields of the version.
func object(version int16, read ApiVersionsRequest) testee.Object {
	if version < 3 {
		return testee.Object{}
	}
	value := testee.Object{
		{Name: "clientSoftwareName", Value: read.ClientSoftwareName},
		{Name: "clientSoftwareVersion", Value: read.ClientSoftwareVersion},
	}
	if len(read.Tags) > 0 {
		tags := make([]testee.Tag, len(read.Tags))
		for i, tag := range read.Tags {
			tags[i] = testee.Tag(tag)
		}
		value = append(value, testee.Member{Name: testee.TagsName, Value: testee.TagsObject(tags)})
	}
	return value
}

// fromObject fills the codec's struct; what the value leaves out stays at the codec's default.
func fromObject(value testee.Object) (made ApiVersionsRequest, err error) {
	for _, member := range value {
		switch member.Name {
		case "clientSoftwareName":
			made.ClientSoftwareName, err = testee.AsString(member.Value)
		case "clientSoftwareVersion":
			made.ClientSoftwareVersion, err = testee.AsString(member.Value)
		case testee.TagsName:
			var tags []testee.Tag
			tags, err = testee.AsTags(member.Value)
			for _, tag := range tags {
				made.Tags = append(made.Tags, Tag(tag))
			}
		}
		if err != nil {
			return made, err
		}
	}
	return made, nil
}
