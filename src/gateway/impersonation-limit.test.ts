import { expect, it } from 'vitest';
import type { Exchange } from '../http/exchange.ts';
import { ImpersonationLimit } from './impersonation-limit.ts';

it('the server limits the names that one request impersonates', () => {
  const limit = new ImpersonationLimit();
  const [one, other] = [{} as Exchange, {} as Exchange];
  for (let count = 0; count < 500; count++) limit.check(one, { verb: 'impersonate' });
  expect(() => limit.check(one, { verb: 'impersonate' })).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringContaining('at most 500 users, groups') }),
  );
  limit.check(one, { verb: 'get' });
  limit.check(other, { verb: 'impersonate' });
});
