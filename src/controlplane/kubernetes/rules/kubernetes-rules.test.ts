import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../../api/field-error.ts';
import { kubernetesStructs } from '../../../api/structs/kubernetes-structs.ts';
import { kubernetesRules, structRules } from './kubernetes-rules.ts';

function problems(kind: string, object: JsonObject, old?: JsonObject): string[] {
  return kubernetesRules.errorsOf(kind, object, old).map(describeFieldError);
}

it('rules exist only for structs and members that exist', () => {
  const unknown = Object.entries(structRules).flatMap(([struct, { members = {} }]: [string, { members?: object }]) => {
    const names = kubernetesStructs.fieldsOf(struct)?.fields.map(({ name }) => name);
    return Object.keys(members)
      .filter((member) => names?.includes(member) !== true)
      .map((member) => `${struct}.${member}`);
  });
  expect(unknown).toEqual([]);
  expect(Object.keys(structRules).filter((struct) => kubernetesStructs.fieldsOf(struct) === undefined)).toEqual([]);
});

describe('the rules of runtime classes', () => {
  const runtimeClass = { metadata: { name: 'r' }, handler: 'runc' };

  it('accept a valid class', () => {
    const scheduling = { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] };
    const overhead = { podFixed: { cpu: '100m', 'example.com/gpu': '1' } };
    expect(problems('node.RuntimeClass', { ...runtimeClass, scheduling, overhead })).toEqual([]);
  });

  it('report what is wrong', () => {
    expect(problems('node.RuntimeClass', {})).toEqual(['handler: Required value']);
    expect(problems('node.RuntimeClass', { handler: 'a.b' })).toEqual([
      'handler: Invalid value: "a.b": must not contain dots',
    ]);
    const overhead = { podFixed: { cpu: '-1', pods: '1', 'example.com/gpu': '1500m' } };
    expect(problems('node.RuntimeClass', { ...runtimeClass, overhead })).toEqual([
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'overhead.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
      'overhead.limits[example.com/gpu]: Invalid value: "1500m": must be an integer',
    ]);
    const tolerations = [
      { key: 'a', value: 'b', effect: 'Sometimes' },
      { key: 'a', value: 'b', effect: 'Sometimes', tolerationSeconds: 3 },
      { operator: 'Exists', value: 'x' },
      { operator: 'Like' },
    ];
    expect(problems('node.RuntimeClass', { ...runtimeClass, scheduling: { tolerations } })).toEqual([
      'scheduling.tolerations[0].effect: Unsupported value: "Sometimes": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'scheduling.tolerations[1].effect: Invalid value: "Sometimes": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      'scheduling.tolerations[1].effect: Unsupported value: "Sometimes": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'scheduling.tolerations[2].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
      'scheduling.tolerations[3].operator: Invalid value: "Like": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      'scheduling.tolerations[3].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
      'scheduling.tolerations[1]: Duplicate value: {"effect":"Sometimes","key":"a","tolerationSeconds":3,"value":"b"}',
    ]);
  });

  it('keep the handler in an update', () => {
    const changed = { ...runtimeClass, handler: 'other' };
    expect(problems('node.RuntimeClass', changed, runtimeClass)).toEqual([
      'handler: Invalid value: "other": field is immutable',
    ]);
  });
});

