// Package testee answers wireproof's questions about a codec: all of the testee protocol but the codec's own
// calls. An adapter fills in a Testee and hands it to Main:
//
//	func main() {
//		testee.Main(&testee.Testee{
//			Hello:    testee.Hello{Name: "my-codec", Version: "1.0.0", Claims: claims},
//			Reencode: reencode,
//		})
//	}
//
// Functions return their result, or an error: *DecodeError and *EncodeError where the codec declined in its
// orderly way, *Unsupported where its types cannot hold the value. Any other error, and any panic, becomes
// an internal_error. Bytes that a function is given are its own until the answer is
// written, not longer.
package testee

// Protocol is the version of the testee protocol that this package speaks.
const Protocol = 1

// Testee is a codec under test. Operations that the codec does not have stay nil and are not claimed.
type Testee struct {
	Hello Hello

	// Decode makes a value of bytes and tells how many of them were read.
	Decode func(message string, version int16, data []byte) (value Object, consumed int, err error)
	// Encode makes bytes of a value; absent fields mean their defaults.
	Encode func(message string, version int16, value Object) ([]byte, error)
	// Reencode decodes and encodes again.
	Reencode func(message string, version int16, data []byte) (again []byte, consumed int, err error)
	// Size tells how long the encoding of a value is.
	Size func(message string, version int16, value Object) (int, error)
	// Frame makes size, header and body.
	Frame func(message string, version int16, header, value Object) ([]byte, error)
	// Unframe takes them apart; consumed counts the four bytes of the size, too.
	Unframe func(message string, version int16, data []byte) (header, value Object, consumed int, err error)
	// Equal tells whether two objects of the codec's, each decoded of its bytes, are equal.
	Equal func(message string, version int16, data, other []byte) (Equality, error)
	// Copy decodes, duplicates what was decoded, and encodes the duplicate.
	Copy func(message string, version int16, data []byte) ([]byte, error)
	// Embedded has the same for messages that other data carry.
	Embedded Embedded
	// Primitives are single ones, by name: Varint, CompactString, ...; they are claimed by being here.
	Primitives map[string]Primitive
}

// Primitive is a single primitive. What the codec does not have stays nil and is not claimed.
type Primitive struct {
	// Decode tells what data hold, whatever stands behind it, and how many bytes of them it takes.
	Decode func(data []byte) (value any, consumed int, err error)
	// Encode makes bytes of a value, which the As functions open; nil is null, where that is a value of it.
	Encode func(value any) ([]byte, error)
}

// Equality is what the codec says of two of its objects. Hashes says whether their hashes are the same, too; nil
// where they have none.
type Equality struct {
	Equal  bool
	Hashes *bool
}

// Hello is who is under test and what is claimed for it.
type Hello struct {
	Name     string // of the codec
	Version  string
	Language string // "go" if left empty
	Runtime  string // Go's version if left empty
	Variant  string
	Links    map[string]string
	Claims   map[string]Claim  // by Kafka's name of the message
	Embedded map[string]Claim  // the same for messages in their framing
	Refuses  bool              // the codec promises to decline values that a version cannot hold
	Whole    bool              // the codec has no defaults: values are to come with every field
	Limits   map[string]string // what the codec's types cannot hold: name to reason
	Registry []API
	// Compressions of record sets, which are the message RecordBatch, with the versions of each: none, gzip, snappy,
	// lz4, zstd.
	Compressions map[string]string
	// RecordLimits names what record sets cannot hold, in the protocol's words, such as "tail": random sets leave it out.
	RecordLimits []string
	// Index holds what the library has, claimed or not, out of its own index: by message, the versions that it
	// encodes and decodes.
	Index     map[string]Ways
	Unclaimed []Unclaimed // why some of the index is not claimed; it is asked for a little all the same
	Names     string      // the Kafka release of the codec's field names, "4.3"; that of the run if left empty
}

// Claim holds the versions of each operation, as ranges: "0-17", "3", "0-3,5-7". Empty is not claimed.
type Claim struct {
	Decode   string `json:"decode,omitempty"`
	Encode   string `json:"encode,omitempty"`
	Reencode string `json:"reencode,omitempty"`
	Size     string `json:"size,omitempty"`
	Frame    string `json:"frame,omitempty"`
	Unframe  string `json:"unframe,omitempty"`
	Equal    string `json:"equal,omitempty"`
	Copy     string `json:"copy,omitempty"`
}

// Ways holds versions of each direction, as ranges; empty for none.
type Ways struct {
	Encode string `json:"encode,omitempty"`
	Decode string `json:"decode,omitempty"`
}

// Unclaimed is why versions of some messages are not claimed. Way is "encode" or "decode", empty for both.
type Unclaimed struct {
	Reason   string            `json:"reason"`
	Messages map[string]string `json:"messages"`
	Way      string            `json:"way,omitempty"`
}

// API is what the codec believes about one API.
type API struct {
	Key      int16      `json:"apiKey"`
	Request  *Direction `json:"request,omitempty"`
	Response *Direction `json:"response,omitempty"`
}

// Direction is a message, its versions, and the version of its header for ranges of them.
type Direction struct {
	Message  string         `json:"message"`
	Versions string         `json:"versions"`
	Headers  map[string]int `json:"headers,omitempty"`
}

// DecodeError says that the codec declined the bytes.
type DecodeError struct {
	Class   string
	Message string
	Offset  *int // where, if the codec knows
}

func (e *DecodeError) Error() string { return e.Class + ": " + e.Message }

// EncodeError says that the codec declined the value.
type EncodeError struct {
	Class   string
	Message string
	Path    string // of the field, if the codec knows
}

func (e *EncodeError) Error() string { return e.Class + ": " + e.Message }

// Unsupported says that the codec's types cannot hold the value. Reason is a name in Hello.Limits.
type Unsupported struct {
	Reason  string
	Message string
}

func (e *Unsupported) Error() string { return e.Reason + ": " + e.Message }
