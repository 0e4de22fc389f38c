import { isTextNestedDeeper, type JsonValue, parseJson, textAt } from '@flotilla/json';
import { badRequest } from '../../api/status.ts';
import type { Exchange } from '../../http/exchange.ts';
import { bodyFormat } from '../../http/negotiate/body-format.ts';
import type { Reply } from '../../http/reply.ts';
import { readBody } from '../../http/wire/read-body.ts';

/** Maximum size of a login body: enough for the longest name and password, even if all characters are escaped. */
const maxBytes = 12 * 1024;

/** Maximum nesting of a login body. The caller is not authenticated yet, so no time is spent on parsing deeper documents. */
const maxDepth = 10;

export type LoginCredentials =
  | { readonly username: string; readonly password: string; readonly code: string; readonly setup: string }
  | { readonly username?: undefined; readonly accessKey: string };

/**
 * Reads the credentials of a login request. If `keys` is true, an access key is also accepted. Error messages never
 * repeat the input, because users may type a password into the wrong field.
 */
export async function readLogin(exchange: Exchange, keys: false): Promise<LoginCredentials & { username: string }>;
export async function readLogin(exchange: Exchange, keys: true): Promise<LoginCredentials>;
export async function readLogin(exchange: Exchange, keys: boolean): Promise<LoginCredentials> {
  const value = await readJson(exchange);
  const [username, password] = [textAt(value, 'username'), textAt(value, 'password')];
  const accessKey = keys ? textAt(value, 'accessKey') : '';
  if (username !== '' && password !== '' && accessKey === '') {
    return { username, password, code: textAt(value, 'code'), setup: textAt(value, 'setup') };
  }
  if (accessKey !== '' && username === '' && password === '') return { accessKey };
  const other = keys ? ', or the string "accessKey"' : '';
  throw badRequest(`the body must be a JSON object with the strings "username" and "password"${other}`);
}

/** Reads a small JSON body. Returns `undefined` if it is not valid JSON. */
export async function readJson(exchange: Exchange): Promise<JsonValue | undefined> {
  bodyFormat(exchange.request.headers['content-type'], ['json']);
  const bytes = await readBody(exchange, maxBytes);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return isTextNestedDeeper(text, maxDepth) ? undefined : parseJson(text).value;
  } catch {
    return undefined;
  }
}

export function jsonReply(status: number, body: object, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}

/** The body of a successful response: a Kubernetes Status. */
export const successStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
