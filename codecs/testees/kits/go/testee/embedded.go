package testee

import "fmt"

// Embedded has messages in the framings in which other data carry them. What the codec does not have stays nil.
//
// Who reads is told what a reader of Kafka's knows beforehand: the name of the message, the topic of a
// coordinator's key (group, transaction, share), or nothing; and the key of the record whose value data is, where
// that says more. A key that is written is nil where there is none.
type Embedded struct {
	// Decode finds out which message data hold, makes a value of it, and tells how many bytes were read.
	Decode func(framing, known string, data, key []byte) (found Found, err error)
	// Encode makes bytes of a message, with what stands before it.
	Encode func(framing, message string, version int16, value Object) (data, key []byte, err error)
	// Reencode decodes and encodes again.
	Reencode func(framing, known string, data, key []byte) (again, newKey []byte, consumed int, err error)
	// Size tells how long data would be.
	Size func(framing, message string, version int16, value Object) (int, error)
}

// Found is a message that was embedded.
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
		err = fmt.Errorf("the operation %q of embedded data was not claimed", asked.op)
	}
	return given, err
}
