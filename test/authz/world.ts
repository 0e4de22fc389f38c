/*
 * The fixture of the authorization tests, as plain data: two projects that mirror each other, users with one relation
 * each, and one object of every kind for every relation. `furnish.ts` creates it through the API; the oracle reads it.
 */

export type Role = 'admin' | 'user' | 'viewer';

export interface Owner {
  readonly user?: string;
  readonly team?: string;
}

/** One entry of an object's `access`. */
export interface Access {
  readonly verbs: readonly string[];
  readonly subresources?: readonly string[];
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
}

export interface Member extends Owner {
  readonly role: Role;
}

export interface WorldProject {
  readonly name: string;
  readonly owner: Owner;
  readonly members: readonly Member[];
  readonly clusters: readonly string[];
  readonly templates: readonly string[];
  readonly spaceTemplates: readonly string[];
  readonly access: readonly Access[];
}

export interface WorldObject {
  readonly name: string;
  readonly owner?: Owner;
  readonly access: readonly Access[];
}

export interface WorldInstance extends WorldObject {
  readonly project: string;
}

export interface WorldTeam extends WorldObject {
  readonly users: readonly string[];
}

export interface WorldEvent {
  readonly project: string;
  readonly name: string;
  /** The instance that the event is about. Optional; by default, the event is about something else. */
  readonly about?: string;
  /** The access key that the event is about. */
  readonly aboutKey?: string;
}

/** The `access` entries that one object of every kind has: the principals that `access` names, and their verbs. */
const everySort: readonly Access[] = [
  { verbs: ['get'], users: ['reader'] },
  { verbs: ['get'], subresources: ['*'], users: ['insider'] },
  { verbs: ['get', 'update', 'patch'], users: ['editor'] },
  { verbs: ['get', 'patch'], users: ['patcher'] },
  { verbs: ['get', 'update'], users: ['updater'] },
  { verbs: ['delete'], users: ['remover'] },
  { verbs: ['use'], users: ['borrower'] },
  { verbs: ['*'], users: ['heir'] },
  { verbs: ['get', 'use'], teams: ['guests'] },
];

const administrator: Owner = { user: 'admin' };

const everybodyReads: readonly Access[] = [{ verbs: ['get'], users: ['*'] }];

/**
 * Users besides the initial administrator. A name such as `red-viewer` consists of a project and the user's role in it.
 */
export const users: readonly string[] = [
  'second-admin',
  'red-admin',
  'red-user',
  'red-user-2',
  'red-viewer',
  'mate',
  'lead',
  'founder',
  'blue-admin',
  'blue-user',
  'blue-viewer',
  'loner',
  'keeper',
  'reader',
  'insider',
  'editor',
  'patcher',
  'updater',
  'remover',
  'borrower',
  'heir',
  'bursar',
  'guest',
  'outsider',
  'leads',
  'impostor',
  'auditor',
  'watched',
  'gone',
];

export const adminUsers: readonly string[] = ['admin', 'second-admin'];

export const auditorUsers: readonly string[] = ['auditor'];

/** The `access` of users. One user object names every principal that other kinds of objects name. */
export const userAccess: Readonly<Record<string, readonly Access[]>> = { watched: everySort };

export const teams: readonly WorldTeam[] = [
  { name: 'crew', users: ['mate'], access: [] },
  { name: 'leads', users: ['lead'], access: [] },
  { name: 'blue-crew', users: ['blue-viewer'], access: [] },
  { name: 'guests', users: ['guest'], access: [] },
  // The team has the name of a user who is an admin of a project. In turn, a user has the name of a team that is an
  // admin of a project.
  { name: 'red-admin', users: ['impostor'], access: [] },
  { name: 'team-shared', users: [], access: everySort },
  { name: 'team-kept', users: [], owner: { user: 'keeper' }, access: [] },
];

export const projects: readonly WorldProject[] = [
  {
    name: 'default',
    owner: administrator,
    members: [],
    clusters: ['*'],
    templates: ['*'],
    spaceTemplates: ['*'],
    access: [],
  },
  {
    name: 'red',
    owner: { user: 'founder' },
    members: [
      { user: 'red-admin', role: 'admin' },
      { team: 'leads', role: 'admin' },
      { user: 'red-user', role: 'user' },
      { user: 'red-user-2', role: 'user' },
      { team: 'crew', role: 'user' },
      { user: 'red-viewer', role: 'viewer' },
    ],
    clusters: ['local', 'c-red'],
    templates: ['control-plane', 't-red'],
    spaceTemplates: ['st-red'],
    access: [
      ...everySort,
      { verbs: ['get', 'update', 'patch'], users: ['bursar'] },
      { verbs: ['update'], subresources: ['spec.quotas'], users: ['bursar'] },
    ],
  },
  {
    name: 'blue',
    owner: administrator,
    members: [
      { user: 'blue-admin', role: 'admin' },
      { user: 'blue-user', role: 'user' },
      { team: 'blue-crew', role: 'viewer' },
    ],
    clusters: ['local', 'c-blue'],
    templates: ['control-plane', 't-blue'],
    // Only the space template with this name is allowed in the project, not the virtual cluster template.
    spaceTemplates: ['t-kept'],
    access: [],
  },
  {
    name: 'green',
    owner: administrator,
    members: [],
    clusters: ['local', 'c-red'],
    templates: ['control-plane'],
    spaceTemplates: [],
    access: [],
  },
];

