package main

import (
	_ "embed"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// names.tsv tells Kafka's names where they do not follow from Go's by a rule. A line is a field (Struct.Field)
// and its names, most often one. Where versions name it differently, each name has its range: "topics 1-2,
// topicStates 3-"; in other versions Kafka has no such field, though kmsg may write one. Where releases differ,
// the newest name comes first, and all are understood: "new|old".
//
//go:embed names.tsv
var namesTable string

// exceptions is the table by field.
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

// spelling is the names of a field in a range of versions.
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

// initialisms are the words that Go code writes in capitals and Kafka does not; longer ones come first.
var initialisms = regexp.MustCompile(`ACL|API|CRC|EOS|HMAC|HTTP|IDs|ID|ISR|SASL|SCRAM|SSL|TTL|URL`)

// kafkaWords writes a Go name as Kafka's schemas would: DescribeACLs is DescribeAcls, TimeoutMillis TimeoutMs.
func kafkaWords(name string) string {
	name = initialisms.ReplaceAllStringFunc(name, func(word string) string {
		return word[:1] + strings.ToLower(word[1:])
	})
	return strings.ReplaceAll(name, "Millis", "Ms")
}

// fieldNames are Kafka's names of a struct's field at a version, the newest first; none for what is no field.
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
		return nil // says which version this is, and is none of the message's fields
	}
	if field == "ThrottleMillis" {
		return []string{"throttleTimeMs"}
	}
	name := kafkaWords(field)
	return []string{strings.ToLower(name[:1]) + name[1:]}
}

// messageName is Kafka's name of a request or a response.
func messageName(of reflect.Type) string {
	if name, found := otherMessages[of.Name()]; found {
		return name
	}
	return kafkaWords(of.Name())
}

// indexes remembers which field of a struct has a name: by struct, version and name.
var indexes = map[indexKey]map[string]int{}

type indexKey struct {
	of      reflect.Type
	version int16
}

// fieldIndex finds the field of a struct that has one of Kafka's names, at this version or, since kmsg's structs
// hold the fields of all versions, at another.
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
