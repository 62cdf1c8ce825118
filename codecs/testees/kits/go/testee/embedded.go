package testee

import "fmt"

// Embedded holds the operations on messages that other data carry, such as the values of records in
// __consumer_offsets. Leave nil what the codec does not implement.
//
// The argument known is what a Kafka reader knows before it reads: the name of the message, the topic of a
// coordinator's key (group, transaction, share), or the empty string. The argument key is the key of the record
// that has data as its value, if the message depends on it. Functions return a nil key if the framing has none.
type Embedded struct {
	// Decode detects which message data holds and decodes it. Found.Consumed is the number of bytes read.
	Decode func(framing, known string, data, key []byte) (found Found, err error)
	// Encode encodes a message, including the bytes that its framing puts before it.
	Encode func(framing, message string, version int16, value Object) (data, key []byte, err error)
	// Reencode decodes data and encodes the result.
	Reencode func(framing, known string, data, key []byte) (again, newKey []byte, consumed int, err error)
	// Size returns the length of the data that Encode would return.
	Size func(framing, message string, version int16, value Object) (int, error)
}

// Found is the result of Embedded.Decode: a message, and the number of bytes read.
type Found struct {
	Message  string
	Version  int16
	Value    Object
	Consumed int
}

func (e *Embedded) call(asked *request) (given result, err error) {
	known := asked.message
	if known == "" {
		known = asked.topic
	}
	switch {
	case asked.op == "decode" && e.Decode != nil:
		var found Found
		found, err = e.Decode(asked.framing, known, asked.data, asked.key)
		given = result{value: found.Value, number: found.Consumed, message: found.Message, version: found.Version}
	case asked.op == "encode" && e.Encode != nil:
		given.data, given.key, err = e.Encode(asked.framing, asked.message, asked.version, asked.value)
	case asked.op == "reencode" && e.Reencode != nil:
		given.data, given.key, given.number, err = e.Reencode(asked.framing, known, asked.data, asked.key)
	case asked.op == "size" && e.Size != nil:
		given.number, err = e.Size(asked.framing, asked.message, asked.version, asked.value)
	default:
		err = &AdapterError{fmt.Sprintf("the operation %q on embedded data was not claimed", asked.op)}
	}
	return given, err
}
