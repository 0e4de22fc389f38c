import type { FieldDifference } from './field-differences.ts';
import type { NormalizedResponse } from './normalized-response.ts';
import type { SideRequest } from './side.ts';

/** A request and both responses. */
export interface Exchange {
  readonly request: SideRequest;
  readonly theirs: NormalizedResponse;
  readonly ours: NormalizedResponse;
}

/** An intended difference between the responses of this server and kube-apiserver. */
export interface Difference {
  readonly id: string;
  /** The behavior of kube-apiserver. */
  readonly theirs: string;
  /** The behavior of this server. */
  readonly ours: string;
  /** The reason, and the rule or decision behind it. */
  readonly because: string;
  /** True if this difference explains the field of the exchange; as narrow as possible. */
  explains(field: FieldDifference, exchange: Exchange): boolean;
}

/** The message of a Status; empty for other bodies. */
export function messageOf({ body }: NormalizedResponse): string {
  const message = memberOf(body, 'message');
  return typeof message === 'string' ? message : '';
}

export function isStatus({ body }: NormalizedResponse): boolean {
  return memberOf(body, 'kind') === 'Status';
}

/** The causes of a Status, each as one text, in the wording of this server. */
export function causesOf({ body }: NormalizedResponse): string[] {
  const causes = memberOf(memberOf(body, 'details'), 'causes');
  return Array.isArray(causes) ? causes.map((cause) => withStatusPath(inNextVersion(JSON.stringify(cause)))) : [];
}

/** The text that the next version of kube-apiserver has in its place. */
export function inNextVersion(text: string): string {
  return text
    .replaceAll("',  or '", "', or '")
    .replaceAll(/no more than (63|253) characters/g, 'no more than $1 bytes');
}

/** The text with the field of a status named by its full path, like every other field. */
export function withStatusPath(text: string): string {
  return text.replaceAll(/: (\w+) in body/g, ': status.$1 in body');
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}

/** The sent body as text. */
export function sentOf({ body, json }: SideRequest): string {
  return body ?? (json === undefined ? '' : JSON.stringify(json));
}

export function acceptOf({ headers }: SideRequest): string {
  return headers?.accept ?? '';
}

export function typeOf({ headers }: SideRequest): string {
  return headers?.['content-type'] ?? '';
}
