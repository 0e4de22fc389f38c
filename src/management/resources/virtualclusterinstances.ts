import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { cleanupFinalizer, importedAnnotation, nonDeletableAnnotation, projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, forbidden, notFound } from '../../api/status.ts';
import { callerOf, ownerOf } from '../../auth/authz/caller.ts';
import { objectAt, textAt, valueAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type Draft, defineResource, type StoredRecord, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { writableSpec } from '../draft-spec.ts';
import { requireDelete } from '../field-rights.ts';
import { checkInstanceQuota, hasQuotas } from '../instance-quota.ts';
import { checkInstanceRights } from '../instance-rights.ts';
import { isNonDeletable } from '../non-deletable.ts';
import { chooseCluster, hostNamespaceFor, virtualClusterNameFor } from '../placement.ts';
import { defaultTemplateOf } from '../project-templates.ts';
import { instanceErrors } from '../rules/instance-errors.ts';
import type { ManagementState } from '../state.ts';

const resource = groupResourceOf(virtualClusterInstanceKind);

export function virtualClusterInstances({
  state,
  settings,
}: Pick<ManagementDependencies, 'state' | 'settings'>): StoredResource {
  return defineResource({
    ...virtualClusterInstanceKind,
    hasStatus: true,
    gracePeriods: true,
    nameRule: 'label',
    keptFinalizer: cleanupFinalizer,
    async prepare(draft: Draft, context: RequestContext) {
      const project = projectFor(draft, state);
      const spec = writableSpec(draft.object);
      keepWhatWasSet(spec, draft.old?.object);
      keepImport(draft.object, draft.old?.object);
      keepImported(draft, context);
      await checkInstanceRights(draft, project, context);
      if (draft.old === undefined) fillIn(draft.object, spec, project, context, state);
      // Whoever takes an inline template away gets the default; what was imported without one stays without.
      else if (valueAt(draft.old.object, 'spec', 'template') !== undefined) fillTemplate(spec, project);
      checkInstanceQuota(draft, project, state);
    },
    validate: (draft, context) => instanceErrors(draft, context, { state, settings }),
    lane: (_sent, { namespace }) =>
      hasQuotas(state.project(projectOfNamespace(namespace) ?? '')) ? namespace : undefined,
    claims: placeOf,
    claimTaken: (_claim, _holder, draft) =>
      conflict(resource, draft.object.metadata.name ?? '', 'another instance already has this virtual cluster'),
    async guardDelete(record, context) {
      await requireDelete(virtualClusterInstanceKind, record, context);
      if (context.system || !isNonDeletable(record.object)) return;
      const detail = `the annotation ${nonDeletableAnnotation} protects it; remove the annotation first`;
      throw forbidden(resource, record.object.metadata.name ?? '', detail);
    },
  });
}

/** Allows nothing, and limits nothing. */
const noProject: KubeObject = { apiVersion: '', kind: '', metadata: {} };

/** The project that the instance lives in. Nothing new is made in one that is on its way out (rules CREATE-19, CREATE-20). */
function projectFor(draft: Draft, state: ManagementState): KubeObject {
  const namespace = draft.object.metadata.namespace ?? '';
  const project = state.project(projectOfNamespace(namespace) ?? '');
  if (project === undefined) {
    // An instance that is there can still be seen off after its project.
    if (draft.old !== undefined) return noProject;
    throw notFound({ group: '', resource: 'namespaces' }, namespace);
  }
  if (draft.old === undefined && project.metadata.deletionTimestamp !== undefined) {
    throw forbidden(
      resource,
      draft.object.metadata.name ?? '',
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    );
  }
  return project;
}

/** Absent or empty keeps what is set, so that the original manifest can be sent again and again. */
function keepWhatWasSet(spec: JsonObject, old: KubeObject | undefined): void {
  if (old === undefined) return;
  const owner = objectAt(old, 'spec', 'owner');
  if (owner !== undefined && isEmptyOwner(spec)) spec.owner = owner;
  const place = objectAt(old, 'spec', 'clusterRef');
  if (place !== undefined) spec.clusterRef = { ...place, ...withoutEmpty(objectAt(spec, 'clusterRef')) };
  const reference = objectAt(old, 'spec', 'templateRef');
  if (reference === undefined || valueAt(spec, 'template') !== undefined) return;
  const sent = objectAt(spec, 'templateRef');
  if (textAt(sent, 'name') !== '') return;
  // With nothing sent all of it is kept; with a version alone, the template it is a version of.
  spec.templateRef =
    sent === undefined || Object.keys(sent).length === 0 ? reference : { ...sent, name: textAt(reference, 'name') };
}

/**
 * Which virtual cluster an instance took over is the import's to say: a manifest sent in its place does not lose it, and
 * nobody gives an instance another one.
 */
function keepImported({ object, old }: Draft, context: RequestContext): void {
  if (context.system) return;
  const kept = old?.object.metadata.annotations?.[importedAnnotation];
  const sent = object.metadata.annotations?.[importedAnnotation];
  if (sent === kept) return;
  if (sent !== undefined) context.warn(`the annotation ${importedAnnotation} is set by imports alone`);
  const { [importedAnnotation]: _sent, ...others } = object.metadata.annotations ?? {};
  object.metadata.annotations = kept === undefined ? others : { ...others, [importedAnnotation]: kept };
}

/** What was imported stays imported: the manifest that somebody sends for it later knows nothing of that. */
function keepImport(object: KubeObject, old: KubeObject | undefined): void {
  const imported = old?.metadata.annotations?.[importedAnnotation];
  if (imported === undefined || object.metadata.annotations?.[importedAnnotation] !== undefined) return;
  object.metadata.annotations = { ...object.metadata.annotations, [importedAnnotation]: imported };
}

function isEmptyOwner(spec: JsonObject): boolean {
  return textAt(spec, 'owner', 'user') === '' && textAt(spec, 'owner', 'team') === '';
}

function withoutEmpty(object: JsonObject | undefined): JsonObject {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([, value]) => value !== ''));
}

