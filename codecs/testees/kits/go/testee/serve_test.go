package testee

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// echo returns a codec that picks its reaction by the name of the message.
func echo() *Testee {
	offset := 3
	return &Testee{
		Hello: Hello{
			Name: "echo", Version: "1",
			Claims:   map[string]Claim{"Echo": {Decode: "0-2", Encode: "0-2"}, "Nothing": {}},
			Limits:   map[string]string{"moods": "it has none"},
			Registry: []API{{Key: 1, Request: &Direction{"Echo", "0-2", map[string]int{"0-2": 1}}}},
		},
		Decode: func(message string, version int16, data []byte) (Object, int, error) {
			switch message {
			case "Declines":
				return nil, 0, &DecodeError{"Short", "no more bytes", &offset}
			case "Panics":
				panic("out of my mind")
			case "Errs":
				return nil, 0, errors.New("who knows")
			}
			return Object{{"version", version}, {"data", append([]byte{}, data...)}}, len(data), nil
		},
		Encode: func(message string, version int16, value Object) ([]byte, error) {
			switch message {
			case "Declines":
				return nil, fmt.Errorf("wrapped: %w", &EncodeError{"Null", "no null here", "a.b"})
			case "Unsupported":
				return nil, &Unsupported{"moods", "it cannot"}
			}
			field, _ := value.Get("data")
			return AsBytes(field)
		},
		Reencode: func(_ string, _ int16, data []byte) ([]byte, int, error) { return data, len(data), nil },
		Unframe: func(_ string, _ int16, data []byte) (Object, Object, int, error) {
			return Object{{"a", nil}}, Object{}, len(data), nil
		},
	}
}

