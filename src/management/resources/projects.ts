import { equalJson, type JsonObject } from '@flotilla/json';
import { namespaceKind } from '../../api/core/namespace.ts';
import { duplicate, type FieldError, forbiddenField, invalid, notSupported } from '../../api/field-error.ts';
import { hostIsolationErrors } from '../../api/management/host-isolation/host-isolation.ts';
import {
  type Project,
  type ProjectMember,
  type ProjectSpec,
  projectKind,
  quotaResources,
} from '../../api/management/v1/project.ts';
import { spaceTemplateKind } from '../../api/management/v1/space-template.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import {
  cleanupFinalizer,
  nonDeletableAnnotation,
  projectLabel,
  projectNamespace,
  projectRoles,
} from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import { type Caller, callerOf, ownerOf } from '../../auth/authz/caller.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type CompanionObject, defineResource, type StoredResource } from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { ProjectDraft } from '../drafts.ts';
import { checkFieldPermissions, requireDeletePermission } from '../field-permissions.ts';
import { quotaLimit } from '../instances/quota-limit.ts';
import { isNonDeletable } from '../non-deletable.ts';
import { ownerErrors } from '../rules/owner-errors.ts';
import { warnAboutUnknownMembers } from '../rules/warn-about-unknown-members.ts';
import type { ManagementState } from '../state.ts';
import { writableSpec } from '../writable-spec.ts';

/** Maximum length of a project name, so that the namespace of the project is a valid DNS label. */
const maxProjectNameLength = 63 - projectNamespace('').length;

export function projectResource({ state }: Pick<ManagementDependencies, 'state'>): StoredResource {
  return defineResource({
    ...projectKind,
    hasStatus: true,
    serverOwnedStatus: true,
    gracePeriods: true,
    nameRule: 'label',
    maxNameLength: maxProjectNameLength,
    serverFinalizer: cleanupFinalizer,
    prepare: (draft, context) => prepare(draft, context, state),
    sizeErrors: memberLimitErrors,
    validate: ({ object }) => projectErrors(object),
    companions,
    guardDelete: (record, context) => guardDelete(record, context, state),
  });
}

async function prepare(draft: ProjectDraft, context: RequestContext, state: ManagementState): Promise<void> {
  const caller = callerOf(context.user);
  const spec = writableSpec(draft.object);
  const ownerGiven = Boolean(spec.owner?.user || spec.owner?.team);
  // Permissions are checked before the server sets defaults, because callers need no permission for defaults.
  if (!ownerGiven && draft.old !== undefined) keepOwner(spec, draft.old.object);
  await checkFieldPermissions(projectKind, draft, context);
  if (!context.system) warnAboutUnknownMembers(draft, context, state);
  if (context.system || draft.old !== undefined) return;
  if (!ownerGiven) spec.owner = ownerOf(caller);
  if (!caller.isAdmin) spec.members = withAdmin(spec.members ?? [], caller);
}

function keepOwner(spec: ProjectSpec, old: Project): void {
  const owner = old.spec?.owner;
  if (owner !== undefined) spec.owner = owner;
}

/** Adds the creator of a project to its members as an admin. */
function withAdmin(members: readonly ProjectMember[], caller: Caller): ProjectMember[] {
  const owner = ownerOf(caller);
  const kindAndName =
    'team' in owner ? { kind: 'Team' as const, name: owner.team } : { kind: 'User' as const, name: owner.user };
  const entry: ProjectMember = { ...kindAndName, clusterRole: projectRoles.admin };
  const already = members.some((member) => equalJson(member, entry));
  return already ? [...members] : [...members, entry];
}

/** The maximum number of members of a project. Each write of the project compares all members. */
const maxMembers = 2_000;

/** Returns an error if there are too many members and the write adds members. */
function memberLimitErrors({ spec }: Project, old: Project | undefined): FieldError[] {
  const count = spec?.members?.length ?? 0;
  if (count <= maxMembers || count <= (old?.spec?.members?.length ?? 0)) return [];
  return [
    forbiddenField('spec.members', `may have at most ${maxMembers} members, but has ${count}; add a team instead`),
  ];
}

