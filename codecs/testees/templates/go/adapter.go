// Command adapter connects my-codec to wireproof. It only calls the codec: package testee implements the protocol.
package main

import "wireproof/testee"

func main() {
	testee.Main(&testee.Testee{
		Hello: testee.Hello{
			Name:    "my-codec",
			Version: "0.1.0", // better: read it from debug.ReadBuildInfo
			Claims: map[string]testee.Claim{
				"ApiVersionsRequest": {Decode: "0-3", Encode: "0-3", Reencode: "0-3"},
			},
			// Claim record sets as the message RecordBatch, with Compressions; for messages inside other data set
			// Testee.Embedded. Index lists all that your codec implements, read from the codec itself. List messages
			// without a claim in Unclaimed, with the reason.
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
			return made.Encode(version) // if your codec rejects values: return a *testee.EncodeError
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

// decode calls the codec and returns its errors as *testee.DecodeError. The kit reports any other error, and a
// panic, as a failure of the codec.
func decode(version int16, data []byte) (read ApiVersionsRequest, consumed int, err error) {
	if consumed, err = read.Decode(version, data); err != nil {
		err = &testee.DecodeError{Class: "malformed", Message: err.Error()}
	}
	return read, consumed, err
}

// object converts the codec's struct to an object with Kafka's names and the fields of the version.
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

// fromObject converts an object to the codec's struct. Absent fields keep the codec's defaults.
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
