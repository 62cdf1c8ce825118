package testee

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// keptLine is the largest buffer of a line, in bytes, that Serve reuses for the next line.
const keptLine = 1 << 20

// Main serves requests on standard input until a stop request or the end of the input, and exits the process.
// It redirects standard output to standard error, so that output of the codec does not mix with the answers.
func Main(codec *Testee) {
	out, err := takeStdout()
	if err == nil {
		limitMemory()
		err = codec.Serve(os.Stdin, out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testee:", err)
		os.Exit(2)
	}
	os.Exit(0)
}

// Serve reads requests from in and writes answers to out, until a stop request or the end of in.
//
// It returns an error if a line is not a valid request, or if in or out fails.
func (t *Testee) Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	w := &writer{out: bufio.NewWriterSize(out, 1<<16)}
	var kept []byte
	for {
		line, err := readLine(lines, kept[:0])
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		stopped, err := t.answerLine(w, line)
		if err = errors.Join(err, w.out.Flush()); err != nil || stopped {
			return err
		}
		if kept = line; cap(kept) > keptLine {
			kept = nil
		}
	}
}

func readLine(lines *bufio.Reader, line []byte) ([]byte, error) {
	for {
		piece, err := lines.ReadSlice('\n')
		line = append(line, piece...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// answerLine answers a line: a request with an answer, a list of requests with a list of answers.
func (t *Testee) answerLine(w *writer, line []byte) (stopped bool, err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case lineError:
			err = cause
		default:
			panic(cause)
		}
	}()
	p := &parser{line: line}
	if p.peek() != '[' {
		stopped = t.answer(w, p.request())
	} else {
		separator := "["
		p.each('[', ']', func() {
			asked := p.request()
			w.raw(separator)
			separator = ","
			stopped = t.answer(w, asked) || stopped
		})
		w.raw("]")
	}
	w.raw("\n")
	if p.peek() != 0 {
		p.fail("the end of the line")
	}
	return stopped, nil
}

// result is the result of an operation. The operation determines which fields are set.
type result struct {
	data          []byte
	number        int
	header, value Object
	key           []byte
	message       string
	version       int16
	equality      Equality
	found         any // the value of a primitive
	parts         int // of a stream, of which bytes were read
}

func (t *Testee) answer(w *writer, asked request) (stopped bool) {
	w.raw(`{"id":`)
	w.int(asked.id)
	w.raw(",")
	switch asked.op {
	case "hello":
		w.key("ok")
		w.out.Write(t.hello())
	case "stop":
		w.raw(`"ok":{}`)
		stopped = true
	default:
		given, err := t.call(&asked)
		if err == nil {
			err = given.unfit(asked.op)
		}
		if err != nil {
			w.refusal(err)
		} else {
			w.ok(asked.op, given)
		}
	}
	w.raw("}")
	return stopped
}

// call calls the codec. It returns a panic as an error and prints the stack to standard error.
func (t *Testee) call(asked *request) (given result, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			format := "panic in %s of %s/%d: %v\n%.4000s\n"
			fmt.Fprintf(os.Stderr, format, asked.op, asked.message, asked.version, cause, debug.Stack())
			err = &panicError{cause}
		}
	}()
	message, version := asked.message, asked.version
	if asked.framing != "" {
		return t.Embedded.call(asked)
	}
	if asked.op == "primitive" {
		return t.primitive(asked)
	}
	switch {
	case asked.op == "equal" && t.Equal != nil:
		given.equality, err = t.Equal(message, version, asked.data, asked.other)
	case asked.op == "copy" && t.Copy != nil:
		given.data, err = t.Copy(message, version, asked.data)
	case asked.op == "decode" && t.Decode != nil:
		given.value, given.number, err = t.Decode(message, version, asked.data)
	case asked.op == "encode" && t.Encode != nil:
		given.data, err = t.Encode(message, version, asked.value)
	case asked.op == "reencode" && t.Reencode != nil:
		given.data, given.number, err = t.Reencode(message, version, asked.data)
	case asked.op == "size" && t.Size != nil:
		given.number, err = t.Size(message, version, asked.value)
	case asked.op == "frame" && t.Frame != nil:
		given.data, err = t.Frame(message, version, asked.header, asked.value)
	case asked.op == "unframe" && t.Unframe != nil:
		given.header, given.value, given.number, err = t.Unframe(message, version, asked.data)
	case asked.op == "feed" && t.Feed != nil:
		stream := &partStream{parts: asked.parts}
		given.value, given.number, err = t.Feed(message, version, stream)
		given.parts = stream.given
	default:
		err = &AdapterError{fmt.Sprintf("the operation %q was not claimed", asked.op)}
	}
	return given, err
}

