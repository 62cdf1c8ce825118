// Command strict checks what a Go client reads, as strict_kafka_python.py does; for `wireproof judge --vary`.
// Its argument names the client.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const wait = 20 * time.Second

var (
	bootstrap = os.Getenv("WIREPROOF_BOOTSTRAP")
	run       = os.Getenv("RUN_PREFIX") + "-" + os.Getenv("WIREPROOF_RUN")
	topic     = "strict-" + run
	group     = "strict-group-" + run
	now       = time.Now()
)

// record is what is written and must be read; key and value are nil for null.
type record struct {
	key, value []byte
	headers    []string
}

// records returns what one producer writes; without a name no headers, so that they can have old magics.
func records(name string) []record {
	var found []record
	for at := range 6 {
		each := record{value: []byte(strings.Repeat(fmt.Sprint(name, at), at))}
		if at%3 != 0 {
			each.key = fmt.Append(nil, "key-", at)
		}
		for number := range at % 3 * min(1, len(name)) {
			each.headers = append(each.headers, fmt.Sprint("h-", number))
		}
		found = append(found, each)
	}
	return found
}

func (each record) String() string {
	return fmt.Sprintf("%q(null: %t)=%q%q", each.key, each.key == nil, each.value, each.headers)
}

// reader compares records with those that were written.
type reader struct {
	read []string
	last int64
}

// take adds a record and fails on a wrong offset or time.
func (all *reader) take(each record, offset int64, at time.Time) {
	check(offset > all.last || len(all.read) == 0, "offset", offset, "after", all.last)
	check(at.UnixMilli() <= 0 || at.Sub(now).Abs() < 24*time.Hour, "time", at)
	all.last = offset
	all.read = append(all.read, each.String())
}

// compare fails if other records were read than written.
func (all *reader) compare(expected []record) {
	var written []string
	for _, each := range expected {
		written = append(written, each.String())
	}
	check(slices.Equal(all.read, written), "read", all.read, "expected", written)
}

func check(right bool, what ...any) {
	if !right {
		fmt.Fprintln(os.Stderr, what...)
		os.Exit(1)
	}
}

func must(err error) {
	check(err == nil, err)
}

func got[T any](value T, err error) T {
	must(err)
	return value
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*wait)
	defer cancel()
	map[string]func(context.Context){"franz-go": franz, "sarama": shopify, "kafka-go": segmentio}[os.Args[1]](ctx)
}
