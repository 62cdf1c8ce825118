package main

import (
	_ "embed"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// namesTable is names.tsv: Kafka's names of the fields whose Go names kafkaWords does not convert. Each line has a
// field (Struct.Field), a tab and its names, usually one. If the name depends on the version, each name has a range:
// "topics 1-2, topicStates 3-". In other versions Kafka has no such field, although kmsg may write one. If releases
// use different names, all are listed, the newest first: "new|old".
//
//go:embed names.tsv
var namesTable string

// exceptions returns namesTable as a map by field.
var exceptions = sync.OnceValue(func() map[string][]spelling {
	table := map[string][]spelling{}
	for line := range strings.Lines(namesTable) {
		field, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for _, entry := range strings.Split(names, ", ") {
			table[field] = append(table[field], newSpelling(entry))
		}
	}
	return table
})

// spelling holds the names of a field in a range of versions.
type spelling struct {
	names    []string
	from, to int16
}

func newSpelling(entry string) spelling {
	names, versions, _ := strings.Cut(entry, " ")
	first, last, ranged := strings.Cut(versions, "-")
	from, _ := strconv.Atoi(first)
	to, err := strconv.Atoi(last)
	if versions == "" || ranged && err != nil {
		to = 1<<15 - 1
	} else if !ranged {
		to = from
	}
	return spelling{strings.Split(names, "|"), int16(from), int16(to)}
}

// initialisms matches the words that Go writes in capitals and Kafka does not. Longer ones come first.
var initialisms = regexp.MustCompile(`ACL|API|CRC|EOS|HMAC|HTTP|IDs|ID|ISR|SASL|SCRAM|SSL|TTL|URL`)

// kafkaWords converts a Go name to the spelling of Kafka's schemas: DescribeACLs to DescribeAcls, TimeoutMillis to
// TimeoutMs.
func kafkaWords(name string) string {
	name = initialisms.ReplaceAllStringFunc(name, func(word string) string {
		return word[:1] + strings.ToLower(word[1:])
	})
	return strings.ReplaceAll(name, "Millis", "Ms")
}

// fieldNames returns Kafka's names of a struct's field at a version, the newest first. It returns nil if the message
// has no such field.
func fieldNames(of reflect.Type, field string, version int16) []string {
	if spelt := exceptions()[of.Name()+"."+field]; spelt != nil {
		for _, one := range spelt {
			if one.from <= version && version <= one.to {
				return one.names
			}
		}
		return nil
	}
	if field == "Version" && of.Name() != "LeaderChangeMessage" && reflect.PointerTo(of).Implements(messageType) {
		return nil // kmsg's own field for the version, not a field of the message
	}
	if field == "ThrottleMillis" {
		return []string{"throttleTimeMs"}
	}
	name := kafkaWords(field)
	return []string{strings.ToLower(name[:1]) + name[1:]}
}

// messageName returns Kafka's name of a request or a response.
func messageName(of reflect.Type) string {
	if name, found := otherMessages[of.Name()]; found {
		return name
	}
	return kafkaWords(of.Name())
}

// indexes caches the index of each named field: by struct, version and name.
var indexes = map[indexKey]map[string]int{}

type indexKey struct {
	of      reflect.Type
	version int16
}

// fieldIndex returns the index of the struct field with one of Kafka's names. The name may be that of another version,
// because kmsg's structs hold the fields of all versions.
func fieldIndex(of reflect.Type, name string, version int16) (index int, found bool) {
	known := indexes[indexKey{of, version}]
	if known == nil {
		known = map[string]int{}
		indexes[indexKey{of, version}] = known
		for i := range of.NumField() {
			for _, one := range exceptions()[of.Name()+"."+of.Field(i).Name] {
				enter(known, one.names, i)
			}
		}
		for i := range of.NumField() {
			enter(known, fieldNames(of, of.Field(i).Name, version), i)
		}
	}
	index, found = known[name]
	return index, found
}

func enter(known map[string]int, names []string, index int) {
	for _, name := range names {
		known[name] = index
	}
}