function projectErrors({ spec = {} }: Project): FieldError[] {
  const { members = [], allowedClusters = [], allowedTemplates = [] } = spec;
  const withDefault = new Set<string>();
  return [
    ...ownerErrors(spec.owner, 'spec.owner'),
    ...hostIsolationErrors(spec.hostIsolation, 'spec.hostIsolation'),
    ...duplicates('members', members, ({ kind = '', name = '', clusterRole = '' }) => `${kind} ${name} ${clusterRole}`),
    ...duplicates('allowedClusters', allowedClusters, ({ name = '' }) => name),
    ...duplicates('allowedTemplates', allowedTemplates, (entry) => `${templateKindOf(entry)} ${entry.name ?? ''}`),
    ...allowedTemplates.flatMap(({ kind = '', name, isDefault = false }, index) => {
      const path = `spec.allowedTemplates[${index}]`;
      if (kind !== '' && !templateKinds.includes(kind)) return [notSupported(`${path}.kind`, kind, templateKinds)];
      if (isDefault && name === '*') {
        return [forbiddenField(`${path}.isDefault`, 'the default must be a single template')];
      }
      if (!isDefault) return [];
      const templateKind = templateKindOf({ kind });
      if (withDefault.has(templateKind)) {
        return [forbiddenField(`${path}.isDefault`, 'only one template of a kind can be the default')];
      }
      withDefault.add(templateKind);
      return [];
    }),
    ...quotaErrors(spec.quotas?.project, 'spec.quotas.project'),
    ...quotaErrors(spec.quotas?.user, 'spec.quotas.user'),
  ];
}

const templateKinds: readonly string[] = [virtualClusterTemplateKind.kind, spaceTemplateKind.kind];

/** Entries without a kind are for virtual clusters. */
function templateKindOf({ kind = '' }: { readonly kind?: string }): string {
  return kind || virtualClusterTemplateKind.kind;
}

function duplicates<Entry extends JsonObject>(
  list: keyof ProjectSpec,
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): FieldError[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, index) => {
    const key = keyOf(entry);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [duplicate(`spec.${list}[${index}]`, entry)];
  });
}

function quotaErrors(quota: JsonObject | undefined, field: string): FieldError[] {
  return Object.entries(quota ?? {}).flatMap(([resource, limit]) => {
    if (!(quotaResources as readonly string[]).includes(resource)) {
      return [notSupported(field, resource, quotaResources)];
    }
    return quotaLimit(limit) === undefined
      ? [invalid(`${field}[${resource}]`, limit, 'must be a whole number, 0 or more')]
      : [];
  });
}

/** Number of instances that are inspected per tick of the event loop. */
const instancesPerTick = 100;

/** Throws 403 if the caller may not delete the project, or if an instance in it is protected from deletion. */
async function guardDelete(
  record: { readonly object: Project },
  context: RequestContext,
  state: ManagementState,
): Promise<void> {
  if (context.system) return;
  await requireDeletePermission(projectKind, record, context);
  const name = record.object.metadata.name ?? '';
  const names: string[] = [];
  const work = new WorkBudget(instancesPerTick);
  for (const instances of [state.instancesOf(name), state.spacesOf(name)]) {
    for (const instance of instances) {
      if (isNonDeletable(instance)) names.push(instance.metadata.name ?? '');
      if (work.spend(1)) await work.next();
    }
  }
  if (names.length === 0) return;
  throw forbidden(
    groupResourceOf(projectKind),
    name,
    `the annotation ${nonDeletableAnnotation} protects its instances ${names.sort().join(', ')}; remove the annotation first`,
  );
}

/** Returns the namespace of the project, which is created, terminated and deleted together with the project object. */
function companions({ object }: { readonly object: Project }): readonly CompanionObject[] {
  const { name: project = '', deletionTimestamp } = object.metadata;
  const name = projectNamespace(project);
  return [
    {
      kind: namespaceKind,
      namespace: '',
      name,
      object: {
        apiVersion: namespaceKind.version,
        kind: namespaceKind.kind,
        metadata: {
          name,
          labels: { 'kubernetes.io/metadata.name': name, [projectLabel]: project },
          ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
        },
        status: { phase: deletionTimestamp === undefined ? 'Active' : 'Terminating' },
      } as KubeObject,
    },
  ];
}