export const clusters: readonly WorldObject[] = [
  { name: 'local', access: [] },
  { name: 'c-red', access: [{ verbs: ['use'], users: ['red-admin'] }] },
  { name: 'c-blue', access: [] },
  { name: 'c-shared', access: everySort },
  { name: 'c-kept', owner: { user: 'keeper' }, access: [] },
];

export const templates: readonly WorldObject[] = [
  { name: 'control-plane', access: [] },
  { name: 't-red', access: [] },
  { name: 't-blue', access: [] },
  { name: 't-shared', access: everySort },
  { name: 't-open', access: everybodyReads },
  { name: 't-kept', owner: { user: 'keeper' }, access: [] },
];

export const spaceTemplates: readonly WorldObject[] = [
  { name: 'st-red', access: [] },
  { name: 'st-shared', access: everySort },
  { name: 'st-kept', owner: { user: 'keeper' }, access: [] },
  { name: 't-kept', access: [] },
];

export const instances: readonly WorldInstance[] = [
  { project: 'red', name: 'r-user', owner: { user: 'red-user' }, access: [] },
  { project: 'red', name: 'r-crew', owner: { team: 'crew' }, access: [] },
  { project: 'red', name: 'r-loner', owner: { user: 'loner' }, access: [] },
  { project: 'red', name: 'r-shared', owner: administrator, access: everySort },
  {
    project: 'red',
    name: 'r-view',
    owner: administrator,
    access: [{ verbs: ['get', 'use'], users: ['red-viewer', 'red-user-2'] }],
  },
  { project: 'red', name: 'r-plain', owner: administrator, access: [] },
  { project: 'blue', name: 'b-user', owner: { user: 'blue-user' }, access: [] },
  { project: 'blue', name: 'b-shared', owner: administrator, access: [{ verbs: ['get'], users: ['red-user'] }] },
  { project: 'blue', name: 'b-guests', owner: { team: 'guests' }, access: [] },
  { project: 'blue', name: 'b-plain', owner: administrator, access: [] },
  { project: 'green', name: 'g-open', owner: administrator, access: everybodyReads },
];

export const spaces: readonly WorldInstance[] = [
  { project: 'red', name: 's-user', owner: { user: 'red-user' }, access: [] },
  { project: 'red', name: 's-crew', owner: { team: 'crew' }, access: [] },
  { project: 'red', name: 's-shared', owner: administrator, access: everySort },
  { project: 'red', name: 's-plain', owner: administrator, access: [] },
  { project: 'blue', name: 's-blue', owner: { user: 'blue-user' }, access: [{ verbs: ['get'], users: ['red-user'] }] },
];

/** The placeholder for the events that the server writes about an instance. */
export function eventsAbout(instance: string): string {
  return `${instance}.*`;
}

export const events: readonly WorldEvent[] = [
  { project: 'red', name: 'e-user', about: 'r-user' },
  { project: 'red', name: 'e-shared', about: 'r-shared' },
  { project: 'red', name: 'e-other' },
  { project: 'red', name: 'e-key', aboutKey: 'k-red-user' },
  { project: 'red', name: 'e-team-key', aboutKey: 'k-crew' },
  { project: 'blue', name: 'e-blue', about: 'b-user' },
];

export const leases: readonly { readonly project: string; readonly name: string }[] = [
  { project: 'red', name: 'l-red' },
];

export const webhooks: readonly { readonly project: string; readonly name: string }[] = [
  { project: 'red', name: 'w-red' },
  { project: 'blue', name: 'w-blue' },
];

/** Suspended, so the webhook sends nothing. */
export const webhookSpec = { url: 'https://receiver.example/', suspend: true };

/** Secrets and ConfigMaps: one of each kind. Their owner is the holder of the key that creates them. */
export const configObjects: readonly { readonly project: string; readonly name: string; readonly owner: Owner }[] = [
  { project: 'red', name: 'd-user', owner: { user: 'red-user' } },
  { project: 'red', name: 'd-crew', owner: { team: 'crew' } },
  { project: 'red', name: 'd-plain', owner: administrator },
  { project: 'blue', name: 'd-blue', owner: administrator },
];

/** Keys of other users; the administrator's key is from the first start. */
export const keys: readonly { readonly name: string; readonly owner: Owner }[] = [
  { name: 'admin', owner: administrator },
  { name: 'k-red-user', owner: { user: 'red-user' } },
  { name: 'k-crew', owner: { team: 'crew' } },
  { name: 'k-outsider', owner: { user: 'outsider' } },
];

/** Returns the source cluster of an import into the project: a cluster that the project allows. */
export function importSource(project: string): string {
  return project === 'blue' ? 'c-blue' : 'c-red';
}
