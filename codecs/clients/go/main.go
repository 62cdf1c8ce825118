// Command client exercises franz-go's producer, consumers and admin client. It writes a line of JSON to standard
// output for each step.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const (
	topic = "go.franz-go"
	limit = 60 * time.Second
)

var (
	bootstrap     = os.Getenv("WIREPROOF_BOOTSTRAP")
	saslBootstrap = os.Getenv("WIREPROOF_SASL_BOOTSTRAP")
	user          = os.Getenv("WIREPROOF_USER")
	password      = os.Getenv("WIREPROOF_PASSWORD")
)

// step runs one step and writes its outcome. An error does not stop the steps after it.
func step(name string, act func(context.Context) error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := act(ctx)
	outcome := map[string]any{"step": "franz-go/" + name, "outcome": "done"}
	var refused *kerr.Error
	if err != nil {
		outcome["outcome"], outcome["error"] = "failed", err.Error()
		if errors.As(err, &refused) {
			outcome["outcome"] = "refused"
		}
	}
	outcome["ms"] = time.Since(began).Milliseconds()
	write(outcome)
}

func write(outcome map[string]any) {
	line, err := json.Marshal(outcome)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

func client(options ...kgo.Opt) (*kgo.Client, error) {
	usual := append(cluster(), kgo.WithLogger(kgo.BasicLogger(os.Stderr, kgo.LogLevelWarn, nil)))
	return kgo.NewClient(append(usual, options...)...)
}

// cluster returns the options for the brokers' addresses, the client id and the login.
func cluster() []kgo.Opt {
	options := []kgo.Opt{kgo.SeedBrokers(bootstrap), kgo.ClientID("franz-go")}
	name, word := os.Getenv("WIREPROOF_LOGIN_USER"), os.Getenv("WIREPROOF_LOGIN_PASSWORD")
	switch os.Getenv("WIREPROOF_LOGIN") {
	case "PLAIN":
		return append(options, kgo.SASL(plain.Auth{User: name, Pass: word}.AsMechanism()))
	case "SCRAM-SHA-256":
		return append(options, kgo.SASL(scram.Auth{User: name, Pass: word}.AsSha256Mechanism()))
	case "SCRAM-SHA-512":
		return append(options, kgo.SASL(scram.Auth{User: name, Pass: word}.AsSha512Mechanism()))
	}
	return options
}

// with runs act with a new client.
func with(act func(*kgo.Client) error, options ...kgo.Opt) error {
	made, err := client(options...)
	if err != nil {
		return err
	}
	defer made.Close()
	return act(made)
}

func records() []*kgo.Record {
	var found []*kgo.Record
	for at := range 12 {
		record := &kgo.Record{Topic: topic, Partition: int32(at % 2)}
		if at%3 != 0 {
			record.Key = []byte("key-" + strconv.Itoa(at))
		}
		if at%5 != 4 {
			record.Value = []byte(strings.Repeat("value ", at))
		}
		for number := range at % 4 {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: fmt.Sprint("header-", number), Value: []byte("ü")})
		}
		found = append(found, record)
	}
	return found
}

