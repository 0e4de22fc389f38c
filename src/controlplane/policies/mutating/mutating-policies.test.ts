import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { SubresourceVerbs } from '../../../registry/verbs.ts';
import { decodeDocument } from '../../../registry/write/decode.ts';
import type { ControlPlane } from '../../control-plane.ts';
import { kubernetesKindsPart } from '../../kubernetes/kubernetes-kinds-part.ts';
import { openPlaneTestEnv, testClientContext, testWriteOptions } from '../../plane.fixture.ts';
import { expectStatusError } from '../admission-policies.fixture.ts';
import { admissionPoliciesPart } from '../admission-policies-part.ts';

const group = 'admissionregistration.k8s.io';
const anyRule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['*'] };
const deployments = 'deployments.apps';
const classes = 'priorityclasses.scheduling.k8s.io';
const deploymentRule = { ...anyRule, apiGroups: ['apps'], resources: ['deployments', 'deployments/status'] };

class PolicyEnv {
  readonly #kind: (key: string) => KindStore;
  readonly #plane: ControlPlane;

  constructor(kind: (key: string) => KindStore, plane: ControlPlane) {
    this.#kind = kind;
    this.#plane = plane;
  }

  static async open(): Promise<PolicyEnv> {
    const opened = await openPlaneTestEnv({
      parts: (dependencies) => [
        admissionPoliciesPart({ plane: dependencies.plane, authorize: () => ({ allowed: false, reason: '' }) }),
        kubernetesKindsPart(dependencies),
      ],
    });
    return new PolicyEnv((key) => opened.kind(key), opened.plane);
  }

  subresource(key: string, name: string): SubresourceVerbs {
    const { plural, group: of } = this.#kind(key).resource;
    const mounted = this.#plane.resources().find(({ kind }) => kind.plural === plural && kind.group === of);
    return mounted?.subresources[name]?.verbs ?? {};
  }

  peek(key: string, name: string): KubeObject | undefined {
    return this.#kind(key).peek('default', name)?.object;
  }

  decoded(key: string, members: JsonObject): KubeObject {
    const { resource } = this.#kind(key);
    return decodeDocument(resource, members, { findings: [], namespace: resource.namespaced ? 'default' : '' }).object;
  }

  async create(key: string, name: string, members: JsonObject, options = testWriteOptions): Promise<KubeObject> {
    const object = this.decoded(key, { metadata: { name }, ...members });
    return (await this.#kind(key).verbs.create(testClientContext('default'), object, options)).object;
  }

  async update(key: string, object: KubeObject): Promise<KubeObject> {
    const next = this.decoded(key, object as JsonObject);
    const { verbs } = this.#kind(key);
    const context = testClientContext('default');
    return (await verbs.update(context, object.metadata.name ?? '', next, testWriteOptions)).object;
  }

  async policy(name: string, mutations: string | readonly JsonObject[], more: JsonObject = {}): Promise<void> {
    const { binding = {}, ...spec } = more;
    await this.create(`mutatingadmissionpolicies.${group}`, name, {
      spec: {
        matchConstraints: { resourceRules: [deploymentRule] },
        reinvocationPolicy: 'Never',
        mutations: typeof mutations === 'string' ? [applied(mutations)] : [...mutations],
        ...spec,
      },
    });
    await this.create(`mutatingadmissionpolicybindings.${group}`, `${name}-binding`, {
      spec: { policyName: name, ...(binding as JsonObject) },
    });
  }

  deployment(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<KubeObject> {
    return this.create(deployments, name, { metadata: { name, ...metadata }, spec: { ...workload, ...spec } });
  }
}

const workload: JsonObject = {
  selector: { matchLabels: { app: 'a' } },
  template: {
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'main', image: 'one' }] },
  },
};

const applied = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patched = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

