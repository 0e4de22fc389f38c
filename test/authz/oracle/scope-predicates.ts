import { managementGroup } from '../../../src/api/naming.ts';
import type { RequestedAction } from '../requested-action.ts';

/** Reports whether a scope allows a request. */
export type ScopePredicate = (ask: RequestedAction) => boolean;

const kind = (ask: RequestedAction, plural: string) => ask.group === managementGroup && ask.resource === plural;
const isListing = (ask: RequestedAction) => ask.name === '' && (ask.verb === 'list' || ask.verb === 'watch');
const isReading = (ask: RequestedAction) =>
  isListing(ask) || (ask.verb === 'get' && ask.name !== '' && ['', 'status', 'usage'].includes(ask.subresource));
const same = (entry: string, asked: string) => entry === '*' || entry === asked;

/** Every scoped key may create keys and tokens, which inherit its scopes. */
export const createsKeys: ScopePredicate = (ask) =>
  ask.verb === 'create' && (kind(ask, 'ownedaccesskeys') || kind(ask, 'directclusterendpointtokens'));

/** Queries of the caller's own identity and permissions. */
export const reviewsSelf: ScopePredicate = (ask) =>
  ask.verb === 'create' &&
  [
    'selves',
    'notificationreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'selfsubjectreviews',
  ].includes(ask.resource);

/** True for `/version`, discovery and OpenAPI, which clients read first. Health and metrics are not included. */
export const discovers: ScopePredicate = (ask) => /^\/(version|apis?|openapi)(\/|$)/.test(ask.path);

/** True for reads of the definitions of the served kinds, which clients read like discovery. */
export const readsDefinitions: ScopePredicate = (ask) =>
  ask.group === 'apiextensions.k8s.io' && ask.resource === 'customresourcedefinitions' && isReading(ask);

/** True for reads of the project object. Lists are filtered down to this project. */
export function readsProject(project: string): ScopePredicate {
  return (ask) => kind(ask, 'projects') && isReading(ask) && (isListing(ask) || same(project, ask.name));
}

export function readsProjectSubresources(project: string): ScopePredicate {
  return (ask) =>
    kind(ask, 'projects') &&
    ask.verb === 'get' &&
    ['members', 'templates', 'clusters'].includes(ask.subresource) &&
    same(project, ask.name);
}

const isConfig = (ask: RequestedAction) => ask.group === '' && ['secrets', 'configmaps'].includes(ask.resource);

const isInstance = (ask: RequestedAction) => kind(ask, 'virtualclusterinstances') || kind(ask, 'spaceinstances');

const ofProject = (ask: RequestedAction) => kind(ask, 'activityrecords') || kind(ask, 'projectwebhooks');

/**
 * True for the instances, spaces, Secrets, ConfigMaps, activity and webhooks of the project, and for imports of virtual
 * clusters into it.
 */
export function worksIn(project: string): ScopePredicate {
  return (ask) => {
    if (kind(ask, 'projects')) return ask.subresource === 'importvirtualcluster' && same(project, ask.name);
    if (!isInstance(ask) && !isConfig(ask) && !ofProject(ask)) return false;
    if (ask.project === '') return isListing(ask);
    return same(project, ask.project);
  };
}

/**
 * True for reads and uses of one instance, or of all instances in a project. Lists are filtered down to these
 * instances. The log of an instance is not included.
 */
export function usesInstance(project: string, name: string): ScopePredicate {
  return usesOne('virtualclusterinstances', project, name);
}

/** True for reads and uses of one space, or of all spaces in a project. */
export function usesSpace(project: string, name: string): ScopePredicate {
  return usesOne('spaceinstances', project, name);
}

function usesOne(plural: string, project: string, name: string): ScopePredicate {
  return (ask) => {
    if (!kind(ask, plural)) return false;
    if (isListing(ask)) return ask.project === '' || same(project, ask.project);
    if (!same(project, ask.project) || !same(name, ask.name) || ask.name === '') return false;
    return isReading(ask) || ask.subresource === 'kubeconfig' || ask.verb === 'use';
  };
}

export const readsInstances: ScopePredicate = (ask) => isInstance(ask) && isReading(ask);

export function readsCluster(cluster: string): ScopePredicate {
  return (ask) => kind(ask, 'clusters') && isReading(ask) && (isListing(ask) || same(cluster, ask.name));
}

/** True for the lists that the CLI requests. The rest of the scope narrows their contents. */
export const lists: ScopePredicate = (ask) =>
  isListing(ask) && (kind(ask, 'projects') || kind(ask, 'clusters') || isInstance(ask));

/** The operations that a deprecated rule matches. An absent member matches every value. */
export interface Matching {
  readonly verbs?: readonly string[];
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly names?: readonly string[];
  /** The projects whose namespaces match. */
  readonly projects?: readonly string[];
}

/** A deprecated rule, expressed by the operations that it allows. `resources` are `plural/sub`. */
export function matches({ verbs, group, resources, names, projects }: Matching): ScopePredicate {
  return (ask) => {
    if (ask.path !== '' || isKeyKind(ask)) return false;
    const what = ask.subresource === '' ? ask.resource : `${ask.resource}/${ask.subresource}`;
    if (verbs !== undefined && !verbs.includes(ask.verb)) return false;
    if (group !== undefined && ask.group !== group) return false;
    if (resources !== undefined && !resources.includes(what)) return false;
    // A list over all projects is allowed and filtered if some of its items are allowed.
    if (projects !== undefined && !projects.includes(ask.project) && !(isListing(ask) && ask.project === ''))
      return false;
    return names === undefined || names.includes(ask.name) || isListing(ask);
  };
}

/** A rule that matches everything: all operations except the operations on keys that no scoped key may use. */
export const matchesEverything: ScopePredicate = (ask) => !isKeyKind(ask);

/**
 * True for kinds and subresources of keys. A scoped key creates keys that inherit its scopes and has no other access to
 * keys: a key that could change keys could remove its own scope, and the key that a cluster's agent gets has no scope.
 */
function isKeyKind(ask: RequestedAction): boolean {
  return (
    ask.subresource === 'accesskeys' ||
    ask.subresource === 'accesskey' ||
    ask.subresource === 'jointoken' ||
    ask.subresource === 'offboard' ||
    ask.subresource === 'removesecondfactor' ||
    ask.subresource === 'resetpassword' ||
    kind(ask, 'effectiveaccessreviews') ||
    ask.resource === 'ownedaccesskeys' ||
    ask.resource === 'accesskeys' ||
    kind(ask, 'directclusterendpointtokens')
  );
}
