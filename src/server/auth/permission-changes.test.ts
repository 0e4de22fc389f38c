import { type JsonObject, textAt } from '@flotilla/json';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectNamespace, projectRoles } from '../../api/naming.ts';
import { ManualClock } from '../../lib/clock.ts';
import { readLines } from '../../lib/read-lines.ts';
import { groupPath, mergePatch, type ParsedResponse, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
let tokens: Record<string, string>;

const instances = `${groupPath}/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
const member = (kind: 'User' | 'Team', name: string, clusterRole: string = projectRoles.viewer) => ({
  kind,
  name,
  clusterRole,
});
const access = (users: string[], teams: string[] = []) => [{ verbs: ['get', 'use'], users, teams }];

beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock();
  server = await bench.start({}, clock);
  tokens = {};
  for (const user of ['anna', 'bob']) {
    await bench.createObject(server, 'users', user);
    tokens[user] = await bench.createKey(server, `of-${user}`, { user });
  }
  await bench.createObject(server, 'teams', 'red', { users: ['anna'] });
  tokens.red = await bench.createKey(server, 'of-red', { team: 'red' });
  tokens.admin = await bench.adminKey();
  await bench.createObject(server, 'projects', 'annas', { members: [member('User', 'anna')] });
  await bench.createObject(server, 'projects', 'reds', { members: [member('Team', 'red')] });
  await bench.createObject(server, 'clusters', 'far', { networkPeer: true });
  const body = { metadata: { name: 'vc' }, spec: { owner: { user: 'anna' }, clusterRef: { cluster: 'local' } } };
  const made = await bench.send(server, instances, { method: 'POST', body });
  expect(made.code, made.text).toBe(201);
});
afterEach(() => bench.close());

function patch(path: string, spec: JsonObject): Promise<ParsedResponse> {
  return bench.send(server, path.startsWith('/') ? path : `${groupPath}/${path}`, mergePatch({ spec }));
}

async function watchAs(who: string, headers: Record<string, string> = {}): Promise<Dispatcher.ResponseData> {
  const token = tokens[who] ?? '';
  const watch = await bench.request(server, `${groupPath}/ownedaccesskeys?watch=true`, { token }, headers);
  expect(watch.statusCode).toBe(200);
  return watch;
}

/**
 * Creates a key that the watch must report if it is still open. Waits for the event or the end of the watch. Returns
 * the state of the watch.
 */
async function outcome(watch: Dispatcher.ResponseData, who: string): Promise<'open' | 'list again' | 'ended'> {
  const owner = who === 'red' ? { team: who } : { user: who };
  const name = `probe-${who}`;
  await bench.createKey(server, name, owner);
  for await (const line of readLines(watch.body)) {
    const event = JSON.parse(line);
    if (textAt(event, 'object', 'metadata', 'name') === name) return 'open';
    if (textAt(event, 'type') !== 'ERROR') continue;
    expect(event.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
    return 'list again';
  }
  return 'ended';
}

describe('a permission change (completions §5)', () => {
  const changes: [string, string[], () => Promise<ParsedResponse>][] = [
    ['members of a project', ['anna', 'bob'], () => patch('projects/annas', { members: [member('User', 'bob')] })],
    [
      'the role of a member',
      ['anna'],
      () => patch('projects/annas', { members: [member('User', 'anna', projectRoles.admin)] }),
    ],
    ['members of a project that are a team', ['anna', 'red'], () => patch('projects/reds', { members: [] })],
    ['access of a project', ['anna', 'bob'], () => patch('projects/annas', { access: access(['bob']) })],
    ['the owner of a project', ['anna', 'bob'], () => patch('projects/annas', { owner: { user: 'bob' } })],
    ['the clusters of a project', ['anna'], () => patch('projects/annas', { allowedClusters: [{ name: 'far' }] })],
    [
      'the templates of a project',
      ['anna', 'red'],
      () => patch('projects/reds', { allowedTemplates: [{ name: '*' }] }),
    ],
    ['who is in a team', ['anna', 'bob', 'red'], () => patch('teams/red', { users: ['bob'] })],
    ['the groups of a team', ['red'], () => patch('teams/red', { groups: ['other'] })],
    ['the groups of a user', ['bob'], () => patch('users/bob', { groups: ['other'] })],
    ['the subject of a user', ['bob'], () => patch('users/bob', { subject: 'robert' })],
    ['the groups of a key', ['bob'], () => patch('accesskeys/of-bob', { groups: ['other'] })],
    ['the owner of an instance', ['anna', 'bob'], () => patch(`${instances}/vc`, { owner: { user: 'bob' } })],
    ['access of an instance', ['bob'], () => patch(`${instances}/vc`, { access: access(['bob']) })],
    [
      'rules of an instance',
      ['anna', 'red'],
      () => patch(`${instances}/vc`, { extraAccessRules: [{ teams: ['red'], clusterRole: 'view' }] }),
    ],
    ['access of a cluster', ['bob'], () => patch('clusters/far', { access: access(['bob']) })],
    [
      'access of a template for everybody',
      ['anna', 'bob', 'red'],
      () => patch('virtualclustertemplates/control-plane', { access: access(['*']) }),
    ],
    ['nothing but a description', [], () => patch('projects/annas', { description: 'x' })],
  ];
  it.each(changes)('in %s ends the watches of %j within five seconds, and no others', async (_, ended, change) => {
    const callers = ['anna', 'bob', 'red', 'admin'];
    const watches = await Promise.all(callers.map((who) => watchAs(who)));
    const answer = await change();
    expect(answer.code, answer.text).toBe(200);
    clock.advance(5000);
    const outcomes = await Promise.all(watches.map((watch, index) => outcome(watch, callers[index] ?? '')));
    expect(callers.filter((_, index) => outcomes[index] === 'list again')).toEqual(ended);
    expect(outcomes).not.toContain('ended');
  });

  it('does not affect watches that were opened after it', async () => {
    const early = await watchAs('anna');
    expect((await patch('projects/annas', { members: [] })).code).toBe(200);
    const late = await watchAs('anna');
    clock.advance(5000);
    expect(await outcome(late, 'anna')).toBe('open');
    for await (const line of readLines(early.body)) if (textAt(JSON.parse(line), 'type') === 'ERROR') return;
    throw new Error('the watch ended without a word');
  });

  it('of an impersonated user ends the watch of the impersonating admin', async () => {
    const watch = await watchAs('admin', { 'impersonate-user': 'bob', 'impersonate-group': 'platform:user:bob' });
    expect((await patch('projects/annas', { members: [member('User', 'bob')] })).code).toBe(200);
    clock.advance(5000);
    expect(await outcome(watch, 'bob')).toBe('list again');
  });

  it('through a scope on the key ends its watches', async () => {
    const watch = await watchAs('bob');
    expect((await patch('accesskeys/of-bob', { scope: { projects: [{ project: 'default' }] } })).code).toBe(200);
    clock.advance(5000);
    expect(await outcome(watch, 'bob')).toBe('list again');
  });
});
