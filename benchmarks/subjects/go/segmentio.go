package main

import (
	"context"

	"github.com/segmentio/kafka-go"
)

// segmentio uses no transactions: kafka-go's writer has none.
func segmentio(ctx context.Context) {
	admin := &kafka.Client{Addr: kafka.TCP(bootstrap)}
	created := got(admin.CreateTopics(ctx, &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: 2, ReplicationFactor: 1}},
	}))
	must(created.Errors[topic])
	var expected []record
	for number, name := range []string{"", "gzip", "snappy", "lz4", "zstd"} {
		writer := &kafka.Writer{
			Addr: kafka.TCP(bootstrap), Topic: topic, Compression: kafka.Compression(number), RequiredAcks: kafka.RequireAll,
			Balancer: kafka.BalancerFunc(func(kafka.Message, ...int) int { return 0 }), BatchTimeout: 1,
		}
		var sent []kafka.Message
		for _, each := range records(name) {
			one := kafka.Message{Key: each.key, Value: each.value}
			for _, header := range each.headers {
				one.Headers = append(one.Headers, kafka.Header{Key: header, Value: []byte("ü")})
			}
			sent = append(sent, one)
		}
		must(writer.WriteMessages(ctx, sent...))
		must(writer.Close())
		expected = append(expected, records(name)...)
	}
	segmentioConsume(ctx, admin, expected)
	metadata := got(admin.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}}))
	check(len(metadata.Brokers) == 1 && len(metadata.Topics[0].Partitions) == 2, "metadata", metadata)
	groups := got(admin.DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{group}})).Groups
	check(len(groups) == 1 && groups[0].GroupID == group, "groups", groups)
	must(got(admin.DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{topic}})).Errors[topic])
}

func segmentioConsume(ctx context.Context, admin *kafka.Client, expected []record) {
	consumer := kafka.NewReader(kafka.ReaderConfig{
		Brokers: []string{bootstrap}, GroupID: group, Topic: topic, IsolationLevel: kafka.ReadCommitted,
		StartOffset: kafka.FirstOffset, MaxWait: wait / 100,
	})
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var all reader
	for len(all.read) < len(expected) {
		each := got(consumer.FetchMessage(limited))
		one := record{key: each.Key, value: each.Value}
		for _, header := range each.Headers {
			check(string(header.Value) == "ü", "header", header)
			one.headers = append(one.headers, header.Key)
		}
		all.take(one, each.Offset, each.Time)
		if len(all.read) == len(expected) {
			must(consumer.CommitMessages(ctx, each))
		}
	}
	all.compare(expected)
	must(consumer.Close())
	fetched := got(admin.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: {0}}}))
	check(fetched.Topics[topic][0].CommittedOffset == all.last+1, "committed", fetched)
	offsets := got(admin.ListOffsets(ctx, &kafka.ListOffsetsRequest{
		Topics: map[string][]kafka.OffsetRequest{topic: {kafka.FirstOffsetOf(0), kafka.LastOffsetOf(0)}},
	})).Topics[topic][0]
	check(offsets.FirstOffset == 0 && offsets.LastOffset > all.last, "offsets", offsets)
}