func serve(t *testing.T, input string) string {
	t.Helper()
	var out bytes.Buffer
	if err := echo().Serve(strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAnswers(t *testing.T) {
	for _, pair := range []struct{ asked, answered string }{
		{`{"id":7,"op":"decode","message":"Echo","version":2,"data":"00ff"}`,
			`{"id":7,"ok":{"value":{"version":2,"data":"00ff"},"consumed":2}}`},
		{`{"id":7,"op":"encode","message":"Echo","version":2,"value":{"x":[1,{"y":null}],"data":"0aff"}}`,
			`{"id":7,"ok":{"data":"0aff"}}`},
		{`[{"id":1,"op":"reencode","message":"Echo","version":2,"data":""}]`,
			`[{"id":1,"ok":{"data":"","consumed":0}}]`},
		{` [ {"id":1,"op":"reencode","message":"Echo","version":2,"data":"aa"} , {"id":2,"op":"stop"} ] `,
			`[{"id":1,"ok":{"data":"aa","consumed":1}},{"id":2,"ok":{}}]`},
		{`{"id":3,"op":"unframe","message":"Echo","version":0,"data":"aa"}`,
			`{"id":3,"ok":{"header":{"a":null},"value":{},"consumed":1}}`},
		{`{"id":4,"op":"decode","message":"Declines","version":0,"data":""}`,
			`{"id":4,"decode_error":{"class":"Short","message":"no more bytes","offset":3}}`},
		{`{"id":4,"op":"encode","message":"Declines","version":0,"value":{}}`,
			`{"id":4,"encode_error":{"class":"Null","message":"no null here","path":"a.b"}}`},
		{`{"id":4,"op":"encode","message":"Unsupported","version":0,"value":{}}`,
			`{"id":4,"unsupported":{"reason":"moods","message":"it cannot"}}`},
		{`{"id":4,"op":"decode","message":"Errs","version":0,"data":""}`,
			`{"id":4,"internal_error":{"class":"*errors.errorString","message":"who knows"}}`},
		{`{"id":4,"op":"decode","message":"Panics","version":0,"data":""}`,
			`{"id":4,"internal_error":{"class":"panic string","message":"out of my mind"}}`},
		{`{"id":4,"op":"size","message":"Echo","version":0,"value":{}}`,
			`{"id":4,"internal_error":{"class":"AdapterError","message":"the operation \u0022size\u0022 was not claimed"}}`},
	} {
		if answered := serve(t, pair.asked+"\n"); answered != pair.answered+"\n" {
			t.Errorf("%s\nanswered %s\n  wanted %s", pair.asked, answered, pair.answered)
		}
	}
}

// Serve reads and answers nothing after a stop. The last line needs no newline.
func TestEnds(t *testing.T) {
	stop := `{"id":1,"op":"stop"}`
	if answered := serve(t, stop+"\n"+stop+"\n"); answered != "{\"id\":1,\"ok\":{}}\n" {
		t.Errorf("after stop: %s", answered)
	}
	if answered := serve(t, stop); answered != "{\"id\":1,\"ok\":{}}\n" {
		t.Errorf("a line without a newline: %s", answered)
	}
	if answered := serve(t, ""); answered != "" {
		t.Errorf("no input: %s", answered)
	}
}

// A hello has no claims without operations. The kit fills in the language and the runtime.
func TestHello(t *testing.T) {
	var hello map[string]map[string]any
	answered := serve(t, `{"id":0,"op":"hello","protocol":1,"harness":"wireproof 0.1.0"}`+"\n")
	if err := json.Unmarshal([]byte(strings.Replace(answered, `"id":0,`, "", 1)), &hello); err != nil {
		t.Fatal(err)
	}
	codec := hello["ok"]["codec"].(map[string]any)
	if codec["language"] != "go" || codec["runtime"] == "" {
		t.Errorf("codec: %v", codec)
	}
	if claims := hello["ok"]["messages"].(map[string]any); len(claims) != 1 {
		t.Errorf("claims: %v", claims)
	}
}

// What only an adapter can do wrong is an AdapterError, and the process goes on. A null is a question to the codec.
func TestMistakesOfTheAdapter(t *testing.T) {
	for _, mistake := range []struct {
		given result
		words string
	}{
		{result{number: -1}, "decode returned -1 as a number of bytes"},
		{result{value: Object{{"a", []any{struct{}{}}}}}, "decode returned a value that is a struct {}"},
		{result{found: float32(1)}, "decode returned a value that is a float32"},
	} {
		var wrong *AdapterError
		if err := mistake.given.unfit("decode"); !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Message, mistake.words) {
			t.Errorf("%v is reported as %v", mistake.given, err)
		}
	}
	fits := result{value: Object{{"a", []any{nil, int8(1), "b", []byte{1}, [16]byte{}, Object{}}}}}
	if err := fits.unfit("decode"); err != nil {
		t.Errorf("%v: %v", fits, err)
	}
	var wrong *AdapterError
	if _, err := AsString(true); !errors.As(err, &wrong) {
		t.Errorf("AsString of a bool: %v", err)
	}
	if _, err := AsString(nil); errors.As(err, &wrong) {
		t.Errorf("AsString of null: %v", err)
	}
}

// A line that is not a request ends the session with an error, after the answers to earlier lines.
func TestBrokenLines(t *testing.T) {
	for _, line := range []string{
		`{"id":1,`, `x`, `{"id":1,"op":"stop"} x`, `{"op":"stop"}`, `{"id":1}`, `[{"id":1,"op":"stop"}`, `{"id":"1","op":"stop"}`,
		`{"id":1,"op":"decode","message":"Echo","version":70000,"data":""}`, `{"id":1,"op":"decode","data":"0"}`,
		`{"id":1,"op":"decode","data":"zz"}`, `{"id":1,"op":"st`, `{"id":1,"op":"\q"}`, `{"id":1,"op":"\u12"}`, `[1]`,
	} {
		var out bytes.Buffer
		before := `{"id":0,"op":"decode","message":"Errs","version":0,"data":""}` + "\n"
		if err := echo().Serve(strings.NewReader(before+line+"\n"), &out); err == nil {
			t.Errorf("%s is accepted", line)
		}
		if !strings.Contains(out.String(), "who knows") {
			t.Errorf("%s: the answer to the line before it is lost", line)
		}
	}
}

// Lines may be longer than the buffers.
func TestLongLines(t *testing.T) {
	digits := strings.Repeat("00ff", 3<<20)
	answered := serve(t, `{"id":1,"op":"reencode","message":"Echo","version":0,"data":"`+digits+`"}`+"\n")
	if answered != fmt.Sprintf(`{"id":1,"ok":{"data":"%s","consumed":%d}}`+"\n", digits, len(digits)/2) {
		t.Errorf("%d characters returned as %d", len(digits), len(answered))
	}
}

func write(value any) string {
	var out bytes.Buffer
	w := &writer{out: bufio.NewWriter(&out)}
	w.value(value)
	w.out.Flush()
	return out.String()
}

// Each supported Go type has a canonical form, and the As functions read it back.
func TestCanonicalForms(t *testing.T) {
	uuid := [16]byte{0: 0x12, 3: 0x34, 4: 0x56, 15: 0x78}
	for _, pair := range []struct {
		value any
		json  string
	}{
		{nil, "null"}, {true, "true"}, {false, "false"},
		{int8(-128), "-128"}, {uint8(255), "255"}, {int16(-1), "-1"}, {uint16(65535), "65535"}, {int32(7), "7"}, {int(8), "8"},
		{int64(math.MinInt64), `"-9223372036854775808"`}, {uint32(math.MaxUint32), `"4294967295"`},
		{uint64(math.MaxUint64), `"18446744073709551615"`},
		{1.5, "1.5"}, {math.MaxFloat64, "1.7976931348623157e+308"}, {math.Copysign(0, -1), `"0x8000000000000000"`},
		{math.Inf(1), `"0x7ff0000000000000"`}, {math.Float64frombits(0x7ff8000000000001), `"0x7ff8000000000001"`},
		{"a\"\\\n\x00\u00e9\U0001f600", `"a\"\\\n\u0000é😀"`}, {"\xff", `"\ufffd"`},
		{[]byte{}, `""`}, {[]byte{0, 255}, `"00ff"`}, {uuid, `"12000034-5600-0000-0000-000000000078"`},
		{[]any{int8(1), nil}, "[1,null]"}, {[]any{}, "[]"}, {Object{}, "{}"}, {Object{{"a", "b"}, {"c", Object{}}}, `{"a":"b","c":{}}`},
		{TagsObject([]Tag{{7, []byte{1}}, {4294967295, nil}}), `{"7":"01","4294967295":""}`},
	} {
		var given, wanted any
		if json.Unmarshal([]byte(write(pair.value)), &given) != nil || json.Unmarshal([]byte(pair.json), &wanted) != nil ||
			fmt.Sprint(given) != fmt.Sprint(wanted) {
			t.Errorf("%v is written as %s, wanted %s", pair.value, write(pair.value), pair.json)
		}
		if !readsBack(pair.value, (&parser{line: []byte(pair.json)}).value()) {
			t.Errorf("%s is not read as %v", pair.json, pair.value)
		}
	}
}

func readsBack(value, read any) bool {
	var got any
	var err error
	switch typed := value.(type) {
	case nil:
		return read == nil
	case bool:
		got, err = AsBool(read)
	case int8, int16, int32, int, int64:
		got, err = AsInt(read, 64)
	case uint8, uint16, uint32, uint64:
		got, err = AsUint(read, 64)
	case float64:
		var number float64
		number, err = AsFloat64(read)
		got, value = math.Float64bits(number), math.Float64bits(typed)
	case string:
		got, err = AsString(read)
		value = strings.ToValidUTF8(typed, "\ufffd")
	case []byte:
		got, err = AsBytes(read)
	case [16]byte:
		got, err = AsUUID(read)
	case []any:
		return len(read.([]any)) == len(typed)
	case Object:
		return len(read.(Object)) == len(typed)
	}
	return err == nil && fmt.Sprint(got) == fmt.Sprint(value)
}

// A float64 without a fraction has a decimal point, so that readers do not parse it as an integer.
func TestWholeFloats(t *testing.T) {
	for value, json := range map[float64]string{0: "0.0", -7: "-7.0", 1e21: "1e+21"} {
		if write(value) != json {
			t.Errorf("%v is written as %s", value, write(value))
		}
	}
}

// The As functions return an error for a value of another type or out of range.
func TestMisfits(t *testing.T) {
	parse := func(json string) any { return (&parser{line: []byte(json)}).value() }
	for _, json := range []string{"null", "true", "{}", "[]", `"x"`, "1.5", "128", `"128"`} {
		if _, err := AsInt(parse(json), 8); err == nil {
			t.Errorf("%s is an int8", json)
		}
	}
	for _, json := range []string{"null", "1", `"0"`, `"zz"`} {
		if _, err := AsBytes(parse(json)); err == nil {
			t.Errorf("%s is bytes", json)
		}
	}
	for _, json := range []string{`""`, `"12000034-5600-0000-0000-00000000007"`, `"12000034-5600-0000-0000-00000000007x"`, "1"} {
		if _, err := AsUUID(parse(json)); err == nil {
			t.Errorf("%s is a uuid", json)
		}
	}
	for _, json := range []string{`{"x":"00"}`, `{"1":7}`, `{"-1":""}`, "[]"} {
		if _, err := AsTags(parse(json)); err == nil {
			t.Errorf("%s is tags", json)
		}
	}
	if _, err := AsString(parse("1")); err == nil {
		t.Error("1 is a string")
	}
	if _, err := AsBool(parse(`"true"`)); err == nil {
		t.Error("a string is a bool")
	}
}

// The parser decodes JSON's escapes. A lone surrogate becomes U+FFFD.
func TestEscapes(t *testing.T) {
	for escaped, plain := range map[string]string{
		`"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u00e9x"`: "éx", `"\ud83d\ude00"`: "😀", `"\ud83dx"`: "\ufffdx",
		`"\ud83d\ud83d\ude00"`: "\ufffd😀", `"\ude00"`: "\ufffd", `"é😀"`: "é😀", `"\u0000"`: "\x00",
	} {
		if read, err := AsString((&parser{line: []byte(escaped)}).value()); err != nil || read != plain {
			t.Errorf("%s is read as %q, %v", escaped, read, err)
		}
	}
}
