import type { Kubeconfig } from '../../../api/kubeconfig.ts';
import { badRequest } from '../../../api/status.ts';
import type { UserInfo } from '../../../api/user-info.ts';
import { hopByHopHeaders } from '../../hop-by-hop-headers.ts';
import type { ApiRequest, ApiResponse } from '../../host.ts';

/** HTTP headers as an array in which names and values alternate. A name may occur more than once. */
export type RawHeaders = readonly string[];

/**
 * Request headers that are not forwarded: headers that apply only to the connection between the client and this server,
 * `expect`, which this server has already handled, and headers that state who the caller is or where the request comes
 * from.
 */
const droppedRequestHeaders = new Set([
  ...hopByHopHeaders,
  'host',
  'expect',
  'content-length',
  'authorization',
  'cookie',
  'forwarded',
  'x-real-ip',
]);
const droppedPrefixes = [':', 'impersonate-', 'x-remote-', 'x-forwarded-'];
/** Response headers that are not returned. A cluster must not set cookies for the origin of this server. */
const droppedResponseHeaders = new Set([...hopByHopHeaders, 'set-cookie', 'set-cookie2']);

/** The prefix of the WebSocket subprotocol in which browsers send a bearer token to Kubernetes. */
const bearerProtocol = 'base64url.bearer.authorization.k8s.io.';

type UserCredentials = Pick<Kubeconfig, 'token' | 'username' | 'password'>;

/** Returns the headers of a client's request that may be forwarded to a cluster. Credentials are removed. */
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

/** Returns the headers of a cluster's response that may be returned to the client. */
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

/** Returns the header for a bearer token. Throws StatusError 400 if the token contains invalid characters. */
export function bearerHeader(token: string): RawHeaders {
  if (!/^[\x21-\x7e]+$/.test(token)) throw badRequest('the token contains invalid characters');
  return ['authorization', `Bearer ${token}`];
}

/**
 * Returns the impersonation headers for a user. Throws StatusError 400 for an empty name, because the request would run
 * as the user of the kubeconfig, who may do everything. Also throws for a name with leading or trailing blanks, because
 * HTTP removes them and the result could be the name of another user.
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
  // Node writes each character of a header as one byte. Kubernetes reads these bytes as UTF-8.
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Percent-encodes the characters that a header name cannot contain. Kubernetes decodes these characters. */
function escapedKey(key: string): string {
  if (key === '') throw badRequest('a user extra field with an empty key cannot be impersonated');
  let escaped = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const character = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped;
}
