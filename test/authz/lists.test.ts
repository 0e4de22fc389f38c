import { type JsonValue, listAt, numberAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { readLines } from '../../src/lib/read-lines.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import { listDifferences } from './lists.ts';
import { type Persona, somePersonas } from './personas.ts';
import type { RequestedAction } from './requested-action.ts';
import { pathOf } from './requests.ts';
import { listedItems, watchedItems } from './visible.ts';

const fromTheBeginning = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const watching: RequestedAction = {
  verb: 'watch',
  group: managementGroup,
  resource: 'virtualclusterinstances',
  subresource: '',
  project: '',
  name: '',
  path: '',
};

describe('the contents of lists and watches', () => {
  let env: AuthzTestEnv;
  let keys: ReadonlyMap<Persona, string>;

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    keys = await env.keys(somePersonas);
  });
  afterAll(() => env.close());

  it('are exactly what the caller may read, in one project and over all', async () => {
    expect(await listDifferences(env, keys, listedItems)).toEqual([]);
  }, 60_000);

  it('are the same at the start of a watch', async () => {
    // Tests only a few callers, because each watch needs a separate connection.
    const few = [...keys].filter(([{ name }]) =>
      ['red-user', 'reader', 'outsider', 'red-admin-instance'].includes(name),
    );
    expect(await listDifferences(env, new Map(few), watchedItems)).toEqual([]);
  }, 60_000);

  it('follow the read permission while a watch runs (WATCH-20, WATCH-21, WATCH-22)', async () => {
    const [, token = ''] = [...keys].find(([{ name }]) => name === 'red-viewer') ?? [];
    const ask = { ...watching, project: 'red' };
    const { body } = await env.caller.open(token, `${pathOf(ask)}?watch=1&${fromTheBeginning}`);
    const events = readLines(body);
    let generation: number | undefined;
    const next = async (): Promise<string> => {
      const { value } = await events.next();
      const event = JSON.parse(value ?? '{}') as JsonValue;
      const before = generation;
      generation = numberAt(event, 'object', 'metadata', 'generation');
      // Ignore concurrent status writes of the server.
      if (textAt(event, 'type') === 'MODIFIED' && generation === before) return await next();
      return `${textAt(event, 'type')} ${textAt(event, 'object', 'metadata', 'name')}`.trim();
    };
    const share = async (users: readonly string[]) => {
      const access = users.length === 0 ? [] : [{ verbs: ['get'], users: [...users] }];
      const { code, text } = await env.caller.send(env.adminKey, {
        method: 'PATCH',
        path: pathOf({ ...ask, name: 'r-plain' }),
        type: 'application/merge-patch+json',
        body: { spec: { access } },
      });
      expect(code, text).toBe(200);
    };
    expect([await next(), await next()]).toEqual(['ADDED r-view', 'BOOKMARK']);
    await share(['outsider']);
    await share(['outsider', 'red-viewer']);
    expect(await next()).toBe('ADDED r-plain');
    await share(['red-viewer']);
    expect(await next()).toBe('MODIFIED r-plain');
    await share([]);
    expect(await next()).toBe('DELETED r-plain');
    await events.return(undefined);
  });

  it('include of access keys the caller’s own and those of the caller’s teams, and no others', async () => {
    const group = `/kubernetes/management/apis/${managementGroup}/v1`;
    const all = listAt(await env.read(`${group}/accesskeys`), 'items');
    const names = (items: readonly JsonValue[]) => items.map((item) => textAt(item, 'metadata', 'name')).sort();
    for (const [{ name, person, scopes }, token] of keys) {
      if (scopes.length > 0) continue;
      const own = all.filter(
        (key) =>
          (person.user !== undefined && textAt(key, 'spec', 'user') === person.user) ||
          person.teams.includes(textAt(key, 'spec', 'team')),
      );
      expect(own.length, name).toBeGreaterThan(0);
      expect(names(listAt(await env.read(`${group}/ownedaccesskeys`, token), 'items')), name).toEqual(names(own));
    }
  });
});
