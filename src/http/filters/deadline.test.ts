import { expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { type Clock, ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { composeFilters, type Exchange, type Handler } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { deadlineFilter } from './deadline.ts';
import { errorReplyFilter } from './recover.ts';

const never = () => new Promise<Reply>(() => {});
const ok = async (): Promise<Reply> => ({ status: 200, headers: {} });

async function answerOf(
  exchange: Exchange,
  clock: Clock,
  handler: Handler,
): Promise<{ status: number; said: unknown }> {
  const { status, body } = await composeFilters(
    [errorReplyFilter({ log: silentLog }), deadlineFilter({ clock })],
    handler,
  )(exchange);
  return { status, said: body === undefined ? '' : JSON.parse(String(body)).message };
}

function timeOf(method: string, url: string) {
  const clock = new ManualClock();
  const exchange = exchangeFor({ method, url }, clock);
  const answer = answerOf(exchange, clock, never);
  let milliseconds = 0;
  while (!exchange.signal.aborted && milliseconds < 120_000) {
    clock.advance(500);
    milliseconds += 500;
  }
  return { milliseconds, answer };
}

it('reads time out after 60 s and writes after 34 s, with different messages (REQ-16 to REQ-19)', async () => {
  const read = timeOf('GET', '/apis/g/v1/r');
  expect(read.milliseconds).toBe(60_000);
  expect(await read.answer).toEqual({
    status: 504,
    said: 'Timeout: request did not complete within the allotted timeout',
  });
  const write = timeOf('POST', '/apis/g/v1/r');
  expect(write.milliseconds).toBe(34_000);
  expect(await write.answer).toEqual({
    status: 504,
    said: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
  });
  expect(timeOf('DELETE', '/apis/g/v1/namespaces/a/r').milliseconds).toBe(60_000);
});

it.each([
  ['?timeout=5s', 5000],
  ['?timeout=0s', 60_000],
  ['?timeout=', 60_000],
  ['?timeout=2h', 60_000],
  ['?timeout=-5s', 60_000],
])('the query %s sets a timeout of %d ms (REQ-16)', (query, milliseconds) => {
  expect(timeOf('GET', `/version${query}`).milliseconds).toBe(milliseconds);
});

it('an invalid duration is rejected on every path (REQ-15)', async () => {
  const exchange = exchangeFor({ url: '/version?timeout=soon' });
  expect(await answerOf(exchange, new ManualClock(), ok)).toEqual({
    status: 400,
    said: 'invalid timeout specified in the request URL - time: invalid duration "soon"',
  });
});

it('watches and streams have no deadline (REQ-17)', async () => {
  for (const url of ['/apis/g/v1/r?watch=1&timeout=nonsense', '/apis/g/v1/namespaces/a/r/x/log?timeout=nonsense']) {
    const clock = new ManualClock();
    const exchange = exchangeFor({ url }, clock);
    expect(await answerOf(exchange, clock, ok)).toMatchObject({ status: 200 });
    clock.advance(120_000);
    expect(exchange.signal.aborted).toBe(false);
  }
});

const fail = () => Promise.reject(new Error('no'));
const failAtOnce = () => {
  throw new Error('no');
};

it.each([ok, fail, failAtOnce])('the timer stops when the reply is ready', async (handler) => {
  const clock = new ManualClock();
  const exchange = exchangeFor({}, clock);
  await answerOf(exchange, clock, handler);
  clock.advance(120_000);
  expect(exchange.signal.aborted).toBe(false);
});
