import type { Kubeconfig } from '../../api/kubeconfig.ts';
import { badRequest } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { connectionHeaders } from '../connection-headers.ts';
import type { ApiRequest, ApiResponse } from '../host.ts';

/** Names and values by turns, as they go onto the wire: a name may be there twice. */
export type HeaderLines = readonly string[];

/** `expect` was answered already; the rest says who somebody is, or where they come from, to whoever believes it. */
const notOfRequests = new Set([
  ...connectionHeaders,
  'host',
  'expect',
  'content-length',
  'authorization',
  'cookie',
  'forwarded',
  'x-real-ip',
]);
const prefixesNotOfRequests = [':', 'impersonate-', 'x-remote-', 'x-forwarded-'];
/** A cluster that is reached through this server must not set this server's cookies. */
const notOfAnswers = new Set([...connectionHeaders, 'set-cookie', 'set-cookie2']);

/** How browsers send a bearer when they open a WebSocket. */
const bearerProtocol = 'base64url.bearer.authorization.k8s.io.';

type UserCredentials = Pick<Kubeconfig, 'token' | 'username' | 'password'>;

/** What of a client's headers another server is shown. None of its credentials. */
export function passedOn(headers: ApiRequest['headers']): string[] {
  const { connection } = headers;
  const named = connection === undefined ? [] : listed(connection.toLowerCase());
  const lines: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (notOfRequests.has(name) || named.includes(name)) continue;
    if (prefixesNotOfRequests.some((prefix) => name.startsWith(prefix))) continue;
    if (name !== 'sec-websocket-protocol') {
      lines.push(name, value);
      continue;
    }
    const protocols = listed(value).filter((protocol) => !protocol.startsWith(bearerProtocol));
    if (protocols.length > 0) lines.push(name, protocols.join(', '));
  }
  return lines;
}

function listed(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What of an answer a client is shown. */
export function passedBack(headers: ApiResponse['headers']): ApiResponse['headers'] {
  const named = listed([headers.connection ?? ''].flat().join(',').toLowerCase());
  const passed: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!notOfAnswers.has(name) && !named.includes(name)) passed[name] = value;
  }
  return passed;
}

export function credentialsOf({ token, username, password = '' }: UserCredentials): HeaderLines {
  if (token !== undefined) return bearer(token);
  if (username === undefined) return [];
  return ['authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
}

/** Throws StatusError 400 for one that cannot be a token. */
export function bearer(token: string): HeaderLines {
  if (!/^[\x21-\x7e]+$/.test(token)) throw badRequest('the token has characters that no token has');
  return ['authorization', `Bearer ${token}`];
}

/**
 * Takes on somebody's name. Throws StatusError 400 for names that would not arrive as they are: blanks at the ends are
 * cut off on the way, and then the name is another one's. Without a name the request would be made in that of whoever
 * takes it on, who may do everything.
 */
export function impersonation({ name, uid, groups, extra = {} }: UserInfo): HeaderLines {
  const lines = ['impersonate-user', exact(name, 'name')];
  for (const group of groups) lines.push('impersonate-group', exact(group, 'group'));
  if (uid !== undefined && uid !== '') lines.push('impersonate-uid', exact(uid, 'uid'));
  for (const [key, values] of Object.entries(extra)) {
    const header = `impersonate-extra-${escapedKey(key)}`;
    for (const value of values) lines.push(header, exact(value, 'extra value'));
  }
  return lines;
}

function exact(text: string, what: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (text === '' || text.trim() !== text || /[\x00-\x1f\x7f]/.test(text)) {
    throw badRequest(
      `a ${what} that is empty, begins or ends with a blank or has control characters cannot be passed on`,
    );
  }
  // Headers are bytes; whoever reads these takes them for UTF-8.
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Names of headers have few characters; Kubernetes reads the others as percent signs have them. */
function escapedKey(key: string): string {
  if (key === '') throw badRequest('an extra without a name cannot be passed on');
  let escaped = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const character = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped;
}
