import { compareBytes, type JsonValue, listAt, numberAt, textAt } from '@flotilla/json';
import { secretTypes, serviceAccountNameAnnotation } from '../../api/core/secret.ts';
import { decodeBase64 } from '../../api/decode/base64.ts';
import type { CredentialUse } from '../../api/management/credential-use.ts';
import { revocationTime } from '../../api/management/revoked-tokens.ts';
import type { InstanceCredential } from '../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { timestamp } from '../../api/meta.ts';
import { tokenCreatorClaim } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { notFound, notImplemented, serviceUnavailable } from '../../api/status.ts';
import { unverifiedClaims } from '../../auth/unverified-claims.ts';
import type { Host } from '../../hosts/host.ts';
import { createVirtualClusterClient, type VirtualClusterClient } from '../../hosts/virtual-cluster-client.ts';
import type { ManagementDependencies } from '../dependencies.ts';

export interface ReadCredentialsOptions extends Pick<ManagementDependencies, 'state' | 'settings' | 'clock'> {
  /** Returns the host of a connected cluster. `undefined` if this server has no access to it. */
  hostOf(cluster: string): Host | undefined;
  readonly credentialUses: {
    /** Returns the recorded uses of service account credentials at the gateway, by the uid of the instance. */
    usesOf(uid: string): Promise<readonly CredentialUse[]>;
  };
}

/** The number of Secrets that one list request reads. */
const pageSize = 500;
/**
 * The maximum number of pages. If a virtual cluster has more token Secrets than fit into these pages, only some of them
 * are listed.
 */
const maxPages = 20;

/** Returns the instance. Throws 404 if there is none. */
export function requireInstance(
  { state }: Pick<ReadCredentialsOptions, 'state'>,
  namespace: string,
  name: string,
): VirtualClusterInstance {
  const instance = state.instance(namespace, name);
  if (instance === undefined) throw notFound(groupResourceOf(virtualClusterInstanceKind), name);
  return instance;
}

/**
 * Returns a client of the virtual cluster. Throws if the virtual cluster at the location does not belong to the
 * instance or is not ready.
 */
export async function clientOfInstance(
  { metadata, spec, status }: VirtualClusterInstance,
  { hostOf }: Pick<ReadCredentialsOptions, 'hostOf'>,
  signal: AbortSignal,
): Promise<VirtualClusterClient> {
  const { cluster = '', namespace: hostNamespace = '', virtualCluster = '' } = spec?.clusterRef ?? {};
  const host = hostOf(cluster);
  if (cluster !== '' && host === undefined) {
    throw notImplemented(`this server cannot reach the virtual clusters of the cluster ${cluster}`);
  }
  const location = { namespace: hostNamespace, name: virtualCluster };
  const found = await host?.observe(location, { signal });
  if (host === undefined || found?.uid !== status?.serviceUID || found?.phase !== 'Ready') {
    throw serviceUnavailable(
      `the virtual cluster ${JSON.stringify(metadata.name)} is not ready; wake it and try again`,
    );
  }
  return createVirtualClusterClient(host.clusterApi(location), signal);
}

/** Returns the Secrets with tokens inside the virtual cluster, and the tokens whose use the gateway has recorded. */
export async function readCredentials(
  client: VirtualClusterClient,
  instance: VirtualClusterInstance,
  options: ReadCredentialsOptions,
): Promise<InstanceCredential[]> {
  const uses = await options.credentialUses.usesOf(instance.metadata.uid ?? '');
  const { maxServiceAccountTokenAge: maxAge } = options.settings.gateway;
  const type = encodeURIComponent(`type=${secretTypes.serviceAccountToken}`);
  const found: InstanceCredential[] = [];
  let position = '';
  for (let page = 0; page < maxPages; page++) {
    const next = position === '' ? '' : `&continue=${encodeURIComponent(position)}`;
    const list = await client.get(`/api/v1/secrets?fieldSelector=${type}&limit=${pageSize}${next}`);
    for (const secret of listAt(list, 'items')) found.push(secretCredential(secret, maxAge));
    position = textAt(list, 'metadata', 'continue');
    if (position === '') break;
  }
  const order = (one: InstanceCredential) => `${one.kind} ${one.namespace}/${one.name} ${one.maker ?? ''}`;
  return [...withUses(found, uses), ...tokenCredentials(uses, instance, options)].sort((a, b) =>
    compareBytes(order(a), order(b)),
  );
}

/** Returns the description of a Secret, without the token. */
function secretCredential(secret: JsonValue, maxAgeSeconds: number): InstanceCredential {
  const claims = unverifiedClaims(decodeBase64(textAt(secret, 'data', 'token')));
  const creator = textAt(claims, tokenCreatorClaim);
  const issued = numberAt(claims, 'iat');
  return {
    kind: 'Secret',
    namespace: textAt(secret, 'metadata', 'namespace'),
    name: textAt(secret, 'metadata', 'name'),
    serviceAccount: textAt(secret, 'metadata', 'annotations', serviceAccountNameAnnotation),
    ...(creator === '' ? {} : { maker: creator }),
    ...(issued === undefined ? {} : { created: timestamp(issued * 1000) }),
    ...(issued === undefined || maxAgeSeconds === 0 ? {} : { expires: timestamp((issued + maxAgeSeconds) * 1000) }),
  };
}

/**
 * Adds the time of the last use to Secrets. A use counts only if it happened after the current token was stored in the
 * Secret.
 */
function withUses(secrets: readonly InstanceCredential[], uses: readonly CredentialUse[]): InstanceCredential[] {
  const lastUses = new Map<string, number>();
  for (const { namespace, secret, lastUsed } of uses) {
    if (secret === undefined) continue;
    const key = `${namespace}/${secret}`;
    lastUses.set(key, Math.max(lastUsed, lastUses.get(key) ?? 0));
  }
  return secrets.map((one) => {
    const lastUsed = lastUses.get(`${one.namespace}/${one.name}`);
    const isOfToken = lastUsed !== undefined && lastUsed >= (one.created === undefined ? 0 : Date.parse(one.created));
    return isOfToken ? { ...one, lastUsed: timestamp(lastUsed) } : one;
  });
}

/** Returns the tokens without a Secret that the gateway has accepted and that may still be valid. */
function tokenCredentials(
  uses: readonly CredentialUse[],
  { status }: VirtualClusterInstance,
  { settings, clock }: Pick<ReadCredentialsOptions, 'settings' | 'clock'>,
): InstanceCredential[] {
  const maxAge = settings.gateway.maxServiceAccountTokenAge * 1000;
  return uses.flatMap((use) => {
    if (use.secret !== undefined) return [];
    const account = { namespace: use.namespace, name: use.serviceAccount };
    const { issued = 0 } = use;
    const end = Math.min(
      use.expires ?? Number.POSITIVE_INFINITY,
      maxAge === 0 ? Number.POSITIVE_INFINITY : issued + maxAge,
    );
    if (end <= clock.now() || issued < revocationTime(status?.revokedTokens, account)) return [];
    return [
      {
        kind: 'Token' as const,
        ...account,
        serviceAccount: use.serviceAccount,
        ...(use.maker === undefined ? {} : { maker: use.maker }),
        ...(issued === 0 ? {} : { created: timestamp(issued) }),
        lastUsed: timestamp(use.lastUsed),
        ...(Number.isFinite(end) ? { expires: timestamp(end) } : {}),
      },
    ];
  });
}