func produce(ctx context.Context, options ...kgo.Opt) error {
	options = append(options, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	return with(func(producer *kgo.Client) error {
		return producer.ProduceSync(ctx, records()...).FirstErr()
	}, options...)
}

func transact(ctx context.Context, end kgo.TransactionEndTry) error {
	return with(func(producer *kgo.Client) error {
		if err := producer.BeginTransaction(); err != nil {
			return err
		}
		if err := producer.ProduceSync(ctx, kgo.StringRecord("all or none")).FirstErr(); err != nil {
			return err
		}
		return producer.EndTransaction(ctx, end)
	}, kgo.TransactionalID("franz-go"), kgo.DefaultProduceTopic(topic))
}

func consume(ctx context.Context, options ...kgo.Opt) error {
	return with(func(consumer *kgo.Client) error {
		for {
			fetches := consumer.PollFetches(ctx)
			if err := fetches.Err0(); err != nil {
				return err
			}
			if fetches.NumRecords() > 0 {
				break
			}
		}
		if group, _ := consumer.GroupMetadata(); group == "" {
			return nil
		}
		if err := consumer.CommitUncommittedOffsets(ctx); err != nil {
			return err
		}
		return consumer.LeaveGroupContext(ctx)
	}, append(options, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
}

// pipe reads, writes and commits the offsets of the records it read in one transaction.
func pipe(ctx context.Context) error {
	session, err := kgo.NewGroupTransactSession(append(cluster(),
		kgo.TransactionalID("franz-go-pipe"), kgo.ConsumerGroup("franz-go-pipe"), kgo.ConsumeTopics(topic),
		kgo.DefaultProduceTopic(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.RequireStableFetchOffsets(),
	)...)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := session.PollFetches(ctx).Err0(); err != nil {
		return err
	}
	if err := session.Begin(); err != nil {
		return err
	}
	if err := session.ProduceSync(ctx, kgo.StringRecord("read and written")).FirstErr(); err != nil {
		return err
	}
	_, err = session.End(ctx, kgo.TryCommit)
	return err
}

func login(ctx context.Context, how sasl.Mechanism) error {
	return with(func(made *kgo.Client) error {
		_, err := kadm.NewClient(made).ListTopics(ctx)
		return err
	}, kgo.SeedBrokers(saslBootstrap), kgo.SASL(how))
}

func main() {
	made, err := client()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	admin := kadm.NewClient(made)
	replicas, err := strconv.ParseInt(os.Getenv("WIREPROOF_REPLICAS"), 10, 16)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	create := func(ctx context.Context) error {
		_, err := admin.CreateTopic(ctx, 2, int16(replicas), nil, topic)
		return err
	}
	step("create-topic", create)
	step("create-topic-again", create)
	clients()
	administer(admin)
	admin.Close()
	if saslBootstrap != "" {
		secret := scram.Auth{User: user, Pass: password}
		step("login-PLAIN", func(ctx context.Context) error {
			return login(ctx, plain.Auth{User: user, Pass: password}.AsMechanism())
		})
		step("login-SCRAM-SHA-256", func(ctx context.Context) error { return login(ctx, secret.AsSha256Mechanism()) })
		step("login-SCRAM-SHA-512", func(ctx context.Context) error { return login(ctx, secret.AsSha512Mechanism()) })
	}
	write(map[string]any{"step": "end", "outcome": "done", "ms": 0})
}

// clients runs producers of every kind, then consumers.
func clients() {
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for _, name := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		step("produce-"+name, func(ctx context.Context) error {
			return produce(ctx, kgo.ProducerBatchCompression(codecs[name]))
		})
	}
	for name, acks := range map[string]kgo.Acks{"0": kgo.NoAck(), "1": kgo.LeaderAck()} {
		step("produce-acks-"+name, func(ctx context.Context) error {
			return produce(ctx, kgo.RequiredAcks(acks), kgo.DisableIdempotentWrite())
		})
	}
	step("transaction", func(ctx context.Context) error { return transact(ctx, kgo.TryCommit) })
	step("transaction-aborted", func(ctx context.Context) error { return transact(ctx, kgo.TryAbort) })
	step("consume", func(ctx context.Context) error { return consume(ctx) })
	for name, balancer := range map[string]kgo.GroupBalancer{
		"range": kgo.RangeBalancer(), "roundrobin": kgo.RoundRobinBalancer(), "sticky": kgo.StickyBalancer(),
		"cooperative-sticky": kgo.CooperativeStickyBalancer(),
	} {
		step("group-"+name, func(ctx context.Context) error {
			return consume(ctx, kgo.ConsumerGroup("franz-go-"+name), kgo.Balancers(balancer))
		})
	}
	step("group-static", func(ctx context.Context) error {
		return consume(ctx, kgo.ConsumerGroup("franz-go-static"), kgo.InstanceID("an-instance"), kgo.Rack("rack-1"),
			kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	})
	step("pipe", pipe)
}
