import { duplicate, type FieldError, tooLong } from '../../api/field-error.ts';
import { type User, userKind } from '../../api/management/v1/user.ts';
import { type FieldsOf, groupResourceOf } from '../../api/resource.ts';
import { forbidden, invalidObject } from '../../api/status.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import { hashPassword, verifyPassword } from '../../auth/password-hash.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import type { RequestContext } from '../../registry/context.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import { requireFreshLogin } from '../access-keys/fresh-login.ts';
import { revokeOtherLogins } from '../access-keys/login-keys.ts';
import { setResetKey } from '../accounts/reset-keys.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { UserDraft } from '../drafts.ts';
import { checkFieldPermissions, maySetField } from '../field-permissions.ts';
import { identityClaim, identityErrors } from '../identities/identity-links.ts';
import { hideProviderGroups } from '../identities/provider-rights.ts';
import { usedNameWrites } from '../identities/used-names.ts';
import { hiddenPassword, passwordPurpose, type UserHidden } from '../identities/user-hidden.ts';
import { redactLastApplied } from '../redact-last-applied.ts';
import { addressRangeErrors } from '../rules/address-range-errors.ts';
import { groupErrors, subjectErrors } from '../rules/group-errors.ts';
import { writableSpec } from '../writable-spec.ts';

const minPasswordLength = 8;
const maxPasswordLength = 1024;
/** Maximum length of a login name, the same as for object names. */
const maxUsernameLength = 253;

const secretPaths = [['spec', 'password']];

type Dependencies = Pick<ManagementDependencies, 'sealer' | 'state' | 'settings' | 'clock'>;

export function userResource(dependencies: Dependencies): StoredResource {
  const { sealer, state } = dependencies;
  const faults = new WeakMap<UserDraft, FieldError>();
  /**
   * Computes one password hash at a time per caller, so that a caller who sets many passwords delays neither logins nor
   * other callers.
   */
  const hashSerializer = new KeyedSerializer();

  /** Removes the password from the object and stores its sealed hash in the hidden part. */
  async function takePassword(draft: UserDraft, context: RequestContext): Promise<void> {
    const spec = writableSpec(draft.object);
    const { password: sent = '' } = spec;
    delete spec.password;
    redactLastApplied(draft.object, secretPaths);
    if (sent === '') return;
    await checkMaySetPassword(draft, context);
    if (sent.length < minPasswordLength || sent.length > maxPasswordLength) {
      const message = `Invalid value: must be ${minPasswordLength} to ${maxPasswordLength} characters long`;
      faults.set(draft, { type: 'FieldValueInvalid', field: 'spec.password', message });
      return;
    }
    const storedHash = draft.hidden[hiddenPassword] ?? '';
    const hash = await hashSerializer.run(context.user.name, () => hashIfChanged(sent, storedHash, context));
    if (hash === undefined) return;
    rejectFirstPassword(draft, context, storedHash);
    const name = draft.object.metadata.name ?? '';
    requireFreshLogin(
      { resource: groupResourceOf(userKind), name, change: 'setting a password' },
      context,
      dependencies,
    );
    draft.hidden[hiddenPassword] = sealer.seal(passwordPurpose, hash);
    revokeOtherLogins(draft, context, state);
    setResetKey(draft.hidden, undefined);
  }

  /** Hashes a password. `undefined` if the password equals the stored one. */
  async function hashIfChanged(sent: string, storedHash: string, context: RequestContext): Promise<string | undefined> {
    if (context.isCanceled?.() ?? context.signal.aborted) throw context.signal.reason;
    if (storedHash !== '' && (await verifyPassword(sent, sealer.open(passwordPurpose, storedHash)))) return undefined;
    return await hashPassword(sent);
  }

  return defineResource<FieldsOf<typeof userKind>, UserHidden>({
    ...userKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    writeOnlyFields: secretPaths,
    async prepare(draft, context) {
      await takePassword(draft, context);
      await checkFieldPermissions(userKind, draft, context);
    },
    validate(draft) {
      const { subject = '', username = '', groups, allowedCIDRs, identities } = draft.object.spec ?? {};
      const fault = faults.get(draft);
      return [
        ...(fault === undefined ? [] : [fault]),
        ...subjectErrors(subject, 'spec.subject'),
        ...usernameErrors(username),
        ...groupErrors(groups),
        ...addressRangeErrors(allowedCIDRs),
        ...identityErrors(identities),
      ];
    },
    prepareStatus: hideProviderGroups,
    writtenAlongside: (old, next) => usedNameWrites(old?.object, next?.object),
    claims,
    claimTaken(claim, _holder, draft) {
      const name = draft.object.metadata.name ?? '';
      const { subject = '', username = '' } = draft.object.spec ?? {};
      const isNameClaim = claim === subjectClaim(name) || claim === usernameClaim(name);
      if (isNameClaim) return invalidObject(userKind, name, [duplicate('metadata.name', name)]);
      const link = draft.object.spec?.identities?.find((one) => identityClaim(one) === claim);
      if (link !== undefined) return invalidObject(userKind, name, [duplicate('spec.identities', { ...link })]);
      const isSubjectClaim = claim === subjectClaim(subject);
      const error = isSubjectClaim ? duplicate('spec.subject', subject) : duplicate('spec.username', username);
      return invalidObject(userKind, name, [error]);
    },
  });
}

/** Throws 403 unless the caller may set the password. Admins may set all passwords, and users their own. */
async function checkMaySetPassword(draft: UserDraft, context: RequestContext): Promise<void> {
  if (context.system || (await maySetField(userKind, draft, context, 'spec.password'))) return;
  throw forbidden(groupResourceOf(userKind), draft.object.metadata.name ?? '', 'you may not set spec.password');
}

/**
 * Throws 403 if a user who signs in at an identity provider sets a first password. With a password, a person who is
 * about to leave could keep their access after the provider reports that the person is gone.
 */
function rejectFirstPassword({ object, old }: UserDraft, context: RequestContext, storedHash: string): void {
  const isLinked = (old?.object.spec?.identities ?? []).length > 0;
  if (context.system || storedHash !== '' || !isLinked || callerOf(context.user).isAdmin) return;
  const detail = 'only admins may give a first password to a user who signs in at an identity provider';
  throw forbidden(groupResourceOf(userKind), object.metadata.name ?? '', detail);
}

/** Returns the claim that makes a subject unique. */
export function subjectClaim(subject: string): string {
  return `subject:${subject}`;
}

/** Returns the claim that makes a login name unique. */
export function usernameClaim(username: string): string {
  return `username:${username}`;
}

function usernameErrors(username: string): FieldError[] {
  return Buffer.byteLength(username) > maxUsernameLength ? [tooLong('spec.username', maxUsernameLength)] : [];
}

/**
 * Returns the claims of a user: names that only one user can hold. A subject is unique among all object names and
 * subjects, so that clusters can distinguish all users. A login name is unique among all object names and login names.
 * An identity at a provider belongs to at most one user.
 */
function claims({ object }: { readonly object: User }): readonly string[] {
  const { name = '' } = object.metadata;
  const { subject = '', username = '', identities = [] } = object.spec ?? {};
  const given = (second: string) => [...new Set([name, second])].filter((one) => one !== '');
  return [
    ...given(subject).map(subjectClaim),
    ...given(username).map(usernameClaim),
    ...new Set(identities.map(identityClaim)),
  ];
}
