import type { Kubeconfig } from '../../../api/kubeconfig.ts';
import { badRequest } from '../../../api/status.ts';
import type { UserInfo } from '../../../api/user-info.ts';
import { connectionHeaders } from '../../connection-headers.ts';
import type { ApiRequest, ApiResponse } from '../../host.ts';

/** Alternating names and values, as sent; a name may occur twice. */
export type RawHeaders = readonly string[];

/** `expect` has been handled already; the others state who the caller is or where the request comes from. */
const droppedRequestHeaders = new Set([
  ...connectionHeaders,
  'host',
  'expect',
  'content-length',
  'authorization',
  'cookie',
  'forwarded',
  'x-real-ip',
]);
const droppedPrefixes = [':', 'impersonate-', 'x-remote-', 'x-forwarded-'];
/** A cluster behind this server must not set cookies for this server. */
const droppedResponseHeaders = new Set([...connectionHeaders, 'set-cookie', 'set-cookie2']);

/** The subprotocol prefix with which browsers send a bearer token when they open a WebSocket. */
const bearerProtocol = 'base64url.bearer.authorization.k8s.io.';

type UserCredentials = Pick<Kubeconfig, 'token' | 'username' | 'password'>;

/** The client headers to forward to another server, without credentials. */
export function forwardedHeaders(headers: ApiRequest['headers']): string[] {
  const { connection } = headers;
  const listedHeaders = connection === undefined ? [] : splitList(connection.toLowerCase());
  const lines: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (droppedRequestHeaders.has(name) || listedHeaders.includes(name)) continue;
    if (droppedPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    if (name !== 'sec-websocket-protocol') {
      lines.push(name, value);
      continue;
    }
    const protocols = splitList(value).filter((protocol) => !protocol.startsWith(bearerProtocol));
    if (protocols.length > 0) lines.push(name, protocols.join(', '));
  }
  return lines;
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The response headers to return to the client. */
export function returnedHeaders(headers: ApiResponse['headers']): ApiResponse['headers'] {
  const listedHeaders = splitList([headers.connection ?? ''].flat().join(',').toLowerCase());
  const forwarded: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!droppedResponseHeaders.has(name) && !listedHeaders.includes(name)) forwarded[name] = value;
  }
  return forwarded;
}

export function credentialHeaders({ token, username, password = '' }: UserCredentials): RawHeaders {
  if (token !== undefined) return bearerHeader(token);
  if (username === undefined) return [];
  return ['authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
}

/** Throws StatusError 400 if the text cannot be a token. */
export function bearerHeader(token: string): RawHeaders {
  if (!/^[\x21-\x7e]+$/.test(token)) throw badRequest('the token contains invalid characters');
  return ['authorization', `Bearer ${token}`];
}

/**
 * The impersonation headers for a user. Throws StatusError 400 for names that would change on the way: leading and
 * trailing blanks are stripped, which would give another user's name. Without a name the request would run as this
 * server's own user, who may do everything.
 */
export function impersonationHeaders({ name, uid, groups, extra = {} }: UserInfo): RawHeaders {
  const lines = ['impersonate-user', exactValue(name, 'name')];
  for (const group of groups) lines.push('impersonate-group', exactValue(group, 'group'));
  if (uid !== undefined && uid !== '') lines.push('impersonate-uid', exactValue(uid, 'uid'));
  for (const [key, values] of Object.entries(extra)) {
    const header = `impersonate-extra-${escapedKey(key)}`;
    for (const value of values) lines.push(header, exactValue(value, 'extra value'));
  }
  return lines;
}

function exactValue(text: string, what: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern detects control characters
  if (text === '' || text.trim() !== text || /[\x00-\x1f\x7f]/.test(text)) {
    throw badRequest(
      `a ${what} that is empty, begins or ends with a blank or contains control characters cannot be impersonated`,
    );
  }
  // Headers are bytes, and Kubernetes reads these as UTF-8.
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Percent-encodes characters that header names cannot contain, as Kubernetes expects. */
function escapedKey(key: string): string {
  if (key === '') throw badRequest('an extra with an empty key cannot be impersonated');
  let escaped = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const character = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped;
}
