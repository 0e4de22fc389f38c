import { setTimeout as delay } from 'node:timers/promises';
import type { Pair } from './pair.ts';
import type { Side } from './side.ts';

/** What must have come into effect: a right that somebody has, or what is said of one that they have not. */
export interface Expected {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Absent: it is allowed. */
  readonly reason?: RegExp;
}

/** Waits until both have seen a role or binding that was just written: kube-apiserver decides from caches. */
export async function effective(pair: Pair, expected: Expected): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  for (const side of pair.sides) while (!(await isEffective(side, expected))) await delay(20, undefined, { signal });
}

async function isEffective(side: Side, expected: Expected): Promise<boolean> {
  const { user, groups = [], verb = 'get', group = '', resource = 'x', namespace = '', name = '' } = expected;
  const resourceAttributes = { verb, group, resource, namespace, name };
  const { allowed, reason } = await accessOf(side, { user, groups, resourceAttributes });
  return expected.reason === undefined ? allowed : expected.reason.test(reason);
}

/** What a SubjectAccessReview answers. */
export async function accessOf(side: Side, spec: object): Promise<{ allowed: boolean; reason: string }> {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const { status, text } = await side.send({ method: 'POST', path, json: { spec } });
  if (status !== 201) throw new Error(`a review was answered ${status} ${text}`);
  const { allowed, reason = '' } = JSON.parse(text).status;
  return { allowed, reason };
}
