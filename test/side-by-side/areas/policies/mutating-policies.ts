import { setTimeout as delay } from 'node:timers/promises';
import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { asTable } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

type Json = Record<string, unknown>;

const apiVersion = 'admissionregistration.k8s.io/v1';
const policiesPath = `/apis/${apiVersion}/mutatingadmissionpolicies`;
const bindingsPath = `/apis/${apiVersion}/mutatingadmissionpolicybindings`;
const maps = '/api/v1/namespaces/default/configmaps';
const templates = '/api/v1/namespaces/default/podtemplates';

const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps', 'podtemplates'],
};
const applied = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patched = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const mutations = [applied('Object{data: {"made": "yes"}}')];

function policy(name: string, spec: Json): Json {
  const matchConstraints = { resourceRules: [rule] };
  const fullSpec = { matchConstraints, reinvocationPolicy: 'Never', ...spec };
  return { apiVersion, kind: 'MutatingAdmissionPolicy', metadata: { name }, spec: fullSpec };
}

function binding(name: string, spec: Json = {}): Json {
  return {
    apiVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, ...spec },
  };
}

const configMap = (name: string, data: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

const wrongPolicies: readonly Json[] = [
  {},
  { mutations: [] },
  { mutations, reinvocationPolicy: '' },
  { mutations, reinvocationPolicy: 'Always' },
  { mutations, failurePolicy: 'Maybe' },
  { mutations: [{ patchType: '' }] },
  { mutations: [{ patchType: 'Merge' }] },
  { mutations: [{ patchType: 'JSONPatch' }] },
  { mutations: [{ patchType: 'ApplyConfiguration', jsonPatch: { expression: '[]' } }] },
  { mutations: [{ ...applied('Object{}'), jsonPatch: { expression: '[]' } }] },
  { mutations: [applied(' ')] },
  { mutations: [applied('1')] },
  { mutations: [applied('Thing{}')] },
  { mutations: [applied('Object.spec{}')] },
  { mutations: [applied('object')] },
  { mutations: [patched('Object{}')] },
  { mutations: [patched('[]')] },
  { mutations: [patched('JSONPatch{op: "add"}')] },
  { mutations: [patched('[JSONPatch{op: 1}]')] },
  { mutations, matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } },
  { mutations, matchConstraints: {} },
  { mutations, matchConditions: [{ name: 'a', expression: 'Object{} == Object{}' }] },
  { mutations, variables: [{ name: 'a-b', expression: '1' }] },
  { mutations, paramKind: {} },
];

const wrongBindings: readonly Json[] = [
  { policyName: '' },
  { policyName: 'A B' },
  { paramRef: {} },
  { matchResources: { resourceRules: [{ ...rule, operations: ['DELETE', 'CREATE'] }] } },
];

