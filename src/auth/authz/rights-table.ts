import { readVerbs } from './access-list.ts';
import type { Relation } from './relations.ts';

/**
 * One line of the table of completions §8: these verbs, on these, to whoever stands so to the object. Admins may do
 * all of it and stand in no line.
 */
export interface Right {
  readonly verbs: readonly string[];
  /**
   * '' is the object itself; `spec.<field>` and `metadata.<field>` are the right to set that field, `spec.*` and
   * `metadata.*` any that has no line of its own.
   */
  readonly on: readonly string[];
  readonly to: readonly Relation[];
  /**
   * Verbs in the object's own `access` that give the right; empty: only an entry that names the subresource does.
   * Absent: no `access` gives it.
   */
  readonly access?: readonly string[];
}

const object = [''];
const objectAndStatus = ['', 'status'];
const lists = ['list', 'watch'];
const writes = ['update', 'patch'];
const fieldWrites = ['create', 'update'];
const displayFields = ['spec.displayName', 'spec.description'];

/** An entry of `access` that gives `update` does not give `patch`. */
function writeRights(to: readonly Relation[]): Right[] {
  return writes.map((verb) => ({ verbs: [verb], on: object, to, access: [verb] }));
}

export const projectRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['everybody'] },
  {
    verbs: ['get'],
    on: ['', 'status', 'members', 'templates', 'clusters'],
    to: ['projectAdmin', 'projectUser', 'projectViewer', 'owner'],
    access: readVerbs,
  },
  { verbs: ['create'], on: object, to: ['selfService'] },
  { verbs: ['create'], on: [...displayFields, 'spec.members'], to: ['selfService'] },
  ...writeRights(['projectAdmin', 'owner']),
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
  // Which cluster it is from stands in the body; the right `use` on that one is asked for when it is known.
  { verbs: ['create'], on: ['importvirtualcluster'], to: ['projectAdmin'] },
];

/** What is shared is what `access` names somebody for: members and others alike have what it gives. */
export const instanceRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['acrossProjects', 'somethingHere'] },
  { verbs: ['get'], on: ['', 'status', 'log'], to: ['projectAdmin', 'owner'], access: readVerbs },
  { verbs: ['create'], on: object, to: ['projectAdmin', 'projectUser'] },
  { verbs: ['create'], on: ['restricted'], to: ['projectAdmin'] },
  ...writeRights(['projectAdmin', 'owner']),
  // Who may write an instance may not thereby give out, or take, the other rights on it.
  { verbs: ['update'], on: ['spec.access', 'spec.extraAccessRules'], to: ['projectAdmin', 'owner'], access: [] },
  { verbs: fieldWrites, on: ['spec.owner'], to: ['projectAdmin'] },
  { verbs: ['delete'], on: object, to: ['projectAdmin', 'owner'], access: ['delete'] },
  { verbs: ['deletecollection'], on: object, to: ['projectAdmin'] },
  { verbs: ['use'], on: object, to: ['projectAdmin', 'owner'], access: ['use'] },
  { verbs: ['create'], on: ['kubeconfig'], to: ['projectAdmin', 'owner'], access: ['use'] },
];

/** Of clusters, templates, users and teams: `readers` besides the owner, and what admins alone may set. */
function sharedRights(
  readers: readonly Relation[],
  writers: readonly Relation[],
  adminFields: readonly string[],
): Right[] {
  return [
    { verbs: lists, on: object, to: ['everybody'] },
    { verbs: ['get'], on: objectAndStatus, to: readers, access: readVerbs },
    ...writeRights(writers),
    { verbs: ['update'], on: displayFields, to: writers, access: writes },
    { verbs: ['update'], on: ['spec.*', 'metadata.*'], to: [], access: writes },
    ...(adminFields.length === 0 ? [] : [{ verbs: ['update'], on: adminFields.map((one) => `spec.${one}`), to: [] }]),
    { verbs: ['delete'], on: object, to: [], access: ['delete'] },
  ];
}

/** Whoever may write an object may not thereby give out, or take, the other rights on it. */
const accessOfShared: Right = { verbs: ['update'], on: ['spec.access'], to: [], access: [] };

export const clusterRights: readonly Right[] = [
  ...sharedRights(['allowedCluster', 'owner'], ['owner'], []),
  accessOfShared,
  { verbs: ['use'], on: object, to: [], access: ['use'] },
  { verbs: ['get'], on: ['virtualclusters'], to: [], access: ['use'] },
];

export const templateRights: readonly Right[] = [
  ...sharedRights(['allowedTemplate', 'owner'], ['owner'], []),
  accessOfShared,
];

export const userRights: readonly Right[] = [
  ...sharedRights(['self', 'fellowUser'], ['self'], ['groups', 'subject', 'disabled']),
  accessOfShared,
  { verbs: ['update'], on: ['spec.password'], to: ['self'] },
  { verbs: ['get'], on: ['accesskeys'], to: ['self'] },
];

export const teamRights: readonly Right[] = [
  ...sharedRights(['ownTeam', 'fellowTeam', 'owner'], ['owner'], ['users', 'groups']),
  accessOfShared,
  { verbs: ['get'], on: ['accesskeys'], to: ['ownTeam'] },
];

export const namespaceRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['everybody'] },
  { verbs: ['get'], on: objectAndStatus, to: ['projectReader'] },
];

export const eventRights: readonly Right[] = [
  { verbs: lists, on: object, to: ['acrossProjects', 'somethingHere'] },
  { verbs: ['get'], on: object, to: ['projectAdmin', 'readerOfSubject'] },
];

/** The kind itself shows and takes the caller's own keys only. */
export const ownedKeyRights: readonly Right[] = [
  { verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'], on: object, to: ['everybody'] },
  { verbs: ['get'], on: ['status'], to: ['everybody'] },
];

/** Questions about oneself, and tokens for oneself (rule AUTHZ-07). */
export const askingRights: readonly Right[] = [{ verbs: ['create'], on: object, to: ['everybody'] }];

/** Paths that everybody with a valid key may read (rule DISC-18). */
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

/** Members of metadata that need a right: selectors, deletion and collection go by these; annotations are notes. */
export const guardedMetadata = ['labels', 'finalizers', 'ownerReferences'] as const;

const fieldParts = ['spec.', 'metadata.'];

/** The name of the line for all fields beside this one; undefined: this is no field. */
export function anyField(subresource: string): string | undefined {
  const part = fieldParts.find((each) => subresource.startsWith(each));
  return part === undefined ? undefined : `${part}*`;
}
