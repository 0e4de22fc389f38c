import { secretKind } from '../../api/core/secret.ts';
import type { ApiClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ClusterApi, HostPlace } from '../host.ts';
import { recordSelector } from './chart-labels.ts';
import type { Helm } from './helm.ts';
import type { HelmSettings } from './helm-settings.ts';
import type { HostCopies } from './host-copies.ts';
import { type RecordFact, recordFact } from './host-facts.ts';

/** What is needed to change something on a host. */
export interface HostWork {
  readonly hostClient: ApiClient;
  readonly metadataClient: ApiClient;
  /** As the kubeconfig's own user, whoever a request says it is from. */
  readonly ownApi: ClusterApi;
  readonly helm: Helm;
  readonly settings: HelmSettings;
  readonly copies: HostCopies;
  readonly clock: Clock;
  /** When this began, by the clock that nobody sets. */
  readonly opened: number;
}

/** The newest record of a release, as it stands now: what decides must not be a copy that is behind. */
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
