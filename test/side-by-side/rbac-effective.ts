import { setTimeout as delay } from 'node:timers/promises';
import type { Pair } from './pair.ts';
import type { Side } from './side.ts';

/** The state to wait for: the user has the permission, or the refusal matches `reason`. */
export interface Expected {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Absent if the request is to be allowed. */
  readonly reason?: RegExp;
}

/**
 * Waits until a new role or binding takes effect on both servers. kube-apiserver reads roles and bindings from caches,
 * so this takes a moment.
 */
export async function untilEffective(pair: Pair, expected: Expected): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  for (const side of pair.sides) while (!(await isEffective(side, expected))) await delay(20, undefined, { signal });
}

async function isEffective(side: Side, expected: Expected): Promise<boolean> {
  const { user, groups = [], verb = 'get', group = '', resource = 'x', subresource = '' } = expected;
  const { namespace = '', name = '' } = expected;
  const resourceAttributes = { verb, group, resource, subresource, namespace, name };
  const { allowed, reason } = await accessOf(side, { user, groups, resourceAttributes });
  return expected.reason === undefined ? allowed : expected.reason.test(reason);
}

/** Returns the result of a SubjectAccessReview. */
export async function accessOf(side: Side, spec: object): Promise<{ allowed: boolean; reason: string }> {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const { status, text } = await side.send({ method: 'POST', path, json: { spec } });
  if (status !== 201) throw new Error(`a review was answered ${status} ${text}`);
  const { allowed, reason = '' } = JSON.parse(text).status;
  return { allowed, reason };
}
