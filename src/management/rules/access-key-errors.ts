import { type FieldError, fieldNotFound, forbiddenField, invalid, notSupported } from '../../api/field-error.ts';
import { accessKeyTypes, clientAccessKeyTypes } from '../../api/management/v1/access-key.ts';
import type { KubeObject } from '../../api/meta.ts';
import { numberAt, textAt, valueAt } from '../../lib/json-path.ts';
import { equalJson } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft } from '../../registry/resource.ts';
import { ownerMembers } from '../access-key-owner.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { groupErrors, subjectErrors } from './group-errors.ts';
import { scopeErrors } from './scope-errors.ts';

/** A hundred years: a longer ttl is a mistake, and this one still fits into a timestamp. */
const absoluteMaxTTL = 100 * 366 * 24 * 3600;

type Dependencies = Pick<ManagementDependencies, 'state' | 'settings'>;

/** Validates everything of a key except its value. */
export function accessKeyErrors(draft: Draft, context: RequestContext, dependencies: Dependencies): FieldError[] {
  const { object, old } = draft;
  return [
    ...ownerErrors(draft, context, dependencies),
    ...typeErrors(draft, context),
    ...(isServerKey(draft.old?.object) && !context.system
      ? lifetimeErrors(draft)
      : ttlErrors(draft, context, dependencies)),
    ...groupErrors(object),
    ...(old !== undefined && equalJson(valueAt(object, 'spec', 'scope'), valueAt(old.object, 'spec', 'scope'))
      ? []
      : scopeErrors(valueAt(object, 'spec', 'scope'), 'spec.scope')),
  ];
}

function ownerErrors({ object, old }: Draft, context: RequestContext, { state }: Dependencies): FieldError[] {
  const given = ownerMembers.filter((member) => textAt(object, 'spec', member) !== '');
  if (old !== undefined) {
    return ownerMembers
      .filter((member) => textAt(object, 'spec', member) !== textAt(old.object, 'spec', member))
      .map((member) => invalid(`spec.${member}`, textAt(object, 'spec', member), 'field is immutable'));
  }
  if (given.length > 1) {
    return given
      .slice(1)
      .map((member) => forbiddenField(`spec.${member}`, `must not be set together with spec.${given[0]}`));
  }
  const user = textAt(object, 'spec', 'user');
  const team = textAt(object, 'spec', 'team');
  if (user !== '' && state.user(user) === undefined) return [fieldNotFound('spec.user', user)];
  if (team !== '' && state.team(team) === undefined) return [fieldNotFound('spec.team', team)];
  return context.system ? [] : subjectErrors(textAt(object, 'spec', 'subject'), 'spec.subject');
}

function typeErrors({ object, old }: Draft, context: RequestContext): FieldError[] {
  const type = textAt(object, 'spec', 'type');
  const before = textAt(old?.object, 'spec', 'type');
  if (type === before) return [];
  const allowed: readonly string[] = context.system ? accessKeyTypes : clientAccessKeyTypes;
  if (!allowed.includes(type)) return [notSupported('spec.type', type, allowed)];
  // A key that the server created for its own purpose keeps its type.
  return before === '' || allowed.includes(before) ? [] : [invalid('spec.type', type, 'field is immutable')];
}

function isServerKey(key: KubeObject | undefined): boolean {
  return key !== undefined && !(clientAccessKeyTypes as readonly string[]).includes(textAt(key, 'spec', 'type'));
}

/** Users cannot change the lifetime of their logins. */
function lifetimeErrors({ object, old }: Draft): FieldError[] {
  return (['ttl', 'ttlAfterLastActivity'] as const).flatMap((member) => {
    const value = valueAt(object, 'spec', member);
    if (equalJson(value, valueAt(old?.object, 'spec', member))) return [];
    return [invalid(`spec.${member}`, value, 'field is immutable')];
  });
}

function ttlErrors({ object, old }: Draft, context: RequestContext, { settings }: Dependencies): FieldError[] {
  const ttl = numberAt(object, 'spec', 'ttl') ?? 0;
  if (old !== undefined && ttl === (numberAt(old.object, 'spec', 'ttl') ?? 0)) return [];
  const max = settings.accessKeys.maxTTL;
  if (ttl < 0) return [invalid('spec.ttl', ttl, 'must be greater than or equal to 0')];
  if (ttl > absoluteMaxTTL) return [invalid('spec.ttl', ttl, `must be less than or equal to ${absoluteMaxTTL}`)];
  if (context.system || max <= 0) return [];
  if (ttl === 0) return [invalid('spec.ttl', ttl, `this server requires keys to expire; at most ${max} seconds`)];
  return ttl > max
    ? [invalid('spec.ttl', ttl, `must be less than or equal to ${max}, the maximum of this server`)]
    : [];
}
