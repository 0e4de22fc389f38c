import { auditPath } from '../../api/audit/audit-event.ts';
import { replicasPath } from '../../api/replicas/replica-list.ts';
import { readVerbs } from './access-list.ts';
import type { Relation } from './relations.ts';

/**
 * One rule of the permission table (completions §8). It grants verbs on subresources to callers with one of the given
 * relations to the object. Admins have all permissions and are not listed.
 */
export interface Permission {
  readonly verbs: readonly string[];
  /**
   * The subresources of the rule. '' is the object itself. `spec.<field>` and `metadata.<field>` are the permission to
   * set that field. `spec.*` and `metadata.*` apply to all fields without a rule of their own.
   */
  readonly subresources: readonly string[];
  readonly grantedTo: readonly Relation[];
  /**
   * The verbs in an `access` entry that also grant this permission. If empty, only an entry that names the subresource
   * grants the permission. If absent, the `access` list cannot grant the permission.
   */
  readonly accessVerbs?: readonly string[];
}

/**
 * The subresource of projects and templates that represents host access: the permission to act on hosts with a
 * template.
 */
export const hostAccessSubresource = 'hostaccess';

const object = [''];
const objectAndStatus = ['', 'status'];
const lists = ['list', 'watch'];
const writes = ['update', 'patch'];
const fieldWrites = ['create', 'update'];
const displayFields = ['spec.displayName', 'spec.description'];

/**
 * Returns separate rules for `update` and `patch`, because an `access` entry that grants one of these verbs does not
 * grant the other. The rules also allow writes of the status, which have no effect
 * (`StoredResource.serverOwnedStatus`).
 */
function writePermissions(to: readonly Relation[]): Permission[] {
  return writes.map(
    (verb): Permission => ({ verbs: [verb], subresources: objectAndStatus, grantedTo: to, accessVerbs: [verb] }),
  );
}

/**
 * The permission to act on hosts with a template. On a project, it applies to the inline templates of the project's
 * instances; on a template, to that template. An entry of the `access` list grants the permission only if the entry
 * names this subresource.
 */
const hostAccessPermission: Permission = {
  verbs: ['use'],
  subresources: [hostAccessSubresource],
  grantedTo: [],
  accessVerbs: [],
};

export const projectPermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['anyCaller'] },
  {
    verbs: ['get'],
    subresources: ['', 'status', 'members', 'templates', 'clusters', 'usage'],
    grantedTo: ['projectAdmin', 'projectUser', 'projectViewer', 'owner', 'auditor'],
    accessVerbs: readVerbs,
  },
  { verbs: ['create'], subresources: object, grantedTo: ['selfService'] },
  { verbs: ['create'], subresources: [...displayFields, 'spec.members'], grantedTo: ['selfService'] },
  ...writePermissions(['projectAdmin', 'owner']),
  {
    verbs: ['update'],
    subresources: [...displayFields, 'spec.members', 'metadata.*'],
    grantedTo: ['projectAdmin', 'owner'],
    accessVerbs: writes,
  },
  {
    verbs: fieldWrites,
    subresources: [
      'allowedClusters',
      'allowedTemplates',
      'quotas',
      'requireTemplate',
      'hostIsolation',
      'owner',
      'access',
    ].map((one) => `spec.${one}`),
    grantedTo: [],
    accessVerbs: [],
  },
  { verbs: ['delete'], subresources: object, grantedTo: [], accessVerbs: ['delete'] },
  // The permission to `use` the source cluster is checked later, because only the request body names the source
  // cluster. The import of a space also requires `hostaccess`.
  { verbs: ['create'], subresources: ['importvirtualcluster', 'importspace'], grantedTo: ['projectAdmin'] },
  hostAccessPermission,
];

/**
 * Rules for spaces. These rules also apply to virtual cluster instances. Project membership alone gives no access to a
 * space or instance; only its `access` list does.
 */
export const spacePermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['allNamespaces', 'projectParticipant', 'auditor'] },
  {
    verbs: ['get'],
    subresources: [...objectAndStatus, 'usage'],
    grantedTo: ['projectAdmin', 'owner', 'auditor'],
    accessVerbs: readVerbs,
  },
  { verbs: ['create'], subresources: object, grantedTo: ['projectAdmin', 'projectUser'] },
  { verbs: ['create'], subresources: ['restricted'], grantedTo: ['projectAdmin'] },
  ...writePermissions(['projectAdmin', 'owner']),
  // Permission to write an instance does not include permission to change who has access to it.
  {
    verbs: ['update'],
    subresources: ['spec.access', 'spec.extraAccessRules'],
    grantedTo: ['projectAdmin', 'owner'],
    accessVerbs: [],
  },
  { verbs: fieldWrites, subresources: ['spec.owner'], grantedTo: ['projectAdmin'] },
  { verbs: ['delete'], subresources: object, grantedTo: ['projectAdmin', 'owner'], accessVerbs: ['delete'] },
  { verbs: ['deletecollection'], subresources: object, grantedTo: ['projectAdmin'] },
  { verbs: ['use'], subresources: object, grantedTo: ['projectAdmin', 'owner'], accessVerbs: ['use'] },
  { verbs: ['create'], subresources: ['kubeconfig'], grantedTo: ['projectAdmin', 'owner'], accessVerbs: ['use'] },
];

