import { equalJson } from '@flotilla/json';
import { type FieldError, fieldNotFound, forbiddenField, invalid, notSupported } from '../../api/field-error.ts';
import { type AccessKey, accessKeyTypes, clientAccessKeyTypes } from '../../api/management/v1/access-key.ts';
import { isWorkloadKey } from '../../api/management/workload-key.ts';
import type { RequestContext } from '../../registry/context.ts';
import { keyOwnerFields } from '../access-keys/access-key-index.ts';
import { maxLifetime } from '../access-keys/access-key-limits.ts';
import { isScopedKey } from '../access-keys/key-scopes.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { addressRangeErrors } from './address-range-errors.ts';
import { entryLimitErrors } from './entry-limit.ts';
import { groupErrors, subjectErrors } from './group-errors.ts';
import { scopeErrors } from './scope-errors.ts';
import { specSizeErrors } from './spec-size.ts';

/** Maximum ttl of a key: 100 years, in seconds. A longer ttl could exceed the range of timestamps. */
const absoluteMaxTTL = 100 * 366 * 24 * 3600;

/**
 * The maximum length of the spec of a key as JSON. All keys are in memory, and each request reads the key that it uses.
 */
const maxSpecLength = 256 * 1024;

type Dependencies = Pick<ManagementDependencies, 'state' | 'settings'>;

/** Returns the errors of an access key that is too large. */
export function accessKeySizeErrors({ spec }: AccessKey, old: AccessKey | undefined): FieldError[] {
  const entryErrors = entryLimitErrors(spec?.scope, 'spec.scope', old?.spec?.scope);
  return entryErrors.length > 0 ? entryErrors : specSizeErrors(spec, old?.spec, maxSpecLength);
}

/** Validates an access key, except its value. */
export function accessKeyErrors(
  draft: AccessKeyDraft,
  context: RequestContext,
  dependencies: Dependencies,
): FieldError[] {
  const { object, old } = draft;
  return [
    ...ownerErrors(draft, context, dependencies),
    ...typeErrors(draft, context),
    ...(isServerKey(draft.old?.object) && !context.system
      ? lifetimeErrors(draft)
      : ttlErrors(draft, context, dependencies)),
    ...groupErrors(object.spec?.groups),
    ...addressRangeErrors(object.spec?.allowedCIDRs),
    ...(old !== undefined && equalJson(object.spec?.scope, old.object.spec?.scope)
      ? []
      : scopeErrors(object.spec?.scope, 'spec.scope')),
  ];
}

function ownerErrors({ object, old }: AccessKeyDraft, context: RequestContext, { state }: Dependencies): FieldError[] {
  const { spec = {} } = object;
  const given = keyOwnerFields.filter((member) => (spec[member] ?? '') !== '');
  if (old !== undefined) {
    return keyOwnerFields
      .filter((member) => (spec[member] ?? '') !== (old.object.spec?.[member] ?? ''))
      .map((member) => invalid(`spec.${member}`, spec[member] ?? '', 'field is immutable'));
  }
  if (given.length > 1) {
    return given
      .slice(1)
      .map((member) => forbiddenField(`spec.${member}`, `must not be set together with spec.${given[0]}`));
  }
  const { user = '', team = '', subject = '' } = spec;
  if (user !== '' && state.user(user) === undefined) return [fieldNotFound('spec.user', user)];
  if (team !== '' && state.team(team) === undefined) return [fieldNotFound('spec.team', team)];
  return context.system ? [] : subjectErrors(subject, 'spec.subject');
}

function typeErrors({ object, old }: AccessKeyDraft, context: RequestContext): FieldError[] {
  const type = object.spec?.type ?? '';
  const before = old?.object.spec?.type ?? '';
  if (type === before) return [];
  const allowed: readonly string[] = context.system ? accessKeyTypes : clientAccessKeyTypes;
  if (!allowed.includes(type)) return [notSupported('spec.type', type, allowed)];
  // The type of a key that the server created cannot be changed.
  const isChangeable = allowed.includes(before) && !(old !== undefined && isWorkloadKey(old.object));
  return before === '' || isChangeable ? [] : [invalid('spec.type', type, 'field is immutable')];
}

function isServerKey(key: AccessKey | undefined): boolean {
  if (key === undefined) return false;
  return isWorkloadKey(key) || !(clientAccessKeyTypes as readonly string[]).includes(key.spec?.type ?? '');
}

/** Rejects changes to the lifetime of a login or of a workload's key. */
function lifetimeErrors({ object, old }: AccessKeyDraft): FieldError[] {
  return (['ttl', 'ttlAfterLastActivity'] as const).flatMap((member) => {
    const value = object.spec?.[member];
    if (equalJson(value, old?.object.spec?.[member])) return [];
    return [invalid(`spec.${member}`, value, 'field is immutable')];
  });
}

function ttlErrors(draft: AccessKeyDraft, context: RequestContext, { settings }: Dependencies): FieldError[] {
  const { object, old } = draft;
  // The JSON parser returns integers beyond 2^53 as bigint.
  const ttl = Number(object.spec?.ttl ?? 0);
  const isScoped = isScopedKey(draft);
  const isUnchanged = old !== undefined && ttl === (old.object.spec?.ttl ?? 0);
  if (isUnchanged && (isScoped || !isScopedKey({ object: old.object, hidden: old.hidden ?? {} }))) return [];
  const max = maxLifetime(isScoped, settings);
  if (ttl < 0) return [invalid('spec.ttl', ttl, 'must be greater than or equal to 0')];
  if (ttl > absoluteMaxTTL) return [invalid('spec.ttl', ttl, `must be less than or equal to ${absoluteMaxTTL}`)];
  if (context.system || max <= 0) return [];
  const setting = isScoped ? 'accessKeys.maxTTL' : 'accessKeys.maxUnscopedTTL or accessKeys.maxTTL';
  const which = isScoped ? 'keys' : 'keys without a scope';
  if (ttl === 0) return [invalid('spec.ttl', ttl, `this server requires ${which} to expire; at most ${max} seconds`)];
  return ttl > max
    ? [
        invalid(
          'spec.ttl',
          ttl,
          `must be less than or equal to ${max}, the maximum of this server for ${which} (setting ${setting})`,
        ),
      ]
    : [];
}
