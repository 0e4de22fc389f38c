import type { ResourceClient } from '../../client/resource-client.ts';
import type { Host } from '../../hosts/host.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BindingChecks } from './binding-checks.ts';
import type { EventRecorder } from './event-recorder.ts';

/** What the steps work with. */
export interface InstanceNeeds {
  readonly instances: ResourceClient;
  readonly templates: ResourceClient;
  /** The host that is connected under that name; undefined: there is no way to it. */
  hostOf(cluster: string): Host | undefined;
  /** Where an instance without a place is to run; undefined: there is nowhere now. */
  chooseCluster(project: string): string | undefined;
  readonly activity: InstanceActivity;
  readonly bindings: BindingChecks;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** What whoever lets people into virtual clusters knows of their use. Instances are named by their uid. */
export interface InstanceActivity {
  /** When it was last used, in milliseconds since the epoch; undefined: not since the start of the server. */
  lastActivity(uid: string): number | undefined;
  /** Calls back at each use; the returned function ends that. */
  onActivity(listener: (uid: string) => void): () => void;
}
