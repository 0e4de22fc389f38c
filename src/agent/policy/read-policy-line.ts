import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from '@flotilla/json';
import type { ActiveAccessKey, PolicyKind, PolicyLine } from '../../api/agent/policy-feed.ts';
import { defaultCredentialLimits } from '../../api/credential-limits.ts';

/**
 * Parses a policy line from the control server. Returns `undefined` if a newer server sends an unknown type of line.
 * Throws if the line is invalid, because access decisions depend on it.
 */
export function readPolicyLine(text: string): PolicyLine | undefined {
  const line: unknown = JSON.parse(text);
  if (!isJsonObject(line)) throw invalidLine();
  const type = textAt(line, 'type');
  const check = Object.hasOwn(checks, type) ? checks[type as PolicyLine['type']] : undefined;
  if (check === undefined) {
    if (type === '') throw invalidLine();
    return undefined;
  }
  if (!check(line)) throw invalidLine();
  return line as unknown as PolicyLine;
}

const kinds: readonly PolicyKind[] = ['Cluster', 'Project', 'VirtualClusterInstance'];

const checks: Readonly<Record<PolicyLine['type'], (line: JsonObject) => boolean>> = {
  BEGIN: (line) =>
    textAt(line, 'installation') !== '' &&
    typeof line.apiPrefix === 'string' &&
    (line.apiWord === undefined || typeof line.apiWord === 'string') &&
    typeof line.serviceAccountTokens === 'boolean' &&
    isOptionalCount(line.maxServiceAccountTokenAge) &&
    (line.limits === undefined || isLimits(line.limits)) &&
    isOptionalCount(line.revision) &&
    isTime(line.time),
  OBJECT: (line) => isKind(line.kind) && textAt(line, 'object', 'metadata', 'name') !== '',
  NO_OBJECT: (line) => isKind(line.kind) && isNamed(line),
  SPACE: (line) => textAt(line, 'object', 'metadata', 'name') !== '',
  NO_SPACE: (line) => isNamed(line),
  KEY: (line) => isKey(objectAt(line, 'key')),
  NO_KEY: (line) => textAt(line, 'name') !== '',
  SIGNING_KEYS: (line) =>
    Array.isArray(objectAt(line, 'keys')?.keys) && listAt(line, 'keys', 'keys').every(isJsonObject),
  SYNCED: (line) => isTime(line.time),
  ALIVE: (line) => isTime(line.time) && isOptionalCount(line.revision),
};

function isKey(key: JsonObject | undefined): boolean {
  if (key === undefined) return false;
  const texts: readonly (keyof ActiveAccessKey)[] = ['name', 'uid', 'mark'];
  const { user, scopes, expiresAt, addresses } = key;
  if (!texts.every((member) => textAt(key, member) !== '') || textAt(user, 'name') === '') return false;
  const groups = isJsonObject(user) ? user.groups : undefined;
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) return false;
  if (!Array.isArray(scopes) || !scopes.every(isJsonObject)) return false;
  if (addresses !== undefined && !isListOfTextLists(addresses)) return false;
  return expiresAt === undefined || isTime(expiresAt);
}

function isListOfTextLists(value: unknown): boolean {
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((text) => typeof text === 'string');
  return Array.isArray(value) && value.every(isTexts);
}

function isLimits(limits: unknown): boolean {
  if (!isJsonObject(limits)) return false;
  return Object.keys(defaultCredentialLimits).every((name) => {
    const limit = limits[name];
    return typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 0;
  });
}

function isNamed(line: JsonObject): boolean {
  return typeof line.namespace === 'string' && textAt(line, 'name') !== '';
}

function isKind(value: unknown): boolean {
  return kinds.some((kind) => kind === value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

/** True for a number that is not negative, such as a revision, or for an absent value. */
function isOptionalCount(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
}

function invalidLine(): Error {
  return new Error('invalid line in the policy feed');
}
