import { beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { createLoginBackoff } from './login-backoff.ts';
import { hashPassword } from './password-hash.ts';
import { type AdmittedPasswordAttempt, createPasswordLogin, type PasswordAccount } from './password-login.ts';

const password = 'correct horse';
let accounts: Record<string, PasswordAccount>;
beforeAll(async () => {
  const hash = await hashPassword(password);
  accounts = {
    anna: { user: 'anna', disabled: false, hash, passwordFingerprint: 'm' },
    gone: { user: 'gone', disabled: true, hash, passwordFingerprint: 'm' },
    bare: { user: 'bare', disabled: false, passwordFingerprint: '' },
  };
});

function setUp(room: () => Promise<(() => void) | undefined> = async () => () => {}) {
  const enter = createPasswordLogin({
    find: (username) => accounts[username],
    backoff: createLoginBackoff(new ManualClock()),
    acquireSlot: room,
  });
  const signal = new AbortController().signal;
  return (username: string, password: string) => enter({ username, password, source: '192.0.2.1', signal });
}

function entered(result: Awaited<ReturnType<ReturnType<typeof setUp>>>): AdmittedPasswordAttempt {
  if ('why' in result) throw new Error(result.why);
  return result;
}

describe('logging in with a password', () => {
  it.each([
    ['anna', 'wrong horse', { why: 'wrong password', user: 'anna' }],
    ['gone', password, { why: 'the user is disabled', user: 'gone' }],
    ['gone', 'wrong horse', { why: 'wrong password', user: 'gone' }],
    ['bare', password, { why: 'no password is set', user: 'bare' }],
    ['nobody', password, { why: 'unknown user' }],
  ])('a login as %s with %j is rejected', async (username, password, outcome) => {
    const login = entered(await setUp()(username, password));
    expect(await login.check()).toEqual(outcome);
  });

  it('a login with the right password returns the account', async () => {
    const login = entered(await setUp()('anna', password));
    expect(await login.check()).toEqual({ account: accounts.anna });
  });

  it('an attempt releases its slot; without a free slot it is rejected and not counted', async () => {
    let held = 0;
    const enter = setUp(async () => {
      if (held > 0) return undefined;
      held += 1;
      return () => {
        held -= 1;
      };
    });
    const first = entered(await enter('anna', 'wrong horse'));
    for (let index = 0; index < 20; index++) {
      expect(await enter('anna', password)).toEqual({
        retryAfterSeconds: 1,
        why: 'Too many logins at the same time',
      });
    }
    first.release();
    for (let index = 0; index < 20; index++) entered(await enter('anna', password)).release();
    expect(held).toBe(0);
  });

  it('logins are delayed after too many wrong passwords', async () => {
    const enter = setUp();
    for (let index = 0; index < 6; index++) {
      const login = entered(await enter('anna', 'wrong horse'));
      expect(await login.check()).toMatchObject({ why: 'wrong password' });
      login.release();
    }
    expect(await enter('anna', password)).toEqual({ retryAfterSeconds: 1, why: 'Too many failed logins' });
  });
});
