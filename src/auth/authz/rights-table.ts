import { readVerbs } from './access-list.ts';
import type { Relation } from './relations.ts';

/**
 * One rule of the permission table (completions §8): verbs on subresources, granted to callers with one of these
 * relations to the object. Admins may do everything and are not listed.
 */
export interface Right {
  readonly verbs: readonly string[];
  /**
   * '' is the object itself. `spec.<field>` and `metadata.<field>` stand for setting that field; `spec.*` and
   * `metadata.*` for any field without a rule of its own.
   */
  readonly on: readonly string[];
  readonly to: readonly Relation[];
  /**
   * Verbs in the object's own `access` list that grant the permission. If empty, only an entry that names the
   * subresource does. If absent, the `access` list cannot grant it.
   */
  readonly access?: readonly string[];
}

const object = [''];
const objectAndStatus = ['', 'status'];
const lists = ['list', 'watch'];
const writes = ['update', 'patch'];
const fieldWrites = ['create', 'update'];
const displayFields = ['spec.displayName', 'spec.description'];

/** An `access` entry that grants `update` does not grant `patch`. */
function writePermissions(to: readonly Relation[]): Right[] {
  return writes.map((verb): Right => ({ verbs: [verb], on: object, to, access: [verb] }));
}

export const projectRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['anyCaller'] },
  {
    verbs: ['get'],
    on: ['', 'status', 'members', 'templates', 'clusters'],
    to: ['projectAdmin', 'projectUser', 'projectViewer', 'owner'],
    access: readVerbs,
  },
  { verbs: ['create'], on: object, to: ['selfService'] },
  { verbs: ['create'], on: [...displayFields, 'spec.members'], to: ['selfService'] },
  ...writePermissions(['projectAdmin', 'owner']),
  {
    verbs: ['update'],
    on: [...displayFields, 'spec.members', 'metadata.*'],
    to: ['projectAdmin', 'owner'],
    access: writes,
  },
  {
    verbs: fieldWrites,
    on: ['allowedClusters', 'allowedTemplates', 'quotas', 'requireTemplate', 'owner', 'access'].map(
      (one) => `spec.${one}`,
    ),
    to: [],
    access: [],
  },
  { verbs: ['delete'], on: object, to: [], access: ['delete'] },
  // The request body names the source cluster; permission to `use` that cluster is checked once it is known.
  { verbs: ['create'], on: ['importvirtualcluster'], to: ['projectAdmin'] },
];

/** The `access` list alone determines sharing: it grants the same to members and to others. */
export const instanceRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['allNamespaces', 'projectParticipant'] },
  { verbs: ['get'], on: ['', 'status', 'log'], to: ['projectAdmin', 'owner'], access: readVerbs },
  { verbs: ['create'], on: object, to: ['projectAdmin', 'projectUser'] },
  { verbs: ['create'], on: ['restricted'], to: ['projectAdmin'] },
  ...writePermissions(['projectAdmin', 'owner']),
  // Permission to write an instance does not include granting or revoking other permissions on it.
  { verbs: ['update'], on: ['spec.access', 'spec.extraAccessRules'], to: ['projectAdmin', 'owner'], access: [] },
  { verbs: fieldWrites, on: ['spec.owner'], to: ['projectAdmin'] },
  { verbs: ['delete'], on: object, to: ['projectAdmin', 'owner'], access: ['delete'] },
  { verbs: ['deletecollection'], on: object, to: ['projectAdmin'] },
  { verbs: ['use'], on: object, to: ['projectAdmin', 'owner'], access: ['use'] },
  { verbs: ['create'], on: ['kubeconfig'], to: ['projectAdmin', 'owner'], access: ['use'] },
];

/** For clusters, templates, users and teams. `adminFields` are the fields that only admins may set. */
function sharedPermissions(
  readers: readonly Relation[],
  writers: readonly Relation[],
  adminFields: readonly string[],
): Right[] {
  const adminOnly: Right[] =
    adminFields.length === 0 ? [] : [{ verbs: ['update'], on: adminFields.map((one) => `spec.${one}`), to: [] }];
  return [
    { verbs: lists, on: object, to: ['anyCaller'] },
    { verbs: ['get'], on: objectAndStatus, to: readers, access: readVerbs },
    ...writePermissions(writers),
    { verbs: ['update'], on: displayFields, to: writers, access: writes },
    { verbs: ['update'], on: ['spec.*', 'metadata.*'], to: [], access: writes },
    ...adminOnly,
    { verbs: ['delete'], on: object, to: [], access: ['delete'] },
  ];
}

/** Permission to write an object does not include granting or revoking other permissions on it. */
const accessFieldPermission: Right = { verbs: ['update'], on: ['spec.access'], to: [], access: [] };

export const clusterRights: readonly Right[] = [
  ...sharedPermissions(['allowedCluster', 'owner'], ['owner'], []),
  accessFieldPermission,
  { verbs: ['use'], on: object, to: [], access: ['use'] },
  { verbs: ['get'], on: ['virtualclusters'], to: [], access: ['use'] },
];

export const templateRights: readonly Right[] = [
  ...sharedPermissions(['allowedTemplate', 'owner'], ['owner'], []),
  accessFieldPermission,
];

export const userRights: readonly Right[] = [
  ...sharedPermissions(['self', 'sharesProjectWithUser'], ['self'], ['groups', 'subject', 'disabled']),
  accessFieldPermission,
  { verbs: ['update'], on: ['spec.password'], to: ['self'] },
  { verbs: ['get'], on: ['accesskeys'], to: ['self'] },
];

export const teamRights: readonly Right[] = [
  ...sharedPermissions(['teamMember', 'sharesProjectWithTeam', 'owner'], ['owner'], ['users', 'groups']),
  accessFieldPermission,
  { verbs: ['get'], on: ['accesskeys'], to: ['teamMember'] },
];

export const namespaceRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['anyCaller'] },
  { verbs: ['get'], on: objectAndStatus, to: ['projectReader'] },
];

export const eventRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['allNamespaces', 'projectParticipant'] },
  { verbs: ['get'], on: object, to: ['projectAdmin', 'involvedObjectReader'] },
];

/** The kind itself shows and accepts only the caller's own keys. */
export const ownedKeyRights: readonly Right[] = [
  { verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'], on: object, to: ['anyCaller'] },
  { verbs: ['get'], on: ['status'], to: ['anyCaller'] },
];

/** Reviews about the caller and tokens for the caller (rule AUTHZ-07). */
export const askingRights: readonly Right[] = [{ verbs: ['create'], on: object, to: ['anyCaller'] }];

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
export const guardedMetadata = ['labels', 'finalizers', 'ownerReferences'] as const;

const fieldParts = ['spec.', 'metadata.'];

/** Returns the wildcard rule that covers this field, `undefined` if the subresource is not a field. */
export function anyField(subresource: string): string | undefined {
  const part = fieldParts.find((each) => subresource.startsWith(each));
  return part === undefined ? undefined : `${part}*`;
}
