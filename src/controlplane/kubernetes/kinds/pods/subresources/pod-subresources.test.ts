import type { JsonObject } from '@flotilla/json';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../../api/meta.ts';
import type { KindStore } from '../../../../../registry/kind-store.ts';
import { openPlaneTestEnv, testClientContext, testWriteOptions } from '../../../../plane.fixture.ts';
import {
  bindingsKey,
  createObjectAs,
  policiesKey,
  testPolicy,
  testPolicyBinding,
} from '../../../../policies/admission-policies.fixture.ts';
import { admissionPoliciesPart } from '../../../../policies/admission-policies-part.ts';
import { Kinds, refusal } from '../../../kubernetes-kinds.fixture.ts';
import { kubernetesKindsPart } from '../../../kubernetes-kinds-part.ts';
import { podSubresources } from './pod-subresources.ts';

type Env = Awaited<ReturnType<typeof openPlaneTestEnv>>;

let env: Env;
let kinds: Kinds;
beforeEach(async () => {
  const authorize = () => ({ allowed: false, reason: '' });
  env = await openPlaneTestEnv({
    parts: (dependencies) => [
      admissionPoliciesPart({ plane: dependencies.plane, authorize }),
      kubernetesKindsPart(dependencies),
    ],
  });
  kinds = new Kinds((key) => env.kind(key));
  await kinds.create('pods', 'p', { spec: { containers: [{ name: 'web', image: 'nginx' }] } });
});

async function post(subresource: string, body: JsonObject): Promise<unknown> {
  const storeOf = (key: string): KindStore | undefined => (key === 'serviceaccounts' ? undefined : kinds.store(key));
  const verbs = podSubresources(kinds.store('pods'), storeOf)[subresource]?.verbs;
  const object = { apiVersion: 'v1', kind: 'x', metadata: { name: 'p', namespace: 'elsewhere' }, ...body };
  return await verbs?.createNamed?.(kinds.context(), 'p', object as KubeObject, testWriteOptions);
}

/** Creates a policy that refuses the requests for which the expression is false. */
async function refuse(subresource: string, expression: string): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [`pods/${subresource}`] };
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, message: 'not now' }] };
  await createObjectAs(env, policiesKey, testPolicy('rule', spec), testClientContext());
  await createObjectAs(env, bindingsKey, testPolicyBinding('rule'), testClientContext());
}

const stored = () => kinds.store('pods').peek('default', 'p')?.object;

describe('an admission policy', () => {
  it('can refuse the eviction of a pod', async () => {
    await refuse(
      'eviction',
      "object.kind != 'Eviction' || request.kind.group != 'policy' || request.namespace != 'default' || object.metadata.labels.reason == 'drain'",
    );
    expect(
      await refusal(post('eviction', { metadata: { name: 'p', namespace: 'elsewhere', labels: { reason: 'x' } } })),
    ).toContain('not now');
    expect(stored()).toBeDefined();
    await post('eviction', { metadata: { name: 'p', namespace: 'elsewhere', labels: { reason: 'drain' } } });
    expect(stored()).toBeUndefined();
  });

  it('can refuse the binding of a pod to a node', async () => {
    await refuse('binding', "object.kind != 'Binding' || object.target.name == 'good'");
    expect(await refusal(post('binding', { target: { name: 'bad' } }))).toContain('not now');
    expect(stored()).not.toHaveProperty('spec.nodeName');
    await post('binding', { target: { name: 'good' } });
    expect(stored()).toHaveProperty('spec.nodeName', 'good');
  });
});
