package main

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kadm"
)

// fallible is a set of answers, each of which may have an error.
type fallible interface{ Error() error }

// first joins the error of a call with the first error among its answers.
func first[T fallible](found T, err error) error {
	return errors.Join(err, found.Error())
}

// only drops the result of a call and returns its error.
func only[T any](_ T, err error) error { return err }

// administer makes every call that the admin client offers.
func administer(admin *kadm.Client) {
	retention := "3600000"
	configs := []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &retention}}
	acl := kadm.NewACLs().Topics("go.guarded").Allow("User:alice").AllowHosts("*").
		Operations(kadm.OpRead).ResourcePatternType(kadm.ACLPatternLiteral)
	every := kadm.NewACLs().Topics().Allow().AllowHosts().Deny().DenyHosts().Operations().
		ResourcePatternType(kadm.ACLPatternAny)
	partition := kadm.TopicsSet{}
	partition.Add(topic, 0)
	var offset kadm.Offsets
	offset.AddOffset(topic, 0, 1, -1)
	move := kadm.AlterPartitionAssignmentsReq{}
	move.Assign(topic, 0, []int32{1})
	// A request may name a user only once.
	create := func(ctx context.Context, mechanism kadm.ScramMechanism) error {
		made := kadm.UpsertSCRAM{User: user, Mechanism: mechanism, Iterations: 4096, Password: password}
		return first(admin.AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{made}))
	}
	name := user
	quota := kadm.AlterClientQuotaEntry{
		Entity: kadm.ClientQuotaEntity{{Type: "user", Name: &name}},
		Ops:    []kadm.AlterClientQuotaOp{{Key: "producer_byte_rate", Value: 1e9}},
	}
	calls := []struct {
		name string
		call func(context.Context) error
	}{
		{"api-versions", func(ctx context.Context) error { return only(admin.ApiVersions(ctx)) }},
		{"metadata", func(ctx context.Context) error { return only(admin.Metadata(ctx)) }},
		{"describe-topics", func(ctx context.Context) error { return only(admin.ListTopics(ctx, topic)) }},
		{"describe-topic-configs", func(ctx context.Context) error { return only(admin.DescribeTopicConfigs(ctx, topic)) }},
		{"describe-broker-configs", func(ctx context.Context) error { return only(admin.DescribeBrokerConfigs(ctx, 1)) }},
		{"alter-topic-configs", func(ctx context.Context) error { return only(admin.AlterTopicConfigs(ctx, configs, topic)) }},
		{"create-partitions", func(ctx context.Context) error { return first(admin.CreatePartitions(ctx, 1, topic)) }},
		{"start-offsets", func(ctx context.Context) error { return first(admin.ListStartOffsets(ctx, topic)) }},
		{"end-offsets", func(ctx context.Context) error { return first(admin.ListEndOffsets(ctx, topic)) }},
		{"committed-offsets", func(ctx context.Context) error { return first(admin.ListCommittedOffsets(ctx, topic)) }},
		{"offsets-after", func(ctx context.Context) error { return first(admin.ListOffsetsAfterMilli(ctx, 1, topic)) }},
		{"describe-log-dirs", func(ctx context.Context) error { return only(admin.DescribeAllLogDirs(ctx, nil)) }},
		{"describe-producers", func(ctx context.Context) error { return only(admin.DescribeProducers(ctx, partition)) }},
		{"list-transactions", func(ctx context.Context) error { return only(admin.ListTransactions(ctx, nil, nil)) }},
		{"describe-transactions", func(ctx context.Context) error { return only(admin.DescribeTransactions(ctx, "franz-go")) }},
		{"delete-records", func(ctx context.Context) error { return only(admin.DeleteRecords(ctx, offset)) }},
		{"elect-leaders", func(ctx context.Context) error {
			return only(admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, partition))
		}},
		{"reassign", func(ctx context.Context) error { return only(admin.AlterPartitionAssignments(ctx, move)) }},
		{"list-reassignments", func(ctx context.Context) error { return only(admin.ListPartitionReassignments(ctx, nil)) }},
		{"create-acls", func(ctx context.Context) error { return only(admin.CreateACLs(ctx, acl)) }},
		{"describe-acls", func(ctx context.Context) error { return only(admin.DescribeACLs(ctx, every)) }},
		{"delete-acls", func(ctx context.Context) error { return only(admin.DeleteACLs(ctx, every)) }},
		{"create-user-256", func(ctx context.Context) error { return create(ctx, kadm.ScramSha256) }},
		{"create-user-512", func(ctx context.Context) error { return create(ctx, kadm.ScramSha512) }},
		{"describe-users", func(ctx context.Context) error { return only(admin.DescribeUserSCRAMs(ctx)) }},
		{"alter-quotas", func(ctx context.Context) error {
			return only(admin.AlterClientQuotas(ctx, []kadm.AlterClientQuotaEntry{quota}))
		}},
		{"describe-quotas", func(ctx context.Context) error { return only(admin.DescribeClientQuotas(ctx, false, nil)) }},
		{"list-groups", func(ctx context.Context) error { return only(admin.ListGroups(ctx)) }},
		{"describe-groups", func(ctx context.Context) error { return only(admin.DescribeGroups(ctx, "franz-go-sticky")) }},
		{"fetch-offsets", func(ctx context.Context) error { return only(admin.FetchOffsets(ctx, "franz-go-sticky")) }},
		{"commit-offsets", func(ctx context.Context) error { return only(admin.CommitOffsets(ctx, "franz-go-range", offset)) }},
		{"delete-offsets", func(ctx context.Context) error { return only(admin.DeleteOffsets(ctx, "franz-go-range", partition)) }},
		{"leave-group", func(ctx context.Context) error {
			leaving := kadm.LeaveGroup("franz-go-static").InstanceIDs("an-instance")
			return only(admin.LeaveGroup(ctx, leaving))
		}},
		{"delete-groups", func(ctx context.Context) error { return only(admin.DeleteGroups(ctx, "franz-go-range", "none")) }},
		{"delete-topic", func(ctx context.Context) error { return only(admin.DeleteTopics(ctx, topic)) }},
	}
	for _, each := range calls {
		step(each.name, each.call)
	}
}