/** What is decided once, in the create call itself, so that its answer is final. */
function fillIn(
  object: KubeObject,
  spec: JsonObject,
  project: KubeObject,
  context: RequestContext,
  state: ManagementState,
): void {
  const name = object.metadata.name ?? '';
  const projectName = project.metadata.name ?? '';
  // The server's own code (imports) says itself whose it is, and takes over what has no template.
  if (!context.system) {
    if (isEmptyOwner(spec)) spec.owner = ownerOf(callerOf(context.user));
    fillTemplate(spec, project);
  }
  const given = withoutEmpty(objectAt(spec, 'clusterRef'));
  const cluster = textAt(given, 'cluster') || chooseCluster(project, state);
  spec.clusterRef = {
    ...given,
    ...(cluster === undefined ? {} : { cluster }),
    namespace: textAt(given, 'namespace') || hostNamespaceFor(projectName, name),
    virtualCluster: textAt(given, 'virtualCluster') || virtualClusterNameFor(projectName, name),
  };
}

function fillTemplate(spec: JsonObject, project: KubeObject): void {
  if (valueAt(spec, 'template') !== undefined || spec.external === true) return;
  if (textAt(spec, 'templateRef', 'name') !== '') return;
  spec.templateRef = { ...objectAt(spec, 'templateRef'), name: defaultTemplateOf(project) };
}

/** Where the virtual cluster is, once all of it is known; no two instances share a place. */
function placeOf(record: StoredRecord): readonly string[] {
  const at = (member: string) => textAt(record.object, 'spec', 'clusterRef', member);
  const [cluster, namespace, virtualCluster] = [at('cluster'), at('namespace'), at('virtualCluster')];
  if (cluster === '' || namespace === '' || virtualCluster === '') return [];
  return [placeClaim(cluster, namespace, virtualCluster)];
}

/** What an instance holds that is the virtual cluster of that place. */
export function placeClaim(cluster: string, namespace: string, virtualCluster: string): string {
  return `place:${cluster}/${namespace}/${virtualCluster}`;
}
