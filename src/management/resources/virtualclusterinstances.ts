import { initialStatus } from '../../api/management/initial-status.ts';
import type { Project } from '../../api/management/v1/project.ts';
import {
  instanceConditionTypes,
  type VirtualClusterInstance,
  type VirtualClusterInstanceSpec,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { cleanupFinalizer, importedAnnotation, nonDeletableAnnotation, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, forbidden } from '../../api/status.ts';
import { callerOf, ownerOf } from '../../auth/authz/caller.ts';
import { mustAwait } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { InstanceDraft } from '../drafts.ts';
import { requireDeletePermission } from '../field-permissions.ts';
import { checkInstancePermissions } from '../instances/instance-permissions.ts';
import { checkInstanceQuota, mustSerializeCreates } from '../instances/instance-quota.ts';
import { chooseCluster, hostNamespaceFor, virtualClusterNameFor } from '../instances/placement.ts';
import { defaultTemplateOf } from '../instances/project-templates.ts';
import { isNonDeletable } from '../non-deletable.ts';
import { instanceErrors, instanceSizeErrors } from '../rules/instance-errors.ts';
import { projectOfDraft } from '../rules/project-of-draft.ts';
import type { ManagementState } from '../state.ts';
import { writableSpec } from '../writable-spec.ts';

const resource = groupResourceOf(virtualClusterInstanceKind);

export function virtualClusterInstanceResource({
  state,
  settings,
}: Pick<ManagementDependencies, 'state' | 'settings'>): StoredResource {
  return defineResource({
    ...virtualClusterInstanceKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    nameRule: 'label',
    serverFinalizer: cleanupFinalizer,
    sizeErrors: instanceSizeErrors,
    async prepare(draft, context) {
      const project = projectOfDraft(virtualClusterInstanceKind, draft, state) ?? noProject;
      const spec = writableSpec(draft.object);
      keepStoredValues(spec, draft.old?.object);
      keepImportAnnotation(draft.object, draft.old?.object);
      protectImportAnnotation(draft, context);
      await checkInstancePermissions(draft, project, context);
      if (draft.old === undefined) {
        // An import, which runs as the server, sets the owner itself, and the imported virtual cluster needs no
        // template.
        if (!context.system) fillOwnerAndTemplate(spec, project, context);
        fillLocation(spec, draft.object, project, state);
      }
      // If an update removes the inline template, the default is used. An instance that was imported without a template
      // stays without one.
      else if (draft.old.object.spec?.template !== undefined) fillTemplate(spec, project);
      requireUnchangedCluster(draft, state);
      const checking = checkInstanceQuota(draft, project, context, { state, settings });
      if (mustAwait(checking)) await checking;
      if (draft.old === undefined) draft.object.status = initialStatus(instanceConditionTypes, draft.object);
    },
    validate: (draft, context) => instanceErrors(draft, context, { state, settings }),
    createQueue(_sent, context) {
      const project = state.project(projectOfNamespace(context.namespace) ?? '');
      return mustSerializeCreates(project, context, { state, settings }) ? context.namespace : undefined;
    },
    claims: locationClaims,
    claimTaken: (_claim, _holder, draft) =>
      conflict(resource, draft.object.metadata.name ?? '', 'another instance already has this virtual cluster'),
    async guardDelete(record, context) {
      await requireDeletePermission(virtualClusterInstanceKind, record, context);
      if (context.system || !isNonDeletable(record.object)) return;
      const detail = `the annotation ${nonDeletableAnnotation} protects it; remove the annotation first`;
      throw forbidden(resource, record.object.metadata.name ?? '', detail);
    },
  });
}

/** Used in place of a project that has been deleted. It allows nothing and sets no quotas. */
const noProject: Project = { apiVersion: '', kind: '', metadata: {} };

/** Keeps the stored values of absent and empty fields, so that the original manifest can be applied again. */
function keepStoredValues(spec: VirtualClusterInstanceSpec, old: VirtualClusterInstance | undefined): void {
  if (old === undefined) return;
  const { owner, clusterRef: location, templateRef: reference } = old.spec ?? {};
  if (owner !== undefined && isEmptyOwner(spec)) spec.owner = owner;
  if (location !== undefined) spec.clusterRef = { ...location, ...withoutEmpty(spec.clusterRef) };
  if (reference === undefined || spec.template !== undefined) return;
  const sent = spec.templateRef ?? {};
  if ((sent.name ?? '') !== '') return;
  // An empty reference keeps the stored reference. A reference with only a version keeps the stored name.
  spec.templateRef = Object.keys(sent).length === 0 ? reference : { ...sent, name: reference.name ?? '' };
}

/**
 * Restores the annotation that records which virtual cluster was imported. Only an import sets it. Clients cannot
 * change it, and applying a manifest without it does not remove it.
 */
function protectImportAnnotation({ object, old }: InstanceDraft, context: RequestContext): void {
  if (context.system) return;
  const stored = old?.object.metadata.annotations?.[importedAnnotation];
  const sent = object.metadata.annotations?.[importedAnnotation];
  if (sent === stored) return;
  if (sent !== undefined)
    context.warn(`the annotation ${importedAnnotation} is set only by imports; the value in the request is ignored`);
  const { [importedAnnotation]: _sent, ...others } = object.metadata.annotations ?? {};
  object.metadata.annotations = stored === undefined ? others : { ...others, [importedAnnotation]: stored };
}

/** Restores the import annotation of an instance if the request does not contain it. */
function keepImportAnnotation(object: VirtualClusterInstance, old: VirtualClusterInstance | undefined): void {
  const imported = old?.metadata.annotations?.[importedAnnotation];
  if (imported === undefined || object.metadata.annotations?.[importedAnnotation] !== undefined) return;
  object.metadata.annotations = { ...object.metadata.annotations, [importedAnnotation]: imported };
}

function isEmptyOwner({ owner }: VirtualClusterInstanceSpec): boolean {
  return !owner?.user && !owner?.team;
}

type Location = NonNullable<VirtualClusterInstanceSpec['clusterRef']>;

function withoutEmpty({ cluster = '', namespace = '', virtualCluster = '' }: Location = {}): Location {
  return {
    ...(cluster === '' ? {} : { cluster }),
    ...(namespace === '' ? {} : { namespace }),
    ...(virtualCluster === '' ? {} : { virtualCluster }),
  };
}

function fillOwnerAndTemplate(spec: VirtualClusterInstanceSpec, project: Project, { user }: RequestContext): void {
  if (isEmptyOwner(spec)) spec.owner = ownerOf(callerOf(user));
  fillTemplate(spec, project);
}

/**
 * Sets the location of the virtual cluster during the create, so that the response already contains the final location.
 */
function fillLocation(
  spec: VirtualClusterInstanceSpec,
  { metadata }: VirtualClusterInstance,
  project: Project,
  state: ManagementState,
): void {
  const { name = '' } = metadata;
  const projectName = project.metadata.name ?? '';
  const given = withoutEmpty(spec.clusterRef);
  const cluster = given.cluster ?? chooseCluster(project, state);
  spec.clusterRef = {
    ...given,
    ...(cluster === undefined ? {} : { cluster }),
    namespace: given.namespace ?? hostNamespaceFor(projectName, name),
    virtualCluster: given.virtualCluster ?? virtualClusterNameFor(projectName, name),
  };
}

/**
 * Adds a check to a write that places the instance on a cluster. It fails if the deletion of the cluster starts before
 * the instance is stored. Needed if other processes delete clusters.
 */
function requireUnchangedCluster(draft: InstanceDraft, state: ManagementState): void {
  const cluster = draft.object.spec?.clusterRef?.cluster ?? '';
  if (!state.isShared() || cluster === (draft.old?.object.spec?.clusterRef?.cluster ?? '')) return;
  const check = state.clusterUnchanged(cluster);
  if (check !== undefined) draft.requires = [check];
}

function fillTemplate(spec: VirtualClusterInstanceSpec, project: Project): void {
  if (spec.template !== undefined || spec.external === true) return;
  if ((spec.templateRef?.name ?? '') !== '') return;
  spec.templateRef = { ...spec.templateRef, name: defaultTemplateOf(project) };
}

/** Returns the claim on the location of the virtual cluster, as soon as all its parts are set. */
function locationClaims({ object }: { readonly object: VirtualClusterInstance }): readonly string[] {
  const { cluster = '', namespace = '', virtualCluster = '' } = object.spec?.clusterRef ?? {};
  if (cluster === '' || namespace === '' || virtualCluster === '') return [];
  return [locationClaim(cluster, namespace, virtualCluster)];
}

/** Returns the claim that prevents two instances from having the same virtual cluster. */
export function locationClaim(cluster: string, namespace: string, virtualCluster: string): string {
  return `place:${cluster}/${namespace}/${virtualCluster}`;
}
