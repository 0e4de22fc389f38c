import { equalJson } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';
import { accessKeyExpiry } from '../../api/management/access-key-expiry.ts';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { isWorkloadKey } from '../../api/management/workload-key.ts';
import { type FieldsOf, groupResourceOf } from '../../api/resource.ts';
import { forbidden, invalidObject } from '../../api/status.ts';
import { generateAccessKey, isStrongAccessKey } from '../../auth/access-key-format.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { recordCreator } from '../access-keys/access-key-creator.ts';
import { recordGrantedGroups } from '../access-keys/access-key-groups.ts';
import { type AccessKeyHidden, hiddenKeyHash } from '../access-keys/access-key-hidden.ts';
import { checkKeyCount, inheritFromCreatorKey, keepLifetime } from '../access-keys/access-key-limits.ts';
import {
  accessKeySerializationKey,
  bindToOwner,
  checkAccessKeyOwner,
  defaultAccessKeyOwner,
} from '../access-keys/access-key-owner.ts';
import { keepServerFields } from '../access-keys/access-key-server-fields.ts';
import { accessKeyClaim, scopesOf } from '../access-keys/access-key-state.ts';
import { agentKeyHash, isAgentKey, isJoinToken } from '../access-keys/agent-keys.ts';
import { isAppSession } from '../access-keys/app-session-keys.ts';
import { requireUnchangedCaller } from '../access-keys/current-caller.ts';
import { checkFreshLoginForKey } from '../access-keys/fresh-login.ts';
import { bindLogin, isRefreshKey } from '../access-keys/login-keys.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { redactLastApplied } from '../redact-last-applied.ts';
import { accessKeyErrors, accessKeySizeErrors } from '../rules/access-key-errors.ts';
import { warnAboutScope } from '../rules/unknown-names.ts';
import type { ManagementState } from '../state.ts';
import { writableSpec } from '../writable-spec.ts';

/** The time in milliseconds for which an expired key stays visible. Then the server deletes the key. */
const visibleAfterExpiry = 7 * 24 * 3600 * 1000;

export const accessKeyHashPurpose = 'access-key';

/**
 * The error for all unusable key values. A more specific message could reveal that the value belongs to an existing
 * key.
 */
const unusableKey: FieldError = {
  type: 'FieldValueInvalid',
  field: 'spec.key',
  message:
    'Invalid value: must be 32 to 512 characters of A-Za-z0-9._~+/=-, hard to guess and not in use; leave it empty to let the server generate one',
};

const keyOfAgent = forbiddenField(
  'spec.key',
  'an agent that joins has a key of its own; create a join token with flotilla cluster rejoin',
);

const secretPaths = [
  ['spec', 'key'],
  ['spec', 'identity', 'connectorData'],
  ['spec', 'oidcLogin', 'idToken'],
  ['spec', 'oidcLogin', 'accessToken'],
  ['spec', 'oidcLogin', 'refreshToken'],
];