describe('the rules of network policies', () => {
  const policy = (spec: JsonObject): JsonObject => ({ metadata: { name: 'n' }, spec: { podSelector: {}, ...spec } });
  const ports = (...list: JsonObject[]) => policy({ ingress: [{ ports: list }] });
  const peers = (...list: JsonObject[]) => policy({ egress: [{ to: list }] });

  it('accept a valid policy', () => {
    expect(problems('networking.NetworkPolicy', policy({ policyTypes: ['Ingress', 'Egress'] }))).toEqual([]);
    expect(
      problems('networking.NetworkPolicy', ports({ port: 80, endPort: 90, protocol: 'TCP' }, { port: 'http' })),
    ).toEqual([]);
    const ipBlock = { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] };
    expect(
      problems('networking.NetworkPolicy', peers({ ipBlock }, { podSelector: {}, namespaceSelector: {} })),
    ).toEqual([]);
    expect(problems('networking.NetworkPolicy', peers({ ipBlock: { cidr: '2001:db8::/32' } }))).toEqual([]);
  });

  it('report wrong ports', () => {
    const given = ports(
      { protocol: 'ICMP' },
      { port: 0 },
      { port: 80, endPort: 70 },
      { port: 'Http', endPort: 3 },
      { endPort: 3 },
    );
    const at = 'spec.ingress[0].ports';
    expect(problems('networking.NetworkPolicy', given)).toEqual([
      `${at}[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"`,
      `${at}[1].port: Invalid value: 0: must be between 1 and 65535, inclusive`,
      `${at}[2].endPort: Invalid value: 80: must be greater than or equal to \`port\``,
      `${at}[3].endPort: Invalid value: 3: may not be specified when \`port\` is non-numeric`,
      `${at}[3].port: Invalid value: "Http": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${at}[4].endPort: Invalid value: 3: may not be specified when \`port\` is not specified`,
    ]);
  });

  it('report wrong peers', () => {
    const given = peers(
      {},
      { ipBlock: { cidr: '' } },
      { ipBlock: { cidr: '10.0.0.0/33' } },
      { ipBlock: { cidr: '10.0.0.1/8' } },
      { ipBlock: { cidr: '010.0.0.0/8' } },
      { ipBlock: { cidr: '::ffff:10.0.0.0/104' } },
      { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16', '10.0.0.0/8', 'x'] }, podSelector: {} },
    );
    const at = 'spec.egress[0].to';
    expect(problems('networking.NetworkPolicy', given)).toEqual([
      `${at}[0]: Required value: must specify a peer`,
      `${at}[1].ipBlock.cidr: Required value`,
      `${at}[2].ipBlock.cidr: Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
      `${at}[3].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length`,
      `${at}[4].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length`,
      `${at}[5].ipBlock.cidr: Invalid value: "::ffff:10.0.0.0/104": must not have an IPv4-mapped IPv6 address`,
      `${at}[6].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
      `${at}[6].ipBlock.except[1]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\``,
      `${at}[6].ipBlock.except[2]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
      `${at}[6]: Forbidden: may not specify both ipBlock and another peer`,
    ]);
  });

  it('accept a range of the stored policy', () => {
    const stored = peers({ ipBlock: { cidr: '10.0.0.1/8' } });
    expect(problems('networking.NetworkPolicy', stored, stored)).toEqual([]);
  });

  it('report wrong types', () => {
    expect(problems('networking.NetworkPolicy', policy({ policyTypes: ['Both'] }))).toEqual([
      'spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"',
    ]);
    expect(problems('networking.NetworkPolicy', policy({ policyTypes: ['Ingress', 'Egress', 'Egress'] }))).toEqual([
      'spec.policyTypes: Invalid value: ["Ingress","Egress","Egress"]: may not specify more than two policyTypes',
    ]);
  });
});

describe('the rules of ingresses', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const ingress = (spec: JsonObject): JsonObject => ({ metadata: { name: 'i' }, spec });
  const withPaths = (...paths: JsonObject[]) => ingress({ rules: [{ http: { paths } }] });

  it('accept a valid ingress', () => {
    const tls = [{ hosts: ['a.example.com', '*.example.com'], secretName: 's' }];
    const rules = [{ host: '*.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
    expect(problems('networking.Ingress', ingress({ tls, rules, ingressClassName: 'c' }))).toEqual([]);
    const resource = { apiGroup: 'example.com', kind: 'Bucket', name: 'b' };
    expect(problems('networking.Ingress', ingress({ defaultBackend: { resource } }))).toEqual([]);
  });

  it('report what is missing', () => {
    expect(problems('networking.Ingress', ingress({}))).toEqual([
      'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
    ]);
    expect(problems('networking.Ingress', ingress({ rules: [{ http: {} }] }))).toEqual([
      'spec.rules[0].http.paths: Required value',
    ]);
    expect(problems('networking.Ingress', withPaths({ backend }))).toEqual([
      'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified',
    ]);
    expect(problems('networking.Ingress', ingress({ defaultBackend: {} }))).toEqual([
      'spec.defaultBackend: Invalid value: "": resource or service backend is required',
    ]);
  });

  it('report wrong paths, hosts and backends', () => {
    const at = 'spec.rules[0].http.paths';
    const given = withPaths(
      { path: 'a', pathType: 'Exact', backend },
      { path: '/a//b/..', pathType: 'Prefix', backend },
      { path: 'a', pathType: 'ImplementationSpecific', backend },
      { path: '/', pathType: 'Regex', backend },
      { path: '/', pathType: 'Exact', backend: { service: { name: 'A_', port: { name: 'x', number: 1 } } } },
      { path: '/', pathType: 'Exact', backend: { service: { port: { number: 70000 } } } },
      { path: '/', pathType: 'Exact', backend: { resource: {} } },
    );
    expect(problems('networking.Ingress', given).map((problem) => problem.replace(/ \(e\.g\..*$/, ''))).toEqual([
      `${at}[0].path: Invalid value: "a": must be an absolute path`,
      `${at}[1].path: Invalid value: "/a//b/..": must not contain '//'`,
      `${at}[1].path: Invalid value: "/a//b/..": cannot end with '/..'`,
      `${at}[2].path: Invalid value: "a": must be an absolute path`,
      `${at}[3].pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
      `${at}[4].backend.service.name: Invalid value: "A_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`,
      `${at}[4].backend: Invalid value: "": cannot set both port name & port number`,
      `${at}[5].backend.service.name: Required value`,
      `${at}[5].backend.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive`,
      `${at}[6].backend.resource.kind: Required value`,
      `${at}[6].backend.resource.name: Required value`,
    ]);
    const hosts = ingress({ defaultBackend: backend, rules: [{ host: '10.0.0.1' }, { host: 'a.*.b' }] });
    expect(problems('networking.Ingress', hosts)).toEqual([
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
      "spec.rules[1].host: Invalid value: \"a.*.b\": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
  });

  it('let a new ingress name one class only', () => {
    const annotations = { 'kubernetes.io/ingress.class': 'a' };
    const object = { metadata: { annotations }, spec: { defaultBackend: backend, ingressClassName: 'b' } };
    expect(problems('networking.Ingress', object)).toEqual([
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
    ]);
    expect(problems('networking.Ingress', object, object)).toEqual([]);
  });

  it('check the addresses of a status', () => {
    const status = { loadBalancer: { ingress: [{ ip: '10.0.0.300' }, { hostname: '10.0.0.1' }, { ip: '01.2.3.4' }] } };
    const old = { status: { loadBalancer: { ingress: [{ ip: '01.2.3.4' }] } } };
    expect(kubernetesRules.statusErrorsOf('networking.Ingress', { status }, old).map(describeFieldError)).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "10.0.0.300": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ]);
  });
});

