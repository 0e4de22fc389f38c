import type { Kubeconfig } from '../api/kubeconfig.ts';
import type { HostConnection } from '../hosts/kubernetes/host-connection.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { ManagementSettings } from './settings.ts';
import type { AttachableState } from './state.ts';

/** What the rules of the management kinds work with. */
export interface ManagementDependencies {
  readonly state: AttachableState;
  readonly settings: ManagementSettings;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /**
   * The way to a cluster, to ask it who it is when it is connected. Throws StatusError for credentials that are of no
   * use. Absent: nobody is asked.
   */
  readonly connect?: ((kubeconfig: Kubeconfig) => HostConnection) | undefined;
}
