import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import { mountStored } from '../../registry/stored-verbs.ts';
import { client, openPlaneBench, type PlaneBench, plainKind, writing } from '../plane.fixture.ts';
import type { PlanePart } from '../plane-part.ts';
import { admissionPoliciesPart } from './admission-policies-part.ts';

const widgets = plainKind('widgets', 'Widget');
export const policiesKey = 'validatingadmissionpolicies.admissionregistration.k8s.io';
export const bindingsKey = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';

/** A plane with namespaces, policies and widgets; whoever is called jane may fly. */
export async function openPolicyBench(): Promise<PlaneBench> {
  let bench: PlaneBench | undefined;
  const policies = admissionPoliciesPart({
    plane() {
      if (bench === undefined) throw new Error('not open');
      return bench.plane;
    },
    authorize: (user, asked) => ({
      allowed: user.name === 'jane' && asked.verb === 'fly',
      reason: `asked of ${user.name}`,
    }),
  });
  const own: PlanePart = {
    resources: [widgets],
    mount: (stores) =>
      [...stores.values()].filter((one) => one.resource.plural === 'widgets').map((one) => mountStored(one)),
  };
  bench = await openPlaneBench({ parts: [policies, own] });
  await bench.create('namespaces', 'shop', { metadata: { name: 'shop', labels: { team: 'a' } } });
  return bench;
}

export const allWidgets = {
  resourceRules: [{ apiGroups: ['test.example'], apiVersions: ['v1'], operations: ['*'], resources: ['widgets'] }],
};

export function policy(name: string, spec: JsonObject): KubeObject {
  const whole = { matchConstraints: allWidgets, ...spec };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: whole,
  } as KubeObject;
}

export function binding(name: string, spec: JsonObject = {}): KubeObject {
  const whole = { policyName: name, validationActions: ['Deny'], ...spec };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${name}-binding` },
    spec: whole,
  } as KubeObject;
}

export async function send(
  bench: PlaneBench,
  key: string,
  object: KubeObject,
  context: RequestContext = client(),
): Promise<KubeObject> {
  return (await bench.kind(key).verbs.create(context, object, writing)).object;
}

export async function inForce(bench: PlaneBench, spec: JsonObject, bindingSpec: JsonObject = {}): Promise<KubeObject> {
  const made = await send(bench, policiesKey, policy('rule', spec));
  await send(bench, bindingsKey, binding('rule', bindingSpec));
  return made;
}

export function widget(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name: 'w', ...metadata }, spec } as KubeObject;
}

export async function refused(work: Promise<unknown>): Promise<StatusError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof StatusError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

export const create = (bench: PlaneBench, spec: JsonObject, context = client('shop'), metadata: JsonObject = {}) =>
  send(bench, 'widgets.test.example', widget(spec, metadata), context);
