import { type FieldError, invalid } from '../../api/field-error.ts';
import { accessKeyExpiry } from '../../api/management/access-key-expiry.ts';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { resetLinkSeconds, userPasswordResetKind } from '../../api/management/v1/subresources/user-password-reset.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { apiVersionOf, timestamp } from '../../api/meta.ts';
import { groupResourceOf, typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { invalidObject, notFound, StatusError } from '../../api/status.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { creatorOf } from '../access-keys/access-key-creator.ts';
import { requireFreshLogin } from '../access-keys/fresh-login.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ManagementState } from '../state.ts';
import { computedObject } from '../subresources/computed-object.ts';
import type { ServerAddress } from '../subresources/instance-kube-config.ts';
import { isResetKey, setResetKey } from './reset-keys.ts';
import { writeAccount } from './write-account.ts';

export interface ResetPasswordOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  readonly stores: KindStores;
  address(): ServerAddress;
}

const kind = userPasswordResetKind;

/**
 * POST `users/<name>/resetpassword`: creates a link with which the user sets a new password. Returns the link only in
 * this response. An older link of the user becomes invalid. The value of the reset key is in the fragment of the URL,
 * which browsers do not send to servers.
 */
export function resetPassword(options: ResetPasswordOptions): MountedSubresource {
  const { state, stores } = options;
  return {
    kind,
    verbs: {
      async createNamed(context, name, sent, { dryRun }) {
        throwIfInvalid(name, validateSchema(kind.schema, sent, ''));
        const ttl = Number(typedObject(kind, sent).spec?.ttl ?? resetLinkSeconds.default);
        throwIfInvalid(name, ttlErrors(ttl));
        if (state.user(name) === undefined) throw notFound(groupResourceOf(userKind), name);
        const change = 'creating a link that sets a password';
        requireFreshLogin({ resource: groupResourceOf(userKind), name, change }, context, options);
        const created = await storeOf(stores, accessKeyKind).verbs.create(
          systemContext(''),
          keyFor(name, ttl, creatorOf(context, state)),
          { dryRun, fieldManager: 'flotilla', fieldValidation: 'Ignore' },
        );
        const key = typedObject(accessKeyKind, created.object);
        if (!dryRun) {
          await writeAccount(stores, { user: name, change: (hidden) => setResetKey(hidden, key.metadata.uid) });
          await removeOlder(name, key, stores, state);
        }
        const { root } = options.address();
        const url = `${new URL(root).origin}/reset${dryRun ? '' : `#${key.spec?.key ?? ''}`}`;
        const status = { url, expires: timestamp(accessKeyExpiry(key) ?? options.clock.now() + ttl * 1000) };
        return computedObject(kind, { name }, { spec: { ttl }, status });
      },
    },
  };
}

function throwIfInvalid(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(kind, name, [...errors]);
}

function ttlErrors(ttl: number): FieldError[] {
  const { least, most } = resetLinkSeconds;
  if (ttl >= least && ttl <= most) return [];
  return [invalid('spec.ttl', ttl, `must be from ${least} to ${most} seconds`)];
}

function keyFor(user: string, ttl: number, creator: ReturnType<typeof creatorOf>): AccessKey {
  return {
    apiVersion: apiVersionOf(accessKeyKind),
    kind: accessKeyKind.kind,
    metadata: { generateName: 'reset-' },
    spec: { type: 'Reset', user, ttl, displayName: `Password reset link of ${user}`, ...creator },
  };
}

/** Deletes the keys of older links. They are already invalid, but lists would show them. */
async function removeOlder(
  user: string,
  current: AccessKey,
  stores: KindStores,
  state: Pick<ManagementState, 'accessKeysOf'>,
): Promise<void> {
  for (const key of [...state.accessKeysOf('user', user)].filter(isResetKey)) {
    if (key.metadata.uid !== current.metadata.uid) await removeResetKey(key, stores);
  }
}

/** Deletes the key of a link that is invalid. */
export async function removeResetKey({ metadata }: AccessKey, stores: KindStores): Promise<void> {
  const { name = '', uid = '' } = metadata;
  const how = { dryRun: false, gracePeriodSeconds: undefined, propagationPolicy: undefined, preconditions: { uid } };
  try {
    await storeOf(stores, accessKeyKind).verbs.delete(systemContext(''), name, how);
  } catch (error) {
    // 404: the key is already deleted. 409: the key is deleted, and a new key has the same name. Neither needs further
    // action.
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
  }
}
