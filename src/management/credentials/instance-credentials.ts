import { compareBytes } from '@flotilla/json';
import { type FieldError, fieldNotFound, invalid, required } from '../../api/field-error.ts';
import { maxRevokedAccounts } from '../../api/management/revoked-tokens.ts';
import {
  type CredentialRevocation,
  type InstanceCredential,
  virtualClusterInstanceCredentialsKind,
} from '../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import { managementGroup } from '../../api/naming.ts';
import { typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { invalidObject } from '../../api/status.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { computedObject } from '../subresources/computed-object.ts';
import { deleteSecret } from './delete-secret.ts';
import { clientOfInstance, type ReadCredentialsOptions, readCredentials, requireInstance } from './read-credentials.ts';
import { countRevokedAccounts, revokeTokens, type TokenRevocation, tooManyRevokedAccounts } from './revoke-tokens.ts';

export interface InstanceCredentialsOptions extends ReadCredentialsOptions {
  readonly instances: KindStore;
}

const kind = virtualClusterInstanceCredentialsKind;

/**
 * GET `credentials` of an instance: lists the Secrets with service account tokens inside the virtual cluster, and the
 * tokens without a Secret that the gateway has accepted. POST: revokes some or all of these credentials. The server
 * reads and deletes Secrets as the administrator of the virtual cluster.
 */
export function instanceCredentials(options: InstanceCredentialsOptions): MountedSubresource {
  const { clock, instances, settings, state } = options;
  return {
    kind,
    verbs: {
      async get({ namespace, signal }, name) {
        const instance = requireInstance(options, namespace, name);
        const client = await clientOfInstance(instance, options, signal);
        const credentials = await readCredentials(client, instance, options);
        const revokedBefore = instance.status?.revokedTokens?.issuedBefore;
        const content = revokedBefore === undefined ? { credentials } : { revokedBefore, credentials };
        return computedObject(kind, { name, namespace }, content);
      },
      async createNamed(context, name, sent, { dryRun }) {
        throwIfInvalid(name, validateSchema(kind.schema, sent, ''));
        const { revoke = [], revokeAll = false } = typedObject(kind, sent).spec ?? {};
        if (revoke.length === 0 && !revokeAll) {
          throwIfInvalid(name, [required('spec.revoke', 'name credentials, or set spec.revokeAll')]);
        }
        await state.caughtUp();
        const { namespace, signal } = context;
        const instance = requireInstance(options, namespace, name);
        const client = await clientOfInstance(instance, options, signal);
        const found = await readCredentials(client, instance, options);
        const accounts = revokeAll ? ('all' as const) : revoke.filter((one) => one.kind === 'Token');
        const revocation = { instance, accounts, maxAgeSeconds: settings.gateway.maxServiceAccountTokenAge };
        throwIfInvalid(name, [...unknownErrors(revoke, found), ...limitErrors(revocation, clock.now())]);
        const credentials = revokeAll ? found : selected(revoke, found);
        if (!dryRun) {
          // Revokes the tokens at the gateway before the Secrets are deleted, because deleting many Secrets takes time
          // and may fail.
          if (accounts === 'all' || accounts.length > 0) await revokeTokens(revocation, { instances, clock, context });
          for (const one of credentials) if (one.kind === 'Secret') await deleteSecret(client, one);
        }
        const list = credentials.map((one) => `${one.namespace}/${one.name}`).join(' ');
        context.annotate?.(`${managementGroup}/revoked-credentials`, (revokeAll ? `all ${list}` : list).slice(0, 1024));
        return computedObject(kind, { name, namespace }, { credentials });
      },
    },
  };
}

function throwIfInvalid(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(kind, name, [...errors]);
}

/**
 * Returns an error for each Secret that does not exist. A service account need not be known, because not all tokens are
 * listed.
 */
function unknownErrors(revoke: readonly CredentialRevocation[], found: readonly InstanceCredential[]): FieldError[] {
  const secrets = new Set(found.filter((one) => one.kind === 'Secret').map(nameOf));
  return revoke
    .filter((one) => one.kind !== 'Token' && !secrets.has(nameOf(one)))
    .map((one) => fieldNotFound('spec.revoke', nameOf(one)));
}

function limitErrors(revocation: TokenRevocation, now: number): FieldError[] {
  const count = countRevokedAccounts(revocation, now);
  return count > maxRevokedAccounts ? [invalid('spec.revoke', count, tooManyRevokedAccounts)] : [];
}

/** Returns the credentials to revoke: the named Secrets, and the tokens and Secrets of the named service accounts. */
function selected(revoke: readonly CredentialRevocation[], found: readonly InstanceCredential[]): InstanceCredential[] {
  const accounts = new Map(revoke.filter((one) => one.kind === 'Token').map((one) => [nameOf(one), one]));
  const secrets = new Set(revoke.filter((one) => one.kind !== 'Token').map(nameOf));
  const listed = found.filter(
    (one) =>
      accounts.has(`${one.namespace}/${one.serviceAccount}`) || (one.kind === 'Secret' && secrets.has(nameOf(one))),
  );
  for (const one of listed) if (one.kind === 'Token') accounts.delete(nameOf(one));
  const unlisted = [...accounts.values()].map(({ namespace, name }) => ({
    kind: 'Token' as const,
    namespace,
    name,
    serviceAccount: name,
  }));
  return [...listed, ...unlisted].sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
}

function nameOf({ namespace, name }: Pick<InstanceCredential, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