export function accessKeyResource(dependencies: ManagementDependencies): StoredResource {
  const { sealer, state, settings, clock } = dependencies;
  const faults = new WeakMap<AccessKeyDraft, FieldError>();

  return defineResource<FieldsOf<typeof accessKeyKind>, AccessKeyHidden>({
    ...accessKeyKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    autoName: 'key-',
    writeOnlyFields: secretPaths,
    verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete'],
    sizeErrors: accessKeySizeErrors,
    guardWrite: rejectRefreshKeyChange,
    guardDelete(record, context) {
      if (!callerOf(context.user).isAdmin) rejectRefreshKeyChange(record, context);
    },
    prepare(draft, context) {
      takeKey(draft, context, { sealer, faults });
      const spec = writableSpec(draft.object);
      keepServerFields(draft, spec, context, sealer);
      spec.type ||= draft.old?.object.spec?.type || 'User';
      defaultAccessKeyOwner(draft, spec, context);
      if (draft.old !== undefined) {
        rejectScopedChange(draft, context, state);
        keepLifetime(draft, spec, context, { state, settings, clock });
      }
      checkAccessKeyOwner(draft, context, state);
      requireUnchangedCaller(draft, context, state);
      recordGrantedGroups(draft, context, state);
      recordCreator(draft, spec, context, state);
      if (draft.old !== undefined) {
        checkFreshLoginForKey(draft, context, { state, settings, clock });
        return;
      }
      const checking = checkKeyCount(draft, context, { state, settings, clock });
      return andThen(checking, () => {
        inheritFromCreatorKey(draft, spec, context, { state, settings, clock });
        checkFreshLoginForKey(draft, context, { state, settings, clock });
        bindToOwner(draft, state);
        bindLogin(draft, state);
      });
    },
    validate(draft, context) {
      const fault = faults.get(draft);
      const errors = [...(fault === undefined ? [] : [fault]), ...accessKeyErrors(draft, context, { state, settings })];
      const scope = draft.object.spec?.scope;
      if (context.system || equalJson(scope ?? null, draft.old?.object.spec?.scope ?? null)) return errors;
      return warnAboutScope(scope, context, state).then(() => errors);
    },
    createQueue: (sent, context) => accessKeySerializationKey(sent, context),
    claims(record) {
      const hash = record.hidden?.[hiddenKeyHash] ?? '';
      return hash === '' ? [] : [accessKeyClaim(hash)];
    },
    claimTaken: (_claim, _holder, draft) =>
      invalidObject(accessKeyKind, draft.object.metadata.name ?? '', [unusableKey]),
    expiresAt(record) {
      const end = accessKeyExpiry(record.object);
      // These keys are removed as soon as they expire. Pipelines and apps get many keys a day, and the audit log names
      // these keys. Nobody needs an expired join token.
      const isRemovedAtOnce = [isWorkloadKey, isAppSession, isJoinToken].some((holds) => holds(record.object));
      return end === undefined || isRemovedAtOnce ? end : end + visibleAfterExpiry;
    },
  });
}

/**
 * Removes the value of the key from the object and stores the hash of the value. Only the response to a create contains
 * the value. Records an error if the value is not accepted.
 */
function takeKey(
  draft: AccessKeyDraft,
  { system }: RequestContext,
  { sealer, faults }: Pick<ManagementDependencies, 'sealer'> & { readonly faults: WeakMap<AccessKeyDraft, FieldError> },
): void {
  const spec = writableSpec(draft.object);
  const supplied = spec.key ?? '';
  delete spec.key;
  redactLastApplied(draft.object, secretPaths);
  if (system && spec.agentKey !== undefined) {
    draft.hidden[hiddenKeyHash] = agentKeyHash(spec.agentKey.fingerprint);
    return;
  }
  if (supplied !== '' && (isJoinToken(draft.old?.object) || isAgentKey(draft.old?.object))) {
    faults.set(draft, keyOfAgent);
    return;
  }
  if (supplied === '' && draft.old !== undefined) return;
  const key = supplied === '' ? generateAccessKey() : supplied;
  if (supplied !== '' && !isStrongAccessKey(supplied)) {
    faults.set(draft, unusableKey);
    return;
  }
  draft.hidden[hiddenKeyHash] = sealer.hash(accessKeyHashPurpose, key);
  if (draft.old === undefined) draft.reveal = { spec: { key } };
}

/**
 * Throws 403 if a scoped key changes an existing key, because that key may have a wider scope. A scoped key may only
 * create keys, which inherit its scopes.
 */
function rejectScopedChange(draft: AccessKeyDraft, context: RequestContext, state: ManagementState): void {
  const used = context.system || context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  if (used === undefined || scopesOf(used, state).length === 0) return;
  const name = draft.object.metadata.name ?? '';
  throw forbidden(groupResourceOf(accessKeyKind), name, 'a scoped key may create keys but not change them');
}

/**
 * Throws 403 if a client changes a refresh key. Without the refresh key, the server would no longer notice that the
 * person has left. Only admins may delete a refresh key; this ends the logins of the identity.
 */
function rejectRefreshKeyChange({ object }: { readonly object: AccessKey }, context: RequestContext): void {
  if (context.system || !isRefreshKey(object)) return;
  const detail = 'only the server changes the key of a refresh token, and only admins may delete it';
  throw forbidden(groupResourceOf(accessKeyKind), object.metadata.name ?? '', detail);
}
