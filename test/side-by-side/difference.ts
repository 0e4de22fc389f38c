import type { FieldDifference } from './field-differences.ts';
import type { Picture } from './picture.ts';
import type { SideRequest } from './side.ts';

/** A request and the two answers to it. */
export interface Exchange {
  readonly request: SideRequest;
  readonly theirs: Picture;
  readonly ours: Picture;
}

/** A way in which this server answers otherwise than kube-apiserver, on purpose. */
export interface Difference {
  readonly id: string;
  /** What kube-apiserver does. */
  readonly theirs: string;
  /** What this server does. */
  readonly ours: string;
  /** Why, and the rule or decision that says so. */
  readonly because: string;
  /** Whether this is why that field of that exchange differs; as narrow as it can be. */
  explains(field: FieldDifference, exchange: Exchange): boolean;
}

/** The message of a Status; empty where the body is none. */
export function messageOf({ body }: Picture): string {
  const message = memberOf(body, 'message');
  return typeof message === 'string' ? message : '';
}

export function isStatus({ body }: Picture): boolean {
  return memberOf(body, 'kind') === 'Status';
}

/** The causes of a Status, each as one text, in the wording that this server has. */
export function causesOf({ body }: Picture): string[] {
  const causes = memberOf(memberOf(body, 'details'), 'causes');
  return Array.isArray(causes) ? causes.map((cause) => withStatusPath(inNextVersion(JSON.stringify(cause)))) : [];
}

/** The texts that the next version of kube-apiserver has for the same. */
export function inNextVersion(text: string): string {
  return text
    .replaceAll("',  or '", "', or '")
    .replaceAll(/no more than (63|253) characters/g, 'no more than $1 bytes');
}

/** The field of a status by its whole path, as every other field is named. */
export function withStatusPath(text: string): string {
  return text.replaceAll(/: (\w+) in body/g, ': status.$1 in body');
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}

/** What was sent, as text. */
export function sentOf({ body, json }: SideRequest): string {
  return body ?? (json === undefined ? '' : JSON.stringify(json));
}

export function acceptOf({ headers }: SideRequest): string {
  return headers?.accept ?? '';
}

export function typeOf({ headers }: SideRequest): string {
  return headers?.['content-type'] ?? '';
}
