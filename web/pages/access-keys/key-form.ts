import type { AccessKeySpec } from '../../../src/api/management/v1/access-key.ts';
import type { Scope } from '../../../src/api/management/v1/scope.ts';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { formatDuration } from '../../data/format-text.ts';
import { formatDate } from '../../data/format-time.ts';
import { type DisplayFields, displayFieldsSpec } from '../../data/objects/display-fields.ts';
import type { Principal } from '../../data/principals.ts';

/** The state of the form that creates an access key. */
export interface KeyForm extends DisplayFields {
  readonly name: string;
  /** The owner of the key; `undefined` stands for the caller. */
  readonly owner: Principal | undefined;
  /** The lifetime in seconds; 0 means that the key does not expire. */
  readonly ttl: number;
  readonly afterUse: boolean;
  /** True if the key is limited to `scope`; false if it has full access. */
  readonly isNarrowed: boolean;
  readonly scope: Scope;
}

export const daySeconds = 86_400;

/** The initial state of the form. Its default lifetime limits the risk of a forgotten key to 30 days. */
export const initialKeyForm: KeyForm = {
  name: '',
  displayName: '',
  description: '',
  owner: undefined,
  ttl: 30 * daySeconds,
  afterUse: false,
  isNarrowed: false,
  scope: {},
};

/** Returns the initial state of the form for copying an existing key. */
export function duplicateKeyForm(spec: AccessKeySpec): KeyForm {
  const { displayName = '', description = '', ttl = 0, ttlAfterLastActivity = false, scope } = spec;
  return {
    ...initialKeyForm,
    displayName,
    description,
    owner: ownerOfKey(spec),
    ttl,
    afterUse: ttlAfterLastActivity,
    isNarrowed: scope !== undefined && scope !== null,
    scope: scope === undefined || scope === null ? {} : { ...scope, [scopeCliFlag]: scope[scopeCliFlag] === true },
  };
}

export function ownerOfKey({ user, team }: AccessKeySpec): Principal | undefined {
  if (user !== undefined && user !== '') return { kind: 'User', name: user };
  return team === undefined || team === '' ? undefined : { kind: 'Team', name: team };
}

/** Returns the `metadata` and `spec` of the access key that the form describes. */
export function keyDocument(form: KeyForm): { metadata: { name?: string }; spec: AccessKeySpec } {
  const name = form.name.trim();
  return {
    metadata: name === '' ? {} : { name },
    spec: {
      ...displayFieldsSpec(form),
      ...(form.owner === undefined
        ? {}
        : form.owner.kind === 'User'
          ? { user: form.owner.name }
          : { team: form.owner.name }),
      ...(form.ttl === 0 ? {} : { ttl: form.ttl }),
      ...(form.ttl > 0 && form.afterUse ? { ttlAfterLastActivity: true } : {}),
      ...(form.isNarrowed ? { scope: tidyScope(withCliDefault(form.scope)) } : {}),
    },
  };
}

/**
 * Returns the scope with the flag for the command-line tool, unless the user has already chosen the flag. A scope that
 * selects nothing stays empty, because with only the flag the key could read everything that the owner can see.
 */
export function withCliDefault(scope: Scope): Scope {
  if (scope[scopeCliFlag] !== undefined) return scope;
  const { projects = [], virtualClusters = [], spaces = [], clusters = [] } = scope;
  const isEmpty = [projects, virtualClusters, spaces, clusters].every((list) => list.length === 0);
  return isEmpty ? scope : { ...scope, [scopeCliFlag]: true };
}

/** Removes the empty lists of a scope. */
function tidyScope(scope: Scope): Scope {
  const { projects = [], spaces = [], virtualClusters = [], clusters = [], rules = [] } = scope;
  return {
    ...(scope[scopeCliFlag] === true ? { [scopeCliFlag]: true } : {}),
    ...(projects.length === 0 ? {} : { projects }),
    ...(spaces.length === 0 ? {} : { spaces }),
    ...(virtualClusters.length === 0 ? {} : { virtualClusters }),
    ...(clusters.length === 0 ? {} : { clusters }),
    ...(rules.length === 0 ? {} : { rules }),
  };
}

/** Returns a sentence about the expiration of an access key. */
export function describeLifetime({ ttl, afterUse }: Pick<KeyForm, 'ttl' | 'afterUse'>, now: number): string {
  if (ttl <= 0) return 'The key does not expire. It works until it is disabled or deleted.';
  if (afterUse) return `Expires after ${formatDuration(ttl)} without use.`;
  return `Expires after ${formatDuration(ttl)}, on ${formatDate(now + ttl * 1000)}.`;
}
