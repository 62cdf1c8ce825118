package main

import (
	"context"
	"errors"

	"github.com/IBM/sarama"
)

func shopify(ctx context.Context) {
	admin := got(sarama.NewClusterAdmin([]string{bootstrap}, saramaConfig()))
	must(admin.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: 2, ReplicationFactor: 1}, false))
	var expected []record
	produce := func(name string, codec sarama.CompressionCodec) {
		config := saramaConfig()
		config.Producer.Compression = codec
		producer := got(sarama.NewSyncProducer([]string{bootstrap}, config))
		var sent []*sarama.ProducerMessage
		for _, each := range records(name) {
			one := &sarama.ProducerMessage{Topic: topic, Value: sarama.ByteEncoder(each.value)}
			if each.key != nil {
				one.Key = sarama.ByteEncoder(each.key)
			}
			for _, header := range each.headers {
				one.Headers = append(one.Headers, sarama.RecordHeader{Key: []byte(header), Value: []byte("ü")})
			}
			sent = append(sent, one)
		}
		must(producer.SendMessages(sent))
		must(producer.Close())
		expected = append(expected, records(name)...)
	}
	produce("", sarama.CompressionNone)
	produce("gzip", sarama.CompressionGZIP)
	produce("snappy", sarama.CompressionSnappy)
	produce("lz4", sarama.CompressionLZ4)
	produce("zstd", sarama.CompressionZSTD)
	saramaTransact()
	expected = append(expected, record{value: []byte("committed")})
	produce("last", sarama.CompressionNone)
	saramaConsume(ctx, admin, expected)
	described := got(admin.DescribeTopics([]string{topic}))
	check(len(described) == 1 && len(described[0].Partitions) == 2, "partitions", described)
	brokers, _, err := admin.DescribeCluster()
	check(err == nil && len(brokers) == 1, "brokers", brokers, err)
	got(admin.DescribeConfig(sarama.ConfigResource{Type: sarama.TopicResource, Name: topic}))
	_, known := got(admin.ListConsumerGroups())[group]
	check(known, "groups")
	check(got(admin.DescribeConsumerGroups([]string{group}))[0].GroupId == group, "group")
	must(admin.DeleteTopic(topic))
	must(admin.Close())
}

func saramaConfig() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Producer.Return.Successes = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Partitioner = func(string) sarama.Partitioner { return sarama.NewManualPartitioner(topic) }
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.IsolationLevel = sarama.ReadCommitted
	return config
}

func saramaTransact() {
	config := saramaConfig()
	config.Producer.Idempotent, config.Net.MaxOpenRequests = true, 1
	config.Producer.Transaction.ID = topic
	producer := got(sarama.NewSyncProducer([]string{bootstrap}, config))
	for _, end := range []string{"aborted", "committed"} {
		must(producer.BeginTxn())
		_, _, err := producer.SendMessage(&sarama.ProducerMessage{Topic: topic, Value: sarama.StringEncoder(end)})
		must(err)
		must(map[string]func() error{"aborted": producer.AbortTxn, "committed": producer.CommitTxn}[end]())
	}
	must(producer.Close())
}

// saramaHandler reads until all records have come.
type saramaHandler struct {
	all  reader
	want int
	end  context.CancelFunc
}

func (*saramaHandler) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (*saramaHandler) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (handler *saramaHandler) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	if claim.Partition() != 0 {
		<-session.Context().Done() // a claim that returns ends the session
		return nil
	}
	for each := range claim.Messages() {
		one := record{key: each.Key, value: each.Value}
		for _, header := range each.Headers {
			check(string(header.Value) == "ü", "header", header)
			one.headers = append(one.headers, string(header.Key))
		}
		handler.all.take(one, each.Offset, each.Timestamp)
		if len(handler.all.read) == handler.want {
			session.MarkMessage(each, "by hand")
			session.Commit()
			handler.end()
			return nil
		}
	}
	return nil
}

func saramaConsume(ctx context.Context, admin sarama.ClusterAdmin, expected []record) {
	consumer := got(sarama.NewConsumerGroup([]string{bootstrap}, group, saramaConfig()))
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	handler := &saramaHandler{want: len(expected), end: cancel}
	for limited.Err() == nil {
		if err := consumer.Consume(limited, []string{topic}, handler); !errors.Is(err, context.Canceled) {
			must(err)
		}
	}
	must(consumer.Close())
	handler.all.compare(expected)
	committed := got(admin.ListConsumerGroupOffsets(group, map[string][]int32{topic: {0}})).GetBlock(topic, 0)
	check(committed != nil && committed.Offset > handler.all.last && committed.Metadata == "by hand", "committed", committed)
	client := got(sarama.NewClient([]string{bootstrap}, saramaConfig()))
	check(got(client.GetOffset(topic, 0, sarama.OffsetOldest)) == 0, "start")
	check(got(client.GetOffset(topic, 0, sarama.OffsetNewest)) > handler.all.last, "end")
	must(client.Close())
}
