import type { JsonObject } from '@flotilla/json';
import type { HostAccessSettings } from '../../api/management/host-access/host-access-settings.ts';
import type { HostIsolation } from '../../api/management/host-isolation/host-isolation.ts';
import type { DefinitionSource, RenderedDefinition } from '../../api/management/render-definition.ts';
import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import type { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { HostedVirtualCluster, InstallRequest, InstanceDriver, LabelsAndAnnotations } from '../../hosts/host.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RoleBindingChecks } from './binding-checks.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { InstanceActivity } from './instance-activity.ts';
import type { InstanceClient } from './instance-profile.ts';
import type { InstanceSnapshot } from './instance-snapshot.ts';
import type { StatusDraft, StatusReason } from './status-draft.ts';

/** The clients and services that the reconcile steps of an instance use. */
export interface InstanceDependencies {
  readonly instances: InstanceClient;
  /** The templates of these instances. A SpaceTemplate has a subset of the fields of a VirtualClusterTemplate. */
  readonly templates: ResourceClient<FieldsOf<typeof virtualClusterTemplateKind>>;
  /** Returns the driver for these instances on the connected cluster with this name; `undefined` if there is none. */
  driverOf(cluster: string): InstanceDriver | undefined;
  /** Chooses a cluster for an instance that has none; `undefined` if no cluster is available now. */
  chooseCluster(project: string): string | undefined;
  /** True if one of the agents of the cluster permits only imports. Optional; by default, no cluster is read-only. */
  isReadOnly?(cluster: string): boolean;
  readonly activity: InstanceActivity;
  /** Renders a template. Optional; defaults to `renderDefinition`, which blocks this thread. */
  render?(source: DefinitionSource): RenderedDefinition | Promise<RenderedDefinition>;
  /**
   * Reads the YAML documents of a template of a project. Rejects with ApplyError. Optional; defaults to `readObjects`,
   * which blocks this thread.
   */
  readObjects?(text: string, project: string): Promise<readonly JsonObject[]>;
  /** The limits of templates whose author does not have the permission `hostaccess`. Optional; has safe defaults. */
  readonly hostAccess?: HostAccessSettings;
  /**
   * Returns how the host namespaces of a project on a cluster are protected. Optional; by default, the host decides.
   */
  isolationOf?(cluster: string, project: string): HostIsolation;
  /**
   * Checks whether a connected cluster was replaced by another cluster. Returns the reason; `undefined` if the cluster
   * was not replaced. If the Cluster object already reports the replacement, the cluster has no driver, and the reason
   * comes from the status of the Cluster object. Rejects with StatusError if the cluster does not respond. Optional; by
   * default, clusters are not checked.
   */
  replacedCluster?(cluster: string, signal: AbortSignal): Promise<StatusReason | undefined>;
  /** Does the work that differs between the kinds of instances. */
  readonly contents: InstanceContents;
  readonly bindings: RoleBindingChecks;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** The state that all steps of one reconcile of an instance share. */
export interface StepContext {
  readonly snapshot: InstanceSnapshot;
  /** The new status. The steps of the reconcile set its members, and the end of the reconcile writes it. */
  readonly draft: StatusDraft;
  readonly dependencies: InstanceDependencies;
  readonly signal: AbortSignal;
}

/** The context of the steps that require a connected host. */
export interface HostStepContext extends StepContext {
  readonly driver: InstanceDriver;
}

/** The parameters of an installation, without its location and owner. */
export interface Installation extends Omit<InstallRequest, 'location' | 'owner' | 'space'> {
  /** Only for a space. `objects` contains YAML documents. */
  readonly space?: LabelsAndAnnotations & { readonly objects?: string };
}

/** The work of the controller that differs between virtual clusters and spaces. */
export interface InstanceContents {
  /**
   * True if the server also performs the installation for imported instances. It then adds objects to the objects that
   * exist on the host.
   */
  readonly installsImported: boolean;
  /** The resources that templates may not apply on the host even if the settings allow them. */
  readonly excludedResources: readonly string[];
  /**
   * Returns the desired installation. `isolation` specifies the isolation of the host namespace; `undefined` if the
   * host does not isolate namespaces.
   */
  installationOf(
    snapshot: InstanceSnapshot,
    definition: TemplateDefinition,
    isolation: HostIsolation | undefined,
  ): Installation;
  /** Records the observed state of the host in the status. */
  recordObserved(context: Pick<HostStepContext, 'snapshot' | 'draft'>, observed: HostedVirtualCluster): void;
  /**
   * Brings the contents of an instance to the desired state. Called if the host reports the instance as ready. Rejects
   * with StatusError or ApplyError.
   */
  ensure(context: HostStepContext, definition: TemplateDefinition, observed: HostedVirtualCluster): Promise<void>;
  /** Removes the objects and fields that the server has added to an external virtual cluster. */
  release(snapshot: InstanceSnapshot, dependencies: InstanceDependencies, signal: AbortSignal): Promise<void>;
}
