import type { FieldDifference } from './field-differences.ts';
import type { NormalizedResponse } from './normalized-response.ts';
import type { SideRequest } from './side.ts';

/** A request and the responses of both servers. */
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
  /** The reason for the difference, and the rule or decision that it follows from. */
  readonly because: string;
  /** True if this difference explains the differing field. As few fields as possible should match. */
  explains(field: FieldDifference, exchange: Exchange): boolean;
}

/** Returns the message of a Status; '' for other bodies. */
export function messageOf({ body }: NormalizedResponse): string {
  const message = memberOf(body, 'message');
  return typeof message === 'string' ? message : '';
}

export function isStatus({ body }: NormalizedResponse): boolean {
  return memberOf(body, 'kind') === 'Status';
}

/** Returns the causes of a Status, each as one text in this server's wording. */
export function causesOf({ body }: NormalizedResponse): string[] {
  const causes = memberOf(memberOf(body, 'details'), 'causes');
  return Array.isArray(causes) ? causes.map((cause) => withStatusPath(inNextVersion(JSON.stringify(cause)))) : [];
}

/** Returns the text with the wording that the next version of kube-apiserver uses. */
export function inNextVersion(text: string): string {
  return text
    .replaceAll("',  or '", "', or '")
    .replaceAll(/no more than (63|253) characters/g, 'no more than $1 bytes');
}

/**
 * Returns the text with full paths `status.…` for fields of a status. Messages about other fields already contain full
 * paths.
 */
export function withStatusPath(text: string): string {
  return text.replaceAll(/: (\w+) in body/g, ': status.$1 in body');
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}

/** Returns the sent body as text. */
export function sentOf({ body, json }: SideRequest): string {
  return body ?? (json === undefined ? '' : JSON.stringify(json));
}

export function acceptOf({ headers }: SideRequest): string {
  return headers?.accept ?? '';
}

export function typeOf({ headers }: SideRequest): string {
  return headers?.['content-type'] ?? '';
}
