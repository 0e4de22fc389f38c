import { isIP } from 'node:net';
import { StoreError } from '../../store-error.ts';

/** The address of a member of an etcd cluster. */
export interface EtcdEndpoint {
  /** The address as the user has given it, for messages. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

/** Credentials and certificate authorities for the connections to etcd. The files were already read. */
export interface EtcdCredentials {
  /**
   * PEM certificates of the authorities that sign the certificates of etcd. Optional; defaults to the authorities of
   * Node.js.
   */
  readonly ca?: Buffer;
  /** The certificate and private key of the client, in PEM. */
  readonly clientCertificate?: { readonly cert: Buffer; readonly key: Buffer };
  readonly user?: { readonly name: string; readonly password: string };
}

/** The port on which etcd listens for clients by default. */
const defaultPort = '2379';

/** Parses a list of URLs that are separated by commas. Throws StoreError CannotOpen. */
export function parseEndpoints(text: string): readonly EtcdEndpoint[] {
  const endpoints = text.split(',').map((url) => parseEndpoint(url.trim()));
  if (new Set(endpoints.map(({ secure }) => secure)).size > 1) {
    throw new StoreError('CannotOpen', `the etcd addresses "${text}" must be either all https or all http`);
  }
  return endpoints;
}

function parseEndpoint(text: string): EtcdEndpoint {
  const invalid = (reason: string) =>
    new StoreError('CannotOpen', `the etcd address "${text}" is invalid: ${reason}; example: https://etcd-1:2379`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') throw invalid('it must be a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('it must start with https:// or http://');
  if (url.username !== '' || url.password !== '') throw invalid('it must not contain a user name or password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') throw invalid('it must end after the port');
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!secure && !isLoopback(host)) {
    throw invalid('http:// is not encrypted, so it is accepted for loopback addresses only; use https://');
  }
  // `url.port` is empty for the default port of the protocol, even if the text contains it.
  const port = /:(\d+)\/?$/.exec(text)?.[1] ?? defaultPort;
  return { url: text, host, port: Number(port), secure };
}

/** True if the host name or address leads to this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
