import { secretKind } from '../../api/core/secret.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ClusterApi, HostPlace } from '../host.ts';
import { recordSelector } from './chart-labels.ts';
import type { Helm } from './helm.ts';
import type { HelmSettings } from './helm-settings.ts';
import type { HostCopies } from './host-copies.ts';
import { type RecordFact, recordFact } from './host-facts.ts';

/** The dependencies of operations that change a host. */
export interface HostWork {
  readonly hostClient: ApiClient;
  readonly metadataClient: ApiClient;
  /** Sends requests as the kubeconfig's own user and ignores `as`. */
  readonly ownApi: ClusterApi;
  readonly helm: Helm;
  readonly settings: HelmSettings;
  readonly copies: HostCopies;
  readonly clock: Clock;
  /** The time at which the host was opened, by the monotonic clock. */
  readonly opened: number;
}

/** Reads the newest record of a release from the host: a decision must not depend on a cache that may lag behind. */
export async function recordOf(
  { metadataClient }: HostWork,
  { namespace, name }: HostPlace,
  signal: AbortSignal,
): Promise<RecordFact | undefined> {
  const labelSelector = recordSelector(name);
  const { items } = await metadataClient.resource(secretKind).list({ namespace, labelSelector, signal });
  const records = items.flatMap((object) => recordFact(object) ?? []);
  return records.sort((one, other) => other.revision - one.revision)[0];
}
