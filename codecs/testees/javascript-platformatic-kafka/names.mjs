// Differences between the objects of @platformatic/kafka and Kafka's structs: other names, fields that the codec does not
// take, and fields that it invents for versions without them. All other fields have Kafka's names.
//
// A path is Kafka's in requests and the codec's in responses, without the indices of lists.

import { setOf } from './record-sets.mjs'

// Requests. `path=own`: another name. `path:JSON`: the codec does not take the field and always writes this value.
const requests = {
  AlterClientQuotasRequest: 'entries.entity=entities',
  DeleteAclsRequest:
    'filters.resourceTypeFilter=resourceType filters.resourceNameFilter=resourceName ' +
    'filters.patternTypeFilter=resourcePatternType filters.principalFilter=principal filters.hostFilter=host',
  DescribeAclsRequest:
    'filter.resourceTypeFilter=resourceType filter.resourceNameFilter=resourceName ' +
    'filter.patternTypeFilter=resourcePatternType filter.principalFilter=principal filter.hostFilter=host',
  DescribeLogDirsRequest: 'topics.topic=name',
  FetchRequest:
    'replicaId:-1 clusterId:null replicaState:{"replicaId":-1,"replicaEpoch":"-1"} topics.topic=topicId ' +
    'topics.partitions.logStartOffset:"-1"',
  ListOffsetsRequest: 'replicaId=replica topics.partitions.maxNumOffsets:1',
  OffsetCommitRequest: 'retentionTimeMs:"-1" topics.partitions.commitTimestamp:"-1"',
  OffsetForLeaderEpochRequest: 'topics.topic=name topics.partitions.partition=partitionIndex',
  TxnOffsetCommitRequest: 'generationIdOrMemberEpoch=generationId',
}

// Requests with other structs. The results have Kafka's names, except for those in the table above.
const NO_ID = '00000000-0000-0000-0000-000000000000'
export const shapes = {
  AddPartitionsToTxnRequest: (version, value) =>
    version > 3
      ? value
      : {
          transactions: [
            {
              transactionalId: value.v3AndBelowTransactionalId,
              producerId: value.v3AndBelowProducerId,
              producerEpoch: value.v3AndBelowProducerEpoch,
              topics: value.v3AndBelowTopics,
            },
          ],
        },
  AlterPartitionRequest: (version, value) =>
    version > 2
      ? value
      : {
          ...value,
          topics: value.topics.map((topic) => ({
            ...topic,
            partitions: topic.partitions.map(({ newIsr, ...rest }) => ({
              ...rest,
              newIsrWithEpochs: newIsr.map((brokerId) => ({ brokerId })),
            })),
          })),
        },
  DeleteTopicsRequest: (version, { topicNames, ...rest }) =>
    version > 5 ? rest : { ...rest, topics: topicNames.map((name) => ({ name })) },
  DescribeAclsRequest: (version, filter) => ({ filter }),
  // The codec's topicId is the topic's name before version 13: it takes one of the two.
  FetchRequest: (version, value, unsupported) => {
    const other = version < 13 ? 'topicId' : 'topic'
    for (const topic of [...value.topics, ...(value.forgottenTopicsData ?? [])]) {
      if (other in topic) unsupported('field', `a topic's ${other} is not taken`)
    }
    return value
  },
  FindCoordinatorRequest: (version, { key, ...rest }) => (version > 3 ? rest : { ...rest, coordinatorKeys: [key] }),
  LeaveGroupRequest: (version, { memberId, ...rest }) => (version > 2 ? rest : { ...rest, members: [{ memberId }] }),
  // Since version 12 a topic has an id or a name. At 10 and 11 the codec does not write the id.
  MetadataRequest: (version, value, unsupported) => {
    if (version === 10 || version === 11) {
      for (const topic of value.topics ?? []) {
        if ((topic.topicId ?? NO_ID) !== NO_ID) unsupported('field', 'no topicId is taken')
      }
    }
    return value
  },
  OffsetCommitRequest: (version, { generationIdOrMemberEpoch, ...rest }) => ({
    ...rest,
    [version > 2 ? 'generationIdOrMemberEpoch' : 'generationId']: generationIdOrMemberEpoch,
  }),
  OffsetFetchRequest: (version, { groupId, topics, ...rest }) =>
    version > 7 ? rest : { ...rest, groups: [{ groupId, topics }] },
  UpdateFeaturesRequest: (version, value) =>
    version > 0
      ? value
      : {
          ...value,
          featureUpdates: value.featureUpdates.map(({ allowDowngrade, ...rest }) => ({
            ...rest,
            upgradeType: allowDowngrade ? 2 : 1, // SAFE_DOWNGRADE, UPGRADE
          })),
        },
}

