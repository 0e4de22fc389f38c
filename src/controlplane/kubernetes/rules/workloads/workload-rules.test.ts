import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../../../api/field-error.ts';
import { kubernetesRules } from '../kubernetes-rules.ts';

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const container = {
  name: 'web',
  image: 'nginx:1',
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const pod = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
  securityContext: {},
  containers: [container],
};
const template = { metadata: { labels }, spec: pod };
const spec = { selector, template };
const once = { metadata: { labels }, spec: { ...pod, restartPolicy: 'Never' } };
const job = { manualSelector: true, selector, template: once, completionMode: 'NonIndexed', parallelism: 1 };

/** Returns the errors of an object as texts. */
function errors(kind: string, object: JsonObject, old?: JsonObject): string[] {
  return kubernetesRules.errorsOf(kind, object, old).map(describeFieldError);
}

function specErrors(kind: string, members: JsonObject, old?: JsonObject): string[] {
  const named = (given: JsonObject) => ({ metadata: { name: 'web', uid: 'u' }, spec: given });
  return errors(kind, named(members), old === undefined ? undefined : named(old));
}

function statusErrors(kind: string, status: JsonObject, old: JsonObject = {}, members: JsonObject = {}): string[] {
  const found = kubernetesRules.statusErrorsOf(kind, { spec: members, status }, { spec: members, status: old });
  return found.map(describeFieldError);
}

const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

describe('the rules of deployments', () => {
  it.each<[string, JsonObject, string[]]>([
    ['a valid spec', { ...spec, strategy }, []],
    [
      'an empty selector',
      { ...spec, strategy, selector: {} },
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'another selector',
      { ...spec, strategy, selector: { matchLabels: { a: 'b' } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      'an unknown strategy',
      { ...spec, strategy: { type: 'x' } },
      [
        'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'no pods during an update',
      { ...spec, strategy: { ...strategy, rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
    ],
    [
      'a short deadline',
      { ...spec, strategy, minReadySeconds: 5, progressDeadlineSeconds: 5 },
      ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
    ],
  ])('check %s', (_, members, expected) => {
    expect(specErrors('apps.Deployment', members)).toEqual(expected);
  });

  it('forbid changes of the selector', () => {
    const other = { matchLabels: { app: 'web', tier: 'x' } };
    const labeled = { ...template, metadata: { labels: other.matchLabels } };
    expect(
      specErrors('apps.Deployment', { selector: other, template: labeled, strategy }, { ...spec, strategy }),
    ).toEqual(['spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable']);
  });

  it('limit the counts in the status', () => {
    expect(statusErrors('apps.Deployment', { replicas: 1, readyReplicas: 2 }, { collisionCount: 1 })).toEqual([
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.collisionCount: Invalid value: 0: cannot be decremented',
    ]);
  });
});

describe('the rules of stateful sets, daemon sets and replication controllers', () => {
  const stateful = {
    ...spec,
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'OnDelete' },
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
  };

  it('allow changes of only some fields of stateful sets', () => {
    expect(specErrors('apps.StatefulSet', { ...stateful, replicas: 3 }, stateful)).toEqual([]);
    expect(specErrors('apps.StatefulSet', { ...stateful, serviceName: 'x' }, stateful)).toEqual([
      expect.stringMatching(/^spec: Forbidden: updates to statefulset spec for fields other than 'replicas'/),
    ]);
  });

  it('check new stateful sets', () => {
    const wrong = { ...stateful, ordinals: { start: -1 }, serviceName: 'A', podManagementPolicy: 'x' };
    expect(specErrors('apps.StatefulSet', wrong)).toEqual([
      `spec.podManagementPolicy: Invalid value: "x": must be 'OrderedReady' or 'Parallel'`,
      'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0',
      expect.stringContaining('spec.serviceName: Invalid value: "A": a lowercase RFC 1123 label must consist of'),
    ]);
  });

  it('allow either a surge or unavailable pods of daemon sets', () => {
    const update = (rollingUpdate: JsonObject) =>
      specErrors('apps.DaemonSet', { ...spec, updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
    expect(update({ maxSurge: 1, maxUnavailable: 0 })).toEqual([]);
    const path = 'spec.updateStrategy.rollingUpdate';
    expect(update({ maxSurge: 1, maxUnavailable: 1 })).toEqual([
      `${path}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`,
    ]);
    expect(update({ maxSurge: 0, maxUnavailable: 0 })).toEqual([
      `${path}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
    ]);
  });

  it('require the selector and the template of replication controllers', () => {
    expect(specErrors('core.ReplicationController', {})).toEqual([
      'spec.selector: Required value',
      'spec.template: Required value',
    ]);
  });
});

describe('the rules of jobs', () => {
  it.each<[string, JsonObject, string[]]>([
    ['a valid spec', job, []],
    [
      'pods that never end',
      { ...job, template },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'limits that need indexes',
      { ...job, backoffLimitPerIndex: 1 },
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    ],
    [
      'a generated selector without its labels',
      { ...job, manualSelector: false, selector: { matchLabels: { 'job-name': 'web' } }, template: once },
      [
        "spec.template.metadata.labels[controller-uid]: Required value: must be 'u'",
        "spec.template.metadata.labels[job-name]: Required value: must be 'web'",
        "spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Required value: must be 'u'",
        "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Required value: must be 'web'",
        'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'an empty rule',
      { ...job, podFailurePolicy: { rules: [{ action: 'Count' }] }, podReplacementPolicy: 'Failed' },
      ['spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required'],
    ],
  ])('check %s', (_, members, expected) => {
    expect(specErrors('batch.Job', members)).toEqual(expected);
  });

  it('forbid changes of the template, except for the scheduling of suspended jobs', () => {
    const moved = { ...job, template: { ...once, spec: { ...once.spec, nodeSelector: { a: 'b' } } } };
    expect(specErrors('batch.Job', moved, { ...job, suspend: true })).toEqual([]);
    expect(specErrors('batch.Job', moved, job)).toEqual([
      expect.stringMatching(/^spec.template: .*field is immutable$/),
    ]);
  });

  it('report errors in an updated spec twice, as Kubernetes does', () => {
    const message = 'spec.parallelism: Invalid value: -1: must be greater than or equal to 0';
    expect(specErrors('batch.Job', { ...job, parallelism: -1 }, job)).toEqual([message, message]);
  });

  it('allow only consistent changes of the status', () => {
    const complete = { conditions: [{ type: 'Complete', status: 'True' }] };
    expect(statusErrors('batch.Job', complete)).toEqual([
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ]);
    expect(statusErrors('batch.Job', { failed: 1 }, { failed: 2, ...complete })).toEqual([
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
      'status.failed: Invalid value: 1: cannot decrease the failed counter',
    ]);
    const indexed = { completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 1 };
    expect(statusErrors('batch.Job', { completedIndexes: '0-1', failedIndexes: '1' }, {}, indexed)).toEqual([
      'status.failedIndexes: Invalid value: "1": failedIndexes and completedIndexes overlap at index: 1',
    ]);
  });

  it('check the schedule, the time zone and the template of cron jobs', () => {
    const jobTemplate = { spec: { template: once, selector, manualSelector: true } };
    const members = { schedule: '* *', timeZone: 'Local', concurrencyPolicy: 'x', jobTemplate };
    expect(specErrors('batch.CronJob', members)).toEqual([
      'spec.schedule: Invalid value: "* *": expected exactly 5 fields, found 2: [* *]',
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.concurrencyPolicy: Unsupported value: "x": supported values: "Allow", "Forbid", "Replace"',
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"app":"web"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ]);
  });
});