// partStream reads bytes that arrive in parts. It counts the parts of which bytes were read.
type partStream struct {
	parts [][]byte
	given int
	rest  []byte
}

func (s *partStream) Read(into []byte) (int, error) {
	if len(s.rest) == 0 && len(into) > 0 {
		if s.given == len(s.parts) {
			return 0, io.EOF
		}
		s.rest = s.parts[s.given]
		s.given++
	}
	count := copy(into, s.rest)
	s.rest = s.rest[count:]
	return count, nil
}

// primitive encodes the request's value if it has one, else decodes its data.
func (t *Testee) primitive(asked *request) (given result, err error) {
	primitive := t.Primitives[asked.kind]
	switch {
	case asked.written && primitive.Encode != nil:
		given.data, err = primitive.Encode(asked.given)
		if given.data == nil {
			given.data = []byte{}
		}
	case !asked.written && primitive.Decode != nil:
		given.found, given.number, err = primitive.Decode(asked.data)
	default:
		err = &AdapterError{fmt.Sprintf("the primitive %q was not claimed", asked.kind)}
	}
	return given, err
}

// unfit returns the reason why the protocol has no form for a result; nil if it has one.
func (r *result) unfit(op string) error {
	if r.number < 0 {
		return &AdapterError{fmt.Sprintf("%s returned %d as a number of bytes: expected 0 or more", op, r.number)}
	}
	for _, value := range []any{r.header, r.value, r.found} {
		if kind := formless(value); kind != "" {
			const expected = "expected nil, a bool, an integer, a float64, a string, []byte, [16]byte, []any or an Object"
			return &AdapterError{fmt.Sprintf("%s returned a value that is a %s: %s", op, kind, expected)}
		}
	}
	return nil
}

// formless returns the first type in a value that has no canonical form; empty if there is none.
func formless(value any) string {
	switch typed := value.(type) {
	case nil, bool, int8, int16, int32, int, uint8, uint16, int64, uint32, uint64, float64, string, text, number,
		[]byte, [16]byte:
	case []any:
		for _, item := range typed {
			if kind := formless(item); kind != "" {
				return kind
			}
		}
	case Object:
		for i := range typed {
			if kind := formless(typed[i].Value); kind != "" {
				return kind
			}
		}
	default:
		return fmt.Sprintf("%T", value)
	}
	return ""
}

type panicError struct{ cause any }

func (e *panicError) Error() string { return fmt.Sprint(e.cause) }

func (w *writer) ok(op string, given result) {
	w.key("ok")
	separator := "{"
	part := func(name string, value any) {
		w.raw(separator)
		separator = ","
		w.key(name)
		w.value(value)
	}
	switch op {
	case "encode", "frame", "reencode", "copy":
		part("data", given.data)
	case "primitive":
		if given.data != nil {
			part("data", given.data)
		} else {
			part("value", given.found)
			part("consumed", given.number)
		}
	case "equal":
		part("equal", given.equality.Equal)
		if given.equality.Hashes != nil {
			part("hashes", *given.equality.Hashes)
		}
	case "size":
		part("size", given.number)
	case "unframe":
		part("header", given.header)
		part("value", given.value)
	default:
		part("value", given.value)
	}
	if given.key != nil {
		part("key", given.key)
	}
	if given.message != "" {
		part("message", given.message)
		part("version", int(given.version))
	}
	if op == "decode" || op == "reencode" || op == "unframe" || op == "feed" {
		part("consumed", given.number)
	}
	if op == "feed" {
		part("parts", given.parts)
	}
	w.raw("}")
}

