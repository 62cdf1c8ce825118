// Package testee implements the testee protocol of wireproof. An adapter sets the functions of a Testee, which
// call the codec, and passes it to Main:
//
//	func main() {
//		testee.Main(&testee.Testee{
//			Hello:    testee.Hello{Name: "my-codec", Version: "1.0.0", Claims: claims},
//			Reencode: reencode,
//		})
//	}
//
// Functions return a result or an error: *DecodeError or *EncodeError if the codec rejected its input with an
// error of its own, *Unsupported if the codec's types cannot hold the value, *AdapterError if the adapter itself is
// wrong. Any other error, and any panic, is reported as an internal_error. A function may modify the byte slices that it receives, and must not keep
// them after it returns; the bytes that it returns may share their memory.
package testee

import "io"

// Protocol is the version of the testee protocol that this package implements.
const Protocol = 1

// Testee is a codec under test. Leave nil the operations that the codec does not implement, and do not claim them.
type Testee struct {
	Hello Hello

	// Decode decodes data into a value. It returns the number of bytes read.
	Decode func(message string, version int16, data []byte) (value Object, consumed int, err error)
	// Encode encodes a value. Absent fields have their defaults.
	Encode func(message string, version int16, value Object) ([]byte, error)
	// Reencode decodes data and encodes the result.
	Reencode func(message string, version int16, data []byte) (again []byte, consumed int, err error)
	// Size returns the length of the encoded value in bytes.
	Size func(message string, version int16, value Object) (int, error)
	// Frame encodes a whole frame: size, header and body.
	Frame func(message string, version int16, header, value Object) ([]byte, error)
	// Unframe decodes a whole frame. The four bytes of the size count as consumed.
	Unframe func(message string, version int16, data []byte) (header, value Object, consumed int, err error)
	// Feed decodes a frame from a stream with the codec's own reader. Each Read returns bytes of one part of the frame,
	// then io.EOF. It returns the value of the body and the number of bytes used, without those of a next frame.
	Feed func(message string, version int16, stream io.Reader) (value Object, consumed int, err error)
	// Equal decodes both inputs and compares the two objects with the codec's own equality.
	Equal func(message string, version int16, data, other []byte) (Equality, error)
	// Copy decodes data, copies the object with the codec's own copy function, and encodes the copy.
	Copy func(message string, version int16, data []byte) ([]byte, error)
	// Embedded holds the operations on messages that other data carry.
	Embedded Embedded
	// Primitives maps names (Varint, CompactString, ...) to the codec's functions. All of them are claimed.
	Primitives map[string]Primitive
}

// Primitive holds the functions of a primitive type. A nil function is not claimed.
type Primitive struct {
	// Decode decodes the value at the start of data. It ignores the bytes after it, and returns the bytes read.
	Decode func(data []byte) (value any, consumed int, err error)
	// Encode encodes a value. Read it with the As functions; nil is null, if the type is nullable.
	Encode func(value any) ([]byte, error)
}

// Equality is the result of comparing two objects. Hashes is true if their hashes are equal, nil if the codec's
// objects have no hash.
type Equality struct {
	Equal  bool
	Hashes *bool
}

// Hello describes the codec and lists what the adapter claims for it.
type Hello struct {
	Name     string // of the codec
	Version  string
	Language string // "go" if left empty
	Runtime  string // Go's version if left empty
	Variant  string
	Links    map[string]string
	Claims   map[string]Claim  // by Kafka's name of the message
	Embedded map[string]Claim  // by Kafka's name of the embedded message
	Refuses  bool              // the codec rejects values that a version cannot hold
	Whole    bool              // the codec has no defaults: values must have every field
	Limits   map[string]string // what the codec's types cannot hold, by name: a reason
	Registry []API
	// Compressions maps each supported compression (none, gzip, snappy, lz4, zstd) to the versions of record sets
	// that support it. Claim record sets as the message RecordBatch.
	Compressions map[string]string
	// RecordLimits names the parts of record sets that the codec cannot represent, in the protocol's words, such as
	// "tail". Random record sets omit them.
	RecordLimits []string
	// RecordValues is true if the codec reads the records with the message: values hold record sets, in the form of
	// RecordBatch, in place of the bytes of the fields of type records.
	RecordValues bool
	// Index lists all messages that the library implements, claimed or not, read from the library itself: by message,
	// the versions that it encodes and decodes.
	Index     map[string]Ways
	Unclaimed []Unclaimed // reasons for the messages in Index without a claim
	Names     string      // the Kafka release whose field names the codec uses, "4.3"; empty for the run's release
}

// Claim holds the claimed versions of each operation, as ranges: "0-17", "3", "0-3,5-7". An operation with an
// empty string is not claimed.
type Claim struct {
	Decode   string `json:"decode,omitempty"`
	Encode   string `json:"encode,omitempty"`
	Reencode string `json:"reencode,omitempty"`
	Size     string `json:"size,omitempty"`
	Frame    string `json:"frame,omitempty"`
	Unframe  string `json:"unframe,omitempty"`
	Feed     string `json:"feed,omitempty"`
	Equal    string `json:"equal,omitempty"`
	Copy     string `json:"copy,omitempty"`
}

// Ways holds the versions that a library encodes and decodes, as ranges; empty for none.
type Ways struct {
	Encode string `json:"encode,omitempty"`
	Decode string `json:"decode,omitempty"`
}

// Unclaimed is the reason why versions of some messages are not claimed. Way is "encode" or "decode", empty for both.
type Unclaimed struct {
	Reason   string            `json:"reason"`
	Messages map[string]string `json:"messages"`
	Way      string            `json:"way,omitempty"`
}

// API is the codec's entry for one API key.
type API struct {
	Key      int16      `json:"apiKey"`
	Request  *Direction `json:"request,omitempty"`
	Response *Direction `json:"response,omitempty"`
}

// Direction is the request or the response of an API: its message, its versions, and the header versions by range.
type Direction struct {
	Message  string         `json:"message"`
	Versions string         `json:"versions"`
	Headers  map[string]int `json:"headers,omitempty"`
}

// DecodeError reports that the codec rejected the bytes.
type DecodeError struct {
	Class   string // the type of the codec's error
	Message string
	Offset  *int // of the rejected byte, if the codec reports it
}

func (e *DecodeError) Error() string { return e.Class + ": " + e.Message }

// EncodeError reports that the codec rejected the value.
type EncodeError struct {
	Class   string // the type of the codec's error
	Message string
	Path    string // of the rejected field, if the codec reports it
}

func (e *EncodeError) Error() string { return e.Class + ": " + e.Message }

// Unsupported reports that the codec's types cannot hold the value. Reason is a key of Hello.Limits.
type Unsupported struct {
	Reason  string
	Message string
}

func (e *Unsupported) Error() string { return e.Reason + ": " + e.Message }

// AdapterError reports a mistake of the adapter: it is not blamed on the codec. The kit reports as such an operation
// without a function, an As function that does not fit the value, and a result that the protocol has no form for.
type AdapterError struct{ Message string }

func (e *AdapterError) Error() string { return e.Message }
