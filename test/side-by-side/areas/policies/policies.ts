import { setTimeout as delay } from 'node:timers/promises';
import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import type { Pair } from '../../pair.ts';
import type { Side } from '../../side.ts';

type Json = Record<string, unknown>;

const api = '/apis/admissionregistration.k8s.io/v1';
const policiesPath = `${api}/validatingadmissionpolicies`;
const bindingsPath = `${api}/validatingadmissionpolicybindings`;
const maps = '/api/v1/namespaces/default/configmaps';

const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};
const validations = [{ expression: "object.data.color == 'red'" }];

function policy(name: string, spec: Json): Json {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
  };
}

function binding(name: string, spec: Json = {}): Json {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...spec },
  };
}

function configMap(name: string, data: Json, metadata: Json = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** Invalid specs of policies. */
const wrongPolicies: readonly Json[] = [
  {},
  { validations: [] },
  { validations: [{ expression: '' }] },
  { validations: [{ expression: 'object.x +' }] },
  { validations: [{ expression: 'object.x )' }] },
  { validations: [{ expression: '1' }] },
  { validations: [{ expression: 'nobody.x' }] },
  { validations: [{ expression: 'params.x' }] },
  { validations: [{ expression: 'variables.x' }] },
  { validations: [{ expression: 'request.nope' }] },
  { validations: [{ expression: 'true', message: ' ' }] },
  { validations: [{ expression: 'true', message: 'a\nb' }] },
  { validations: [{ expression: 'true', reason: 'Because' }] },
  { validations: [{ expression: 'true', messageExpression: '1' }] },
  { validations: [{ expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" }] },
  { validations, failurePolicy: 'Maybe' },
  { validations, paramKind: {} },
  { validations, paramKind: { apiVersion: 'a/b/c', kind: 'K_' } },
  { validations, matchConstraints: {} },
  { validations, matchConstraints: { resourceRules: [{}] } },
  { validations, matchConstraints: { resourceRules: [{ ...rule, operations: ['EAT'], resources: ['*', 'a'] }] } },
  { validations, matchConstraints: { resourceRules: [{ ...rule, resources: ['a/*', 'a/b', '*/*'], scope: 'x' }] } },
  { validations, matchConstraints: { resourceRules: [{ ...rule, apiGroups: ['*', 'a'], apiVersions: [''] }] } },
  { validations, matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['a', 'a', 'b/c'] }] } },
  { validations, matchConstraints: { resourceRules: [rule], matchPolicy: 'Some' } },
  { validations, matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: { 'a b': 'c' } } } },
  { validations, matchConditions: [{ name: 'a', expression: '1' }] },
  { validations, matchConditions: [{ name: 'a b', expression: 'true' }] },
  { validations, matchConditions: [{ name: 'a', expression: ' ' }] },
  { validations, variables: [{ name: 'a-b', expression: '1' }] },
  { validations, variables: [{ name: 'a', expression: 'variables.b' }] },
  { auditAnnotations: [{ key: 'a b', valueExpression: '1' }] },
  {
    auditAnnotations: [
      { key: 'a', valueExpression: '' },
      { key: 'a', valueExpression: "'x'" },
    ],
  },
];

