import { cloneJson, type JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { kubernetesDefaults } from './kubernetes-defaults.ts';

const now = Date.UTC(2026, 7, 20, 10);

function defaulted(struct: string, given: JsonObject): JsonObject {
  const object = cloneJson(given);
  kubernetesDefaults.apply(struct, object, now);
  return object;
}

const container = {
  name: 'c',
  image: 'web:1',
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const podSpec = {
  containers: [container],
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
};
const template = { spec: { containers: [{ name: 'c', image: 'web:1' }] } };

/**
 * Test cases: the name of a struct, an object, and the members that Kubernetes' defaults add or change in the object.
 */
const cases: readonly (readonly [string, string, JsonObject, JsonObject])[] = [
  [
    'a deployment',
    'apps.Deployment',
    { spec: { template } },
    {
      spec: {
        template: { spec: podSpec },
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    },
  ],
  [
    'a deployment that is recreated',
    'apps.DeploymentSpec',
    { template: { spec: podSpec }, replicas: 0, strategy: { type: 'Recreate' }, revisionHistoryLimit: 0 },
    {
      template: { spec: podSpec },
      replicas: 0,
      strategy: { type: 'Recreate' },
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: 600,
    },
  ],
  [
    'a daemon set',
    'apps.DaemonSetSpec',
    { template: { spec: podSpec } },
    {
      template: { spec: podSpec },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    },
  ],
  [
    'a stateful set with claims',
    'apps.StatefulSetSpec',
    { template: { spec: podSpec }, volumeClaimTemplates: [{ spec: { accessModes: ['ReadWriteOnce'] } }] },
    {
      template: { spec: podSpec },
      volumeClaimTemplates: [
        {
          kind: 'PersistentVolumeClaim',
          apiVersion: 'v1',
          spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      replicas: 1,
      revisionHistoryLimit: 10,
    },
  ],
  [
    'a stateful set that is updated on deletion',
    'apps.StatefulSetSpec',
    { template: { spec: podSpec }, updateStrategy: { type: 'OnDelete' }, replicas: 3, revisionHistoryLimit: 1 },
    {
      template: { spec: podSpec },
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      replicas: 3,
      revisionHistoryLimit: 1,
    },
  ],
  [
    'a replica set without a template',
    'apps.ReplicaSet',
    {},
    { spec: { replicas: 1, template: { spec: { ...podSpec, containers: undefined as never } } } },
  ],
  [
    'a job with labels in its template',
    'batch.Job',
    { metadata: { name: 'j' }, spec: { template: { metadata: { labels: { a: 'b' } }, spec: podSpec } } },
    {
      metadata: { name: 'j', labels: { a: 'b' } },
      spec: {
        template: { metadata: { labels: { a: 'b' } }, spec: podSpec },
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
        manualSelector: false,
      },
    },
  ],
  [
    'an indexed job with a failure policy',
    'batch.Job',
    {
      metadata: { labels: { own: '1' } },
      spec: {
        parallelism: 2,
        backoffLimitPerIndex: 1,
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
        template: { metadata: { labels: { a: 'b' } }, spec: podSpec },
      },
    },
    {
      metadata: { labels: { own: '1' } },
      spec: {
        parallelism: 2,
        backoffLimitPerIndex: 1,
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
        },
        template: { metadata: { labels: { a: 'b' } }, spec: podSpec },
        backoffLimit: 2147483647,
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'Failed',
        manualSelector: false,
      },
    },
  ],
  [
    'a cron job, whose jobs get their defaults later',
    'batch.CronJobSpec',
    { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: podSpec } } } },
    {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: podSpec } } },
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    },
  ],
  [
    'an autoscaler',
    'autoscalingV2.HorizontalPodAutoscaler',
    { spec: { maxReplicas: 3, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } } },
    {
      spec: {
        maxReplicas: 3,
        minReplicas: 1,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
        behavior: {
          scaleDown: {
            stabilizationWindowSeconds: 60,
            selectPolicy: 'Max',
            policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
          },
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 15 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
        },
      },
    },
  ],
  ['an autoscaler of version 1', 'autoscaling.HorizontalPodAutoscaler', {}, { spec: { minReplicas: 1 } }],
  [
    'a webhook',
    'admissionregistration.MutatingWebhook',
    { clientConfig: { service: { name: 's', namespace: 'n' } }, rules: [{ operations: ['*'] }] },
    {
      clientConfig: { service: { name: 's', namespace: 'n', port: 443 } },
      rules: [{ operations: ['*'], scope: '*' }],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      reinvocationPolicy: 'Never',
    },
  ],
  [
    'a network policy without types',
    'networking.NetworkPolicy',
    { spec: { egress: [{ ports: [{ port: 53 }] }] } },
    { spec: { egress: [{ ports: [{ port: 53, protocol: 'TCP' }] }], policyTypes: ['Ingress', 'Egress'] } },
  ],
  ['a network policy without a spec', 'networking.NetworkPolicy', {}, { spec: { policyTypes: ['Ingress'] } }],
  [
    'an ingress class with parameters',
    'networking.IngressClass',
    { spec: { parameters: { kind: 'K', name: 'n' } } },
    { spec: { parameters: { kind: 'K', name: 'n', scope: 'Cluster' } } },
  ],
  ['the port of an endpoint slice', 'discovery.EndpointPort', {}, { name: '', protocol: 'TCP' }],
  [
    'a storage class',
    'storage.StorageClass',
    { provisioner: 'p' },
    { provisioner: 'p', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  ],
  [
    'a CSI driver without a spec',
    'storage.CSIDriver',
    {},
    {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
        seLinuxMount: false,
        volumeLifecycleModes: ['Persistent'],
      },
    },
  ],
  [
    'a priority class',
    'scheduling.PriorityClass',
    { value: 1 },
    { value: 1, preemptionPolicy: 'PreemptLowerPriority' },
  ],
  [
    'a priority level with queues',
    'flowcontrol.PriorityLevelConfigurationSpec',
    { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
    {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 30,
        lendablePercent: 0,
        limitResponse: { type: 'Queue', queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
      },
    },
  ],
  ['a flow schema', 'flowcontrol.FlowSchema', { spec: {} }, { spec: { matchingPrecedence: 1000 } }],
  [
    'a request for devices',
    'resource.DeviceRequest',
    { exactly: { deviceClassName: 'd' }, firstAvailable: [{ allocationMode: 'All' }] },
    {
      exactly: { deviceClassName: 'd', allocationMode: 'ExactCount', count: 1 },
      firstAvailable: [{ allocationMode: 'All' }],
    },
  ],
  [
    'the taint of a device',
    'resource.DeviceTaint',
    { key: 'k', effect: 'NoSchedule' },
    { key: 'k', effect: 'NoSchedule', timeAdded: '2026-08-20T10:00:00Z' },
  ],
  [
    'a service',
    'core.Service',
    { spec: { ports: [{ port: 80 }, { port: 53, protocol: 'UDP', targetPort: 'dns' }] } },
    {
      spec: {
        ports: [
          { port: 80, protocol: 'TCP', targetPort: 80 },
          { port: 53, protocol: 'UDP', targetPort: 'dns' },
        ],
        sessionAffinity: 'None',
        type: 'ClusterIP',
        internalTrafficPolicy: 'Cluster',
      },
    },
  ],
  [
    'a load balancer that remembers clients',
    'core.Service',
    {
      spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP' },
      status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }, { hostname: 'h' }] } },
    },
    {
      spec: {
        type: 'LoadBalancer',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
      },
      status: { loadBalancer: { ingress: [{ ip: '10.0.0.1', ipMode: 'VIP' }, { hostname: 'h' }] } },
    },
  ],
  [
    'an external name with an affinity configuration',
    'core.Service',
    { spec: { type: 'ExternalName', sessionAffinityConfig: { clientIP: {} } } },
    { spec: { type: 'ExternalName', sessionAffinity: 'None' } },
  ],
  [
    'a replication controller',
    'core.ReplicationController',
    { metadata: {}, spec: { template: { metadata: { labels: { a: 'b' } }, spec: podSpec } } },
    {
      metadata: { labels: { a: 'b' } },
      spec: {
        template: { metadata: { labels: { a: 'b' } }, spec: podSpec },
        selector: { a: 'b' },
        replicas: 1,
      },
    },
  ],
  [
    'a limit range',
    'core.LimitRange',
    {
      spec: {
        limits: [
          { type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' }, default: { memory: '2Mi' } },
          { type: 'Pod', max: { cpu: '100u' } },
        ],
      },
    },
    {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '2' },
            min: { memory: '1Mi' },
            default: { memory: '2Mi', cpu: '2' },
            defaultRequest: { memory: '2Mi', cpu: '2' },
          },
          { type: 'Pod', max: { cpu: '1m' } },
        ],
      },
    },
  ],
  [
    'a persistent volume on a path',
    'core.PersistentVolume',
    { spec: { hostPath: { path: '/x' }, capacity: { storage: '1Gi' } } },
    {
      spec: {
        hostPath: { path: '/x', type: '' },
        capacity: { storage: '1Gi' },
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Pending' },
    },
  ],
  [
    'the volume of an attachment, which is not an object',
    'storage.VolumeAttachment',
    { spec: { source: { inlineVolumeSpec: { hostPath: { path: '/x' } } } } },
    { spec: { source: { inlineVolumeSpec: { hostPath: { path: '/x', type: '' } } } } },
  ],
  [
    'a persistent volume claim',
    'core.PersistentVolumeClaim',
    { spec: {} },
    { spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } },
  ],
  [
    'a node',
    'core.Node',
    { status: { capacity: { cpu: '4' } } },
    {
      status: {
        capacity: { cpu: '4' },
        allocatable: { cpu: '4' },
        daemonEndpoints: undefined as never,
      },
    },
  ],
  [
    'endpoints',
    'core.Endpoints',
    { subsets: [{ ports: [{ port: 80 }] }] },
    { subsets: [{ ports: [{ port: 80, protocol: 'TCP' }] }] },
  ],
];

