// The fields of kafkajs's plain objects. A field is written as
//
//   own               Kafka's name is the same
//   own=kafka         it is another
//   own=kafka:0       what an absent field means: JSON; `bytes` for none of them, `sized` for the same with their
//                     length, which kafkajs leaves to its caller; '' if left out
//   own=kafka[...]    a list of structs
//   own=kafka<name>   a list whose items are the one field that Kafka's struct has
//   own=kafka(name)   a list of structs with one field, where Kafka has its values alone
//   own?              a list, and no items are null: kafkajs cannot say both; own?3 from that version on
//   own{...}          a struct that Kafka does not have: its fields stand beside it
//   own@0-1           in these versions only; in others kafkajs makes it up
//
// What carries records (Produce, Fetch) is made of messages, not of bytes, and is not here.

const texts = {
  AddOffsetsToTxnRequest: 'transactionalId producerId:"0" producerEpoch:0 groupId',
  AddOffsetsToTxnResponse: 'throttleTime=throttleTimeMs errorCode',
  AddPartitionsToTxnRequest:
    'transactionalId=v3AndBelowTransactionalId producerId=v3AndBelowProducerId:"0" producerEpoch=v3AndBelowProducerEpoch:0 ' +
    'topics=v3AndBelowTopics[topic=name partitions:[]]',
  AddPartitionsToTxnResponse:
    'throttleTime=throttleTimeMs errors=resultsByTopicV3AndBelow[topic=name ' +
    'partitionErrors=resultsByPartition[partition=partitionIndex errorCode=partitionErrorCode]]',
  AlterConfigsRequest:
    'resources[type=resourceType:0 name=resourceName configEntries=configs[name value]] validateOnly:false',
  AlterConfigsResponse:
    'throttleTime=throttleTimeMs resources=responses[errorCode errorMessage resourceType resourceName]',
  AlterPartitionReassignmentsRequest:
    'timeout=timeoutMs:60000 topics[topic=name partitionAssignment=partitions[partition=partitionIndex:0 replicas:null]]',
  AlterPartitionReassignmentsResponse:
    'throttleTime=throttleTimeMs errorCode responses[topic=name partitions[partition=partitionIndex errorCode]]',
  ApiVersionsRequest: '',
  ApiVersionsResponse: 'errorCode apiVersions=apiKeys[apiKey minVersion maxVersion] throttleTime=throttleTimeMs@1-',
  CreateAclsRequest:
    'creations[resourceType:0 resourceName resourcePatternType:3 principal host operation:0 permissionType:0]',
  CreateAclsResponse: 'throttleTime=throttleTimeMs creationResponses=results[errorCode errorMessage]',
  CreatePartitionsRequest:
    'topicPartitions=topics[topic=name count:0 assignments?<brokerIds:[]>] timeout=timeoutMs:0 validateOnly:false',
  CreatePartitionsResponse: 'throttleTime=throttleTimeMs topicErrors=results[topic=name errorCode errorMessage]',
  CreateTopicsRequest:
    'topics[topic=name numPartitions:0 replicationFactor:0 ' +
    'replicaAssignment=assignments[partition=partitionIndex:0 replicas=brokerIds:[]] configEntries=configs[name value]] ' +
    'timeout=timeoutMs:60000 validateOnly:false',
  CreateTopicsResponse: 'throttleTime=throttleTimeMs topicErrors=topics[topic=name errorCode errorMessage]',
  DeleteAclsRequest:
    'filters[resourceType=resourceTypeFilter:0 resourceName=resourceNameFilter resourcePatternType=patternTypeFilter:3 ' +
    'principal=principalFilter host=hostFilter operation:0 permissionType:0]',
  DeleteAclsResponse:
    'throttleTime=throttleTimeMs filterResponses=filterResults[errorCode errorMessage matchingAcls[errorCode ' +
    'errorMessage resourceType resourceName resourcePatternType=patternType principal host operation permissionType]]',
  DeleteGroupsRequest: 'groupIds=groupsNames:[]',
  DeleteGroupsResponse: 'throttleTimeMs results[groupId errorCode]',
  DeleteRecordsRequest:
    'topics[topic=name partitions[partition=partitionIndex:0 offset:"0"]] timeout=timeoutMs:0',
  DeleteRecordsResponse:
    'throttleTime=throttleTimeMs topics[topic=name partitions[partition=partitionIndex lowWatermark errorCode]]',
  DeleteTopicsRequest: 'topics=topicNames:[] timeout=timeoutMs:0',
  DeleteTopicsResponse: 'throttleTime=throttleTimeMs topicErrors=responses[topic=name errorCode]',
  DescribeAclsRequest:
    'resourceType=resourceTypeFilter:0 resourceName=resourceNameFilter resourcePatternType=patternTypeFilter:3 ' +
    'principal=principalFilter host=hostFilter operation:0 permissionType:0',
  DescribeAclsResponse:
    'throttleTime=throttleTimeMs errorCode errorMessage resources[resourceType resourceName ' +
    'resourcePatternType=patternType acls[principal host operation permissionType]]',
  DescribeConfigsRequest:
    'resources[type=resourceType:0 name=resourceName configNames?=configurationKeys:[]] includeSynonyms:false',
  DescribeConfigsResponse:
    'throttleTime=throttleTimeMs resources=results[errorCode errorMessage resourceType resourceName ' +
    'configEntries=configs[configName=name configValue=value readOnly isDefault@0 configSource@1- isSensitive ' +
    'configSynonyms=synonyms[configName=name configValue=value configSource=source]]]',
  DescribeGroupsRequest: 'groupIds=groups:[]',
  DescribeGroupsResponse:
    'throttleTime=throttleTimeMs groups[errorCode groupId state=groupState protocolType protocol=protocolData ' +
    'members[memberId clientId clientHost memberMetadata memberAssignment]]',
  EndTxnRequest: 'transactionalId producerId:"0" producerEpoch:0 transactionResult=committed:false',
  EndTxnResponse: 'throttleTime=throttleTimeMs errorCode',
  FindCoordinatorRequest: 'groupId=key coordinatorKey=key coordinatorType=keyType:0',
  FindCoordinatorResponse: 'throttleTime=throttleTimeMs errorCode errorMessage coordinator{nodeId host port}',
  HeartbeatRequest: 'groupId groupGenerationId=generationId:0 memberId groupInstanceId:null',
  HeartbeatResponse: 'throttleTime=throttleTimeMs errorCode',
  InitProducerIdRequest: 'transactionalId transactionTimeout=transactionTimeoutMs:0',
  InitProducerIdResponse: 'throttleTime=throttleTimeMs errorCode producerId producerEpoch',
  JoinGroupRequest:
    'groupId sessionTimeout=sessionTimeoutMs:0 rebalanceTimeout=rebalanceTimeoutMs:-1 memberId groupInstanceId:null ' +
    'protocolType groupProtocols=protocols[name metadata:bytes]',
  JoinGroupResponse:
    'throttleTime=throttleTimeMs errorCode generationId groupProtocol=protocolName leaderId=leader memberId ' +
    'members[memberId groupInstanceId memberMetadata=metadata]',
  LeaveGroupRequest: 'groupId memberId members[memberId groupInstanceId:null]',
  LeaveGroupResponse: 'throttleTime=throttleTimeMs errorCode members[memberId groupInstanceId errorCode]',
  ListGroupsRequest: '',
  ListGroupsResponse: 'throttleTime=throttleTimeMs errorCode groups[groupId protocolType]',
  ListOffsetsRequest:
    'replicaId:0 isolationLevel:0 topics[topic=name partitions[partition=partitionIndex:0 timestamp:"0" maxNumOffsets:1]]',
  ListOffsetsResponse:
    'throttleTime=throttleTimeMs responses=topics[topic=name partitions[partition=partitionIndex errorCode ' +
    'offsets=oldStyleOffsets timestamp offset]]',
  ListPartitionReassignmentsRequest:
    'timeout=timeoutMs:60000 topics:null[topic=name partitions=partitionIndexes:[]]',
  ListPartitionReassignmentsResponse:
    'throttleTime=throttleTimeMs errorCode topics[name partitions[partition=partitionIndex replicas addingReplicas ' +
    'removingReplicas]]',
  MetadataRequest: 'topics?1<name> allowAutoTopicCreation:true',
  MetadataResponse:
    'throttleTime=throttleTimeMs brokers[nodeId host port rack] clusterId controllerId ' +
    'topicMetadata=topics[topicErrorCode=errorCode topic=name isInternal partitionMetadata=partitions[' +
    'partitionErrorCode=errorCode partitionId=partitionIndex leader=leaderId replicas=replicaNodes isr=isrNodes ' +
    'offlineReplicas]]',
  OffsetCommitRequest:
    'groupId groupGenerationId=generationIdOrMemberEpoch:-1 memberId groupInstanceId:null retentionTime=retentionTimeMs:"-1" ' +
    'topics[topic=name partitions[partition=partitionIndex:0 offset=committedOffset:"0" timestamp=commitTimestamp:"-1" ' +
    'metadata=committedMetadata]]',
  OffsetCommitResponse:
    'throttleTime=throttleTimeMs responses=topics[topic=name partitions[partition=partitionIndex errorCode]]',
  OffsetFetchRequest: 'groupId topics?3[topic=name partitions=partitionIndexes(partition:0)]',
  OffsetFetchResponse:
    'throttleTime=throttleTimeMs responses=topics[topic=name partitions[partition=partitionIndex offset=committedOffset ' +
    'metadata errorCode]] errorCode',
  SaslAuthenticateRequest: 'authBytes:sized',
  SaslAuthenticateResponse: 'errorCode errorMessage authBytes:sized sessionLifetimeMs',
  SaslHandshakeRequest: 'mechanism',
  SaslHandshakeResponse: 'errorCode enabledMechanisms=mechanisms',
  SyncGroupRequest:
    'groupId generationId:0 memberId groupInstanceId:null groupAssignment=assignments[memberId memberAssignment=assignment:bytes]',
  SyncGroupResponse: 'throttleTime=throttleTimeMs errorCode memberAssignment=assignment',
  TxnOffsetCommitRequest:
    'transactionalId groupId producerId:"0" producerEpoch:0 ' +
    'topics[topic=name partitions[partition=partitionIndex:0 offset=committedOffset:"0" metadata=committedMetadata]]',
  TxnOffsetCommitResponse:
    'throttleTime=throttleTimeMs topics[topic=name partitions[partition=partitionIndex errorCode]]',
}

const LEAF = /^(\w+)(\?\d*)?(?:=(\w+))?(?::("[^"]*"|\[\]|[\w-]+))?(?:@(\d+)(-(\d*))?)?/

// One struct of a text: its fields, and what follows it.
function parse(text) {
  const struct = []
  for (;;) {
    text = text.trimStart()
    const leaf = LEAF.exec(text)
    if (!leaf) return [struct, text]
    const [whole, own, nullable, kafka, absent, from, ranged, to] = leaf
    const field = { own, kafka: kafka ?? own, ...versions(from, ranged, to) }
    field.sized = absent === 'sized'
    field.bytes = absent === 'bytes' || field.sized
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
    field.absent = field.bytes || absent === undefined ? (field.inner ? [] : '') : JSON.parse(absent)
    struct.push(field)
  }
}

function versions(from, ranged, to) {
  if (from === undefined) return { from: 0, to: Infinity }
  return { from: Number(from), to: to ? Number(to) : ranged ? Infinity : Number(from) }
}

export const fields = Object.fromEntries(Object.entries(texts).map(([message, text]) => [message, parse(text)[0]]))