const wrongBindings: readonly Json[] = [
  { policyName: '' },
  { policyName: 'A B' },
  { validationActions: [] },
  { validationActions: ['Deny', 'Warn'] },
  { validationActions: ['Nag'] },
  { paramRef: {} },
  { paramRef: { name: 'a' } },
  { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
  { paramRef: { name: 'a', parameterNotFoundAction: 'Ask' } },
  { matchResources: { matchPolicy: 'Some' } },
];

/** Compares policies in CEL: their validation and their effect on requests. */
export function policies(pair: Pair): void {
  describe('Policies', () => {
    const compared = comparedTests(pair);
    const create = (path: string, json: Json) => pair.send({ method: 'POST', path, json });

    compared('are validated on write', async () => {
      for (const spec of wrongPolicies) await create(`${policiesPath}?dryRun=All`, policy('wrong', spec));
      for (const spec of wrongBindings) await create(`${bindingsPath}?dryRun=All`, binding('wrong', spec));
    });

    compared('are returned as written, with defaults', async () => {
      await create(policiesPath, policy('shown', { validations, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }));
      await create(
        bindingsPath,
        binding('shown', { paramRef: { name: 'p', parameterNotFoundAction: 'Allow' }, matchResources: {} }),
      );
      await pair.send({ path: `${policiesPath}/shown` });
      await pair.send({ path: `${bindingsPath}/shown` });
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      for (const path of [policiesPath, bindingsPath])
        await pair.send(
          { path, headers: { accept } },
          { ignoredFields: /cells\[3\]|columnDefinitions\[\d\]\.description/ },
        );
      const headers = { 'content-type': 'application/merge-patch+json' };
      const body = JSON.stringify({ spec: { failurePolicy: 'Ignore', validations: [{ expression: 'nope' }] } });
      await pair.send({ method: 'PATCH', path: `${policiesPath}/shown`, headers, body });
      await pair.send({ method: 'DELETE', path: `${bindingsPath}/shown` });
      await pair.send({ method: 'DELETE', path: `${policiesPath}/shown` });
    });

    /**
     * Creates a policy on both sides, waits until each refuses the given object, runs `requests`, and removes the
     * policy.
     */
    async function inForce(spec: Json, bound: Json, refused: Json, requests: () => Promise<void>): Promise<void> {
      await pair.prepare({ method: 'POST', path: policiesPath, json: policy('force', spec) });
      await pair.prepare({ method: 'POST', path: bindingsPath, json: binding('force', bound) });
      const shown = (side: Side) => side.send({ method: 'POST', path: `${maps}?dryRun=All`, json: refused });
      for (const side of pair.sides) {
        for (;;) {
          const { status, warnings } = await shown(side);
          if (status >= 400 || warnings.length > 0) break;
          await delay(100);
        }
      }
      await requests();
      for (const path of [bindingsPath, policiesPath]) await pair.prepare({ method: 'DELETE', path: `${path}/force` });
      for (const side of pair.sides) {
        for (;;) {
          const { status, warnings } = await shown(side);
          if (status < 400 && warnings.length === 0) break;
          await delay(100);
        }
      }
    }

    compared('refuse requests with their messages and reasons', async () => {
      const spec = {
        variables: [
          {
            name: 'color',
            expression: "object != null && has(object.data) ? object.data.?color.orValue('none') : 'none'",
          },
        ],
        validations: [
          { expression: "variables.color != 'blue'", message: 'not blue', reason: 'Forbidden' },
          { expression: "variables.color != 'green'", messageExpression: "'is ' + variables.color" },
          { expression: "variables.color != 'huge'", reason: 'RequestEntityTooLarge' },
          { expression: "request.operation != 'CREATE' || object.data.color.size() < 9" },
          {
            expression: "request.operation != 'UPDATE' || object.data.color >= oldObject.data.color",
            message: 'not back',
          },
          { expression: "request.operation != 'DELETE' || oldObject.data.color != 'kept'", message: 'kept' },
          {
            expression:
              "request.userInfo.username != '' && request.namespace == 'default' && namespaceObject.metadata.name == 'default'",
          },
        ],
        matchConditions: [{ name: 'named', expression: "!request.name.startsWith('free')" }],
      };
      await inForce(spec, {}, configMap('probe', { color: 'blue' }), async () => {
        for (const color of ['blue', 'green', 'grey', 'huge', 'far too long', 'red', 'kept']) {
          await create(maps, configMap(`c-${color.replaceAll(' ', '-')}`, { color }));
        }
        await create(maps, configMap('empty', {}));
        await create(maps, configMap('free', { color: 'blue' }));
        await pair.send({ method: 'PUT', path: `${maps}/c-red`, json: configMap('c-red', { color: 'orange' }) });
        await pair.send({ method: 'PUT', path: `${maps}/c-red`, json: configMap('c-red', { color: 'violet' }) });
        await pair.send({ method: 'DELETE', path: `${maps}/c-kept` });
        await pair.send({ method: 'DELETE', path: `${maps}/c-red` });
      });
    });

    compared('warn and audit as the binding requires', async () => {
      const spec = { validations: [{ expression: "object.data.color == 'red'", message: 'red is better' }] };
      const bound = {
        validationActions: ['Warn'],
        matchResources: { objectSelector: { matchLabels: { check: 'yes' } } },
      };
      const checked = { labels: { check: 'yes' } };
      await inForce(spec, bound, configMap('probe', { color: 'blue' }, checked), async () => {
        await create(maps, configMap('warned', { color: 'blue' }, checked));
        await create(maps, configMap('quiet', { color: 'blue' }));
      });
    });

    compared('take parameters, and fail without them', async () => {
      const spec = {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'not-params', expression: "!request.name.startsWith('param')" }],
        validations: [
          { expression: 'object.data.color == params.data.color', messageExpression: "'wants ' + params.data.color" },
        ],
      };
      const bound = { paramRef: { name: 'param', namespace: 'default', parameterNotFoundAction: 'Deny' } };
      await inForce(spec, bound, configMap('probe', { color: 'blue' }), async () => {
        await create(maps, configMap('wanted', { color: 'red' }));
        const spared = { ...configMap('param', { color: 'red' }) };
        await create(maps, spared);
      });
    });
  });
}
