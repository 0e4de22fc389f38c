import { managementGroup } from '../../../src/api/naming.ts';
import type { Ask } from '../ask.ts';

/** Whether a scope lets a request through. */
export type Cover = (ask: Ask) => boolean;

const kind = (ask: Ask, plural: string) => ask.group === managementGroup && ask.resource === plural;
const isListing = (ask: Ask) => ask.name === '' && (ask.verb === 'list' || ask.verb === 'watch');
const isReading = (ask: Ask) =>
  isListing(ask) || (ask.verb === 'get' && ask.name !== '' && (ask.subresource === '' || ask.subresource === 'status'));
const same = (entry: string, asked: string) => entry === '*' || entry === asked;

/** Every scoped key may make keys and tokens: what it makes carries its scopes. */
export const makesKeys: Cover = (ask) =>
  ask.verb === 'create' && (kind(ask, 'ownedaccesskeys') || kind(ask, 'directclusterendpointtokens'));

/** Who am I, what may I. */
export const asksAboutSelf: Cover = (ask) =>
  ask.verb === 'create' &&
  ['selves', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews'].includes(ask.resource);

/** `/version`, discovery and OpenAPI, which clients read with it; health and metrics are not for tools. */
export const discovers: Cover = (ask) => /^\/(version|apis?|openapi)(\/|$)/.test(ask.path);

/** The project object, to read; lists are filtered down to it. */
export function readsProject(project: string): Cover {
  return (ask) => kind(ask, 'projects') && isReading(ask) && (isListing(ask) || same(project, ask.name));
}

export function readsAnswersOf(project: string): Cover {
  return (ask) =>
    kind(ask, 'projects') &&
    ask.verb === 'get' &&
    ['members', 'templates', 'clusters'].includes(ask.subresource) &&
    same(project, ask.name);
}

/** Whatever the user may do with instances of the project, and the import into it. */
export function worksIn(project: string): Cover {
  return (ask) => {
    if (kind(ask, 'projects')) return ask.subresource === 'importvirtualcluster' && same(project, ask.name);
    if (!kind(ask, 'virtualclusterinstances')) return false;
    if (ask.project === '') return isListing(ask);
    return same(project, ask.project);
  };
}

/** One instance, to read and to use, or all of a project; lists are filtered down to it. Its log is not said and not meant. */
export function usesInstance(project: string, name: string): Cover {
  return (ask) => {
    if (!kind(ask, 'virtualclusterinstances')) return false;
    if (isListing(ask)) return ask.project === '' || same(project, ask.project);
    if (!same(project, ask.project) || !same(name, ask.name) || ask.name === '') return false;
    return isReading(ask) || ask.subresource === 'kubeconfig' || ask.verb === 'use';
  };
}

export const readsInstances: Cover = (ask) => kind(ask, 'virtualclusterinstances') && isReading(ask);

export function readsCluster(cluster: string): Cover {
  return (ask) => kind(ask, 'clusters') && isReading(ask) && (isListing(ask) || same(cluster, ask.name));
}

/** The lists that the command-line tool asks for; what they show is narrowed by the rest of the scope. */
export const lists: Cover = (ask) =>
  isListing(ask) && (kind(ask, 'projects') || kind(ask, 'clusters') || kind(ask, 'virtualclusterinstances'));

/** Reads of the kinds that are given by plural, of everything or of one name. */
export interface Matching {
  readonly verbs?: readonly string[];
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly names?: readonly string[];
  /** Projects whose namespaces are meant. */
  readonly projects?: readonly string[];
}

/** A rule of the deprecated kind, said in the words of the asks that it lets through. `resources` are `plural/sub`. */
export function matches({ verbs, group, resources, names, projects }: Matching): Cover {
  return (ask) => {
    if (ask.path !== '' || isKeyKind(ask)) return false;
    const what = ask.subresource === '' ? ask.resource : `${ask.resource}/${ask.subresource}`;
    if (verbs !== undefined && !verbs.includes(ask.verb)) return false;
    if (group !== undefined && ask.group !== group) return false;
    if (resources !== undefined && !resources.includes(what)) return false;
    // Lists are filtered where some of the items are let through.
    if (projects !== undefined && !projects.includes(ask.project) && !(isListing(ask) && ask.project === ''))
      return false;
    return names === undefined || names.includes(ask.name) || isListing(ask);
  };
}

/** A rule that leaves nothing out: everything but what a scoped key never may with keys. */
export const matchesEverything: Cover = (ask) => !isKeyKind(ask);

/**
 * A scoped key makes keys that carry its scopes and does nothing else with keys: one that could change them could take
 * its own scope off, and a key for a cluster's agent carries none.
 */
function isKeyKind(ask: Ask): boolean {
  return (
    ask.subresource === 'accesskeys' ||
    ask.subresource === 'accesskey' ||
    ask.resource === 'ownedaccesskeys' ||
    ask.resource === 'accesskeys' ||
    kind(ask, 'directclusterendpointtokens')
  );
}
