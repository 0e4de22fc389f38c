import { usageError } from '../cli-error.ts';

export interface ServerAddress {
  /** The URL without a path and without a trailing slash. */
  readonly url: string;
  readonly apiPrefix: string;
}

const defaultPrefix = 'kubernetes';

/**
 * Parses the URL of a server. Also accepts the URL of the management API from a kubeconfig
 * (`https://host:8443/kubernetes/management`).
 */
export function parseServerAddress(text: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw usageError(`${JSON.stringify(text)} is not the URL of a server; use for example https://host:8443`);
  }
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  if (segments.length > 2 || (segments.length === 2 && segments[1] !== 'management')) {
    throw usageError(`${JSON.stringify(text)} contains a path; use the URL of the server: ${url.origin}`);
  }
  return { url: url.origin, apiPrefix: segments[0] ?? defaultPrefix };
}

export function sameServer(a: ServerAddress, b: ServerAddress): boolean {
  return a.url === b.url && a.apiPrefix === b.apiPrefix;
}