describe('the rules of flow control', () => {
  const schema = (spec: JsonObject, name = 'f'): JsonObject => ({
    metadata: { name },
    spec: { matchingPrecedence: 100, priorityLevelConfiguration: { name: 'p' }, ...spec },
  });
  const subjects = [{ kind: 'User', user: { name: 'u' } }];
  const resourceRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] };

  it('accept valid objects', () => {
    const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/a/*'] }];
    const rules = [{ subjects, resourceRules: [resourceRule], nonResourceRules }];
    const valid = schema({ rules, distinguisherMethod: { type: 'ByUser' } });
    expect(problems('flowcontrol.FlowSchema', valid)).toEqual([]);
    const queuing = { handSize: 8, queues: 64, queueLengthLimit: 50 };
    const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing } };
    const level = { metadata: { name: 'p' }, spec: { type: 'Limited', limited } };
    expect(problems('flowcontrol.PriorityLevelConfiguration', level)).toEqual([]);
    const exempt = { metadata: { name: 'exempt' }, spec: { type: 'Exempt', exempt: { lendablePercent: 5 } } };
    expect(problems('flowcontrol.PriorityLevelConfiguration', exempt)).toEqual([]);
  });

  it('report what is wrong in a flow schema', () => {
    expect(problems('flowcontrol.FlowSchema', { spec: {} })).toEqual([
      'spec.matchingPrecedence: Invalid value: 0: must be a positive value',
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    ]);
    const precedence = schema({ matchingPrecedence: 1, distinguisherMethod: { type: 'ByColor' } });
    expect(problems('flowcontrol.FlowSchema', precedence)).toEqual([
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByColor"}: supported values: "ByNamespace", "ByUser"',
    ]);
    expect(problems('flowcontrol.FlowSchema', schema({ matchingPrecedence: 10001 }))).toEqual([
      'spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000',
    ]);
  });

  it('report what is wrong in a rule', () => {
    const rules = [
      {},
      {
        subjects: [
          { kind: 'Group', user: { name: 'u' } },
          { kind: 'Robot' },
          { kind: 'ServiceAccount', serviceAccount: {} },
        ],
        resourceRules: [
          { verbs: ['get', 'fly'], apiGroups: ['*', 'apps'], namespaces: ['A'] },
          { ...resourceRule, verbs: ['*', 'get'], namespaces: [] },
        ],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['', 'a', '/a b', '//', '/*/a'] }],
      },
    ];
    const found = problems('flowcontrol.FlowSchema', schema({ rules }));
    expect(found.map((problem) => problem.replace(/ \(e\.g\..*$/, ''))).toEqual([
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      "spec.rules[1].subjects[0].group: Required value: group is required when subject kind is 'Group'",
      "spec.rules[1].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      'spec.rules[1].subjects[1].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      'spec.rules[1].subjects[2].serviceAccount.name: Required value',
      'spec.rules[1].subjects[2].serviceAccount.namespace: Required value: must specify namespace for service account',
      'spec.rules[1].resourceRules[0].verbs: Unsupported value: ["get","fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      `spec.rules[1].resourceRules[0].apiGroups: Invalid value: ["*","apps"]: if '*' is present, must not specify other api groups`,
      'spec.rules[1].resourceRules[0].resources: Required value: resource rules must supply at least one resource',
      "spec.rules[1].resourceRules[0].namespaces[0]: Invalid value: \"A\": each member of this list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      `spec.rules[1].resourceRules[1].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
      'spec.rules[1].resourceRules[1].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
      'spec.rules[1].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "": must not be empty',
      'spec.rules[1].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "a": must start with slash',
      'spec.rules[1].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a b": must not contain white-space',
      'spec.rules[1].nonResourceRules[0].nonResourceURLs[3]: Invalid value: "//": must not contain double slash',
      'spec.rules[1].nonResourceRules[0].nonResourceURLs[4]: Invalid value: "/*/a": wildcard can only do suffix matching',
    ]);
  });

  it('report what is wrong in a priority level', () => {
    const level = (spec: JsonObject, name = 'p') =>
      problems('flowcontrol.PriorityLevelConfiguration', { metadata: { name }, spec });
    expect(level({})).toEqual(['spec.type: Required value']);
    const annotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
    const annotated = {
      metadata: { annotations: { [annotation]: '' } },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    };
    expect(problems('flowcontrol.PriorityLevelConfiguration', annotated)).toEqual([
      `metadata.annotations: Forbidden: annotation '${annotation}' is forbidden`,
    ]);
    expect(level({ type: 'Exempt', limited: { limitResponse: { type: 'Reject' } } })).toEqual([
      "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
      'spec.limited: Forbidden: must be nil if the type is not Limited',
    ]);
    expect(level({ type: 'Limited', exempt: {} })).toEqual([
      'spec.exempt: Forbidden: must be nil if the type is Limited',
      'spec.limited: Required value: must not be empty when type is Limited',
    ]);
    const limitResponse = { type: 'Queue', queuing: { queues: 4, handSize: 5 } };
    expect(
      level({ type: 'Limited', limited: { limitResponse, lendablePercent: 101, borrowingLimitPercent: -1 } }),
    ).toEqual([
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: 0: must be positive',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)',
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ]);
    const large = { type: 'Queue', queuing: { queues: 1000, handSize: 10, queueLengthLimit: 1 } };
    expect(level({ type: 'Limited', limited: { limitResponse: large } })).toEqual([
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 10: required entropy bits of deckSize 1000 and handSize 10 should not be greater than 60',
    ]);
  });

  it('check the types of conditions', () => {
    const status = { conditions: [{ type: 'A' }, { type: 'A' }, {}] };
    expect(kubernetesRules.statusErrorsOf('flowcontrol.FlowSchema', { status }, {}).map(describeFieldError)).toEqual([
      'status.conditions[1].type: Duplicate value: "A"',
      'status.conditions[2].type: Required value',
    ]);
  });
});

