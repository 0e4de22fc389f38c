import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import type { KeyState } from './key-state.ts';
import { createSessions } from './sessions.ts';

const state: KeyState = {
  name: 'k',
  uid: 'u',
  user: { name: 'anna', groups: [] },
  disabled: false,
  version: '1',
  scopes: '',
};

function setUp(current: (name: string) => KeyState | undefined) {
  const clock = new ManualClock();
  const reported: string[] = [];
  const sessions = createSessions({ clock, keyByName: current, onPermissionsChanged: (name) => reported.push(name) });
  return { clock, reported, sessions };
}

describe('createSessions', () => {
  it('a key has one session however often it is used, and none after it ended', () => {
    let current: KeyState | undefined = state;
    const { sessions, clock } = setUp(() => current);
    current = { ...state, expiresAt: clock.now() + 1000 };
    for (let use = 0; use < 1000; use++) sessions.signal(current);
    expect(sessions.size).toBe(1);
    current = undefined;
    sessions.recheck(['k']);
    expect(sessions.size).toBe(0);
  });

  it('a recheck of one key leaves other keys alone', () => {
    const { sessions } = setUp((name) => (name === 'gone' ? undefined : { ...state, name }));
    const gone = sessions.signal({ ...state, name: 'gone' });
    const kept = sessions.signal({ ...state, name: 'kept' });
    sessions.recheck(['gone', 'never-seen']);
    expect([gone.aborted, kept.aborted]).toEqual([true, false]);
  });

  it('sessions idle for a minute are removed unless something listens for their end', () => {
    const { sessions, clock } = setUp((name) => ({ ...state, name }));
    const open = sessions.signal({ ...state, name: 'open' });
    open.addEventListener('abort', () => {});
    for (let key = 0; key < 1500; key++) sessions.signal({ ...state, name: `old-${key}`, expiresAt: 1e15 });
    clock.advance(60_000);
    const used = sessions.signal({ ...state, name: 'old-7' });
    for (let key = 0; key < 1500; key++) sessions.signal({ ...state, name: `new-${key}` });
    expect(sessions.size).toBe(1502);
    expect(sessions.signal({ ...state, name: 'open' })).toBe(open);
    expect(sessions.signal({ ...state, name: 'old-7' })).toBe(used);
  });

  it('a permission change is reported once, whether a recheck or the next use detects it', () => {
    let current: KeyState = state;
    const { sessions, reported } = setUp(() => current);
    const signal = sessions.signal(current);
    current = { ...state, scopes: 'narrow' };
    sessions.recheck(['k']);
    sessions.recheck(['k']);
    expect(reported).toEqual(['k']);
    expect(sessions.signal({ ...current, user: { name: 'anna', groups: ['g'] } })).toBe(signal);
    expect(reported).toEqual(['k', 'k']);
    expect(signal.aborted).toBe(false);
  });

  it('a session checks its key again at expiry and continues if the expiry has moved', () => {
    let current: KeyState = state;
    const { sessions, clock } = setUp(() => current);
    current = { ...state, expiresAt: clock.now() + 1000 };
    const signal = sessions.signal(current);
    current = { ...state, expiresAt: clock.now() + 5000 };
    clock.advance(1000);
    expect(signal.aborted).toBe(false);
    clock.advance(3999);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(signal.aborted).toBe(true);
  });
});
