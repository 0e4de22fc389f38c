import { describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import type { KeyState } from './key-state.ts';
import { createSessions } from './sessions.ts';

const state: KeyState = { name: 'k', uid: 'u', user: { name: 'anna', groups: [] }, disabled: false, version: '1' };

describe('createSessions', () => {
  it('holds one session a key however often it is used, and none after it ended', () => {
    const clock = new ManualClock();
    let current: KeyState | undefined = { ...state, expiresAt: clock.now() + 1000 };
    const sessions = createSessions(clock, () => current);
    for (let use = 0; use < 1000; use++) sessions.signal('h', current);
    expect(sessions.size).toBe(1);
    current = undefined;
    sessions.recheck('h');
    expect(sessions.size).toBe(0);
  });

  it('leaves other keys alone when one is told', () => {
    const clock = new ManualClock();
    const sessions = createSessions(clock, (hash) => (hash === 'gone' ? undefined : state));
    const gone = sessions.signal('gone', state);
    const kept = sessions.signal('kept', state);
    sessions.recheck('gone');
    expect([gone.aborted, kept.aborted]).toEqual([true, false]);
  });
});
