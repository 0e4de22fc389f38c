import { namespaceKind } from '../../api/core/namespace.ts';
import { duplicate, type FieldError, forbiddenField, invalid, notSupported } from '../../api/field-error.ts';
import { projectKind, quotaResources } from '../../api/management/v1/project.ts';
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
import { DividedWork } from '../../lib/divided-work.ts';
import { flagAt, listAt, objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import {
  type Companion,
  type Draft,
  defineResource,
  type StoredRecord,
  type StoredResource,
} from '../../registry/resource.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { writableSpec } from '../draft-spec.ts';
import { checkFieldRights, requireDelete } from '../field-rights.ts';
import { isNonDeletable } from '../non-deletable.ts';
import { quotaLimit } from '../quota-limit.ts';
import { ownerErrors } from '../rules/owner-errors.ts';
import { warnOfStrangers } from '../rules/warn-of-strangers.ts';
import type { ManagementState } from '../state.ts';

/** A project's name with the prefix of its namespace must still be a DNS label. */
const maxProjectNameLength = 63 - projectNamespace('').length;

export function projects({ state }: Pick<ManagementDependencies, 'state'>): StoredResource {
  return defineResource({
    ...projectKind,
    hasStatus: true,
    gracePeriods: true,
    nameRule: 'label',
    maxNameLength: maxProjectNameLength,
    keptFinalizer: cleanupFinalizer,
    prepare: (draft, context) => prepare(draft, context, state),
    validate: (draft) => projectErrors(draft.object),
    companions,
    guardDelete: (record, context) => guardDelete(record, context, state),
  });
}

async function prepare(draft: Draft, context: RequestContext, state: ManagementState): Promise<void> {
  const caller = callerOf(context.user);
  const spec = writableSpec(draft.object);
  const ownerGiven = textAt(spec, 'owner', 'user') !== '' || textAt(spec, 'owner', 'team') !== '';
  // Permissions are checked before defaulting: values that the server sets need none.
  if (!ownerGiven && draft.old !== undefined) keepOwner(spec, draft.old.object);
  await checkFieldRights(projectKind, draft, context);
  if (!context.system) warnOfStrangers(draft, context, state);
  if (context.system || draft.old !== undefined) return;
  if (!ownerGiven) spec.owner = ownerOf(caller);
  if (!caller.isAdmin) spec.members = withAdmin(listAt(spec, 'members'), caller);
}

function keepOwner(spec: JsonObject, old: KubeObject): void {
  const owner = objectAt(old, 'spec', 'owner');
  if (owner !== undefined) spec.owner = owner;
}

/** The creator of a project becomes its admin. */
function withAdmin(members: readonly JsonValue[], caller: Caller): JsonValue[] {
  const owner = ownerOf(caller);
  const [kind, name] = 'team' in owner ? ['Team', owner.team] : ['User', owner.user];
  const entry = { kind, name, clusterRole: projectRoles.admin };
  const already = members.some(
    (member) =>
      textAt(member, 'kind') === kind &&
      textAt(member, 'name') === name &&
      textAt(member, 'clusterRole') === entry.clusterRole,
  );
  return already ? [...members] : [...members, entry];
}

function projectErrors(project: KubeObject): FieldError[] {
  const templates = listAt(project, 'spec', 'allowedTemplates');
  return [
    ...ownerErrors(project, 'spec.owner'),
    ...duplicates(project, 'members', (entry) =>
      ['kind', 'name', 'clusterRole'].map((member) => textAt(entry, member)).join(' '),
    ),
    ...duplicates(project, 'allowedClusters', (entry) => textAt(entry, 'name')),
    ...duplicates(project, 'allowedTemplates', (entry) => textAt(entry, 'name')),
    ...templates.flatMap((entry, index) => {
      const kind = textAt(entry, 'kind');
      const path = `spec.allowedTemplates[${index}]`;
      if (kind !== '' && kind !== virtualClusterTemplateKind.kind) {
        return [notSupported(`${path}.kind`, kind, [virtualClusterTemplateKind.kind])];
      }
      if (flagAt(entry, 'isDefault') && textAt(entry, 'name') === '*') {
        return [forbiddenField(`${path}.isDefault`, 'the default must be a single template')];
      }
      const earlier = templates.slice(0, index).some((other) => flagAt(other, 'isDefault'));
      return earlier && flagAt(entry, 'isDefault')
        ? [forbiddenField(`${path}.isDefault`, 'only one template can be the default')]
        : [];
    }),
    ...['project', 'user'].flatMap((which) =>
      quotaErrors(objectAt(project, 'spec', 'quotas', which), `spec.quotas.${which}`),
    ),
  ];
}

function duplicates(project: KubeObject, list: string, keyOf: (entry: JsonValue) => string): FieldError[] {
  const seen = new Set<string>();
  return listAt(project, 'spec', list).flatMap((entry, index) => {
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

/** The number of instances inspected per tick. */
const instancesPerTick = 100;

/** A protected instance also protects its project from deletion. */
async function guardDelete(record: StoredRecord, context: RequestContext, state: ManagementState): Promise<void> {
  if (context.system) return;
  await requireDelete(projectKind, record, context);
  const name = record.object.metadata.name ?? '';
  const names: string[] = [];
  const work = new DividedWork(instancesPerTick);
  for (const instance of state.instancesOf(name)) {
    if (isNonDeletable(instance)) names.push(instance.metadata.name ?? '');
    if (work.spend(1)) await work.next();
  }
  if (names.length === 0) return;
  throw forbidden(
    groupResourceOf(projectKind),
    name,
    `the annotation ${nonDeletableAnnotation} protects its virtual cluster instances ${names.sort().join(', ')}; remove the annotation first`,
  );
}

/** The namespace of the project's instances. It is created, terminated and deleted with the project. */
function companions(record: StoredRecord): readonly Companion[] {
  const { name: project = '', deletionTimestamp } = record.object.metadata;
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
