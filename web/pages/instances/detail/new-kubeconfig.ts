import { type JsonValue, numberAt } from '@flotilla/json';
import type { VirtualClusterInstanceKubeConfig } from '../../../../src/api/management/v1/subresources/virtual-cluster-instance-kube-config.ts';

/** A new kubeconfig. It is a secret and is discarded when it is no longer shown. */
export interface NewKubeconfig {
  readonly text: string;
  /** The expiration of its token in milliseconds since the epoch; `undefined` if it cannot be read. */
  readonly expiresAt: number | undefined;
}

/**
 * Reads the kubeconfig from the server's response. The token in the kubeconfig may expire earlier than requested: at
 * the latest together with the access key that sent the request.
 */
export function readKubeconfig({ status }: VirtualClusterInstanceKubeConfig): NewKubeconfig {
  const text = status?.kubeConfig ?? '';
  const token = /^\s*token: *>?-?\s*(\S+)/m.exec(text)?.[1];
  return { text, expiresAt: token === undefined ? undefined : tokenEnd(token) };
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
