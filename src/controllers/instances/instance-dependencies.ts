import type { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Host } from '../../hosts/host.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BindingChecks } from './binding-checks.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { InstanceActivity } from './instance-activity.ts';

/** The dependencies of the reconcile steps. */
export interface InstanceDependencies {
  readonly instances: ResourceClient<FieldsOf<typeof virtualClusterInstanceKind>>;
  readonly templates: ResourceClient<FieldsOf<typeof virtualClusterTemplateKind>>;
  /** The host that is connected under this name; `undefined` if there is none. */
  hostOf(cluster: string): Host | undefined;
  /** The cluster for an instance that is not scheduled; `undefined` if none is available now. */
  chooseCluster(project: string): string | undefined;
  readonly activity: InstanceActivity;
  readonly bindings: BindingChecks;
  readonly events: EventRecorder;
  readonly clock: Clock;
}