describe('a MutatingAdmissionPolicy', () => {
  it('merges an apply configuration into a built-in object, and defaults follow', async () => {
    const env = await PolicyEnv.open();
    await env.policy(
      'sidecar',
      `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
         containers: [Object.spec.template.spec.containers{name: "proxy", image: "mesh:1"}]}}}}`,
    );
    const { spec } = await env.deployment('web');
    expect(spec).toMatchObject({
      template: {
        spec: {
          containers: [
            { name: 'main', image: 'one' },
            { name: 'proxy', image: 'mesh:1', imagePullPolicy: 'IfNotPresent' },
          ],
        },
      },
    });
  });

  it('applies a JSON patch, and none if a test operation fails', async () => {
    const env = await PolicyEnv.open();
    await env.policy('patch', [
      patched(
        '[JSONPatch{op: "test", path: "/spec/replicas", value: 1}, JSONPatch{op: "replace", path: "/spec/replicas", value: 4}]',
      ),
      patched('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("x/y"), value: "v"}]'),
    ]);
    expect(await env.deployment('web', {}, { labels: { a: 'b' } })).toMatchObject({
      metadata: { labels: { a: 'b', 'x/y': 'v' } },
      spec: { replicas: 4 },
    });
    expect(await env.deployment('other', { replicas: 2 }, { labels: { a: 'b' } })).toMatchObject({
      spec: { replicas: 2 },
    });
  });

  it('runs before validation and gives the changed fields no owner', async () => {
    const env = await PolicyEnv.open();
    await env.policy('scale', 'Object{spec: Object.spec{replicas: object.spec.replicas - 3}}');
    expect((await expectStatusError(env.deployment('web', { replicas: 2 }))).message).toContain(
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    await env.policy('label', 'Object{metadata: Object.metadata{annotations: {"made-by": "policy"}}}');
    const created = await env.deployment('ok', { replicas: 5 });
    expect(created).toMatchObject({ metadata: { annotations: { 'made-by': 'policy' } }, spec: { replicas: 2 } });
    const owned = JSON.stringify(created.metadata.managedFields);
    expect(owned).toContain('f:replicas');
    expect(owned).not.toContain('made-by');
  });

  it('changes updates with the newest object, and skips requests that its conditions exclude', async () => {
    const env = await PolicyEnv.open();
    await env.policy(
      'count',
      'Object{metadata: Object.metadata{annotations: {"before": string(oldObject.spec.replicas)}}}',
      { matchConditions: [{ name: 'updates', expression: 'request.operation == "UPDATE"' }] },
    );
    const created = await env.deployment('web', { replicas: 3 });
    expect(created.metadata.annotations).toBeUndefined();
    const updated = await env.update(deployments, {
      ...created,
      spec: { ...(created.spec as JsonObject), replicas: 4 },
    });
    expect(updated.metadata.annotations).toEqual({ before: '3' });
  });

  it('uses variables and the parameters of its binding', async () => {
    const env = await PolicyEnv.open();
    await env.create(classes, 'settings', { value: 7 });
    await env.policy('params', 'Object{spec: Object.spec{replicas: variables.wanted}}', {
      paramKind: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' },
      variables: [{ name: 'wanted', expression: 'params.value' }],
      binding: { paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' } },
    });
    expect(await env.deployment('web')).toMatchObject({ spec: { replicas: 7 } });
  });

  it('is called again only if a later policy changed the object and its reinvocationPolicy is IfNeeded', async () => {
    const env = await PolicyEnv.open();
    const count = (name: string) =>
      `Object{metadata: Object.metadata{annotations: {"${name}": string(int(object.metadata.?annotations[?"${name}"].orValue("0")) + 1)}}}`;
    await env.policy('a', count('a'), { reinvocationPolicy: 'IfNeeded' });
    await env.policy('b', count('b'), { reinvocationPolicy: 'Never' });
    expect((await env.deployment('web')).metadata.annotations).toEqual({ a: '2', b: '1' });
  });

  it.each([
    ['a missing value', applied('Object{spec: Object.spec{replicas: object.spec.absent}}'), 'no such key: absent'],
    ['another type', applied('Object{spec: Object.status{}}'), 'type mismatch: unexpected type name "Object.status"'],
    ['an unknown field', applied('Object{spec: Object.spec{nope: 1}}'), 'field not declared in schema'],
    [
      'an atomic list',
      applied(
        'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{tolerations: [Object.spec.template.spec.tolerations{key: "a"}]}}}}',
      ),
      'may not mutate atomic arrays, maps or structs: .spec.template.spec.tolerations',
    ],
    [
      'an absent path',
      patched('[JSONPatch{op: "replace", path: "/spec/nope/x", value: 1}]'),
      'JSON Patch: replace operation does not apply',
    ],
    ['an unknown operation', patched('[JSONPatch{op: "turn", path: "/spec"}]'), 'JSON Patch: Unexpected kind: turn'],
  ])('refuses the request after an error: %s', async (_, mutation, message) => {
    const env = await PolicyEnv.open();
    await env.policy('bad', [mutation]);
    const error = await expectStatusError(env.deployment('web'));
    expect(error.status).toMatchObject({
      code: 403,
      reason: 'Invalid',
      details: { name: 'web', group: 'apps', kind: 'deployments' },
    });
    expect(error.message).toContain(`policy 'bad' with binding 'bad-binding' denied request: `);
    expect(error.message).toContain(message);
  });

  it('lets the request pass after an error if its failurePolicy is Ignore', async () => {
    const env = await PolicyEnv.open();
    await env.policy('bad', 'Object{spec: Object.spec{replicas: object.spec.absent}}', { failurePolicy: 'Ignore' });
    expect(await env.deployment('web')).toMatchObject({ spec: { replicas: 1 } });
  });

  it('answers 500 if a patch adds a field that the kind does not have', async () => {
    const env = await PolicyEnv.open();
    await env.policy('bad', [patched('[JSONPatch{op: "add", path: "/spec/nope", value: 1}]')]);
    const error = await expectStatusError(env.deployment('web'));
    expect(error.status).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(error.message).toContain('unknown field "spec.nope"');
  });

  it('does not change policies, and is not evaluated without a binding', async () => {
    const env = await PolicyEnv.open();
    const everything = { resourceRules: [{ ...deploymentRule, apiGroups: ['*'], resources: ['*'] }] };
    await env.policy('all', 'Object{metadata: Object.metadata{annotations: {"seen": "yes"}}}', {
      matchConstraints: everything,
    });
    const key = `mutatingadmissionpolicybindings.${group}`;
    expect((await env.create(key, 'x', { spec: { policyName: 'y' } })).metadata.annotations).toBeUndefined();
    expect((await env.create(classes, 'c', { value: 1 })).metadata.annotations).toEqual({ seen: 'yes' });
  });

  it('changes the objects of requests to subresources, which are of other kinds', async () => {
    const env = await PolicyEnv.open();
    const subresources = [
      { ...anyRule, apiGroups: ['apps'], resources: ['deployments/scale'] },
      { ...anyRule, resources: ['pods/binding', 'pods/eviction'] },
    ];
    const only = (kind: string, operation: string) =>
      patched(`object.kind == '${kind}' ? [${operation}] : [JSONPatch{op: "test", path: "/kind", value: "x"}]`);
    const mutations = [
      only(
        'Scale',
        'JSONPatch{op: "add", path: "/spec/replicas", value: oldObject.spec.replicas + object.spec.replicas}',
      ),
      only('Binding', 'JSONPatch{op: "replace", path: "/target/name", value: "other"}'),
      only('Eviction', 'JSONPatch{op: "add", path: "/deleteOptions", value: {"dryRun": ["All"]}}'),
    ];
    await env.policy('all', mutations, { matchConstraints: { resourceRules: subresources } });
    await env.deployment('web', { replicas: 2 });
    const context = testClientContext('default');
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'web' },
      spec: { replicas: 5 },
    } as unknown as KubeObject;
    const scaled = await env.subresource(deployments, 'scale').update?.(context, 'web', scale, testWriteOptions);
    expect(scaled?.object).toMatchObject({ kind: 'Scale', spec: { replicas: 7 } });
    expect(env.peek(deployments, 'web')).toMatchObject({ spec: { replicas: 7 } });
    await env.create('pods', 'one', { spec: { containers: [{ name: 'a', image: 'b' }] } });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'one' } } as KubeObject;
    await env.subresource('pods', 'eviction').createNamed?.(context, 'one', eviction, testWriteOptions);
    expect(env.peek('pods', 'one')?.metadata.deletionTimestamp).toBeUndefined();
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'one' }, target: { name: 'node' } };
    await env.subresource('pods', 'binding').createNamed?.(context, 'one', binding as KubeObject, testWriteOptions);
    expect(env.peek('pods', 'one')).toMatchObject({ spec: { nodeName: 'other' } });
  });

  it('cannot merge into objects of other API groups, such as a Scale', async () => {
    const env = await PolicyEnv.open();
    const resourceRules = [{ ...anyRule, apiGroups: ['apps'], resources: ['deployments/scale'] }];
    await env.policy('merging', 'Object{spec: Object.spec{replicas: 1}}', { matchConstraints: { resourceRules } });
    await env.deployment('web');
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' } } as KubeObject;
    const { update } = env.subresource(deployments, 'scale');
    const scaling = Promise.resolve(update?.(testClientContext('default'), 'web', scale, testWriteOptions));
    expect((await expectStatusError(scaling)).message).toContain(
      'no corresponding type for autoscaling/v1, Kind=Scale',
    );
  });

  it('refuses a request whose policies copy a large object too often', async () => {
    const env = await PolicyEnv.open();
    const mutations = Array.from({ length: 250 }, () => patched('[JSONPatch{op: "test", path: "/kind", value: "x"}]'));
    await env.policy('busy', mutations);
    await env.deployment('small');
    const annotations = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, 'x'.repeat(10_000)]));
    const error = await expectStatusError(env.deployment('large', {}, { annotations }));
    expect(error.message).toContain('all policies for one request together may cost at most');
  });
});

