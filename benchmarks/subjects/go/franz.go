package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// sent is the time of the records; a log's own time is later.
var sent = now.Add(-time.Second).Truncate(time.Millisecond)

func franz(ctx context.Context) {
	made := franzClient()
	defer made.Close()
	admin := kadm.NewClient(made)
	got(admin.CreateTopic(ctx, 2, 1, nil, topic))
	var expected []record
	var offsets []int64
	produce := func(name string, codec kgo.CompressionCodec) {
		producer := franzClient(kgo.ProducerBatchCompression(codec), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		defer producer.Close()
		var batch []*kgo.Record
		for _, each := range records(name) {
			one := &kgo.Record{Topic: topic, Key: each.key, Value: each.value, Timestamp: sent}
			for _, header := range each.headers {
				one.Headers = append(one.Headers, kgo.RecordHeader{Key: header, Value: []byte("ü")})
			}
			batch = append(batch, one)
		}
		must(producer.ProduceSync(ctx, batch...).FirstErr())
		expected = append(expected, records(name)...)
		for _, each := range batch {
			offsets = append(offsets, each.Offset)
		}
	}
	produce("", kgo.NoCompression())
	produce("gzip", kgo.GzipCompression())
	produce("snappy", kgo.SnappyCompression())
	produce("lz4", kgo.Lz4Compression())
	produce("zstd", kgo.ZstdCompression())
	offsets = append(offsets, franzTransact(ctx))
	expected = append(expected, record{value: []byte("committed")})
	produce("last", kgo.NoCompression())
	franzConsume(ctx, admin, expected, offsets)
	check(len(got(admin.ListTopics(ctx, topic))[topic].Partitions) == 2, "partitions")
	check(len(got(admin.BrokerMetadata(ctx)).Brokers) == 1, "brokers")
	got(got(admin.DescribeTopicConfigs(ctx, topic)).On(topic, nil))
	check(got(admin.ListGroups(ctx))[group].Group == group, "groups")
	must(got(admin.DescribeGroups(ctx, group))[group].Err)
	got(admin.DeleteTopic(ctx, topic))
}

// checkTime fails unless a record has the producer's time, or the later one of the log; magic 0 has none.
func checkTime(each *kgo.Record) {
	switch each.Attrs.TimestampType() {
	case 0:
		check(each.Timestamp.Equal(sent), "time", each.Timestamp)
	case 1:
		check(each.Timestamp.After(sent), "time of the log", each.Timestamp)
	}
}

func franzClient(options ...kgo.Opt) *kgo.Client {
	return got(kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(bootstrap)}, options...)...))
}

// franzTransact aborts one transaction and commits another, whose record has the offset that it returns.
func franzTransact(ctx context.Context) (offset int64) {
	producer := franzClient(
		kgo.TransactionalID(topic), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()),
	)
	defer producer.Close()
	for _, end := range []string{"aborted", "committed"} {
		must(producer.BeginTransaction())
		one := &kgo.Record{Value: []byte(end), Timestamp: sent}
		must(producer.ProduceSync(ctx, one).FirstErr())
		offset = one.Offset
		must(producer.EndTransaction(ctx, kgo.TransactionEndTry(end == "committed")))
	}
	return offset
}

func franzConsume(ctx context.Context, admin *kadm.Client, expected []record, offsets []int64) {
	consumer := franzClient(
		kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.DisableAutoCommit(),
	)
	defer consumer.Close()
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var all reader
	for len(all.read) < len(expected) {
		fetches := consumer.PollFetches(limited)
		must(fetches.Err())
		fetches.EachRecord(func(each *kgo.Record) {
			checkTime(each)
			check(each.Offset == offsets[min(len(all.read), len(offsets)-1)], "offset", each.Offset)
			one := record{key: each.Key, value: each.Value}
			for _, header := range each.Headers {
				check(string(header.Value) == "ü", "header", header)
				one.headers = append(one.headers, header.Key)
			}
			all.take(one, each.Offset, each.Timestamp)
		})
	}
	all.compare(expected)
	must(consumer.CommitUncommittedOffsets(ctx))
	committed := got(admin.FetchOffsets(ctx, group))[topic][0]
	must(committed.Err)
	check(committed.At > all.last, "committed", committed.At)
	start, end := got(admin.ListStartOffsets(ctx, topic)), got(admin.ListEndOffsets(ctx, topic))
	check(start[topic][0].Offset == 0 && end[topic][0].Offset > all.last, "offsets", start, end)
}
