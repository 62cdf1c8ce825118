// The fields of kafkajs's plain objects. A field is written as
//
//   own               Kafka's name is the same
//   own=kafka         Kafka's name is different
//   own=kafka:bytes   bytes; `sized` for bytes whose length kafkajs expects from its caller
//   own=kafka:set     records, which kafkajs reads and writes with the message
//   own=kafka[...]    a list of structs
//   own=kafka<name>   a list of values; in Kafka, of structs with one field
//   own=kafka(name)   a list of structs with one field; in Kafka, of values
//   own?              a list; kafkajs takes an empty list for null; own?3 from that version on
//   own{...}          a struct that Kafka does not have: in Kafka its fields belong to the outer struct
//   own@0-1           in these versions only; kafkajs invents the field in others

const texts = {
  AddOffsetsToTxnRequest: 'transactionalId producerId producerEpoch groupId',
  AddOffsetsToTxnResponse: 'throttleTime=throttleTimeMs errorCode',
  AddPartitionsToTxnRequest:
    'transactionalId=v3AndBelowTransactionalId producerId=v3AndBelowProducerId producerEpoch=v3AndBelowProducerEpoch ' +
    'topics=v3AndBelowTopics[topic=name partitions]',
  AddPartitionsToTxnResponse:
    'throttleTime=throttleTimeMs errors=resultsByTopicV3AndBelow[topic=name ' +
    'partitionErrors=resultsByPartition[partition=partitionIndex errorCode=partitionErrorCode]]',
  AlterConfigsRequest:
    'resources[type=resourceType name=resourceName configEntries=configs[name value]] validateOnly',
  AlterConfigsResponse:
    'throttleTime=throttleTimeMs resources=responses[errorCode errorMessage resourceType resourceName]',
  AlterPartitionReassignmentsRequest:
    'timeout=timeoutMs topics[topic=name partitionAssignment=partitions[partition=partitionIndex replicas]]',
  AlterPartitionReassignmentsResponse:
    'throttleTime=throttleTimeMs errorCode responses[topic=name partitions[partition=partitionIndex errorCode]]',
  ApiVersionsRequest: '',
  ApiVersionsResponse: 'errorCode apiVersions=apiKeys[apiKey minVersion maxVersion] throttleTime=throttleTimeMs@1-',
  CreateAclsRequest:
    'creations[resourceType resourceName resourcePatternType principal host operation permissionType]',
  CreateAclsResponse: 'throttleTime=throttleTimeMs creationResponses=results[errorCode errorMessage]',
  CreatePartitionsRequest:
    'topicPartitions=topics[topic=name count assignments?<brokerIds>] timeout=timeoutMs validateOnly',
  CreatePartitionsResponse: 'throttleTime=throttleTimeMs topicErrors=results[topic=name errorCode errorMessage]',
  CreateTopicsRequest:
    'topics[topic=name numPartitions replicationFactor ' +
    'replicaAssignment=assignments[partition=partitionIndex replicas=brokerIds] configEntries=configs[name value]] ' +
    'timeout=timeoutMs validateOnly',
  CreateTopicsResponse: 'throttleTime=throttleTimeMs topicErrors=topics[topic=name errorCode errorMessage]',
  DeleteAclsRequest:
    'filters[resourceType=resourceTypeFilter resourceName=resourceNameFilter resourcePatternType=patternTypeFilter ' +
    'principal=principalFilter host=hostFilter operation permissionType]',
  DeleteAclsResponse:
    'throttleTime=throttleTimeMs filterResponses=filterResults[errorCode errorMessage matchingAcls[errorCode ' +
    'errorMessage resourceType resourceName resourcePatternType=patternType principal host operation permissionType]]',
  DeleteGroupsRequest: 'groupIds=groupsNames',
  DeleteGroupsResponse: 'throttleTimeMs results[groupId errorCode]',
  DeleteRecordsRequest:
    'topics[topic=name partitions[partition=partitionIndex offset]] timeout=timeoutMs',
  DeleteRecordsResponse:
    'throttleTime=throttleTimeMs topics[topic=name partitions[partition=partitionIndex lowWatermark errorCode]]',
  DeleteTopicsRequest: 'topics=topicNames timeout=timeoutMs',
  DeleteTopicsResponse: 'throttleTime=throttleTimeMs topicErrors=responses[topic=name errorCode]',
  DescribeAclsRequest:
    'resourceType=resourceTypeFilter resourceName=resourceNameFilter resourcePatternType=patternTypeFilter ' +
    'principal=principalFilter host=hostFilter operation permissionType',
  DescribeAclsResponse:
    'throttleTime=throttleTimeMs errorCode errorMessage resources[resourceType resourceName ' +
    'resourcePatternType=patternType acls[principal host operation permissionType]]',
  DescribeConfigsRequest:
    'resources[type=resourceType name=resourceName configNames?=configurationKeys] includeSynonyms',
  DescribeConfigsResponse:
    'throttleTime=throttleTimeMs resources=results[errorCode errorMessage resourceType resourceName ' +
    'configEntries=configs[configName=name configValue=value readOnly isDefault@0 configSource@1- isSensitive ' +
    'configSynonyms=synonyms[configName=name configValue=value configSource=source]]]',
  DescribeGroupsRequest: 'groupIds=groups',
  DescribeGroupsResponse:
    'throttleTime=throttleTimeMs groups[errorCode groupId state=groupState protocolType protocol=protocolData ' +
    'members[memberId clientId clientHost memberMetadata memberAssignment]]',
  EndTxnRequest: 'transactionalId producerId producerEpoch transactionResult=committed',
  EndTxnResponse: 'throttleTime=throttleTimeMs errorCode',
  FetchRequest:
    'replicaId maxWaitTime=maxWaitMs minBytes maxBytes isolationLevel sessionId sessionEpoch topics[topic ' +
    'partitions[partition currentLeaderEpoch fetchOffset logStartOffset maxBytes=partitionMaxBytes]] ' +
    'forgottenTopics=forgottenTopicsData[topic partitions] rackId',
  FetchResponse:
    'throttleTime=throttleTimeMs errorCode sessionId responses[topicName=topic partitions[partition=partitionIndex errorCode ' +
    'highWatermark lastStableOffset lastStartOffset=logStartOffset abortedTransactions[producerId firstOffset] ' +
    'preferredReadReplica messages=records:set]]',
  FindCoordinatorRequest: 'groupId=key coordinatorKey=key coordinatorType=keyType',
  FindCoordinatorResponse: 'throttleTime=throttleTimeMs errorCode errorMessage coordinator{nodeId host port}',
  HeartbeatRequest: 'groupId groupGenerationId=generationId memberId groupInstanceId',
  HeartbeatResponse: 'throttleTime=throttleTimeMs errorCode',
  InitProducerIdRequest: 'transactionalId transactionTimeout=transactionTimeoutMs',
  InitProducerIdResponse: 'throttleTime=throttleTimeMs errorCode producerId producerEpoch',
  JoinGroupRequest:
    'groupId sessionTimeout=sessionTimeoutMs rebalanceTimeout=rebalanceTimeoutMs memberId groupInstanceId ' +
    'protocolType groupProtocols=protocols[name metadata:bytes]',
  JoinGroupResponse:
    'throttleTime=throttleTimeMs errorCode generationId groupProtocol=protocolName leaderId=leader memberId ' +
    'members[memberId groupInstanceId memberMetadata=metadata]',
  LeaveGroupRequest: 'groupId memberId members[memberId groupInstanceId]',
  LeaveGroupResponse: 'throttleTime=throttleTimeMs errorCode members[memberId groupInstanceId errorCode]',
  ListGroupsRequest: '',
  ListGroupsResponse: 'throttleTime=throttleTimeMs errorCode groups[groupId protocolType]',
  ListOffsetsRequest:
    'replicaId isolationLevel topics[topic=name partitions[partition=partitionIndex timestamp maxNumOffsets]]',
  ListOffsetsResponse:
    'throttleTime=throttleTimeMs responses=topics[topic=name partitions[partition=partitionIndex errorCode ' +
    'offsets=oldStyleOffsets timestamp offset]]',
  ListPartitionReassignmentsRequest:
    'timeout=timeoutMs topics[topic=name partitions=partitionIndexes]',
  ListPartitionReassignmentsResponse:
    'throttleTime=throttleTimeMs errorCode topics[name partitions[partition=partitionIndex replicas addingReplicas ' +
    'removingReplicas]]',
  MetadataRequest: 'topics?1<name> allowAutoTopicCreation',
  MetadataResponse:
    'throttleTime=throttleTimeMs brokers[nodeId host port rack] clusterId controllerId ' +
    'topicMetadata=topics[topicErrorCode=errorCode topic=name isInternal partitionMetadata=partitions[' +
    'partitionErrorCode=errorCode partitionId=partitionIndex leader=leaderId replicas=replicaNodes isr=isrNodes ' +
    'offlineReplicas]]',
  OffsetCommitRequest:
    'groupId groupGenerationId=generationIdOrMemberEpoch memberId groupInstanceId retentionTime=retentionTimeMs ' +
    'topics[topic=name partitions[partition=partitionIndex offset=committedOffset timestamp=commitTimestamp ' +
    'metadata=committedMetadata]]',
  OffsetCommitResponse:
    'throttleTime=throttleTimeMs responses=topics[topic=name partitions[partition=partitionIndex errorCode]]',
  OffsetFetchRequest: 'groupId topics?3[topic=name partitions=partitionIndexes(partition)]',
  OffsetFetchResponse:
    'throttleTime=throttleTimeMs responses=topics[topic=name partitions[partition=partitionIndex offset=committedOffset ' +
    'metadata errorCode]] errorCode',
  ProduceRequest:
    'transactionalId acks timeout=timeoutMs topicData[topic=name partitions=partitionData[partition=index set=records:set]]',
  ProduceResponse:
    'topics=responses[topicName=name partitions=partitionResponses[partition=index errorCode offset=baseOffset baseOffset ' +
    'timestamp=logAppendTimeMs logAppendTime=logAppendTimeMs logStartOffset]] throttleTime=throttleTimeMs',
  SaslAuthenticateRequest: 'authBytes:sized',
  SaslAuthenticateResponse: 'errorCode errorMessage authBytes:sized sessionLifetimeMs',
  SaslHandshakeRequest: 'mechanism',
  SaslHandshakeResponse: 'errorCode enabledMechanisms=mechanisms',
  SyncGroupRequest:
    'groupId generationId memberId groupInstanceId groupAssignment=assignments[memberId memberAssignment=assignment:bytes]',
  SyncGroupResponse: 'throttleTime=throttleTimeMs errorCode memberAssignment=assignment',
  TxnOffsetCommitRequest:
    'transactionalId groupId producerId producerEpoch ' +
    'topics[topic=name partitions[partition=partitionIndex offset=committedOffset metadata=committedMetadata]]',
  TxnOffsetCommitResponse:
    'throttleTime=throttleTimeMs topics[topic=name partitions[partition=partitionIndex errorCode]]',
}

