import { textAt } from '@flotilla/json';
import type { FieldError } from '../../api/field-error.ts';
import { accessKeyExpiry } from '../../api/management/access-key-expiry.ts';
import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, invalidObject } from '../../api/status.ts';
import { generateAccessKey, isStrongAccessKey } from '../../auth/access-key-format.ts';
import { andThen } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { recordGrantedGroups } from '../access-keys/access-key-groups.ts';
import { hiddenKeyHash } from '../access-keys/access-key-hidden.ts';
import { checkKeyCount, inheritFromCreatorKey, keepLifetime } from '../access-keys/access-key-limits.ts';
import {
  accessKeySerializationKey,
  bindToOwner,
  checkAccessKeyOwner,
  defaultAccessKeyOwner,
} from '../access-keys/access-key-owner.ts';
import { keepServerFields } from '../access-keys/access-key-server-fields.ts';
import { accessKeyClaim, scopesOf } from '../access-keys/access-key-state.ts';
import { bindLogin } from '../access-keys/login-keys.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { redactLastApplied } from '../redact-last-applied.ts';
import { accessKeyErrors, accessKeySizeErrors } from '../rules/access-key-errors.ts';
import { writableSpec } from '../writable-spec.ts';

/** Time in milliseconds after which the server deletes an expired key. Until then it stays visible. */
const visibleAfterExpiry = 7 * 24 * 3600 * 1000;

export const accessKeyHashPurpose = 'access-key';

/** The error for all unusable key values. A more specific message could reveal that a value is an existing key. */
const unusableKey: FieldError = {
  type: 'FieldValueInvalid',
  field: 'spec.key',
  message:
    'Invalid value: must be 32 to 512 characters of A-Za-z0-9._~+/=-, hard to guess and not in use; leave it empty to let the server generate one',
};

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

  /**
   * Removes the value of the key from the object and stores its hash. Only the response to a create contains the value.
   */
  function takeKey(draft: AccessKeyDraft): void {
    const spec = writableSpec(draft.object);
    const supplied = spec.key ?? '';
    delete spec.key;
    redactLastApplied(draft.object, secretPaths);
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
   * Throws 403 if a scoped key changes an existing key, which may have a wider scope. A scoped key may only create
   * keys, which inherit its scopes.
   */
  function rejectScopedChange(draft: AccessKeyDraft, context: RequestContext): void {
    const used = context.system || context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
    if (used === undefined || scopesOf(used, state).length === 0) return;
    const name = draft.object.metadata.name ?? '';
    throw forbidden(groupResourceOf(accessKeyKind), name, 'a scoped key may create keys but not change them');
  }

  return defineResource({
    ...accessKeyKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    autoName: 'key-',
    writeOnlyFields: secretPaths,
    verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete'],
    sizeErrors: accessKeySizeErrors,
    prepare(draft, context) {
      takeKey(draft);
      const spec = writableSpec(draft.object);
      keepServerFields(draft, spec, context, sealer);
      spec.type ||= draft.old?.object.spec?.type || 'User';
      defaultAccessKeyOwner(draft, spec, context);
      if (draft.old !== undefined) {
        rejectScopedChange(draft, context);
        keepLifetime(draft, spec, context, { state, settings, clock });
      }
      checkAccessKeyOwner(draft, context, state);
      recordGrantedGroups(draft, state);
      if (draft.old !== undefined) return;
      const checking = checkKeyCount(draft, context, { state, settings, clock });
      return andThen(checking, () => {
        inheritFromCreatorKey(draft, spec, context, { state, settings, clock });
        bindToOwner(draft, state);
        bindLogin(draft, state);
      });
    },
    validate(draft, context) {
      const fault = faults.get(draft);
      return [...(fault === undefined ? [] : [fault]), ...accessKeyErrors(draft, context, { state, settings })];
    },
    createQueue: (sent, context) => accessKeySerializationKey(sent, context),
    claims(record) {
      const hash = textAt(record.hidden, hiddenKeyHash);
      return hash === '' ? [] : [accessKeyClaim(hash)];
    },
    claimTaken: (_claim, _holder, draft) =>
      invalidObject(accessKeyKind, draft.object.metadata.name ?? '', [unusableKey]),
    expiresAt(record) {
      const end = accessKeyExpiry(record.object);
      return end === undefined ? undefined : end + visibleAfterExpiry;
    },
  });
}