func (w *writer) refusal(err error) {
	var decoding *DecodeError
	var encoding *EncodeError
	var unsupported *Unsupported
	var mistaken *AdapterError
	var panicked *panicError
	switch {
	case errors.As(err, &decoding):
		detail := errorDetail(decoding.Class, decoding.Message)
		if decoding.Offset != nil {
			detail = append(detail, Member{"offset", *decoding.Offset})
		}
		w.key("decode_error")
		w.object(detail)
	case errors.As(err, &encoding):
		detail := errorDetail(encoding.Class, encoding.Message)
		if encoding.Path != "" {
			detail = append(detail, Member{"path", encoding.Path})
		}
		w.key("encode_error")
		w.object(detail)
	case errors.As(err, &unsupported):
		w.key("unsupported")
		w.object(Object{{"reason", unsupported.Reason}, {"message", unsupported.Message}})
	case errors.As(err, &mistaken):
		w.key("internal_error")
		w.object(errorDetail("AdapterError", mistaken.Message))
	case errors.As(err, &panicked):
		w.key("internal_error")
		w.object(errorDetail(fmt.Sprintf("panic %T", panicked.cause), err.Error()))
	default:
		w.key("internal_error")
		w.object(errorDetail(fmt.Sprintf("%T", err), err.Error()))
	}
}

func errorDetail(class, message string) Object { return Object{{"class", class}, {"message", message}} }

// nonEmpty drops claims without operations: the protocol does not allow them.
func nonEmpty(all map[string]Claim) map[string]Claim {
	claims := map[string]Claim{}
	for message, claim := range all {
		if claim != (Claim{}) {
			claims[message] = claim
		}
	}
	return claims
}

// primitives returns the claimed operations of each primitive.
func (t *Testee) primitives() map[string][]string {
	operations := map[string][]string{}
	for name, primitive := range t.Primitives {
		if primitive.Decode != nil {
			operations[name] = append(operations[name], "decode")
		}
		if primitive.Encode != nil {
			operations[name] = append(operations[name], "encode")
		}
	}
	return operations
}

// hello returns the answer to a hello request, as JSON.
func (t *Testee) hello() []byte {
	type codec struct {
		Name     string            `json:"name"`
		Version  string            `json:"version"`
		Language string            `json:"language"`
		Runtime  string            `json:"runtime"`
		Variant  string            `json:"variant,omitempty"`
		Links    map[string]string `json:"links,omitempty"`
	}
	h := t.Hello
	if h.Language == "" {
		h.Language = "go"
	}
	if h.Runtime == "" {
		h.Runtime = runtime.Version()
	}
	answer, err := json.Marshal(struct {
		Protocol     int                 `json:"protocol"`
		Codec        codec               `json:"codec"`
		Messages     map[string]Claim    `json:"messages"`
		Embedded     map[string]Claim    `json:"embedded,omitempty"`
		Primitives   map[string][]string `json:"primitives,omitempty"`
		Compressions map[string]string   `json:"compressions,omitempty"`
		RecordLimits []string            `json:"recordLimits,omitempty"`
		RecordValues bool                `json:"recordValues,omitempty"`
		Limits       map[string]string   `json:"limits,omitempty"`
		Names        string              `json:"names,omitempty"`
		Refuses      bool                `json:"refuses,omitempty"`
		Whole        bool                `json:"whole,omitempty"`
		Registry     []API               `json:"registry,omitempty"`
		Index        map[string]Ways     `json:"index,omitempty"`
		Unclaimed    []Unclaimed         `json:"unclaimed,omitempty"`
	}{
		Protocol,
		codec{h.Name, h.Version, h.Language, h.Runtime, h.Variant, h.Links},
		nonEmpty(h.Claims), nonEmpty(h.Embedded), t.primitives(), h.Compressions, h.RecordLimits, h.RecordValues,
		h.Limits, h.Names, h.Refuses, h.Whole, h.Registry, h.Index, h.Unclaimed,
	})
	if err != nil {
		panic(err) // cannot happen: the struct holds only strings, booleans and integers
	}
	return answer
}
