import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { RequestContext } from '../../registry/context.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import {
  openPlaneTestEnv,
  type PlaneTestEnv,
  testClientContext,
  testKind,
  testWriteOptions,
} from '../plane.fixture.ts';
import type { PlanePart } from '../plane-part.ts';
import { admissionPoliciesPart } from './admission-policies-part.ts';

const widgets = testKind('widgets', 'Widget');
export const policiesKey = 'validatingadmissionpolicies.admissionregistration.k8s.io';
export const bindingsKey = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';

/** Opens a plane with namespaces, policies and widgets. Only the user jane has the permission for the verb `fly`. */
export async function openPolicyTestEnv(): Promise<PlaneTestEnv> {
  let env: PlaneTestEnv | undefined;
  const policies = admissionPoliciesPart({
    plane() {
      if (env === undefined) throw new Error('the plane is not open yet');
      return env.plane;
    },
    authorize: (user, attributes) => ({
      allowed: user.name === 'jane' && attributes.verb === 'fly',
      reason: `asked of ${user.name}`,
    }),
  });
  const own: PlanePart = {
    resources: [widgets],
    mount: (stores) =>
      [...stores.values()].filter((one) => one.resource.plural === 'widgets').map((one) => mountStoredKind(one)),
  };
  env = await openPlaneTestEnv({ parts: [policies, own] });
  await env.create('namespaces', 'shop', { metadata: { name: 'shop', labels: { team: 'a' } } });
  return env;
}

export const matchAllWidgets = {
  resourceRules: [{ apiGroups: ['test.example'], apiVersions: ['v1'], operations: ['*'], resources: ['widgets'] }],
};

export function testPolicy(name: string, spec: JsonObject): KubeObject {
  const fullSpec = { matchConstraints: matchAllWidgets, ...spec };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: fullSpec,
  } as KubeObject;
}

export function testPolicyBinding(name: string, spec: JsonObject = {}): KubeObject {
  const fullSpec = { policyName: name, validationActions: ['Deny'], ...spec };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${name}-binding` },
    spec: fullSpec,
  } as KubeObject;
}

export async function createObjectAs(
  env: PlaneTestEnv,
  key: string,
  object: KubeObject,
  context: RequestContext = testClientContext(),
): Promise<KubeObject> {
  return (await env.kind(key).verbs.create(context, object, testWriteOptions)).object;
}

export async function createBoundPolicy(
  env: PlaneTestEnv,
  spec: JsonObject,
  bindingSpec: JsonObject = {},
): Promise<KubeObject> {
  const created = await createObjectAs(env, policiesKey, testPolicy('rule', spec));
  await createObjectAs(env, bindingsKey, testPolicyBinding('rule', bindingSpec));
  return created;
}

export function policyTestWidget(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name: 'w', ...metadata }, spec } as KubeObject;
}

export async function expectStatusError(work: Promise<unknown>): Promise<StatusError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof StatusError) return error;
  throw new Error(`the request was not refused with a StatusError: ${String(error)}`);
}

export const createWidget = (
  env: PlaneTestEnv,
  spec: JsonObject,
  context = testClientContext('shop'),
  metadata: JsonObject = {},
) => createObjectAs(env, 'widgets.test.example', policyTestWidget(spec, metadata), context);
