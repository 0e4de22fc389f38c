import type { FieldError } from '../../api/field-error.ts';
import { hostAccessErrors } from '../../api/management/host-access/host-access-errors.ts';
import type { HostAccessSettings } from '../../api/management/host-access/host-access-settings.ts';
import { addedRoleErrors, spaceHostAccessErrors } from '../../api/management/host-access/space-host-access-errors.ts';
import type { Project } from '../../api/management/v1/project.ts';
import { spaceConditionTypes, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import type { TemplateDefinition } from '../../api/management/v1/template-definition.ts';
import {
  instanceConditionTypes,
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import {
  type VirtualClusterTemplate,
  virtualClusterTemplateKind,
} from '../../api/management/v1/virtual-cluster-template.ts';
import { defaultTemplate } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { InstanceDraft } from '../drafts.ts';
import { spaceDefinitionErrors } from '../rules/space-definition-errors.ts';
import { templateDefinitionErrors } from '../rules/template-errors.ts';
import type { TemplateSyntaxCheck } from '../rules/template-syntax.ts';
import type { ManagementSettings } from '../settings.ts';
import type { InstanceKind, ManagementState } from '../state.ts';
import { hostNamespaceFor, spaceNamespaceFor, virtualClusterNameFor } from './placement.ts';
import { defaultTemplateOf } from './project-templates.ts';

/** A member of `spec.clusterRef`. */
export type LocationField = 'cluster' | 'namespace' | 'virtualCluster';

/**
 * The differences between the kinds of instances. All other rules apply to both kinds. The rules use the types of
 * VirtualClusterInstance, because the fields of a SpaceInstance are a subset of those of a VirtualClusterInstance.
 */
export interface InstanceRules {
  readonly kind: InstanceKind;
  readonly templateKind: ResourceKind;
  readonly conditionTypes: readonly string[];
  /** The noun for an instance in messages. */
  readonly noun: 'virtual cluster' | 'space';
  /** The group of the server's settings that limit the number of instances. */
  readonly limits: 'instances' | 'spaces';
  /** The members of `spec.clusterRef`. */
  readonly locationFields: readonly LocationField[];
  /** Derives the members of `spec.clusterRef` that a create does not set, except the cluster. */
  readonly derivedLocation: Readonly<
    Partial<Record<Exclude<LocationField, 'cluster'>, (project: string, name: string) => string>>
  >;
  /** Returns the errors of an inline definition. */
  definitionErrors(
    definition: TemplateDefinition | undefined,
    field: string,
    settings: ManagementSettings,
    syntax?: TemplateSyntaxCheck,
  ): FieldError[];
  /**
   * Returns an error for each part of a definition that requires the permission `hostaccess`. The parameters in the
   * definition are not rendered yet.
   */
  hostAccessErrors(definition: TemplateDefinition, field: string, settings: HostAccessSettings): FieldError[];
  /** Returns an error for each change outside of the definition that requires the permission `hostaccess`. Optional. */
  extraHostAccessErrors?(draft: InstanceDraft): FieldError[];
  find(state: ManagementState, namespace: string, name: string): VirtualClusterInstance | undefined;
  findTemplate(state: ManagementState, name: string): VirtualClusterTemplate | undefined;
  /** Returns the template for instances that name no template. `undefined` if such instances have no template. */
  defaultTemplate(project: Project): string | undefined;
}

export const virtualClusterRules: InstanceRules = {
  kind: virtualClusterInstanceKind,
  templateKind: virtualClusterTemplateKind,
  conditionTypes: instanceConditionTypes,
  noun: 'virtual cluster',
  limits: 'instances',
  locationFields: ['cluster', 'namespace', 'virtualCluster'],
  derivedLocation: { namespace: hostNamespaceFor, virtualCluster: virtualClusterNameFor },
  definitionErrors: templateDefinitionErrors,
  hostAccessErrors,
  find: (state, namespace, name) => state.instance(namespace, name),
  findTemplate: (state, name) => state.template(name),
  defaultTemplate: (project) => defaultTemplateOf(project, virtualClusterTemplateKind) ?? defaultTemplate,
};

export const spaceRules: InstanceRules = {
  kind: spaceInstanceKind,
  templateKind: spaceTemplateKind,
  conditionTypes: spaceConditionTypes,
  noun: 'space',
  limits: 'spaces',
  locationFields: ['cluster', 'namespace'],
  derivedLocation: { namespace: spaceNamespaceFor },
  definitionErrors: spaceDefinitionErrors,
  hostAccessErrors: spaceHostAccessErrors,
  extraHostAccessErrors: ({ object, old }) =>
    addedRoleErrors(object.spec?.extraAccessRules, old?.object.spec?.extraAccessRules),
  find: (state, namespace, name) => state.space(namespace, name),
  findTemplate: (state, name) => state.spaceTemplate(name),
  defaultTemplate: (project) => defaultTemplateOf(project, spaceTemplateKind),
};