describe('the kind MutatingAdmissionPolicy', () => {
  const match = { resourceRules: [deploymentRule] };
  it.each([
    [{ mutations: [applied('Object{}')] }, 'spec.reinvocationPolicy: Required value'],
    [{ reinvocationPolicy: 'Never' }, 'spec.mutations: Required value: mutations must contain at least one item'],
    [{ mutations: [{ patchType: 'X' }] }, 'spec.mutations[0].patchType: Unsupported value: "X"'],
    [{ mutations: [applied('1')] }, 'must evaluate to Object but got int'],
    [{ mutations: [patched('Object{}')] }, 'must evaluate to list(JSONPatch) but got Object'],
    [{ mutations: [applied('Wrong{}')] }, "undeclared reference to 'Wrong'"],
    [
      { mutations: [{ ...applied('Object{}'), jsonPatch: { expression: '[]' } }] },
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
    [
      { matchConstraints: { resourceRules: [{ ...deploymentRule, operations: ['DELETE'] }] } },
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE"',
    ],
  ])('refuses %j', async (spec, message) => {
    const env = await PolicyEnv.open();
    const creating = env.create(`mutatingadmissionpolicies.${group}`, 'p', {
      spec: { matchConstraints: match, ...spec } as JsonObject,
    });
    expect((await expectStatusError(creating)).message).toContain(message);
  });
});
