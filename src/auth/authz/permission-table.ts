import { readVerbs } from './access-list.ts';
import type { Relation } from './relations.ts';

/**
 * One rule of the permission table (completions §8): verbs on subresources, granted to callers with one of these
 * relations to the object. Admins may do everything and are not listed.
 */
export interface Permission {
  readonly verbs: readonly string[];
  /**
   * '' is the object itself. `spec.<field>` and `metadata.<field>` stand for setting that field; `spec.*` and
   * `metadata.*` for any field without a rule of its own.
   */
  readonly subresources: readonly string[];
  readonly grantedTo: readonly Relation[];
  /**
   * Verbs in the object's own `access` list that grant the permission. If empty, only an entry that names the
   * subresource does. If absent, the `access` list cannot grant it.
   */
  readonly accessVerbs?: readonly string[];
}

const object = [''];
const objectAndStatus = ['', 'status'];
const lists = ['list', 'watch'];
const writes = ['update', 'patch'];
const fieldWrites = ['create', 'update'];
const displayFields = ['spec.displayName', 'spec.description'];

/** An `access` entry that grants `update` does not grant `patch`. */
function writePermissions(to: readonly Relation[]): Permission[] {
  return writes.map(
    (verb): Permission => ({ verbs: [verb], subresources: object, grantedTo: to, accessVerbs: [verb] }),
  );
}

export const projectPermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['anyCaller'] },
  {
    verbs: ['get'],
    subresources: ['', 'status', 'members', 'templates', 'clusters'],
    grantedTo: ['projectAdmin', 'projectUser', 'projectViewer', 'owner'],
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
    subresources: ['allowedClusters', 'allowedTemplates', 'quotas', 'requireTemplate', 'owner', 'access'].map(
      (one) => `spec.${one}`,
    ),
    grantedTo: [],
    accessVerbs: [],
  },
  { verbs: ['delete'], subresources: object, grantedTo: [], accessVerbs: ['delete'] },
  // The request body names the source cluster; permission to `use` that cluster is checked once it is known.
  { verbs: ['create'], subresources: ['importvirtualcluster'], grantedTo: ['projectAdmin'] },
];

/** The `access` list alone determines sharing: it grants the same to members and to others. */
export const instancePermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['allNamespaces', 'projectParticipant'] },
  { verbs: ['get'], subresources: ['', 'status', 'log'], grantedTo: ['projectAdmin', 'owner'], accessVerbs: readVerbs },
  { verbs: ['create'], subresources: object, grantedTo: ['projectAdmin', 'projectUser'] },
  { verbs: ['create'], subresources: ['restricted'], grantedTo: ['projectAdmin'] },
  ...writePermissions(['projectAdmin', 'owner']),
  // Permission to write an instance does not include granting or revoking other permissions on it.
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

/** For clusters, templates, users and teams. `adminFields` are the fields that only admins may set. */
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
    { verbs: ['get'], subresources: objectAndStatus, grantedTo: readers, accessVerbs: readVerbs },
    ...writePermissions(writers),
    { verbs: ['update'], subresources: displayFields, grantedTo: writers, accessVerbs: writes },
    { verbs: ['update'], subresources: ['spec.*', 'metadata.*'], grantedTo: [], accessVerbs: writes },
    ...adminOnly,
    { verbs: ['delete'], subresources: object, grantedTo: [], accessVerbs: ['delete'] },
  ];
}

/** Permission to write an object does not include granting or revoking other permissions on it. */
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
  { verbs: ['get'], subresources: ['virtualclusters'], grantedTo: [], accessVerbs: ['use'] },
];

export const templatePermissions: readonly Permission[] = [
  ...sharedPermissions(['allowedTemplate', 'owner'], ['owner'], []),
  accessFieldPermission,
];

export const userPermissions: readonly Permission[] = [
  ...sharedPermissions(['self', 'sharesProjectWithUser'], ['self'], ['groups', 'subject', 'disabled']),
  accessFieldPermission,
  { verbs: ['update'], subresources: ['spec.password'], grantedTo: ['self'] },
  { verbs: ['get'], subresources: ['accesskeys'], grantedTo: ['self'] },
];

export const teamPermissions: readonly Permission[] = [
  ...sharedPermissions(['teamMember', 'sharesProjectWithTeam', 'owner'], ['owner'], ['users', 'groups']),
  accessFieldPermission,
  { verbs: ['get'], subresources: ['accesskeys'], grantedTo: ['teamMember'] },
];

export const namespacePermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['anyCaller'] },
  { verbs: ['get'], subresources: objectAndStatus, grantedTo: ['projectReader'] },
];

export const eventPermissions: readonly Permission[] = [
  { verbs: lists, subresources: object, grantedTo: ['allNamespaces', 'projectParticipant'] },
  { verbs: ['get'], subresources: object, grantedTo: ['projectAdmin', 'involvedObjectReader'] },
];

/** The kind itself shows and accepts only the caller's own keys. */
export const ownedKeyPermissions: readonly Permission[] = [
  {
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    subresources: object,
    grantedTo: ['anyCaller'],
  },
  { verbs: ['get'], subresources: ['status'], grantedTo: ['anyCaller'] },
];

/** Reviews about the caller and tokens for the caller (rule AUTHZ-07). */
export const selfReviewPermissions: readonly Permission[] = [
  { verbs: ['create'], subresources: object, grantedTo: ['anyCaller'] },
];

/** Paths that every authenticated caller may read (rule DISC-18). */
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
export const openPathVerbs: readonly string[] = ['get', 'head'];

export function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** Metadata fields that need a permission: selectors, deletion and garbage collection use them. Annotations do not. */
export const protectedMetadataFields = ['labels', 'finalizers', 'ownerReferences'] as const;

const fieldParts = ['spec.', 'metadata.'];

/** Returns the wildcard rule that covers this field, `undefined` if the subresource is not a field. */
export function fieldWildcard(subresource: string): string | undefined {
  const part = fieldParts.find((each) => subresource.startsWith(each));
  return part === undefined ? undefined : `${part}*`;
}
