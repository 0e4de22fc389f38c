import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { createPolicyCatchUp } from './policy-catch-up.ts';

function setUp(connected = true) {
  const clock = new ManualClock();
  const state = { holds: false };
  const catchingUp = createPolicyCatchUp({ isConnected: () => connected, clock });
  let settled = false;
  const begin = async () => {
    await catchingUp.waitUntil(() => state.holds);
    settled = true;
  };
  const isSettled = async () => {
    await Promise.resolve();
    await Promise.resolve();
    return settled;
  };
  return { clock, state, catchingUp, begin, isSettled };
}

describe('waiting for the policy to catch up', () => {
  it('ends when the change has arrived', async () => {
    const { state, catchingUp, begin, isSettled } = setUp();
    const waiting = begin();
    catchingUp.onPolicyReceived();
    expect(await isSettled()).toBe(false);
    state.holds = true;
    catchingUp.onPolicyReceived();
    await waiting;
  });

  it('ends after at most one second', async () => {
    const { clock, begin, isSettled } = setUp();
    const waiting = begin();
    clock.advance(999);
    expect(await isSettled()).toBe(false);
    clock.advance(1);
    await waiting;
  });

  it('does not start while disconnected, nor with too many waiting requests', async () => {
    const disconnected = setUp(false);
    void disconnected.begin();
    expect(await disconnected.isSettled()).toBe(true);
    const { catchingUp, clock, begin, isSettled } = setUp();
    const others = Array.from({ length: 200 }, () => catchingUp.waitUntil(() => false));
    void begin();
    expect(await isSettled()).toBe(true);
    clock.advance(1_000);
    await Promise.all(others);
  });
});
