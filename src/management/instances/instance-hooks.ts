import { initialStatus } from '../../api/management/initial-status.ts';
import type { Project } from '../../api/management/v1/project.ts';
import type {
  VirtualClusterInstance,
  VirtualClusterInstanceSpec,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { cleanupFinalizer, importedAnnotation, nonDeletableAnnotation, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, forbidden } from '../../api/status.ts';
import { callerOf, ownerOf } from '../../auth/authz/caller.ts';
import { needsAwait } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { InstanceDraft } from '../drafts.ts';
import { requireDeletePermission } from '../field-permissions.ts';
import { hostAccessOfInstance, setHostAccess } from '../host-access.ts';
import { isNonDeletable } from '../non-deletable.ts';
import { instanceErrors, instanceSizeErrors } from '../rules/instance-errors.ts';
import { projectOfDraft } from '../rules/project-of-draft.ts';
import type { ManagementState } from '../state.ts';
import { writableSpec } from '../writable-spec.ts';
import { checkInstancePermissions } from './instance-permissions.ts';
import { checkInstanceQuota, mustSerializeCreates } from './instance-quota.ts';
import type { InstanceRules } from './instance-rules.ts';
import { chooseCluster } from './placement.ts';

/** Returns the hooks of a kind of instances. */
export function instanceHooks(rules: InstanceRules, dependencies: Pick<ManagementDependencies, 'state' | 'settings'>) {
  const { state, settings } = dependencies;
  const resource = groupResourceOf(rules.kind);
  return {
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    nameRule: 'label',
    serverFinalizer: cleanupFinalizer,
    sizeErrors: instanceSizeErrors,
    async prepare(draft: InstanceDraft, context: RequestContext) {
      const project = projectOfDraft(rules.kind, draft, state) ?? noProject;
      const spec = writableSpec(draft.object);
      keepStoredValues(spec, draft.old?.object);
      keepImportAnnotation(draft.object, draft.old?.object);
      protectImportAnnotation(draft, context);
      await checkInstancePermissions(rules, draft, project, context);
      const hostAccess = await hostAccessOfInstance(rules, draft, context, settings.hosts);
      if (draft.old === undefined) {
        // An import runs as the server and sets the owner itself. The imported virtual cluster needs no template.
        if (!context.system) fillOwnerAndTemplate(rules, spec, project, context);
        fillLocation(rules, spec, draft.object, { project, state });
      }
      // If an update removes the inline template, the default template is used. An instance that was imported without a
      // template stays without one.
      else if (draft.old.object.spec?.template !== undefined) fillTemplate(rules, spec, project);
      requireUnchangedCluster(draft, state);
      const checking = checkInstanceQuota(rules, draft, project, { context, state, settings });
      if (needsAwait(checking)) await checking;
      if (draft.old === undefined) draft.object.status = initialStatus(rules.conditionTypes, draft.object);
      setHostAccess(draft.object, hostAccess);
    },
    validate: (draft: InstanceDraft, context: RequestContext) => instanceErrors(rules, draft, context, dependencies),
    createQueue(_sent: unknown, context: RequestContext) {
      const project = state.project(projectOfNamespace(context.namespace) ?? '');
      return mustSerializeCreates(rules, project, context, dependencies) ? context.namespace : undefined;
    },
    claims: ({ object }: { readonly object: VirtualClusterInstance }) => locationClaims(rules, object),
    claimTaken: (_claim: string, _holder: string, draft: InstanceDraft) =>
      conflict(resource, draft.object.metadata.name ?? '', `another instance already has this ${rules.noun}`),
    async guardDelete(record: { readonly object: VirtualClusterInstance }, context: RequestContext) {
      await requireDeletePermission(rules.kind, record, context);
      if (context.system || !isNonDeletable(record.object)) return;
      const detail = `the annotation ${nonDeletableAnnotation} protects it; remove the annotation first`;
      throw forbidden(resource, record.object.metadata.name ?? '', detail);
    },
  } as const;
}

/** A replacement for a project that has been deleted. It allows nothing and sets no quotas. */
const noProject: Project = { apiVersion: '', kind: '', metadata: {} };

/**
 * Keeps the stored values of fields that are absent or empty in the update, so that the original manifest can be
 * applied again.
 */
function keepStoredValues(spec: VirtualClusterInstanceSpec, old: VirtualClusterInstance | undefined): void {
  if (old === undefined) return;
  const { owner, clusterRef: location, templateRef: reference } = old.spec ?? {};
  if (owner !== undefined && isEmptyOwner(spec)) spec.owner = owner;
  if (location !== undefined) spec.clusterRef = { ...location, ...withoutEmpty(spec.clusterRef) };
  if (reference === undefined || spec.template !== undefined) return;
  const sent = spec.templateRef ?? {};
  if ((sent.name ?? '') !== '') return;
  // If the reference in the update is empty, the stored reference is kept. If it contains only a version, the stored
  // name is kept.
  spec.templateRef = Object.keys(sent).length === 0 ? reference : { ...sent, name: reference.name ?? '' };
}

/**
 * Restores the annotation that records which virtual cluster was imported. Only an import sets this annotation. Clients
 * cannot change it. Applying a manifest without this annotation does not remove it.
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

function fillOwnerAndTemplate(
  rules: InstanceRules,
  spec: VirtualClusterInstanceSpec,
  project: Project,
  { user }: RequestContext,
): void {
  if (isEmptyOwner(spec)) spec.owner = ownerOf(callerOf(user));
  fillTemplate(rules, spec, project);
}

/**
 * Sets the location of the instance during the create, so that the response already contains the final location.
 */
function fillLocation(
  { derivedLocation }: InstanceRules,
  spec: VirtualClusterInstanceSpec,
  { metadata }: VirtualClusterInstance,
  { project, state }: { readonly project: Project; readonly state: ManagementState },
): void {
  const { name = '' } = metadata;
  const projectName = project.metadata.name ?? '';
  const given = withoutEmpty(spec.clusterRef);
  const cluster = given.cluster ?? chooseCluster(project, state);
  const derived = Object.entries(derivedLocation).map(([field, derive]) => [field, derive(projectName, name)]);
  spec.clusterRef = { ...Object.fromEntries(derived), ...(cluster === undefined ? {} : { cluster }), ...given };
}

/**
 * Adds a check to a write that places the instance on a cluster. The write fails if the deletion of the cluster starts
 * before the instance is stored. This check is needed if other processes can delete clusters.
 */
function requireUnchangedCluster(draft: InstanceDraft, state: ManagementState): void {
  const cluster = draft.object.spec?.clusterRef?.cluster ?? '';
  if (!state.isShared() || cluster === (draft.old?.object.spec?.clusterRef?.cluster ?? '')) return;
  const check = state.clusterUnchanged(cluster);
  if (check !== undefined) draft.requires = [check];
}

function fillTemplate(rules: InstanceRules, spec: VirtualClusterInstanceSpec, project: Project): void {
  if (spec.template !== undefined || spec.external === true) return;
  if ((spec.templateRef?.name ?? '') !== '') return;
  const name = rules.defaultTemplate(project);
  if (name !== undefined) spec.templateRef = { ...spec.templateRef, name };
}

/**
 * Returns the claim for the location of an instance: a name that only one instance can hold. Empty until all parts of
 * the location are set.
 */
function locationClaims({ locationFields }: InstanceRules, { spec }: VirtualClusterInstance): readonly string[] {
  const parts = locationFields.map((field) => spec?.clusterRef?.[field] ?? '');
  return parts.includes('') ? [] : [locationClaim(parts)];
}

/** Returns the claim that prevents two instances of a kind from having the same location. */
export function locationClaim(parts: readonly string[]): string {
  return `place:${parts.join('/')}`;
}
