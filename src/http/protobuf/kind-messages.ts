import { list, type Message, map, message, pointer, shown, value } from './message.ts';
import { deleteOptions, listMeta, objectMeta, status } from './meta-messages.ts';

const namespace = message({
  metadata: value(1, objectMeta),
  spec: value(2, message({ finalizers: list(1) })),
  status: value(
    3,
    message({
      phase: value(1),
      conditions: list(
        2,
        message({
          type: shown(1),
          status: shown(2),
          lastTransitionTime: value(4, 'time'),
          reason: value(5),
          message: value(6),
        }),
      ),
    }),
  ),
});

const objectReference = message({
  kind: value(1),
  namespace: value(2),
  name: value(3),
  uid: value(4),
  apiVersion: value(5),
  resourceVersion: value(6),
  fieldPath: value(7),
});

const eventSource = message({ component: value(1), host: value(2) });

const coreEvent = message({
  metadata: value(1, objectMeta),
  involvedObject: value(2, objectReference),
  reason: value(3),
  message: value(4),
  source: value(5, eventSource),
  firstTimestamp: value(6, 'time'),
  lastTimestamp: value(7, 'time'),
  count: value(8, 'int32'),
  type: value(9),
  eventTime: value(10, 'microTime'),
  series: pointer(11, message({ count: value(1, 'int32'), lastObservedTime: value(2, 'microTime') })),
  action: value(12),
  related: pointer(13, objectReference),
  reportingComponent: shown(14),
  reportingInstance: shown(15),
});

const groupEvent = message({
  metadata: value(1, objectMeta),
  eventTime: value(2, 'microTime'),
  series: pointer(3, message({ count: shown(1, 'int32'), lastObservedTime: value(2, 'microTime') })),
  reportingController: value(4),
  reportingInstance: value(5),
  action: value(6),
  reason: value(7),
  regarding: value(8, objectReference),
  related: pointer(9, objectReference),
  note: value(10),
  type: value(11),
  deprecatedSource: value(12, eventSource),
  deprecatedFirstTimestamp: value(13, 'time'),
  deprecatedLastTimestamp: value(14, 'time'),
  deprecatedCount: value(15, 'int32'),
});

const lease = message({
  metadata: value(1, objectMeta),
  spec: value(
    2,
    message({
      holderIdentity: pointer(1),
      leaseDurationSeconds: pointer(2, 'int32'),
      acquireTime: pointer(3, 'microTime'),
      renewTime: pointer(4, 'microTime'),
      leaseTransitions: pointer(5, 'int32'),
      strategy: pointer(6),
      preferredHolder: pointer(7),
    }),
  ),
});

const selectorAttributes = message({
  rawSelector: value(1),
  requirements: list(2, message({ key: shown(1), operator: shown(2), values: list(3) })),
});

const resourceAttributes = message({
  namespace: value(1),
  verb: value(2),
  group: value(3),
  version: value(4),
  resource: value(5),
  subresource: value(6),
  name: value(7),
  fieldSelector: pointer(8, selectorAttributes),
  labelSelector: pointer(9, selectorAttributes),
});

const nonResourceAttributes = message({ path: value(1), verb: value(2) });

const accessReviewStatus = message({
  allowed: shown(1, 'bool'),
  denied: value(4, 'bool'),
  reason: value(2),
  evaluationError: value(3),
});

const accessReview = message({
  metadata: value(1, objectMeta),
  spec: value(
    2,
    message({
      resourceAttributes: pointer(1, resourceAttributes),
      nonResourceAttributes: pointer(2, nonResourceAttributes),
      user: value(3),
      groups: list(4),
      extra: map(5, 'strings'),
      uid: value(6),
    }),
  ),
  status: value(3, accessReviewStatus),
});

const selfAccessReview = message({
  metadata: value(1, objectMeta),
  spec: value(
    2,
    message({
      resourceAttributes: pointer(1, resourceAttributes),
      nonResourceAttributes: pointer(2, nonResourceAttributes),
    }),
  ),
  status: value(3, accessReviewStatus),
});

const selfRulesReview = message({
  metadata: value(1, objectMeta),
  spec: value(2, message({ namespace: value(1) })),
  status: value(
    3,
    message({
      resourceRules: list(
        1,
        message({ verbs: list(1), apiGroups: list(2), resources: list(3), resourceNames: list(4) }),
      ),
      nonResourceRules: list(2, message({ verbs: list(1), nonResourceURLs: list(2) })),
      incomplete: shown(3, 'bool'),
      evaluationError: value(4),
    }),
  ),
});

const selfReview = message({
  metadata: value(1, objectMeta),
  status: value(
    2,
    message({
      userInfo: value(1, message({ username: value(1), uid: value(2), groups: list(3), extra: map(4, 'strings') })),
    }),
  ),
});

function listOf(item: Message): Message {
  return message({ metadata: value(1, listMeta), items: list(2, item) });
}

const messages = new Map<string, Message>([
  ['v1/Namespace', namespace],
  ['v1/NamespaceList', listOf(namespace)],
  ['v1/Event', coreEvent],
  ['v1/EventList', listOf(coreEvent)],
  ['events.k8s.io/v1/Event', groupEvent],
  ['events.k8s.io/v1/EventList', listOf(groupEvent)],
  ['coordination.k8s.io/v1/Lease', lease],
  ['coordination.k8s.io/v1/LeaseList', listOf(lease)],
  ['authorization.k8s.io/v1/SelfSubjectAccessReview', selfAccessReview],
  ['authorization.k8s.io/v1/SubjectAccessReview', accessReview],
  ['authorization.k8s.io/v1/LocalSubjectAccessReview', accessReview],
  ['authorization.k8s.io/v1/SelfSubjectRulesReview', selfRulesReview],
  ['authentication.k8s.io/v1/SelfSubjectReview', selfReview],
  ['v1/Status', status],
]);

/** Clients write DeleteOptions in whichever group version they talk to. */
export function messageOf(apiVersion: string, kind: string): Message | undefined {
  return kind === 'DeleteOptions' ? deleteOptions : messages.get(`${apiVersion}/${kind}`);
}
