import { equalJson } from '@flotilla/json';
import { expect, it } from 'vitest';
import type { AccessAttributes, RequestContext } from '../../registry/context.ts';
import { Kinds } from '../kubernetes/kubernetes-kinds.fixture.ts';
import { testClientContext, testWriteOptions } from '../plane.fixture.ts';
import {
  bindingsKey,
  createObjectAs,
  expectStatusError,
  openPolicyTestEnv,
  policiesKey,
  testPolicy,
  testPolicyBinding,
} from './admission-policies.fixture.ts';

const paramKind = { apiVersion: 'test.example/v1', kind: 'Widget' };
const validations = [{ expression: 'true' }];
const reference = { name: 'x', namespace: 'shop', parameterNotFoundAction: 'Allow' };

/**
 * A caller who is denied every permission check. `asked` collects the checked permissions. It omits duplicates, because
 * a write may be prepared repeatedly if the store is on a network.
 */
function powerless(asked: AccessAttributes[]): RequestContext {
  const may = (attributes: AccessAttributes) => {
    if (!asked.some((each) => equalJson({ ...each }, { ...attributes }))) asked.push(attributes);
    return false;
  };
  return { ...testClientContext(), user: { name: 'pat', groups: ['a', 'b'] }, may };
}

it('a policy is refused if its author cannot read all objects of the parameter kind', async () => {
  const env = await openPolicyTestEnv();
  const asked: AccessAttributes[] = [];
  const create = createObjectAs(env, policiesKey, testPolicy('rule', { paramKind, validations }), powerless(asked));
  expect((await expectStatusError(create)).message).toContain(
    'spec.paramKind: Forbidden: user &{pat  [a b] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Widget, apiVersion=test.example/v1)',
  );
  expect(asked).toEqual([{ verb: 'get', group: 'test.example', resource: 'widgets', namespace: '*', name: '*' }]);
  await createObjectAs(env, policiesKey, testPolicy('plain', { validations }), powerless(asked));
});

it('an update that keeps the parameter kind needs no permission to read it', async () => {
  const env = await openPolicyTestEnv();
  const policy = await createObjectAs(env, policiesKey, testPolicy('rule', { paramKind, validations }));
  const next = { ...policy, metadata: { ...policy.metadata, labels: { a: 'b' } } };
  await env.kind(policiesKey).verbs.update(powerless([]), 'rule', next, testWriteOptions);
});

it('a binding is refused if its author cannot read its parameters', async () => {
  const env = await openPolicyTestEnv();
  await createObjectAs(env, policiesKey, testPolicy('rule', { paramKind, validations }));
  const asked: AccessAttributes[] = [];
  const bind = async (policy: string, paramRef: object) => {
    const binding = testPolicyBinding(policy, { paramRef: { parameterNotFoundAction: 'Allow', ...paramRef } });
    return (await expectStatusError(createObjectAs(env, bindingsKey, binding, powerless(asked)))).message;
  };
  expect(await bind('rule', reference)).toContain(
    'spec.paramRef: Forbidden: user &{pat  [a b] map[]} does not have "get" permission on the object referenced by paramRef',
  );
  expect(await bind('rule', { selector: {} })).toContain('does not have "list" permission on the object');
  expect(await bind('none', reference)).toContain(
    'unable to get policy none to determine minimum required permissions and user &{pat  [a b] map[]} does not have "get" permission for all groups, versions and resources',
  );
  expect(asked).toEqual([
    { verb: 'get', group: 'test.example', resource: 'widgets', namespace: 'shop', name: 'x' },
    { verb: 'list', group: 'test.example', resource: 'widgets', namespace: '', name: '' },
    { verb: 'get', group: '*', resource: '*', namespace: 'shop', name: 'x' },
  ]);
});

it('mutating policies and bindings need the same permissions', async () => {
  const kinds = await Kinds.open();
  const create = async (plural: string, name: string, spec: object) => {
    const key = `${plural}.admissionregistration.k8s.io`;
    const object = kinds.decoded(key, { metadata: { name }, spec: { ...spec } });
    const creating = kinds.store(key).verbs.create(powerless([]), object, testWriteOptions);
    return (await expectStatusError(creating)).message;
  };
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const mutations = [
    { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{metadata: Object.metadata{}}' } },
  ];
  const policy = { matchConstraints: { resourceRules }, mutations, reinvocationPolicy: 'Never' };
  const node = { apiVersion: 'v1', kind: 'Node' };
  expect(await create('mutatingadmissionpolicies', 'rule', { ...policy, paramKind: node })).toContain(
    'spec.paramKind: Forbidden',
  );
  expect(
    await create('mutatingadmissionpolicybindings', 'rule', { policyName: 'rule', paramRef: reference }),
  ).toContain('spec.paramRef: Forbidden: unable to get policy rule');
});
