package testee

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// parser reads one line of requests. It makes no copies: strings and numbers are slices of the line, and
// bytes are decoded in place, so a line of hundreds of megabytes is in memory only once.
//
// A line that is not valid JSON ends the session: fail panics with a lineError, which Serve recovers.
type parser struct {
	line []byte
	at   int
}

type lineError struct{ problem string }

func (e lineError) Error() string { return e.problem }

func (p *parser) fail(wanted string) {
	end := min(len(p.line), p.at+40)
	panic(lineError{fmt.Sprintf("%s expected at %d of the line, found %q", wanted, p.at, p.line[min(p.at, end):end])})
}

// peek skips white space and returns the next byte without consuming it, 0 at the end of the line.
func (p *parser) peek() byte {
	for p.at < len(p.line) {
		switch char := p.line[p.at]; char {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return char
		}
	}
	return 0
}

func (p *parser) expect(char byte) {
	if p.peek() != char {
		p.fail(strconv.QuoteRune(rune(char)))
	}
	p.at++
}

// each calls one for every item between two brackets; one has to consume the item.
func (p *parser) each(open, end byte, one func()) {
	p.expect(open)
	if p.peek() == end {
		p.at++
		return
	}
	for {
		one()
		if p.peek() != ',' {
			break
		}
		p.at++
	}
	p.expect(end)
}

func (p *parser) value() any {
	switch p.peek() {
	case '{':
		return p.object()
	case '[':
		list := []any{}
		p.each('[', ']', func() { list = append(list, p.value()) })
		return list
	case '"':
		return p.text()
	case 'n':
		p.word("null")
		return nil
	case 't':
		p.word("true")
		return true
	case 'f':
		p.word("false")
		return false
	}
	return p.number()
}

func (p *parser) object() Object {
	object := Object{}
	p.each('{', '}', func() {
		name := string(p.text())
		p.expect(':')
		object = append(object, Member{name, p.value()})
	})
	return object
}

func (p *parser) word(word string) {
	if !bytes.HasPrefix(p.line[p.at:], []byte(word)) {
		p.fail(word)
	}
	p.at += len(word)
}

func (p *parser) number() number {
	p.peek()
	from := p.at
	for p.at < len(p.line) && bytes.IndexByte([]byte("+-.0123456789Ee"), p.line[p.at]) >= 0 {
		p.at++
	}
	if from == p.at {
		p.fail("a value")
	}
	return number(p.line[from:p.at])
}

func (p *parser) integer(bits int) int64 {
	digits := p.number()
	value, err := strconv.ParseInt(string(digits), 10, bits)
	if err != nil {
		p.at -= len(digits)
		p.fail(fmt.Sprintf("an integer of %d bits", bits))
	}
	return value
}

// text reads a string. It decodes escapes in place: the result is never longer.
func (p *parser) text() text {
	p.expect('"')
	rest := p.line[p.at:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		p.fail("the end of a string")
	}
	if bytes.IndexByte(rest[:end], '\\') >= 0 {
		return p.escaped()
	}
	p.at += end + 1
	return text(rest[:end:end])
}

func (p *parser) escaped() text {
	from, to := p.at, p.at
	for p.at < len(p.line) {
		char := p.line[p.at]
		p.at++
		switch char {
		case '"':
			return text(p.line[from:to:to])
		case '\\':
			to = len(utf8.AppendRune(p.line[:to], p.escape()))
		default:
			p.line[to] = char
			to++
		}
	}
	p.fail("the end of a string")
	return nil
}

// escape reads the rest of an escape, after the backslash. An escape is never shorter than its rune in UTF-8.
func (p *parser) escape() rune {
	if p.at >= len(p.line) {
		p.fail("an escape")
	}
	char := p.line[p.at]
	p.at++
	if char == 'u' {
		return p.unit()
	}
	plain := bytes.IndexByte([]byte(`"\/bfnrt`), char)
	if plain < 0 {
		p.at--
		p.fail("an escape")
	}
	return rune("\"\\/\b\f\n\r\t"[plain])
}

// unit reads a UTF-16 code unit, or a surrogate pair. A lone surrogate becomes U+FFFD: UTF-8 cannot encode it.
func (p *parser) unit() rune {
	first := p.fourDigits()
	if !utf16.IsSurrogate(first) {
		return first
	}
	if bytes.HasPrefix(p.line[p.at:], []byte(`\u`)) {
		back := p.at
		p.at += 2
		if pair := utf16.DecodeRune(first, p.fourDigits()); pair != utf8.RuneError {
			return pair
		}
		p.at = back
	}
	return utf8.RuneError
}

func (p *parser) fourDigits() rune {
	if p.at+4 > len(p.line) {
		p.fail("four hexadecimal digits")
	}
	value, err := strconv.ParseUint(string(p.line[p.at:p.at+4]), 16, 16)
	if err != nil {
		p.fail("four hexadecimal digits")
	}
	p.at += 4
	return rune(value)
}

// hex reads a string of hexadecimal digits and decodes it in place.
func (p *parser) hex() []byte {
	digits := p.text()
	n, err := hex.Decode(digits, digits)
	if err != nil {
		p.fail("hexadecimal bytes")
	}
	return digits[:n:n]
}

// request is one request of the harness. Fields that its operation does not use are empty.
type request struct {
	id      int64
	op      string
	message string
	version int16
	data    []byte
	value   Object
	header  Object
	framing string
	topic   string
	key     []byte
	kind    string // of a primitive
	other   []byte
	parts   [][]byte
	given   any  // the value, of any JSON type
	written bool // the request has a value
}

func (p *parser) request() request {
	asked := request{id: -1}
	p.each('{', '}', func() {
		name := p.text()
		p.expect(':')
		switch string(name) {
		case "id":
			asked.id = p.integer(64)
		case "op":
			asked.op = string(p.text())
		case "message":
			asked.message = string(p.text())
		case "version":
			asked.version = int16(p.integer(16))
		case "data":
			asked.data = p.hex()
		case "value":
			asked.given, asked.written = p.value(), true
		case "header":
			asked.header = p.object()
		case "framing":
			asked.framing = string(p.text())
		case "topic":
			asked.topic = string(p.text())
		case "key":
			asked.key = p.hex()
		case "type":
			asked.kind = string(p.text())
		case "other":
			asked.other = p.hex()
		case "parts":
			p.each('[', ']', func() { asked.parts = append(asked.parts, p.hex()) })
		default:
			p.value()
		}
	})
	if asked.id < 0 || asked.op == "" {
		p.fail("a request with id and op before this,")
	}
	if asked.written && asked.op != "primitive" {
		value, ok := asked.given.(Object)
		if !ok {
			p.fail("a value that is an object before this,")
		}
		asked.value = value
	}
	return asked
}
