import { revocationTime } from '../../api/management/revoked-tokens.ts';
import type { InstanceCredential } from '../../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { builtInClusterName } from '../../api/naming.ts';
import type { ReadCredentialsOptions } from '../credentials/read-credentials.ts';
import type { CredentialSearch } from './search-credentials.ts';

/** An instance for which the user may have tokens that do not name their creator. */
export interface UnattributedInstance {
  readonly instance: VirtualClusterInstance;
  /**
   * The credentials without a creator that the search has found. Further credentials may exist that the server has not
   * found.
   */
  readonly credentials: readonly InstanceCredential[];
}

/**
 * True if the virtual cluster of the instance writes the creator into the service account tokens that it issues. False
 * for virtual clusters on connected clusters, because this server does not send them the name of the creator.
 */
export function recordsCreators({ spec }: VirtualClusterInstance): boolean {
  return spec?.clusterRef?.cluster === builtInClusterName;
}

/**
 * Returns the instances for which the gateway may accept tokens without a creator: all instances whose virtual cluster
 * does not record creators, and other instances in which the search has found such a token.
 */
export function unattributedInstances(
  usable: readonly VirtualClusterInstance[],
  { found }: Pick<CredentialSearch, 'found'>,
  options: Pick<ReadCredentialsOptions, 'settings' | 'clock'>,
): UnattributedInstance[] {
  if (!options.settings.gateway.serviceAccountTokens) return [];
  return usable.flatMap((instance) => {
    // A virtual cluster that was never created has issued no tokens.
    if (instance.status?.serviceUID === undefined) return [];
    const credentials = (found.get(instance.metadata.uid ?? '') ?? []).filter(
      (one) => one.maker === undefined && opensGateway(one, instance, options),
    );
    return credentials.length === 0 && recordsCreators(instance) ? [] : [{ instance, credentials }];
  });
}

/**
 * True if the gateway still accepts the credential. Among the credentials of an instance, there can also be Secrets
 * whose token is no longer valid.
 */
function opensGateway(
  { namespace, serviceAccount, created, expires }: InstanceCredential,
  { status }: VirtualClusterInstance,
  { settings, clock }: Pick<ReadCredentialsOptions, 'settings' | 'clock'>,
): boolean {
  // The gateway rejects a token without a time of issue if there is a maximum age, because it regards the token as
  // older.
  if (created === undefined && settings.gateway.maxServiceAccountTokenAge > 0) return false;
  if (expires !== undefined && Date.parse(expires) <= clock.now()) return false;
  const issued = created === undefined ? 0 : Date.parse(created);
  return issued >= revocationTime(status?.revokedTokens, { namespace, name: serviceAccount });
}