const LEAF = /^(\w+)(\?\d*)?(?:=(\w+))?(?::(\w+))?(?:@(\d+)(-(\d*))?)?/

// Parses one struct. Returns its fields and the rest of the text.
function parse(text) {
  const struct = []
  for (;;) {
    text = text.trimStart()
    const leaf = LEAF.exec(text)
    if (!leaf) return [struct, text]
    const [whole, own, nullable, kafka, form, from, ranged, to] = leaf
    const field = { own, kafka: kafka ?? own, ...versions(from, ranged, to) }
    field.sized = form === 'sized'
    field.bytes = form === 'bytes' || field.sized
    field.set = form === 'set'
    field.emptyIsNull = nullable === undefined ? Infinity : Number(nullable.slice(1))
    text = text.slice(whole.length)
    const open = text[0]
    if (open !== undefined && '[<({'.includes(open)) {
      ;[field.inner, text] = parse(text.slice(1))
      text = text.slice(1)
      field.flat = open === '<'
      field.wrapped = open === '('
      field.merged = open === '{'
    }
    struct.push(field)
  }
}

function versions(from, ranged, to) {
  if (from === undefined) return { from: 0, to: Infinity }
  return { from: Number(from), to: to ? Number(to) : ranged ? Infinity : Number(from) }
}

export const fields = Object.fromEntries(Object.entries(texts).map(([message, text]) => [message, parse(text)[0]]))