/** Rules for virtual cluster instances. */
export const instancePermissions: readonly Permission[] = [
  ...spacePermissions,
  // Auditors may not read logs, because programs may write secrets into them.
  { verbs: ['get'], subresources: ['log'], grantedTo: ['projectAdmin', 'owner'], accessVerbs: readVerbs },
  { verbs: ['get'], subresources: ['credentials'], grantedTo: ['projectAdmin', 'owner', 'auditor'] },
  { verbs: ['create'], subresources: ['credentials'], grantedTo: ['projectAdmin', 'owner'] },
];

/** Returns the rules of clusters, templates, users and teams. Only admins may set the `adminFields`. */
function sharedPermissions(
  readers: readonly Relation[],
  writers: readonly Relation[],
  adminFields: readonly string[],
): Permission[] {
  const adminOnly: Permission[] =
    adminFields.length === 0
      ? []
      : [{ verbs: ['update'], subresources: adminFields.map((one) => `spec.${one}`), grantedTo: [] }];
  return [
    { verbs: lists, subresources: object, grantedTo: ['anyCaller'] },
    { verbs: ['get'], subresources: objectAndStatus, grantedTo: [...readers, 'auditor'], accessVerbs: readVerbs },
    ...writePermissions(writers),
    { verbs: ['update'], subresources: displayFields, grantedTo: writers, accessVerbs: writes },
    { verbs: ['update'], subresources: ['spec.*', 'metadata.*'], grantedTo: [], accessVerbs: writes },
    ...adminOnly,
    { verbs: ['delete'], subresources: object, grantedTo: [], accessVerbs: ['delete'] },
  ];
}

/** Permission to write an object does not include permission to change its `access` list. */
const accessFieldPermission: Permission = {
  verbs: ['update'],
  subresources: ['spec.access'],
  grantedTo: [],
  accessVerbs: [],
};

export const clusterPermissions: readonly Permission[] = [
  ...sharedPermissions(['allowedCluster', 'owner'], ['owner'], []),
  accessFieldPermission,
  { verbs: ['use'], subresources: object, grantedTo: [], accessVerbs: ['use'] },
  { verbs: ['get'], subresources: ['virtualclusters'], grantedTo: ['auditor'], accessVerbs: ['use'] },
  // Project members who may use the cluster may not read the cluster's usage, because the usage includes that of all
  // other projects.
  { verbs: ['get'], subresources: ['usage'], grantedTo: ['owner', 'auditor'], accessVerbs: [] },
];

function permissionsOfTemplates(allowed: Relation): Permission[] {
  return [...sharedPermissions([allowed, 'owner'], ['owner'], []), accessFieldPermission, hostAccessPermission];
}

export const templatePermissions: readonly Permission[] = permissionsOfTemplates('allowedTemplate');

export const spaceTemplatePermissions: readonly Permission[] = permissionsOfTemplates('allowedSpaceTemplate');

export const userPermissions: readonly Permission[] = [
  ...sharedPermissions(
    ['self', 'sharesProjectWithUser'],
    ['self'],
    ['groups', 'subject', 'disabled', 'allowedCIDRs', 'identities'],
  ),
  accessFieldPermission,
  { verbs: ['update'], subresources: ['spec.password'], grantedTo: ['self'] },
  { verbs: ['get'], subresources: ['accesskeys'], grantedTo: ['self', 'auditor'] },
];

export const teamPermissions: readonly Permission[] = [
  ...sharedPermissions(['teamMember', 'sharesProjectWithTeam', 'owner'], ['owner'], ['users', 'groups']),
  accessFieldPermission,
  { verbs: ['get'], subresources: ['accesskeys'], grantedTo: ['teamMember', 'auditor'] },
];

export const namespacePermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['anyCaller'] },
  { verbs: ['get'], subresources: objectAndStatus, grantedTo: ['projectReader', 'auditor'] },
];

/** Every caller may read the definitions of the served kinds, as every caller may read discovery. */
export const definitionPermissions: readonly Permission[] = [
  { verbs: ['get', ...lists], subresources: object, grantedTo: ['anyCaller'] },
  { verbs: ['get'], subresources: ['status'], grantedTo: ['anyCaller'] },
];

export const eventPermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['allNamespaces', 'projectParticipant', 'auditor'] },
  { verbs: ['get'], subresources: object, grantedTo: ['projectEventReader', 'involvedObjectReader', 'auditor'] },
];

