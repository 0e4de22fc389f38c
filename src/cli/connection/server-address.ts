import { usageError } from '../cli-error.ts';

export interface ServerAddress {
  /** Without a path and without a slash at the end. */
  readonly url: string;
  readonly apiPrefix: string;
}

const usualPrefix = 'kubernetes';

/**
 * Takes what people have at hand: the server's own address, or the one that stands in a kubeconfig
 * (`https://host:8443/kubernetes/management`).
 */
export function parseServerAddress(text: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw usageError(`${JSON.stringify(text)} is not the address of a server; it looks like https://host:8443`);
  }
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  if (segments.length > 2 || (segments.length === 2 && segments[1] !== 'management')) {
    throw usageError(`${JSON.stringify(text)} leads into a server; give its address alone: ${url.origin}`);
  }
  return { url: url.origin, apiPrefix: segments[0] ?? usualPrefix };
}

export function sameServer(a: ServerAddress, b: ServerAddress): boolean {
  return a.url === b.url && a.apiPrefix === b.apiPrefix;
}
