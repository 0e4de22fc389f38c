import type { FieldError } from '../../api/field-error.ts';
import { restrictDefinition } from '../../api/management/host-access/host-access-errors.ts';
import { restrictSpaceDefinition } from '../../api/management/host-access/space-host-access-errors.ts';
import { renderedLimitErrors } from '../../api/management/host-isolation/space-limit-errors.ts';
import type { SpaceDefinition } from '../../api/management/v1/space-definition.ts';
import { type SpaceInstanceStatus, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import type {
  VirtualClusterInstanceSpec,
  VirtualClusterInstanceStatus,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import type { TypedObject } from '../../api/meta.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { HostLocation } from '../../hosts/host.ts';

/** The status of an instance of any kind. */
export type InstanceStatus = VirtualClusterInstanceStatus & Pick<SpaceInstanceStatus, 'space' | 'hostNamespace'>;

/**
 * The fields of a VirtualClusterInstance or a SpaceInstance. The spec of a SpaceInstance has a subset of these fields.
 */
export type InstanceFields = { spec?: VirtualClusterInstanceSpec; status?: InstanceStatus };
export type Instance = TypedObject<InstanceFields>;
export type InstanceClient = ResourceClient<InstanceFields>;

/** The differences between the kinds of instances, for the reconcile steps that they share. */
export interface InstanceProfile {
  /** The noun for an instance in messages. */
  readonly noun: 'virtual cluster' | 'space';
  /** The condition that is true if the virtual cluster or the namespace exists on the host. */
  readonly installedCondition: 'VirtualClusterDeployed' | 'SpaceReady';
  /**
   * The condition that is true if the API of the virtual cluster responds; `undefined` for a space, which has no API.
   */
  readonly respondsCondition: 'VirtualClusterReady' | undefined;
  /** The member of the status that contains the rendered definition. */
  readonly renderedMember: 'virtualCluster' | 'space';
  /** Returns the errors of a rendered definition that can be found only after rendering. */
  renderedErrors(definition: TemplateDefinition): readonly FieldError[];
  /** Checks a rendered definition of an author without the permission `hostaccess`. */
  readonly restrict: typeof restrictDefinition;
  /** Returns the virtual cluster or space at a location as text. */
  describe(location: HostLocation): string;
  /** Returns the virtual cluster or space at a location as text, together with its cluster. */
  locate(location: HostLocation, cluster: string): string;
  /** Returns the message of the condition SpaceReady. */
  inSpace(location: HostLocation, cluster: string): string;
}

const virtualClusterProfile: InstanceProfile = {
  noun: 'virtual cluster',
  installedCondition: 'VirtualClusterDeployed',
  respondsCondition: 'VirtualClusterReady',
  renderedMember: 'virtualCluster',
  renderedErrors: () => [],
  restrict: restrictDefinition,
  describe: ({ name }) => `virtual cluster "${name}"`,
  locate: ({ namespace, name }, cluster) =>
    `virtual cluster "${name}" in namespace "${namespace}" of cluster "${cluster}"`,
  inSpace: ({ namespace }, cluster) => `The virtual cluster runs in namespace "${namespace}" of cluster "${cluster}".`,
};

const spaceProfile: InstanceProfile = {
  noun: 'space',
  installedCondition: 'SpaceReady',
  respondsCondition: undefined,
  renderedMember: 'space',
  renderedErrors: (definition: SpaceDefinition) => renderedLimitErrors(definition),
  restrict: restrictSpaceDefinition,
  describe: ({ namespace }) => `namespace "${namespace}"`,
  locate: ({ namespace }, cluster) => `namespace "${namespace}" of cluster "${cluster}"`,
  inSpace: ({ namespace }, cluster) => `The space is namespace "${namespace}" of cluster "${cluster}".`,
};

export function profileOf({ kind }: Pick<Instance, 'kind'>): InstanceProfile {
  return kind === spaceInstanceKind.kind ? spaceProfile : virtualClusterProfile;
}
