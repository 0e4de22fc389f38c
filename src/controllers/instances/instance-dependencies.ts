import type { JsonObject } from '@flotilla/json';
import type { DefinitionSource, RenderedDefinition } from '../../api/management/render-definition.ts';
import type { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Host } from '../../hosts/host.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RoleBindingChecks } from './binding-checks.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { InstanceActivity } from './instance-activity.ts';

/** The clients and services that the reconcile steps of an instance use. */
export interface InstanceDependencies {
  readonly instances: ResourceClient<FieldsOf<typeof virtualClusterInstanceKind>>;
  readonly templates: ResourceClient<FieldsOf<typeof virtualClusterTemplateKind>>;
  /** Returns the host of the connected cluster with this name; `undefined` if there is none. */
  hostOf(cluster: string): Host | undefined;
  /** Chooses a cluster for an instance that has none; `undefined` if no cluster is available now. */
  chooseCluster(project: string): string | undefined;
  readonly activity: InstanceActivity;
  /** Renders a template. Optional; defaults to `renderDefinition`, which blocks this thread meanwhile. */
  render?(source: DefinitionSource): RenderedDefinition | Promise<RenderedDefinition>;
  /**
   * Reads the YAML documents of a template. Rejects with ApplyError. Optional; defaults to `readObjects`, which blocks this
   * thread meanwhile.
   */
  readObjects?(text: string): Promise<readonly JsonObject[]>;
  readonly bindings: RoleBindingChecks;
  readonly events: EventRecorder;
  readonly clock: Clock;
}