/** Activity records can only be listed. A list contains the records for which the caller has the permission `get`. */
export const activityPermissions: readonly Permission[] = [
  { verbs: ['list'], subresources: object, grantedTo: ['allNamespaces', 'projectParticipant', 'auditor'] },
  { verbs: ['get'], subresources: object, grantedTo: ['activityReader', 'auditor'] },
];

/** Webhooks send data that only the admins of a project may read, so other members do not see webhooks. */
export const webhookPermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['allNamespaces', 'projectAdmin', 'auditor'] },
  { verbs: ['get'], subresources: objectAndStatus, grantedTo: ['projectAdmin', 'auditor'] },
  { verbs: [...writes, 'delete', 'deletecollection', 'create'], subresources: object, grantedTo: ['projectAdmin'] },
  { verbs: writes, subresources: ['status'], grantedTo: ['projectAdmin'] },
  { verbs: ['create'], subresources: ['test'], grantedTo: ['projectAdmin'] },
];

/**
 * Returns the rules of configuration objects. Project users may create configuration objects, for example with Helm.
 * Only the owner of a configuration object and the project admins may change it.
 */
function configPermissions(listers: readonly Relation[], readers: readonly Relation[]): Permission[] {
  return [
    { verbs: lists, subresources: object, grantedTo: ['allNamespaces', ...listers] },
    { verbs: ['get'], subresources: object, grantedTo: readers },
    { verbs: ['create'], subresources: object, grantedTo: ['projectAdmin', 'projectUser'] },
    { verbs: [...writes, 'delete'], subresources: object, grantedTo: ['projectAdmin', 'owningProjectUser'] },
    { verbs: ['deletecollection'], subresources: object, grantedTo: ['projectAdmin'] },
  ];
}

const configMapReaders: readonly Relation[] = ['projectAdmin', 'projectUser', 'projectViewer', 'auditor'];

export const configMapPermissions: readonly Permission[] = configPermissions(configMapReaders, configMapReaders);

export const secretPermissions: readonly Permission[] = configPermissions(
  ['projectAdmin', 'projectUser'],
  ['projectAdmin', 'owningProjectUser'],
);

/** Every caller may use this kind, because it contains only the caller's own access keys. */
export const ownedKeyPermissions: readonly Permission[] = [
  {
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    subresources: object,
    grantedTo: ['anyCaller'],
  },
  { verbs: ['get'], subresources: ['status'], grantedTo: ['anyCaller'] },
];

/** Rules for the access keys of all users. Responses do not contain the values of keys. */
export const accessKeyPermissions: readonly Permission[] = [
  { verbs: ['get', ...lists], subresources: object, grantedTo: ['auditor'] },
  { verbs: ['get'], subresources: ['status'], grantedTo: ['auditor'] },
];

/** Rules for the usage of the whole installation. */
export const fleetUsagePermissions: readonly Permission[] = [
  { verbs: ['get', 'list'], subresources: object, grantedTo: ['auditor'] },
];

/** Rules for price lists. All users can read the costs of objects that they may read. Only admins can set prices. */
export const priceListPermissions: readonly Permission[] = [
  { verbs: ['get', ...lists], subresources: object, grantedTo: ['auditor'] },
];

/** Every caller may read kinds without objects. */
export const emptyKindPermissions: readonly Permission[] = [
  { verbs: ['get', 'list'], subresources: object, grantedTo: ['anyCaller'] },
];

/** Rules for reviews about the caller and for tokens of the caller (rule AUTHZ-07). */
export const selfReviewPermissions: readonly Permission[] = [
  { verbs: ['create'], subresources: object, grantedTo: ['anyCaller'] },
];

/** Paths that every authenticated caller may read (rule DISC-18). A trailing `*` matches all subpaths. */
export const openPaths: readonly string[] = [
  '/',
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/openapi',
  '/openapi/*',
  '/version',
  '/version/',
  '/healthz',
  '/healthz/*',
  '/livez',
  '/livez/*',
  '/readyz',
  '/readyz/*',
];
/** Paths that auditors may read in addition to the open paths. */
export const auditorPaths: readonly string[] = [auditPath, `${auditPath}/*`, replicasPath, '/metrics'];
export const openPathVerbs: readonly string[] = ['get', 'head'];

export function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** Metadata fields that require a permission, because selectors, deletion or garbage collection depend on them. */
export const protectedMetadataFields = ['labels', 'finalizers', 'ownerReferences'] as const;

const fieldParts = ['spec.', 'metadata.'];

/** Returns the wildcard for a field: `spec.*` or `metadata.*`. `undefined` if the subresource is not a field. */
export function fieldWildcard(subresource: string): string | undefined {
  const part = fieldParts.find((each) => subresource.startsWith(each));
  return part === undefined ? undefined : `${part}*`;
}
