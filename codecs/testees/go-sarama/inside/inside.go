// Package sarama does not export its codec. The build adds this file to the copy of the package that
// `go mod vendor` makes, and changes nothing else in it.
package sarama

// WireproofBody is a request or a response.
type WireproofBody struct{ body protocolBody }

// WireproofNew creates an empty request or response of an API. It returns nil if sarama does not implement it.
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

// Valid reports whether sarama supports the version.
func (b *WireproofBody) Valid() bool { return b.body.isValidVersion() }

// HeaderVersion returns the version of the message's header.
func (b *WireproofBody) HeaderVersion() int16 { return b.body.headerVersion() }

// Message returns sarama's message.
func (b *WireproofBody) Message() any { return b.body }

// Decode decodes all of the bytes, as sarama does with the bytes after a header.
func (b *WireproofBody) Decode(data []byte) error {
	return versionedDecode(data, b.body, b.body.version(), nil)
}

// Encode encodes the message.
func (b *WireproofBody) Encode() ([]byte, error) { return encode(b.body, nil) }
