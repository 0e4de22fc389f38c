import { describe, expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { forbidden } from '../../api/status.ts';
import { silentLog } from '../../lib/log.ts';
import type { Exchange, Filter, Handler } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { errorReplyFilter } from './recover.ts';
import { type WatchLimitOptions, watchLimitFilter } from './watch-limit.ts';

const path = '/api/v1/configmaps';
const stream: Handler = async () => ({ status: 200, headers: {}, body: (async function* () {})() });
const recover = errorReplyFilter({ log: silentLog });

function limiter({ perKey = 0, perUser = 0, perConnection = 0, isExempt = () => false }: TestLimits): Filter {
  const limits = { watchesPerKey: perKey, watchesPerUser: perUser, watchesPerConnection: perConnection };
  return watchLimitFilter({ limits: () => limits, isExempt });
}

interface TestLimits extends Partial<Pick<WatchLimitOptions, 'isExempt'>> {
  readonly perKey?: number;
  readonly perUser?: number;
  readonly perConnection?: number;
}

interface Sent {
  readonly key?: string;
  /** Identifies a service account, which has no access key. */
  readonly fairQueueKey?: string;
  readonly connection?: object;
  readonly url?: string;
  readonly system?: boolean;
  readonly handler?: Handler;
}

/** Sends a request, by default a watch. Returns the reply and the exchange, with which a test can end the request. */
async function send(filter: Filter, sent: Sent = {}): Promise<{ exchange: Exchange; reply: Reply }> {
  const { key = 'a', url = `${path}?watch=1`, handler = stream, connection } = sent;
  const exchange = exchangeFor({ url, connection });
  const user = { name: 'anna', groups: [] };
  const credential = sent.fairQueueKey === undefined ? { accessKey: key } : { fairQueueKey: sent.fairQueueKey };
  exchange.identity = { user, ...credential, system: sent.system ?? false, signal: new AbortController().signal };
  return { exchange, reply: await recover(exchange, async (same) => await filter(same, handler)) };
}

const statusOf = async (filter: Filter, sent: Sent = {}) => (await send(filter, sent)).reply.status;

describe('the limit of open watches', () => {
  it('makes refused clients return at different times', async () => {
    const filter = limiter({ perKey: 1 });
    await send(filter);
    const refused = await Promise.all(Array.from({ length: 200 }, () => send(filter)));
    const seconds = new Set(refused.map(({ reply }) => Number(reply.headers['retry-after'])));
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(15);
    expect(seconds.size).toBeGreaterThan(5);
  });

  it('applies to each key, and a watch that ended frees its place', async () => {
    const filter = limiter({ perKey: 2 });
    const first = await send(filter);
    expect(await statusOf(filter)).toBe(200);
    const refused = await send(filter);
    expect(refused.reply.status).toBe(429);
    expect(String(refused.reply.body)).toContain(
      'this credential has 2 open watches, and the server setting limits.watchesPerKey allows 2',
    );
    expect(await statusOf(filter, { key: 'b' })).toBe(200);
    first.exchange.end.end(new Error('disconnected'));
    expect(await statusOf(filter)).toBe(200);
    expect(await statusOf(filter)).toBe(429);
  });

  it('applies to each user, however many keys it has', async () => {
    const filter = limiter({ perUser: 2 });
    expect(await statusOf(filter, { key: 'a' })).toBe(200);
    const second = await send(filter, { key: 'b' });
    const refused = await send(filter, { key: 'c' });
    expect(refused.reply.status).toBe(429);
    expect(String(refused.reply.body)).toContain('the server setting limits.watchesPerUser allows 2');
    second.exchange.end.end(new Error('disconnected'));
    expect(await statusOf(filter, { key: 'c' })).toBe(200);
  });

  it('applies to all service accounts of a virtual cluster together', async () => {
    const filter = limiter({ perUser: 2 });
    const account = (cluster: string, name: string) => ({ fairQueueKey: `${cluster}/system:serviceaccount:x:${name}` });
    expect(await statusOf(filter, account('one', 'a'))).toBe(200);
    expect(await statusOf(filter, account('one', 'b'))).toBe(200);
    const refused = await send(filter, account('one', 'c'));
    expect(refused.reply.status).toBe(429);
    expect(String(refused.reply.body)).toContain(
      'this virtual cluster with all its service accounts has 2 open watches',
    );
    expect(await statusOf(filter, account('two', 'a'))).toBe(200);
  });

  it('applies to each connection, whatever keys it uses', async () => {
    const filter = limiter({ perConnection: 1 });
    const [one, other] = [{}, {}];
    const first = await send(filter, { connection: one });
    const refused = await send(filter, { connection: one, key: 'b' });
    expect(refused.reply.status).toBe(429);
    expect(String(refused.reply.body)).toContain('the server setting limits.watchesPerConnection allows 1');
    expect(await statusOf(filter, { connection: other })).toBe(200);
    first.exchange.end.end(new Error('disconnected'));
    expect(await statusOf(filter, { connection: one })).toBe(200);
  });

  it('counts neither failed watches nor other requests', async () => {
    const filter = limiter({ perKey: 1 });
    const denied: Handler = () => Promise.reject(forbidden({ group: '', resource: 'configmaps' }, '', 'no'));
    const list: Handler = async () => ({ status: 200, headers: {}, body: '{}' });
    for (let round = 0; round < 3; round++) {
      expect(await statusOf(filter, { handler: denied })).toBe(403);
      expect(await statusOf(filter, { url: path, handler: list })).toBe(200);
    }
    expect(await statusOf(filter)).toBe(200);
    expect(await statusOf(filter, { url: path, handler: list })).toBe(200);
    expect(await statusOf(filter)).toBe(429);
  });

  it('counts watches that are being opened, so that concurrent requests cannot exceed it', async () => {
    const filter = limiter({ perKey: 3 });
    const codes = await Promise.all(Array.from({ length: 10 }, () => statusOf(filter)));
    expect(codes.filter((code) => code === 200)).toHaveLength(3);
  });

  it('frees the place of a watch whose client disconnected while it was opened', async () => {
    const filter = limiter({ perKey: 1 });
    const gone: Handler = async (exchange) => {
      exchange.end.end(new Error('disconnected'));
      return await stream(exchange);
    };
    await send(filter, { handler: gone });
    expect(await statusOf(filter)).toBe(200);
  });

  it('does not apply to exempt callers and to the server itself', async () => {
    const filter = limiter({ perKey: 1, isExempt: ({ accessKey }) => accessKey === 'root' });
    for (let round = 0; round < 3; round++) {
      expect(await statusOf(filter, { key: 'root' })).toBe(200);
      expect(await statusOf(filter, { system: true })).toBe(200);
    }
    expect(await statusOf(filter)).toBe(200);
    expect(await statusOf(filter)).toBe(429);
  });

  it('is off at 0', async () => {
    const filter = limiter({});
    const connection = {};
    for (let round = 0; round < 20; round++) expect(await statusOf(filter, { connection })).toBe(200);
  });
});
