// Package sarama, seen from within: its codec is not exported. The build lays this file beside sarama's own, in the
// copy that `go mod vendor` makes; nothing of sarama's is changed.
package sarama

// WireproofBody is a request or a response.
type WireproofBody struct{ body protocolBody }

// WireproofNew makes an empty request or response of an API; nil where sarama has none of it.
func WireproofNew(key, version int16, response bool) *WireproofBody {
	allocate := allocateBody
	if response {
		allocate = allocateResponseBody
	}
	body := allocate(key, version)
	if body == nil {
		return nil
	}
	body.setVersion(version)
	return &WireproofBody{body}
}

// Valid says whether sarama knows the version.
func (b *WireproofBody) Valid() bool { return b.body.isValidVersion() }

// HeaderVersion is that of the header before it.
func (b *WireproofBody) HeaderVersion() int16 { return b.body.headerVersion() }

// Message is the message itself.
func (b *WireproofBody) Message() any { return b.body }

// Decode reads all of the bytes, as sarama does with what stands behind a header.
func (b *WireproofBody) Decode(data []byte) error {
	return versionedDecode(data, b.body, b.body.version(), nil)
}

// Encode writes it.
func (b *WireproofBody) Encode() ([]byte, error) { return encode(b.body, nil) }