/** Compares policies that change the objects of requests: their validation and their effect. */
export function mutatingPolicies(pair: Pair): void {
  describe('Mutating policies', () => {
    const compared = comparedTests(pair);
    const create = (path: string, json: Json) => pair.send({ method: 'POST', path, json });

    compared('are validated on write', async () => {
      for (const spec of wrongPolicies) await create(`${policiesPath}?dryRun=All`, policy('wrong', spec));
      for (const spec of wrongBindings) await create(`${bindingsPath}?dryRun=All`, binding('wrong', spec));
    });

    compared('are returned as written, with defaults', async () => {
      await create(policiesPath, policy('shown', { mutations, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }));
      const paramRef = { name: 'p', parameterNotFoundAction: 'Allow' };
      await create(bindingsPath, binding('shown', { policyName: 'other', paramRef, matchResources: {} }));
      for (const path of [policiesPath, bindingsPath]) {
        await pair.send({ path: `${path}/shown` });
        await pair.send(
          { path, headers: { accept: asTable } },
          { ignoredFields: /cells\[3\]|columnDefinitions\[\d\]\.description/ },
        );
      }
      const headers = { 'content-type': 'application/merge-patch+json' };
      const body = JSON.stringify({ spec: { failurePolicy: 'Ignore', reinvocationPolicy: 'IfNeeded' } });
      await pair.send({ method: 'PATCH', path: `${policiesPath}/shown`, headers, body });
      await create(`${policiesPath}?dryRun=All`, policy('a.static.k8s.io', { mutations }));
      for (const path of [bindingsPath, policiesPath]) await pair.send({ method: 'DELETE', path: `${path}/shown` });
    });

    /**
     * Creates a policy on both sides, runs `requests` while it is in effect, and removes it. Every policy also adds the
     * label `probe`.
     */
    async function inForce(spec: Json, bound: Json, requests: () => Promise<void>): Promise<void> {
      const marking = applied('Object{metadata: Object.metadata{labels: {"probe": "seen"}}}');
      const all = [marking, ...((spec.mutations as object[]) ?? [])];
      await pair.prepare({ method: 'POST', path: policiesPath, json: policy('force', { ...spec, mutations: all }) });
      await pair.prepare({ method: 'POST', path: bindingsPath, json: binding('force', bound) });
      const isSeen = async (side: Pair['sides'][number]) => {
        const { status, text } = await side.send({
          method: 'POST',
          path: `${maps}?dryRun=All`,
          json: configMap('probe'),
        });
        return status >= 400 || text.includes('"probe":"seen"');
      };
      for (const side of pair.sides) while (!(await isSeen(side))) await delay(100);
      await requests();
      for (const path of [bindingsPath, policiesPath]) await pair.prepare({ method: 'DELETE', path: `${path}/force` });
      for (const side of pair.sides) while (await isSeen(side)) await delay(100);
    }

    compared('change objects, and leave the owners of fields', async () => {
      const spec = {
        variables: [{ name: 'color', expression: 'object.?data.?color.orValue("none")' }],
        matchConditions: [{ name: 'not-free', expression: "!request.name.startsWith('free')" }],
        mutations: [
          applied('Object{data: {"made": string(variables.color), "by": request.userInfo.username}}'),
          patched(
            '[JSONPatch{op: "test", path: "/data/made", value: "red"}, JSONPatch{op: "add", path: "/data/is-red", value: "yes"}]',
          ),
          patched('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a.b/c"), value: "d"}]'),
        ],
      };
      await inForce(spec, { matchResources: { resourceRules: [{ ...rule, resources: ['configmaps'] }] } }, async () => {
        await create(maps, configMap('mutated-red', { color: 'red' }));
        await create(maps, configMap('mutated-blue', { color: 'blue' }, { labels: { own: 'label' } }));
        await create(maps, configMap('free', { color: 'red' }));
        await create(maps, { metadata: { generateName: 'generated-' } });
        await pair.send({
          method: 'PUT',
          path: `${maps}/mutated-red`,
          json: configMap('mutated-red', { color: 'blue' }),
        });
        await pair.send({
          method: 'PATCH',
          path: `${maps}/mutated-applied?fieldManager=m`,
          body: JSON.stringify(configMap('mutated-applied', { color: 'red' })),
          headers: { 'content-type': 'application/apply-patch+yaml' },
        });
        await create(templates, { metadata: { name: 'untouched' }, template: {} });
      });
    });

    compared('merge the lists of built-in kinds, and defaults follow', async () => {
      const type = 'Object.template.spec.containers';
      const spec = {
        matchConditions: [
          { name: 'templates', expression: "request.resource.resource == 'podtemplates' || request.name == 'probe'" },
        ],
        mutations: [
          applied(
            `request.name == 'probe' ? Object{} : Object{template: Object.template{spec: Object.template.spec{containers: [${type}{name: "b", image: "two"}, ${type}{name: "c", image: "three"}]}}}`,
          ),
        ],
      };
      const containers = [
        { name: 'a', image: 'one' },
        { name: 'b', image: 'old', args: ['x'] },
      ];
      await inForce(spec, {}, async () => {
        await create(templates, { metadata: { name: 'merged' }, template: { spec: { containers } } });
      });
    });

    compared('refuse requests after errors', async () => {
      const isProbe = "request.name == 'probe'";
      const faults: readonly Json[] = [
        applied(`${isProbe} ? Object{} : Object{data: {"x": object.data.absent}}`),
        applied(`${isProbe} ? Object{} : Object{data: Object.wrong{}}`),
        applied(`${isProbe} ? Object{} : Object{nope: 1}`),
        applied(`${isProbe} ? Object{} : Object{data: 1}`),
        patched(
          `${isProbe} ? [JSONPatch{op: "test", path: "/kind", value: "x"}] : [JSONPatch{op: "replace", path: "/data/no", value: "x"}]`,
        ),
        patched(
          `${isProbe} ? [JSONPatch{op: "test", path: "/kind", value: "x"}] : [JSONPatch{op: "remove", path: "/data/no"}]`,
        ),
        patched(
          `${isProbe} ? [JSONPatch{op: "test", path: "/kind", value: "x"}] : [JSONPatch{op: "add", path: "/no/way", value: 1}]`,
        ),
        patched(
          `${isProbe} ? [JSONPatch{op: "test", path: "/kind", value: "x"}] : [JSONPatch{op: "fly", path: "/no"}]`,
        ),
      ];
      for (const fault of faults) {
        await inForce({ mutations: [fault] }, {}, async () => {
          await create(maps, configMap('refused', { color: 'red' }));
        });
      }
      await inForce({ mutations: [faults[0]], failurePolicy: 'Ignore' }, {}, async () => {
        await create(maps, configMap('ignored', { color: 'red' }));
      });
    });
  });
}