// Responses. `path@FROM`, `path@FROM-TO`: the codec invents the field in other versions. `path@-`: Kafka does not have the
// field. `path=kafka`: another name.
const responses = {
  AddPartitionsToTxnResponse: 'errorCode@4',
  AlterPartitionReassignmentsResponse: 'allowReplicationFactorChange@1',
  AlterPartitionResponse: 'topics.partitions.leaderRecoveryState@1 topics.topicId@2',
  ApiVersionsResponse: 'apiKeys.name@- throttleTimeMs@1',
  CreateDelegationTokenResponse: 'tokenRequesterPrincipalType@3 tokenRequesterPrincipalName@3',
  CreateTopicsResponse:
    'throttleTimeMs@2 topics.errorMessage@1 topics.topicId@7 topics.numPartitions@5 topics.replicationFactor@5 ' +
    'topics.configs@5',
  DeleteAclsResponse: 'filterResults.matchingAcls.resourcePatternType=patternType@1',
  DeleteTopicsResponse: 'throttleTimeMs@1 responses.topicId@6 responses.errorMessage@5',
  DescribeAclsResponse: 'resources.resourcePatternType=patternType@1',
  DescribeClusterResponse: 'endpointType@1',
  DescribeConfigsResponse:
    'results.configs.configSource@1 results.configs.synonyms@1 results.configs.configType@3 ' +
    'results.configs.documentation@3',
  DescribeDelegationTokenResponse: 'tokens.tokenRequesterPrincipalType@3 tokens.tokenRequesterPrincipalName@3',
  DescribeGroupsResponse: 'throttleTimeMs@1 groups.members.groupInstanceId@4 groups.authorizedOperations@3',
  DescribeLogDirsResponse: 'errorCode@3 results.totalBytes@4 results.usableBytes@4',
  DescribeQuorumResponse:
    'errorMessage@2 nodes@2 topics.partitions.errorMessage@2 ' +
    ['currentVoters', 'observers']
      .map((path) => `topics.partitions.${path}`)
      .map((path) => `${path}.replicaDirectoryId@2 ${path}.lastFetchTimestamp@1 ${path}.lastCaughtUpTimestamp@1`)
      .join(' '),
  FetchResponse:
    'errorCode@7 sessionId@7 nodeEndpoints@16 responses.partitions.logStartOffset@5 ' +
    'responses.partitions.preferredReadReplica@11',
  FindCoordinatorResponse: 'throttleTimeMs@1 errorMessage@1',
  HeartbeatResponse: 'throttleTimeMs@1',
  JoinGroupResponse: 'throttleTimeMs@2 members.groupInstanceId@5 protocolType@7 skipAssignment@9',
  LeaveGroupResponse: 'throttleTimeMs@1 members@3',
  ListConfigResourcesResponse: 'configResources.resourceType@1',
  ListGroupsResponse: 'throttleTimeMs@1 groups.groupState@4 groups.groupType@5',
  ListOffsetsResponse:
    'throttleTimeMs@2 topics.partitions.leaderEpoch@4 topics.partitions.timestamp@1 topics.partitions.offset@1',
  MetadataResponse:
    'throttleTimeMs@3 clusterId@2 controllerId@1 brokers.rack@1 topics.isInternal@1 topics.topicId@10 ' +
    'topics.topicAuthorizedOperations@8 topics.partitions.leaderEpoch@7 topics.partitions.offlineReplicas@5',
  OffsetCommitResponse: 'throttleTimeMs@3',
  OffsetFetchResponse: 'throttleTimeMs@3 errorCode@2-7 groups@8 topics.partitions.committedLeaderEpoch@5',
  OffsetForLeaderEpochResponse: 'throttleTimeMs@2 topics.partitions.leaderEpoch@1',
  ProduceResponse:
    'responses.partitionResponses.logStartOffset@5 responses.partitionResponses.recordErrors@8 ' +
    'responses.partitionResponses.errorMessage@8',
  SaslAuthenticateResponse: 'sessionLifetimeMs@1',
  SyncGroupResponse: 'throttleTimeMs@1 protocolType@5 protocolName@5',
}

// Responses that the codec returns with the structs of a newer version.
export const unshapes = {
  AddPartitionsToTxnResponse: (version, { resultsByTransaction, ...rest }) =>
    version > 3
      ? { ...rest, resultsByTransaction }
      : { ...rest, resultsByTopicV3AndBelow: resultsByTransaction[0].topicResults },
  // The codec's topicId is the topic's name before version 13.
  FetchResponse: (version, { responses, ...rest }) => ({
    ...rest,
    responses: responses.map(({ topicId, partitions }) => ({
      [version > 12 ? 'topicId' : 'topic']: topicId,
      partitions: partitions.map((partition) => ({ ...partition, records: setOf(partition.records) })),
    })),
  }),
  FindCoordinatorResponse: (version, { coordinators, ...rest }) => {
    if (version > 3) return { ...rest, coordinators }
    const { key, ...one } = coordinators[0]
    return { ...rest, ...one }
  },
}

// The fields of requests that are int64, bytes and float64: the codec takes a BigInt, a Buffer and a number.
export const LONGS = new Set(
  ('brokerEpoch committedOffset durationFilter expiryTimePeriodMs fetchOffset maxLifetimeMs offset producerId ' +
    'producerIdFilters renewPeriodMs timestamp').split(' '),
)
export const BYTES = new Set(
  'assignment authBytes clientHostAddress hmac metadata metrics requestData requestPrincipal salt saltedPassword'.split(' '),
)
export const FLOATS = new Set(['entries.ops.value'])

const ITEM = /^([\w.]+)(?:=(\w+))?(?::(.+))?(?:@(\d*)(-(\d*))?)?$/

// Parses the texts of a table to fields by path.
function parsed(table) {
  const messages = Object.entries(table).map(([message, text]) => [message, new Map(text.split(' ').map(field))])
  return new Map(messages)
}

function field(item) {
  const [, path, name, fixed, from, range, to] = ITEM.exec(item)
  const low = from === undefined ? 0 : from === '' ? Infinity : Number(from)
  return [path, { name, fixed: fixed && JSON.parse(fixed), isFixed: fixed !== undefined, low, high: range && to ? Number(to) : Infinity }]
}

export const taken = parsed(requests)
export const given = parsed(responses)
