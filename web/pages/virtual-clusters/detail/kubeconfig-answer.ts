import type { KubeObject } from '../../../../src/api/meta.ts';
import { numberAt, textAt } from '../../../../src/lib/json-path.ts';
import type { JsonValue } from '../../../../src/lib/json-value.ts';

/** A kubeconfig that was just made: a secret, for as long as somebody looks at it. */
export interface Kubeconfig {
  readonly text: string;
  /** When its token ends, as the token itself says; undefined where that cannot be read. Milliseconds since the epoch. */
  readonly ends: number | undefined;
}

/** The one that the server answers with. Its token may end before what was asked for: with the key that asked. */
export function kubeconfigIn(answer: KubeObject): Kubeconfig {
  const text = textAt(answer, 'status', 'kubeConfig');
  const token = /^\s*token: *>?-?\s*(\S+)/m.exec(text)?.[1];
  return { text, ends: token === undefined ? undefined : tokenEnd(token) };
}

function tokenEnd(token: string): number | undefined {
  const [, payload = ''] = token.replaceAll(/["']/g, '').split('.');
  try {
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as JsonValue;
    const seconds = numberAt(claims, 'exp');
    return seconds === undefined ? undefined : seconds * 1000;
  } catch {
    return undefined;
  }
}
