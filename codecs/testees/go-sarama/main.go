// Command adapter connects sarama to wireproof: sarama decodes each message and encodes it again. Its fields do not
// have Kafka's names, so the adapter does not convert values.
//
// Sarama does not export its codec. The build adds inside/inside.go to a copy of the package.
package main

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"

	"github.com/IBM/sarama"
	"wireproof/testee"
)

const highestKey, highestVersion = 127, 63

// kafkaNames maps sarama's names of messages to Kafka's where they differ.
var kafkaNames = map[string]string{
	"OffsetRequest":          "ListOffsetsRequest",
	"OffsetResponse":         "ListOffsetsResponse",
	"DeleteOffsetsRequest":   "OffsetDeleteRequest",
	"DeleteOffsetsResponse":  "OffsetDeleteResponse",
	"InitProducerIDRequest":  "InitProducerIdRequest",
	"InitProducerIDResponse": "InitProducerIdResponse",
}

const (
	maps  = "it holds a map where Kafka has an array: what is written again has another order each time"
	twice = "it is read into a map and a list of the same protocols, and encode refuses a message that has both"
)

// sorted has the messages that sarama writes in the order of their maps' keys.
var sorted = map[string]bool{"DeleteRecordsRequest": true, "DeleteRecordsResponse": true}

// kind is a message of sarama.
type kind struct {
	key      int16
	response bool
	versions []int16
}

func main() {
	kinds := catalogue()
	claims, index := map[string]testee.Claim{}, map[string]testee.Ways{}
	unclaimed := map[string]map[string]string{maps: {}, twice: {}}
	for name, of := range kinds {
		versions := ranges(of.versions)
		index[name] = testee.Ways{Encode: versions, Decode: versions}
		switch {
		case name == "JoinGroupRequest":
			unclaimed[twice][name] = versions
		case !sorted[name] && holdsMap(reflect.TypeOf(sarama.WireproofNew(of.key, 0, of.response).Message()), map[reflect.Type]bool{}):
			unclaimed[maps][name] = versions
		default:
			claims[name] = testee.Claim{Reencode: versions}
		}
	}
	testee.Main(&testee.Testee{
		Hello: testee.Hello{
			Name:     "sarama",
			Version:  version(),
			Links:    map[string]string{"source": "https://github.com/IBM/sarama"},
			Claims:   claims,
			Registry: registry(kinds),
			Index:    index,
			Unclaimed: []testee.Unclaimed{
				{Reason: maps, Messages: unclaimed[maps]},
				{Reason: twice, Messages: unclaimed[twice]},
			},
		},
		Reencode: func(name string, version int16, data []byte) ([]byte, int, error) {
			of := kinds[name]
			body := sarama.WireproofNew(of.key, version, of.response)
			if err := body.Decode(data); err != nil {
				return nil, 0, &testee.DecodeError{Class: fmt.Sprintf("%T", err), Message: err.Error()}
			}
			again, err := body.Encode()
			if err != nil {
				return nil, 0, &testee.EncodeError{Class: fmt.Sprintf("%T", err), Message: err.Error()}
			}
			return again, len(data), nil
		},
	})
}

// catalogue collects sarama's messages by API key and version: sarama has no list of them.
func catalogue() map[string]kind {
	found := map[string]kind{}
	for key := int16(0); key <= highestKey; key++ {
		for _, response := range []bool{false, true} {
			if sarama.WireproofNew(key, 0, response) == nil {
				continue
			}
			of := kind{key: key, response: response}
			for version := int16(0); version <= highestVersion; version++ {
				if sarama.WireproofNew(key, version, response).Valid() {
					of.versions = append(of.versions, version)
				}
			}
			name := reflect.TypeOf(sarama.WireproofNew(key, 0, response).Message()).Elem().Name()
			if kafka, ok := kafkaNames[name]; ok {
				name = kafka
			}
			found[name] = of
		}
	}
	return found
}

// holdsMap reports whether a type contains a map at any depth, but for the metrics of a broker, which no message carries.
func holdsMap(of reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[of] || of == reflect.TypeOf(sarama.Broker{}) {
		return false
	}
	seen[of] = true
	switch of.Kind() {
	case reflect.Map:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return holdsMap(of.Elem(), seen)
	case reflect.Struct:
		for at := range of.NumField() {
			if holdsMap(of.Field(at).Type, seen) {
				return true
			}
		}
	}
	return false
}

func registry(kinds map[string]kind) (apis []testee.API) {
	byKey := map[int16]*testee.API{}
	for name, of := range kinds {
		headers := map[string]int{}
		for _, version := range of.versions {
			body := sarama.WireproofNew(of.key, version, of.response)
			headers[strconv.Itoa(int(version))] = int(body.HeaderVersion())
		}
		direction := &testee.Direction{Message: name, Versions: ranges(of.versions), Headers: headers}
		if byKey[of.key] == nil {
			byKey[of.key] = &testee.API{Key: of.key}
		}
		if of.response {
			byKey[of.key].Response = direction
		} else {
			byKey[of.key].Request = direction
		}
	}
	for key := int16(0); key <= highestKey; key++ { // in order: each hello has to be the same
		if api := byKey[key]; api != nil {
			apis = append(apis, *api)
		}
	}
	return apis
}

// ranges formats versions without gaps as a range.
func ranges(versions []int16) string {
	return fmt.Sprintf("%d-%d", versions[0], versions[len(versions)-1])
}

func version() string {
	built, _ := debug.ReadBuildInfo()
	for _, dependency := range built.Deps {
		if dependency.Path == "github.com/IBM/sarama" {
			return dependency.Version[1:]
		}
	}
	return "unknown"
}
