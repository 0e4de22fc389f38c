import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { createAuthenticator } from './authn.ts';
import { type KeyState, keyFingerprint } from './key-state.ts';
import { createPermissionSignals } from './permission-signals.ts';

function setUp() {
  const clock = new ManualClock();
  const keys = new Map<string, KeyState>();
  const used: string[] = [];
  const lookedUp: string[] = [];
  const listeners = new Set<(names: Iterable<string>) => void>();
  const authenticator = createAuthenticator({
    keyByHash: (hash) => {
      lookedUp.push(hash);
      return keys.get(hash);
    },
    keyByName: (name) => [...keys.values()].find((key) => key.name === name),
    hash: (token) => `#${token}`,
    isWellFormed: (token) => !token.startsWith('bad'),
    clock,
    permissionSignals: createPermissionSignals(clock),
    onUse: (name) => used.push(name),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const key = (changes: Partial<KeyState> = {}): KeyState => ({
    name: 'k',
    uid: 'u1',
    user: { name: 'anna', groups: ['g'] },
    disabled: false,
    version: '1',
    scopes: '',
    ...changes,
  });
  const put = (token: string, state: KeyState | undefined): void => {
    const name = (state ?? keys.get(`#${token}`))?.name ?? '';
    if (state === undefined) keys.delete(`#${token}`);
    else keys.set(`#${token}`, state);
    for (const listener of listeners) listener([name]);
  };
  return { clock, used, lookedUp, listeners, authenticator, key, put };
}

describe('createAuthenticator', () => {
  it('authentication returns the user and name of the key and records the use', () => {
    const { authenticator, key, put, used } = setUp();
    put('t', key());
    const identity = authenticator.authenticate('t');
    expect(identity).toMatchObject({ user: { name: 'anna', groups: ['g'] }, accessKey: 'k', system: false });
    expect(used).toEqual(['k']);
  });

  it('a credential derived from a key resumes as long as the key is the same', () => {
    const { authenticator, key, put, used } = setUp();
    put('t', key());
    const made = { name: 'k', uid: 'u1', mark: keyFingerprint(key()) };
    const identity = authenticator.authenticateByKey(made);
    expect(identity).toMatchObject({ user: { name: 'anna' }, accessKey: 'k', system: false });
    expect(identity?.signal).toBe(authenticator.authenticate('t')?.signal);
    expect(used).toEqual(['k', 'k']);
    expect(authenticator.authenticateByKey({ ...made, uid: 'u0' })).toBeUndefined();
    expect(authenticator.authenticateByKey({ ...made, name: 'other' })).toBeUndefined();
    put('t', key({ version: '2' }));
    expect(identity?.signal.aborted).toBe(true);
    expect(authenticator.authenticateByKey(made)).toBeUndefined();
    put('t', key({ disabled: true }));
    expect(authenticator.authenticateByKey(made)).toBeUndefined();
  });

  it('an unknown, disabled, expired or ownerless key is rejected and no use is recorded', () => {
    const { authenticator, key, put, used, clock } = setUp();
    expect(authenticator.authenticate('t')).toBeUndefined();
    put('t', key({ disabled: true }));
    expect(authenticator.authenticate('t')).toBeUndefined();
    put('t', key({ user: undefined }));
    expect(authenticator.authenticate('t')).toBeUndefined();
    put('t', key({ expiresAt: clock.now() }));
    expect(authenticator.authenticate('t')).toBeUndefined();
    expect(used).toEqual([]);
  });

  it('a malformed or overlong key is rejected without a lookup', () => {
    const { authenticator, lookedUp } = setUp();
    expect(authenticator.authenticate('bad')).toBeUndefined();
    expect(authenticator.authenticate('x'.repeat(513))).toBeUndefined();
    expect(lookedUp).toEqual([]);
  });

  const endings: [string, (key: KeyState) => KeyState | undefined][] = [
    ['deleted', () => undefined],
    ['disabled', (key) => ({ ...key, disabled: true })],
    ['given another value', (key) => ({ ...key, version: '2' })],
    ['deleted and created again', (key) => ({ ...key, uid: 'u2' })],
    ['left without its user', (key) => ({ ...key, user: undefined })],
  ];
  it.each(endings)('the session of a key that is %s ends', (_, change) => {
    const { authenticator, key, put } = setUp();
    put('t', key());
    const identity = authenticator.authenticate('t');
    expect(identity?.signal.aborted).toBe(false);
    put('t', change(key()));
    expect(identity?.signal.aborted).toBe(true);
  });

  const changes: [string, (key: KeyState) => KeyState][] = [
    ['given other groups', (key) => ({ ...key, user: { name: 'anna', groups: ['other'] } })],
    ['for a user of another name', (key) => ({ ...key, user: { name: 'annabel', groups: ['g'] } })],
    ['given a scope', (key) => ({ ...key, scopes: 'narrow' })],
  ];
  it.each(changes)('only the long-running requests of a key that is %s end', (_, change) => {
    const { authenticator, key, put, clock } = setUp();
    put('t', key());
    const identity = authenticator.authenticate('t');
    const signal = identity?.permissionSignal?.();
    expect(signal?.aborted).toBe(false);
    put('t', change(key()));
    clock.advance(5000);
    expect([identity?.signal.aborted, signal?.aborted]).toEqual([false, true]);
    expect(authenticator.authenticate('t')?.permissionSignal?.().aborted).toBe(false);
  });

  it.each(changes)('no stream starts with outdated permissions: key is %s', (_, change) => {
    const { authenticator, key, put } = setUp();
    put('t', key());
    const identity = authenticator.authenticate('t');
    put('t', change(key()));
    expect(identity?.permissionSignal?.().aborted).toBe(true);
    expect(identity?.permissionSignal?.({ name: 'another', groups: [] }).aborted).toBe(true);
  });

  it('requests with the same key share one identity until its user or permissions change', () => {
    const { authenticator, key, put } = setUp();
    const user = { name: 'anna', groups: ['g'] };
    put('t', key({ user }));
    const first = authenticator.authenticate('t');
    put('t', key({ user }));
    expect(authenticator.authenticate('t')).toBe(first);
    put('t', key({ user, scopes: '[{}]' }));
    const narrowed = authenticator.authenticate('t');
    expect(narrowed).not.toBe(first);
    expect([first?.permissionSignal?.().aborted, narrowed?.permissionSignal?.().aborted]).toEqual([true, false]);
    put('t', key({ user: { name: 'anna', groups: [] }, scopes: '[{}]' }));
    expect(authenticator.authenticate('t')?.user.groups).toEqual([]);
    put('t', key({ user, version: '2' }));
    const renewed = authenticator.authenticate('t');
    expect([narrowed?.signal.aborted, renewed?.signal.aborted]).toEqual([true, false]);
    put('t', key({ user, version: '2', disabled: true }));
    expect(authenticator.authenticate('t')).toBeUndefined();
  });

  it('a session survives changes that do not affect permissions', () => {
    const { authenticator, key, put, clock } = setUp();
    put('t', key());
    const identity = authenticator.authenticate('t');
    put('t', key({ user: { name: 'anna', groups: ['g'] }, expiresAt: clock.now() + 1000 }));
    expect(identity?.signal.aborted).toBe(false);
    expect(authenticator.authenticate('t')?.signal).toBe(identity?.signal);
  });

  it('a session ends exactly when its key expires', () => {
    const { authenticator, key, put, clock } = setUp();
    put('t', key({ expiresAt: clock.now() + 1000 }));
    const identity = authenticator.authenticate('t');
    clock.advance(999);
    expect(identity?.signal.aborted).toBe(false);
    clock.advance(1);
    expect(identity?.signal.aborted).toBe(true);
    expect(authenticator.authenticate('t')).toBeUndefined();
  });

  it('a session follows an expiry that moves with the last activity', () => {
    const { authenticator, key, put, clock } = setUp();
    put('t', key({ expiresAt: clock.now() + 1000 }));
    const identity = authenticator.authenticate('t');
    clock.advance(500);
    put('t', key({ expiresAt: clock.now() + 1000 }));
    clock.advance(999);
    expect(identity?.signal.aborted).toBe(false);
    clock.advance(1);
    expect(identity?.signal.aborted).toBe(true);
  });

  it('the session of a recreated key ends at the latest when the new key is used', () => {
    const { authenticator, key, put, listeners } = setUp();
    put('t', key());
    const old = authenticator.authenticate('t');
    listeners.clear();
    put('t', key({ uid: 'u9' }));
    expect(authenticator.authenticate('t')?.signal.aborted).toBe(false);
    expect(old?.signal.aborted).toBe(true);
  });

  it('close ends all sessions and unsubscribes', () => {
    const { authenticator, key, put, listeners } = setUp();
    put('t', key());
    const identity = authenticator.authenticate('t');
    authenticator.close();
    expect(identity?.signal.aborted).toBe(true);
    expect(listeners.size).toBe(0);
  });
});
