import type { KnownKey, PolicyKind, PolicyLine } from '../api/agent/policy-feed.ts';
import { listAt, objectAt, textAt } from '../lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';

/**
 * What a line of the feed says; undefined: something that a newer centre tells and this agent does not need. Throws where
 * it is no such line: the agent would let people in by it.
 */
export function readPolicyLine(text: string): PolicyLine | undefined {
  const line: unknown = JSON.parse(text);
  if (!isJsonObject(line)) throw notOne();
  const type = textAt(line, 'type');
  const check = Object.hasOwn(checks, type) ? checks[type as PolicyLine['type']] : undefined;
  if (check === undefined) {
    if (type === '') throw notOne();
    return undefined;
  }
  if (!check(line)) throw notOne();
  return line as unknown as PolicyLine;
}

const kinds: readonly PolicyKind[] = ['Cluster', 'Project', 'VirtualClusterInstance'];

const checks: Readonly<Record<PolicyLine['type'], (line: JsonObject) => boolean>> = {
  BEGIN: (line) =>
    textAt(line, 'installation') !== '' &&
    typeof line.apiPrefix === 'string' &&
    typeof line.serviceAccountTokens === 'boolean' &&
    isTime(line.time),
  OBJECT: (line) => isKind(line.kind) && textAt(line, 'object', 'metadata', 'name') !== '',
  NO_OBJECT: (line) => isKind(line.kind) && typeof line.namespace === 'string' && textAt(line, 'name') !== '',
  KEY: (line) => isKey(objectAt(line, 'key')),
  NO_KEY: (line) => textAt(line, 'name') !== '',
  SIGNING_KEYS: (line) =>
    Array.isArray(objectAt(line, 'keys')?.keys) && listAt(line, 'keys', 'keys').every(isJsonObject),
  SYNCED: (line) => isTime(line.time),
  ALIVE: (line) => isTime(line.time),
};

function isKey(key: JsonObject | undefined): boolean {
  if (key === undefined) return false;
  const texts: readonly (keyof KnownKey)[] = ['name', 'uid', 'mark'];
  const { user, scopes, expiresAt } = key;
  if (!texts.every((member) => textAt(key, member) !== '') || textAt(user, 'name') === '') return false;
  const groups = isJsonObject(user) ? user.groups : undefined;
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) return false;
  if (!Array.isArray(scopes) || !scopes.every(isJsonObject)) return false;
  return expiresAt === undefined || isTime(expiresAt);
}

function isKind(value: unknown): boolean {
  return kinds.some((kind) => kind === value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function notOne(): Error {
  return new Error('what the centre tells cannot be understood');
}