describe('the defaults of Kubernetes', () => {
  it.each(cases)('complete %s', (_, struct, given, expected) => {
    expect(defaulted(struct, given)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it.each(cases)('do not change %s again', (_, struct, given) => {
    const once = defaulted(struct, given);
    expect(defaulted(struct, once)).toEqual(once);
  });
});

describe('the defaults of pods', () => {
  it('complete what a pod template contains', () => {
    const given = {
      containers: [
        {
          name: 'c',
          image: 'web',
          ports: [{ containerPort: 80 }],
          env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          livenessProbe: { httpGet: { port: 80 } },
          readinessProbe: { grpc: { port: 80 }, periodSeconds: 0 },
          resources: { limits: { cpu: '1100u' } },
        },
      ],
      volumes: [
        { name: 'a' },
        { name: 'b', secret: { secretName: 's' } },
        { name: 'c', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
        { name: 'd', image: { reference: 'data@sha256:00' } },
        { name: 'e', iscsi: { targetPortal: 't', iqn: 'i', lun: 0 } },
      ],
    };
    expect(defaulted('core.PodTemplate', { template: { spec: given } })).toEqual({
      template: {
        spec: {
          ...podSpec,
          containers: [
            {
              ...container,
              image: 'web',
              imagePullPolicy: 'Always',
              ports: [{ containerPort: 80, protocol: 'TCP' }],
              env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } } }],
              livenessProbe: {
                httpGet: { port: 80, path: '/', scheme: 'HTTP' },
                timeoutSeconds: 1,
                periodSeconds: 10,
                successThreshold: 1,
                failureThreshold: 3,
              },
              readinessProbe: {
                grpc: { port: 80, service: '' },
                timeoutSeconds: 1,
                periodSeconds: 10,
                successThreshold: 1,
                failureThreshold: 3,
              },
              resources: { limits: { cpu: '2m' } },
            },
          ],
          volumes: [
            { name: 'a', emptyDir: {} },
            { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
            {
              name: 'c',
              projected: {
                sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }],
                defaultMode: 420,
              },
            },
            { name: 'd', image: { reference: 'data@sha256:00', pullPolicy: 'IfNotPresent' } },
            { name: 'e', iscsi: { targetPortal: 't', iqn: 'i', lun: 0, iscsiInterface: 'default' } },
          ],
        },
      },
    });
  });

  it('add requests, host ports and service links to pods only', () => {
    const spec = {
      hostNetwork: true,
      containers: [
        {
          ...container,
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
        },
      ],
    };
    expect(defaulted('core.Pod', { spec })).toMatchObject({
      spec: {
        enableServiceLinks: true,
        containers: [
          {
            ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
            resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } },
          },
        ],
      },
    });
    const template = defaulted('core.PodTemplate', { template: { spec } }).template as { spec: JsonObject };
    expect(template.spec).not.toHaveProperty('enableServiceLinks');
    expect(template.spec.containers).toEqual([
      { ...spec.containers[0], ports: [{ containerPort: 80, protocol: 'TCP' }] },
    ]);
  });

  it('complete the resources of a pod as a whole', () => {
    const requesting = (requests: JsonObject, limits: JsonObject = {}, more: JsonObject = {}) => ({
      ...container,
      resources: { requests, limits },
      ...more,
    });
    const resourcesOf = (spec: JsonObject) => (defaulted('core.Pod', { spec }).spec as JsonObject).resources;
    expect(
      resourcesOf({
        containers: [requesting({ cpu: '1' }), requesting({ cpu: '500m' }, { 'hugepages-2Mi': '2Mi' })],
        initContainers: [requesting({ cpu: '250m' }, {}, { restartPolicy: 'Always' }), requesting({ cpu: '2' })],
        resources: { limits: { cpu: '4', memory: '1Gi' } },
      }),
    ).toEqual({
      limits: { cpu: '4', memory: '1Gi', 'hugepages-2Mi': '2Mi' },
      requests: { cpu: '2250m', memory: '1Gi', 'hugepages-2Mi': '2Mi' },
    });
    expect(resourcesOf({ containers: [requesting({ cpu: '1' })], resources: {} })).toEqual({});
    expect(resourcesOf({ containers: [requesting({ cpu: '1' })] })).toBeUndefined();
  });
});
