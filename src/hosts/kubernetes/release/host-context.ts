import { secretKind } from '../../../api/core/secret.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ClusterApi, HostLocation } from '../../host.ts';
import type { HostCache } from '../observe/host-cache.ts';
import { type ReleaseRecordSummary, summarizeReleaseRecord } from '../observe/object-summaries.ts';
import { recordSelector } from './chart-labels.ts';
import type { Helm } from './helm.ts';
import type { HelmSettings } from './helm-settings.ts';

/** The clients, settings and cache that all operations on a Kubernetes host need. */
export interface HostContext {
  readonly hostClient: ApiClient;
  readonly metadataClient: ApiClient;
  /** Sends requests as the user of the kubeconfig. Ignores `ApiRequest.as`. */
  readonly ownApi: ClusterApi;
  /** Sends requests as the user in `ApiRequest.as`, by impersonation. */
  readonly callerApi: ClusterApi;
  readonly helm: Helm;
  readonly settings: HelmSettings;
  readonly cache: HostCache;
  readonly clock: Clock;
  /** The time at which the host driver was opened, by the monotonic clock in milliseconds. */
  readonly openedAt: number;
}

/** Reads the newest record of a Helm release from the host. Does not use the cache, because it may be outdated. */
export async function latestReleaseRecord(
  { metadataClient }: HostContext,
  { namespace, name }: HostLocation,
  signal: AbortSignal,
): Promise<ReleaseRecordSummary | undefined> {
  const labelSelector = recordSelector(name);
  const { items } = await metadataClient.resource(secretKind).list({ namespace, labelSelector, signal });
  const records = items.flatMap((object) => summarizeReleaseRecord(object) ?? []);
  return records.sort((one, other) => other.revision - one.revision)[0];
}
