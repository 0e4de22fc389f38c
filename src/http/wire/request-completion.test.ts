import { expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { timedOut, unauthorized } from '../../api/status.ts';
import { silentLog } from '../../lib/log.ts';
import { composeFilters, type Filter, type Handler } from '../exchange.ts';
import { errorReplyFilter } from '../filters/recover.ts';
import type { Reply } from '../reply.ts';

/** Runs a handler behind two filters that observe the reply, and returns what they observed. */
async function followed(handler: Handler) {
  const told: (readonly [string, number, unknown])[] = [];
  const following =
    (name: string): Filter =>
    (exchange, next) => {
      exchange.completion.onComplete(({ status }, error) => told.push([name, status, error]));
      return next(exchange);
    };
  const exchange = exchangeFor();
  const finish = (_exchange: unknown, { status }: Reply) => told.push(['finish', status, undefined]);
  const filters = [errorReplyFilter({ log: silentLog, finish }), following('outer'), following('inner')];
  const { status } = await composeFilters(filters, handler)(exchange);
  return { told, status, exchange };
}

const ok: Reply = { status: 200, headers: {} };

it('listeners are called before the reply is sent, the last one first', async () => {
  const { told, status } = await followed(async () => ({ ...ok }));
  expect(status).toBe(200);
  expect(told).toEqual([
    ['inner', 200, undefined],
    ['outer', 200, undefined],
    ['finish', 200, undefined],
  ]);
});

it('listeners get synchronous and asynchronous errors', async () => {
  const refusal = unauthorized();
  const thrown: Handler[] = [
    () => {
      throw refusal;
    },
    async () => {
      throw refusal;
    },
  ];
  for (const handler of thrown) {
    expect((await followed(handler)).told).toEqual([
      ['inner', 401, refusal],
      ['outer', 401, refusal],
      ['finish', 401, undefined],
    ]);
  }
});

it('a request that fails early gets one reply while its work continues', async () => {
  const late = timedOut('late');
  let finish: (reply: Reply) => void = () => {};
  const { told, status, exchange } = await followed(({ completion }) => {
    queueMicrotask(() => completion.failEarly(late));
    return new Promise<Reply>((resolve) => {
      finish = resolve;
    });
  });
  expect(status).toBe(504);
  finish({ ...ok });
  exchange.completion.failEarly(new Error('again'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([
    ['inner', 504, late],
    ['outer', 504, late],
    ['finish', 504, undefined],
  ]);
});
