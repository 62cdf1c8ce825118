package main

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
	"wireproof/testee"
)

// kinds maps Kafka's message names to kmsg's types.
type kinds map[string]*kind

type kind struct {
	of       reflect.Type
	versions string
	request  bool
	prefixed bool // kmsg writes the version before the message
	labelled bool // kmsg takes the version from a field of the message
	optional bool // kmsg reads the last field if bytes are left, so that a prefix without it decodes, too
	shapes   map[int16]*shape
}

// dataKinds lists kmsg's data types. kmsg has no index of them. The versions are those that kmsg documents.
var dataKinds = map[string]kind{
	"ConnectAssignment":            {of: reflect.TypeFor[kmsg.ConnectMemberAssignment](), versions: "0-2", prefixed: true},
	"ConnectWorkerState":           {of: reflect.TypeFor[kmsg.ConnectMemberMetadata](), versions: "0-2", prefixed: true},
	"ConsumerProtocolAssignment":   {of: reflect.TypeFor[kmsg.ConsumerMemberAssignment](), versions: "0-3", prefixed: true},
	"ConsumerProtocolSubscription": {of: reflect.TypeFor[kmsg.ConsumerMemberMetadata](), versions: "0-3", prefixed: true},
	"ControlRecordTypeSchema":      {of: reflect.TypeFor[kmsg.ControlRecordKey](), versions: "0", prefixed: true},
	"DefaultPrincipalData":         {of: reflect.TypeFor[kmsg.DefaultPrincipalData](), versions: "0", prefixed: true},
	"EndTxnMarker":                 {of: reflect.TypeFor[kmsg.EndTxnMarker](), versions: "0", prefixed: true},
	"GroupMetadataKey":             {of: reflect.TypeFor[kmsg.GroupMetadataKey](), versions: "0,2", prefixed: true},
	"GroupMetadataValue":           {of: reflect.TypeFor[kmsg.GroupMetadataValue](), versions: "0-4", prefixed: true},
	"LeaderChangeMessage":          {of: reflect.TypeFor[kmsg.LeaderChangeMessage](), versions: "0-1", labelled: true},
	"LegacyOffsetCommitKey":        {of: reflect.TypeFor[kmsg.OffsetCommitKey](), versions: "0", prefixed: true},
	"OffsetCommitKey":              {of: reflect.TypeFor[kmsg.OffsetCommitKey](), versions: "0-1", prefixed: true},
	"OffsetCommitValue":            {of: reflect.TypeFor[kmsg.OffsetCommitValue](), versions: "0-4", prefixed: true},
	"StickyAssignorUserData":       {of: reflect.TypeFor[kmsg.StickyMemberMetadata](), versions: "0-1", optional: true},
	"TransactionLogKey":            {of: reflect.TypeFor[kmsg.TxnMetadataKey](), versions: "0", prefixed: true},
	"TransactionLogValue":          {of: reflect.TypeFor[kmsg.TxnMetadataValue](), versions: "0-1", prefixed: true},
}

// otherMessages maps kmsg's names to Kafka's where kafkaWords does not convert them.
var otherMessages = map[string]string{
	"AlterPartitionAssignmentsRequest":  "AlterPartitionReassignmentsRequest",
	"AlterPartitionAssignmentsResponse": "AlterPartitionReassignmentsResponse",
}

// catalogue collects kmsg's own index of requests and responses, and its data types.
func catalogue() kinds {
	all := kinds{}
	for key := int16(0); key <= kmsg.MaxKey; key++ {
		if request := kmsg.RequestForKey(key); request != nil {
			of := reflect.TypeOf(request).Elem()
			all[messageName(of)] = &kind{of: of, versions: upTo(request.MaxVersion()), request: true}
		}
		if response := kmsg.ResponseForKey(key); response != nil {
			of := reflect.TypeOf(response).Elem()
			all[messageName(of)] = &kind{of: of, versions: upTo(response.MaxVersion())}
		}
	}
	for name, of := range dataKinds {
		all[name] = &of
	}
	for _, of := range all {
		of.shapes = map[int16]*shape{}
	}
	return all
}

func upTo(version int16) string {
	if version == 0 {
		return "0"
	}
	return "0-" + strconv.Itoa(int(version))
}

func (c kinds) find(name string) (*kind, error) {
	if of, found := c[name]; found {
		return of, nil
	}
	return nil, fmt.Errorf("kmsg has no %s", name)
}

// fresh creates a message with kmsg's defaults.
func (k *kind) fresh(version int16) message {
	made := reflect.New(k.of)
	setDefaults(made.Elem())
	if field := made.Elem().FieldByName("Version"); field.IsValid() {
		field.SetInt(int64(version))
	}
	return made.Interface().(message)
}

// shape returns the fields of a version. It determines them once.
func (k *kind) shape(version int16) *shape {
	known := k.shapes[version]
	if known == nil {
		known = shapeOf(func() message { return k.fresh(version) }, version)
		k.shapes[version] = known
	}
	return known
}

func claims(all kinds) map[string]testee.Claim {
	claimed := map[string]testee.Claim{}
	for name, of := range all {
		claim := testee.Claim{Decode: of.versions, Encode: of.versions, Reencode: of.versions}
		if of.request {
			claim.Frame = of.versions
		}
		claimed[name] = claim
	}
	return claimed
}

// index lists all messages of kmsg. Its types MessageV0, MessageV1 and RecordBatch are the parts of record sets.
func index(all kinds) map[string]testee.Ways {
	has := map[string]testee.Ways{}
	for name, of := range all {
		has[name] = testee.Ways{Encode: of.versions, Decode: of.versions}
	}
	has["RecordBatch"] = testee.Ways{Encode: "0-2", Decode: "0-2"}
	return has
}

// registry lists kmsg's APIs. kmsg does not read response headers, so it has no versions of them.
func registry() (apis []testee.API) {
	for key := int16(0); key <= kmsg.MaxKey; key++ {
		request, response := kmsg.RequestForKey(key), kmsg.ResponseForKey(key)
		if request == nil || response == nil {
			continue
		}
		headers := map[string]int{}
		for version := int16(0); version <= request.MaxVersion(); version++ {
			request.SetVersion(version)
			headers[strconv.Itoa(int(version))] = headerVersion(request)
		}
		apis = append(apis, testee.API{
			Key:      key,
			Request:  &testee.Direction{Message: messageName(reflect.TypeOf(request).Elem()), Versions: upTo(request.MaxVersion()), Headers: headers},
			Response: &testee.Direction{Message: messageName(reflect.TypeOf(response).Elem()), Versions: upTo(response.MaxVersion())},
		})
	}
	return apis
}

// headerVersion derives the header version from the length of the header that kmsg writes. Version 0 has two int16
// and an int32. Version 1 adds a null client id, version 2 an empty tag section of one byte.
func headerVersion(request kmsg.Request) int {
	body := len(request.AppendTo(nil))
	switch len(kmsg.NewRequestFormatter().AppendRequest(nil, request, 0)) - 4 - body {
	case 10:
		return 1
	case 11:
		return 2
	}
	return 0
}

// versionOf returns the version of a module in this program's build.
func versionOf(module string) string {
	built, _ := debug.ReadBuildInfo()
	for _, dependency := range built.Deps {
		if dependency.Path == module {
			return dependency.Version[1:]
		}
	}
	return "unknown"
}
