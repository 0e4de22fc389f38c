import { isJsonObject, JsonSyntaxError, parseJson } from '@flotilla/json';
import { badRequest } from '../../api/status.ts';
import type { ObjectKey } from '../cache/object-index.ts';

/** The content of a continue token: where the next page of a list starts. */
export interface ContinueToken {
  /**
   * The store revision at which the next page is read. `inconsistentRevision` means the current state, even if objects
   * have changed since the previous page (LIST-22).
   */
  readonly revision: number;
  readonly after: ObjectKey;
}

export const inconsistentRevision = -1;

const version = 'meta.k8s.io/v1';

/** Encodes a token as Kubernetes does (LIST-18). The NUL after the last returned name makes the start key exclusive. */
export function encodeContinue(namespaced: boolean, token: ContinueToken): string {
  const { namespace, name } = token.after;
  const start = `${namespaced ? `${namespace}/` : ''}${name}\u0000`;
  return Buffer.from(JSON.stringify({ v: version, rv: token.revision, start })).toString('base64url');
}

export function decodeContinue(namespaced: boolean, text: string): ContinueToken {
  const { v, rv, start } = parseToken(text);
  if (v !== version) throw invalidToken(`server does not recognize this encoded version ${String(v ?? '')}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || rv < inconsistentRevision) {
    throw invalidToken(`incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== 'string' || start === '') throw invalidToken(`encoded start key empty (version ${version})`);
  return { revision: rv, after: parseStart(namespaced, start) };
}

function parseToken(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw invalidToken('illegal base64 data');
  try {
    const { value } = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalidToken(error.message);
    throw error;
  }
  throw invalidToken('the token is not a JSON object');
}

function parseStart(namespaced: boolean, start: string): ObjectKey {
  const [key = '', ...rest] = start.split('\u0000');
  const parts = key.split('/');
  const [namespace = '', name = ''] = namespaced ? parts : ['', ...parts];
  const expected = namespaced ? 2 : 1;
  const hasInvalidPart = parts.some((part) => part === '.' || part === '..' || part === '');
  if (parts.length !== expected || hasInvalidPart || rest.length !== 1 || rest[0] !== '') throw invalidToken(start);
  return { namespace, name };
}

function invalidToken(detail: string) {
  return badRequest(`invalid continue token: continue key is not valid: ${detail}`);
}
