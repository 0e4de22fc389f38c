import { defaultSpaceRole } from '../../src/api/management/space-roles.ts';
import type { SpaceTemplate } from '../../src/api/management/v1/space-template.ts';
import type { VirtualClusterTemplate } from '../../src/api/management/v1/virtual-cluster-template.ts';
import { defaultVirtualClusterRole } from '../../src/api/management/virtual-cluster-roles.ts';
import type { KubeObject } from '../../src/api/meta.ts';
import { hostNamespaceBaseName, spaceNamespaceBaseName } from '../../src/api/naming.ts';
import { type KindRef, kinds } from './kind-ref.ts';

/** A template for virtual clusters or for spaces. */
export type Template = VirtualClusterTemplate | SpaceTemplate;

/**
 * Casts an object to its template type. All casts to a template type use this function. In a draft that the user edits,
 * any value may have the wrong type, so code that reads drafts must check types.
 */
export function typedTemplate(object: KubeObject): Template {
  return object as Template;
}

/** The properties in which templates for virtual clusters and templates for spaces differ. */
export interface TemplateType {
  readonly kind: KindRef<Template>;
  /** The kind of the instances of these templates. */
  readonly instanceKind: KindRef;
  /** The name of the instances in a sentence: "virtual cluster". */
  readonly noun: 'virtual cluster' | 'space';
  readonly listPath: '/templates' | '/space-templates';
  readonly detailPath: '/templates/$template' | '/space-templates/$template';
  readonly instancesPath: '/virtual-clusters' | '/spaces';
  readonly createCommand: 'flotilla create' | 'flotilla space create';
  /** True if instances may exist without a template. */
  readonly isOptional: boolean;
  /** The cluster role for users to whom the template assigns no role. */
  readonly defaultRole: string;
  /** Returns the namespace of an instance on its cluster, without the hash at the end of the namespace name. */
  namespaceOf(project: string, name: string): string;
}

export const virtualClusterTemplateType: TemplateType = {
  kind: kinds.template,
  instanceKind: kinds.instance,
  noun: 'virtual cluster',
  listPath: '/templates',
  detailPath: '/templates/$template',
  instancesPath: '/virtual-clusters',
  createCommand: 'flotilla create',
  isOptional: false,
  defaultRole: defaultVirtualClusterRole,
  namespaceOf: hostNamespaceBaseName,
};

export const spaceTemplateType: TemplateType = {
  kind: kinds.spaceTemplate,
  instanceKind: kinds.space,
  noun: 'space',
  listPath: '/space-templates',
  detailPath: '/space-templates/$template',
  instancesPath: '/spaces',
  createCommand: 'flotilla space create',
  isOptional: true,
  defaultRole: defaultSpaceRole,
  namespaceOf: spaceNamespaceBaseName,
};
