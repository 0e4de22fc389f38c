import type { JsonObject } from '@flotilla/json';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessKey, AccessKeySpec } from '../../api/management/v1/access-key.ts';
import type { User } from '../../api/management/v1/user.ts';
import { hiddenCreatorKey, hiddenKeeper, hiddenKeyHash } from './access-key-hidden.ts';
import { keyStateOf } from './access-key-state.ts';

function object<Spec>(name: string, spec: Spec) {
  return { apiVersion: 'v1', kind: 'Any', metadata: { name, uid: `uid of ${name}` }, spec };
}

let users: Map<string, User>;
let keys: Map<string, AccessKey>;
let hidden: Map<string, JsonObject>;
let teams: readonly string[];

const state = {
  accessKey: (name: string) => keys.get(name),
  accessKeyHidden: (name: string) => hidden.get(name),
  user: (name: string) => users.get(name),
  userHidden: () => undefined,
  passwordsEnabled: true,
  team: () => undefined,
  teamsOf: () => teams,
  cluster: () => undefined,
};

function keep(name: string, spec: AccessKeySpec, hiddenPart: JsonObject = {}): AccessKey {
  const key = object(name, spec);
  keys.set(name, key);
  hidden.set(name, { [hiddenKeyHash]: 'hash', ...hiddenPart });
  return key;
}

beforeEach(() => {
  users = new Map([['anna', object('anna', { groups: ['own'] })]]);
  keys = new Map();
  hidden = new Map();
  teams = [];
});

describe('keyStateOf', () => {
  it('the state is the same object while its inputs are unchanged', () => {
    const key = keep('k', { user: 'anna' });
    const first = keyStateOf(key, state);
    expect(first.user?.groups).toContain('own');
    expect(keyStateOf(key, state)).toBe(first);
  });

  const changes: [string, () => void, (user: readonly string[] | undefined) => void][] = [
    [
      'user has other groups',
      () => users.set('anna', object('anna', { groups: ['new'] })),
      (g) => expect(g).toContain('new'),
    ],
    ['user is disabled', () => users.set('anna', object('anna', { disabled: true })), (g) => expect(g).toBeUndefined()],
    ['user is gone', () => users.delete('anna'), (g) => expect(g).toBeUndefined()],
    [
      'user is in another team',
      () => (teams = ['t']),
      (g) => expect(g?.some((group) => group.endsWith('t'))).toBe(true),
    ],
  ];
  it.each(changes)('the state changes at once when the %s', (_, change, check) => {
    const key = keep('k', { user: 'anna' });
    keyStateOf(key, state);
    change();
    check(keyStateOf(key, state).user?.groups);
  });

  it('the state changes at once with the value of the key', () => {
    const key = keep('k', { user: 'anna' });
    expect(keyStateOf(key, state).version).toBe('hash');
    hidden.set('k', { [hiddenKeyHash]: 'other' });
    expect(keyStateOf(key, state).version).toBe('other');
  });

  it('the state depends on the key that created it', () => {
    const parent = keep('parent', { user: 'anna' });
    const key = keep('k', { user: 'anna' }, { [hiddenCreatorKey]: { name: 'parent', uid: parent.metadata.uid ?? '' } });
    expect(keyStateOf(key, state)).toMatchObject({ disabled: false, user: { name: 'anna' } });
    keys.set('parent', object('parent', { user: 'anna', disabled: true }));
    expect(keyStateOf(key, state).disabled).toBe(true);
    keys.delete('parent');
    expect(keyStateOf(key, state).user).toBeUndefined();
  });

  it("a team's key has the address list of the member who keeps it, also when the list changes", () => {
    const key = keep('k', { team: 'red', allowedCIDRs: ['10.0.0.0/8'] }, { [hiddenKeeper]: 'anna' });
    const lists = () => JSON.parse(keyStateOf(key, state).addresses ?? '[]');
    expect(lists()).toEqual([['10.0.0.0/8']]);
    users.set('anna', object('anna', { allowedCIDRs: ['192.0.2.0/24'] }));
    expect(lists()).toEqual([['10.0.0.0/8'], ['192.0.2.0/24']]);
    users.set('anna', object('anna', {}));
    expect(lists()).toEqual([['10.0.0.0/8']]);
  });

  it('uses that no status shows yet extend a key that expires by inactivity', () => {
    const key = keep('k', { user: 'anna', ttl: 60, ttlAfterLastActivity: true });
    key.metadata.creationTimestamp = '2026-01-01T00:00:00Z';
    const created = Date.parse(key.metadata.creationTimestamp);
    expect(keyStateOf(key, state, () => undefined).expiresAt).toBe(created + 60_000);
    expect(keyStateOf(key, state, () => created + 30_000).expiresAt).toBe(created + 90_000);
  });
});
