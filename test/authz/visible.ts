import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { readLines } from '../../src/lib/read-lines.ts';
import type { Caller } from './caller.ts';
import { expected, table } from './oracle/oracle.ts';
import type { Row } from './oracle/row.ts';
import type { Persona } from './personas.ts';
import type { RequestedAction } from './requested-action.ts';
import { pathOf } from './requests.ts';
import * as world from './world.ts';

/** A list endpoint, and its complete contents for a caller who may see everything. */
export interface Listing {
  readonly ask: RequestedAction;
  readonly items: readonly { readonly name: string; readonly project: string }[];
}

function listing(group: string, resource: string, items: Listing['items'], project = ''): Listing {
  const ask = { verb: 'list', group, resource, subresource: '', project, name: '', path: '' };
  return { ask, items: items.filter((item) => project === '' || item.project === project) };
}

const outside = (all: readonly { name: string }[]) => all.map(({ name }) => ({ name, project: '' }));

/** The events of the fixture, and the events that the server writes about each instance. */
const allEvents = [
  ...world.events,
  ...[...world.instances, ...world.spaces].map(({ name, project }) => ({ name: world.eventsAbout(name), project })),
];

export const listings: readonly Listing[] = [
  listing(managementGroup, 'projects', outside(world.projects)),
  listing(managementGroup, 'clusters', outside(world.clusters)),
  listing(managementGroup, 'virtualclustertemplates', outside(world.templates)),
  listing(managementGroup, 'spacetemplates', outside(world.spaceTemplates)),
  listing(managementGroup, 'users', outside(['admin', ...world.users].map((name) => ({ name })))),
  listing(managementGroup, 'teams', outside(world.teams)),
  listing('', 'namespaces', outside(world.projects)),
  ...['', 'red', 'blue', 'green'].flatMap((project) => [
    listing(managementGroup, 'virtualclusterinstances', world.instances, project),
    listing(managementGroup, 'spaceinstances', world.spaces, project),
    listing('', 'events', allEvents, project),
    listing('events.k8s.io', 'events', allEvents, project),
    listing('coordination.k8s.io', 'leases', world.leases, project),
    listing(managementGroup, 'projectwebhooks', world.webhooks, project),
    listing('', 'secrets', world.configObjects, project),
    listing('', 'configmaps', world.configObjects, project),
  ]),
];

function rowOf({ group, resource, project }: RequestedAction, verb: string, extent: Row['extent']): Row {
  const found = table.find(
    (row) =>
      row.group === group &&
      row.resource === resource &&
      row.verb === verb &&
      row.extent === extent &&
      row.subresource === '' &&
      row.only === undefined,
  );
  if (found === undefined) throw new Error(`no row for ${verb} ${resource} in ${project}`);
  return found;
}

/** Returns the expected result of a list according to the oracle: refused, or the visible items. */
export function expectedItems(persona: Persona, { ask, items }: Listing): 'refused' | readonly string[] {
  const extent = ask.project === '' ? 'all' : 'project';
  if (!expected(persona, rowOf(ask, 'list', extent), ask)) return 'refused';
  const row = rowOf(ask, 'get', 'one');
  return items
    .filter((item) => expected(persona, row, { ...ask, ...item, verb: 'get' }))
    .map(({ name }) => shown(ask, name));
}

function shown(ask: RequestedAction, name: string): string {
  return ask.resource === 'namespaces' ? projectNamespace(name) : name;
}

/** The identity of an event. The names of events that the server writes contain the subject and a number. */
const nameOf = (item: JsonValue) =>
  textAt(item, 'metadata', 'name').replace(/^(.+)\.[0-9a-f]{16}$/, (_, about: string) => world.eventsAbout(about));

/** The actual contents of a list. */
export async function listedItems(
  caller: Caller,
  token: string,
  ask: RequestedAction,
): Promise<'refused' | readonly string[]> {
  const { code, text } = await caller.send(token, { method: 'GET', path: pathOf(ask) });
  if (code === 403) return 'refused';
  if (code !== 200) throw new Error(`GET ${pathOf(ask)}: ${code} ${text}`);
  return [...new Set(listAt(JSON.parse(text) as JsonValue, 'items').map(nameOf))];
}

/** The initial events of a watch. */
export async function watchedItems(
  caller: Caller,
  token: string,
  ask: RequestedAction,
): Promise<'refused' | readonly string[]> {
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const { statusCode, body } = await caller.open(token, `${pathOf(ask)}?${query}`);
  if (statusCode !== 200) {
    await body.dump();
    return statusCode === 403 ? 'refused' : [`${statusCode}`];
  }
  const names: string[] = [];
  for await (const line of readLines(body)) {
    const event = JSON.parse(line) as JsonObject;
    if (event.type === 'BOOKMARK') break;
    names.push(nameOf(event.object ?? {}));
  }
  return [...new Set(names)];
}