describe('the rules of autoscalers', () => {
  const kind = 'autoscalingV2.HorizontalPodAutoscaler';
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
  const autoscaler = (spec: JsonObject): JsonObject => ({
    metadata: { name: 'h' },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu], ...spec },
  });

  it('accept a valid autoscaler', () => {
    expect(problems(kind, autoscaler({}))).toEqual([]);
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }];
    expect(problems(kind, autoscaler({ behavior: { scaleUp: { policies, tolerance: '100m' } } }))).toEqual([]);
  });

  it('report wrong numbers of replicas', () => {
    expect(problems(kind, autoscaler({ minReplicas: 0, maxReplicas: 0 }))).toEqual([
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ]);
    expect(problems(kind, autoscaler({ minReplicas: 3, maxReplicas: -1 }))).toEqual([
      'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
      'spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`',
    ]);
  });

  it('report a wrong target, unless it is stored already', () => {
    const core = autoscaler({ scaleTargetRef: { apiVersion: 'v1', kind: 'Pod/x' } });
    expect(problems(kind, core)).toEqual([
      'spec.scaleTargetRef.kind: Invalid value: "Pod/x": may not contain \'/\'',
      'spec.scaleTargetRef.name: Required value',
      'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
    ]);
    const stored = autoscaler({ scaleTargetRef: { ...scaleTargetRef, apiVersion: 'v1' } });
    expect(problems(kind, stored)).toHaveLength(1);
    expect(problems(kind, stored, stored)).toEqual([]);
    const controller = { apiVersion: 'v1', kind: 'ReplicationController', name: 'r' };
    expect(problems(kind, autoscaler({ scaleTargetRef: controller }))).toEqual([]);
  });

  it('report wrong metrics', () => {
    const types = '"ContainerResource", "External", "Object", "Pods", "Resource"';
    const metric = { name: 'm' };
    const metrics = [
      {},
      { type: 'Resource' },
      { ...cpu, pods: { metric, target: { type: 'AverageValue', averageValue: '1' } } },
      { type: 'Pods', pods: { metric: {}, target: { type: 'Speed', averageValue: '0' } } },
      { type: 'External', external: { metric, target: { type: 'Value', value: '1', averageValue: '1' } } },
      {
        type: 'Object',
        object: { metric, describedObject: { apiVersion: 'a/b/c', kind: 'K', name: 'n' }, target: { type: 'Value' } },
      },
      { type: 'ContainerResource', containerResource: { name: 'pods', target: { type: 'Utilization' } } },
    ];
    expect(problems(kind, autoscaler({ metrics }))).toEqual([
      'spec.metrics[0].type: Required value: must specify a metric source type',
      `spec.metrics[0].type: Unsupported value: "": supported values: ${types}`,
      `spec.metrics[0].type: Unsupported value: "": supported values: ${types}`,
      'spec.metrics[1].resource: Required value: must populate information for the given metric source',
      'spec.metrics[2].pods: Forbidden: must populate the given metric source only',
      'spec.metrics[3].pods.metric.name: Required value: must specify a metric name',
      'spec.metrics[3].pods.target.type: Invalid value: "Speed": must be either Utilization, Value, or AverageValue',
      'spec.metrics[3].pods.target.averageValue: Invalid value: "0": must be positive',
      'spec.metrics[4].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target',
      'spec.metrics[5].object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.metrics[5].object.target.averageValue: Required value: must set either a target value or averageValue',
      'spec.metrics[6].containerResource.name: Invalid value: "pods": must be a standard resource for containers',
      'spec.metrics[6].containerResource.container: Required value: must specify a container',
      'spec.metrics[6].containerResource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ]);
  });

  it('report wrong behavior', () => {
    const behavior = {
      scaleDown: { stabilizationWindowSeconds: 4000, selectPolicy: 'Mean' },
      scaleUp: { policies: [{ type: 'Nodes', periodSeconds: 2000 }], tolerance: '-1' },
    };
    expect(problems(kind, autoscaler({ behavior }))).toEqual([
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"',
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 2000: must be less than or equal to 1800',
      'spec.behavior.scaleUp.tolerance: Invalid value: "-1": must be greater than or equal to 0',
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600',
      'spec.behavior.scaleDown.selectPolicy: Unsupported value: "Mean": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
    ]);
  });

  it('check the numbers of a status', () => {
    const status = { currentReplicas: -1, desiredReplicas: 1 };
    expect(kubernetesRules.statusErrorsOf(kind, { status }, {}).map(describeFieldError)).toEqual([
      'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

it('many errors are cut, because tenants choose their number', () => {
  const ports = Array.from({ length: 5000 }, () => ({ port: 0 }));
  expect(problems('networking.NetworkPolicy', { spec: { ingress: [{ ports }] } })).toHaveLength(1000);
});

describe('large objects of tenants', () => {
  const list = <T>(length: number, item: (at: number) => T): T[] => Array.from({ length }, (_, at) => item(at));
  const addressOf = (at: number) => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;

  it.each([
    ['zeros', `${'0'.repeat(300_000)}x`],
    ['zeros and a dot', `${'0'.repeat(300_000)}x.1`],
    ['dots after a colon', `:${'.'.repeat(300_000)}x`],
    ['colons', ':'.repeat(300_000)],
  ])('are checked in linear time if a host has many %s', (_what, host) => {
    const found = problems('networking.Ingress', { spec: { rules: [{ host }] } });
    expect(found.length).toBeGreaterThan(0);
  });

  it('are checked in linear time if a policy has many ranges', () => {
    const to = list(20_000, (at) => ({ ipBlock: { cidr: `${addressOf(at)}/32` } }));
    const policy = { metadata: { name: 'n' }, spec: { podSelector: {}, egress: [{ to }] } };
    expect(problems('networking.NetworkPolicy', policy, structuredClone(policy))).toEqual([]);
  });

  it('are checked in linear time if an autoscaler has many metrics', () => {
    const metric = {
      type: 'Object',
      object: {
        describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
        metric: { name: 'm' },
        target: { type: 'Value', value: '1' },
      },
    };
    const spec = {
      maxReplicas: 1,
      minReplicas: 1,
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      metrics: list(10_000, () => metric),
    };
    const scaler = { metadata: { name: 'h' }, spec };
    expect(problems('autoscaling.HorizontalPodAutoscaler', scaler, structuredClone(scaler))).toEqual([]);
  });

  it('are checked in linear time if an ingress has many addresses', () => {
    const status = { loadBalancer: { ingress: list(60_000, (at) => ({ ip: addressOf(at) })) } };
    const old = structuredClone({ status });
    expect(kubernetesRules.statusErrorsOf('networking.Ingress', { status }, old)).toEqual([]);
  });
});
