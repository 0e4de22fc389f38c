import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestHttpServer } from '../../../test/harness/test-http-server.ts';
import { serviceUnavailable } from '../../api/status.ts';
import type { Decision } from '../../auth/authz/attributes.ts';
import type { Identity } from '../../auth/identity.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { Freshness } from '../freshness.ts';

const widgets = '/apis/example.dev/v1/namespaces/a/widgets';
const never = new AbortController().signal;

/**
 * The caches of a replica. `late` contains changes of other replicas that reach the caches with the next confirmation.
 */
class LateState implements Freshness {
  version = 0;
  confirmations = 0;
  current: Promise<void> | undefined;
  readonly late: (() => void)[] = [];
  readonly controller = new AbortController();
  readonly lost = this.controller.signal;

  async confirm(): Promise<void> {
    this.confirmations++;
    const late = this.late.splice(0);
    for (const apply of late) apply();
    if (late.length > 0) this.version++;
  }

  requireCurrent(): Promise<void> | undefined {
    return this.current;
  }
}

let state: LateState;
let groups: Map<string, string[]>;
let decisions: number;
let server: TestHttpServer;
const clock = new ManualClock();

const allowed: Decision = { allowed: true, reason: '' };
const denied: Decision = { allowed: false, reason: '' };

function identityOf(token: string): Identity | undefined {
  const found = groups.get(token);
  return found && { user: { name: token, groups: found }, accessKey: token, system: false, signal: never };
}

beforeEach(async () => {
  state = new LateState();
  groups = new Map([['known', ['readers']]]);
  decisions = 0;
  server = await TestHttpServer.start({
    clock,
    chain: { freshness: state, authenticate: (token) => identityOf(token) },
  });
  server.plane.decide = ({ user }, { verb }) => {
    decisions++;
    return user.groups.includes(verb === 'impersonate' ? 'admins' : 'readers') ? allowed : denied;
  };
});
afterEach(() => server.stop());

const status = async (token: string, headers: Record<string, string> = {}) =>
  (await server.request('GET', widgets, { token, headers })).status;

describe('a refusal on a store that other replicas write to', () => {
  it('does not happen to a credential that another replica has just created', async () => {
    state.late.push(() => groups.set('new', ['readers']));
    expect(await status('new')).toBe(200);
    expect(state.confirmations).toBe(1);
  });

  it('does not happen for lack of a group that another replica has just granted', async () => {
    groups.set('new', []);
    state.late.push(() => groups.set('new', ['readers']));
    expect(await status('new')).toBe(200);
    expect(server.plane.calls.at(-1)?.context.user.groups).toEqual(['readers']);
  });

  it('does not happen to an impersonation that another replica has just permitted', async () => {
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'readers' };
    state.late.push(() => groups.set('known', ['admins']));
    expect(await status('known', headers)).toBe(200);
    expect(server.plane.calls.at(-1)?.context.user).toMatchObject({
      name: 'bob',
      groups: ['readers', 'system:authenticated'],
    });
    groups.set('known', ['admins']);
    const asNobody = { 'impersonate-user': 'bob' };
    expect(await status('known', asNobody)).toBe(403);
  });

  it('does not lose the impersonated user when the caller is identified again', async () => {
    groups.set('known', ['admins']);
    let isGranted = false;
    server.plane.decide = ({ user }, { verb }) =>
      verb === 'impersonate' || (isGranted && user.name === 'bob') ? allowed : denied;
    state.late.push(() => {
      isGranted = true;
    });
    expect(await status('known', { 'impersonate-user': 'bob' })).toBe(200);
    expect(server.plane.calls.at(-1)?.context).toMatchObject({ user: { name: 'bob' }, accessKey: 'known' });
  });

  it('is final if nothing was written, and costs one question and one decision', async () => {
    expect(await status('unknown')).toBe(401);
    expect([state.confirmations, decisions]).toEqual([1, 0]);
    groups.set('known', []);
    expect(await status('known')).toBe(403);
    expect([state.confirmations, decisions]).toEqual([2, 1]);
  });

  it('is final after one confirmation, even if others write all the time', async () => {
    state.late.push(() => groups.set('new', []));
    expect(await status('new')).toBe(403);
    expect([state.confirmations, decisions]).toEqual([1, 1]);
    groups.set('known', []);
    state.late.push(() => {});
    expect(await status('known')).toBe(403);
    expect([state.confirmations, decisions]).toEqual([2, 3]);
  });

  it('needs no question if the request has no credential', async () => {
    expect((await server.request('GET', widgets, { token: undefined })).status).toBe(401);
    expect(state.confirmations).toBe(0);
  });

  it('is audited and counted once', async () => {
    state.late.push(() => {});
    expect(await status('unknown')).toBe(401);
    expect(server.auditLog.events.filter(({ responseStatus }) => responseStatus?.code === 401)).toHaveLength(1);
  });
});

it('a request that is allowed causes no question', async () => {
  for (let count = 0; count < 10; count++) expect(await status('known')).toBe(200);
  expect([state.confirmations, decisions]).toEqual([0, 10]);
});

describe('a replica that cannot confirm its permissions', () => {
  it('authenticates nobody', async () => {
    state.current = Promise.reject(serviceUnavailable('cut off', 1));
    state.current.catch(() => {});
    const { status: code, headers } = await server.request('GET', widgets, { token: 'known' });
    expect([code, headers['retry-after']]).toEqual([503, '1']);
    expect(server.plane.calls).toEqual([]);
  });

  it('ends open streams', async () => {
    const watch = await server.raw('GET', `${widgets}?watch=1`, { token: 'known' });
    expect(watch.statusCode).toBe(200);
    state.controller.abort(serviceUnavailable('cut off', 1));
    expect(await watch.body.text()).toMatch(/^(|\{"type":"ERROR".*"code":503.*\n)$/);
  });
});
