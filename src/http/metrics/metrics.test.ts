import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import type { Feed } from '../../lib/feed.ts';
import { versionInfo } from '../documents/version.ts';
import { inFlightFilter } from '../filters/in-flight.ts';
import { allVerbStubs, exampleExchange, examplePlane, shipKind } from '../plane.fixture.ts';
import type { Reply } from '../reply.ts';
import { createMetrics } from './create-metrics.ts';
import { RequestLabeler } from './request-labels.ts';
import { requestObserver } from './request-observer.ts';

const ships = '/apis/fleet.example.com/v1/namespaces/harbour/ships';

function measured() {
  const clock = new ManualClock();
  const metrics = createMetrics({
    version: versionInfo({ packageVersion: '0.1.0' }),
    storedObjects: () => [
      { group: 'fleet.example.com', resource: 'ships', count: 7 },
      { group: '', resource: 'namespaces', count: 2 },
    ],
  });
  const plane = examplePlane();
  const observe = requestObserver({ metrics, planeOf: () => plane });
  const counting = inFlightFilter({ clock, onInFlightChange: (kind, change) => metrics.changeInFlight(kind, change) });
  return {
    clock,
    metrics,
    send: async (path: string, answer: () => Reply | Promise<Reply>, headers = {}, method = 'GET') => {
      const exchange = exampleExchange(path, headers, method);
      exchange.identity = { user: { name: 'anna', groups: [] }, system: false, signal: exchange.signal };
      const started = clock.now();
      const reply = { ...(await counting(exchange, async () => answer())) };
      observe(exchange, reply, clock.now() - started);
      return reply;
    },
    line: async (start: string) => (await metrics.text()).split('\n').filter((line) => line.startsWith(start)),
  };
}

function feedOf(lines: readonly string[]): Feed<Uint8Array> {
  const left = lines.map((line) => Buffer.from(line));
  return {
    take: () => left.shift(),
    get isEnded() {
      return left.length === 0;
    },
    wait: (wake) => void setImmediate(wake),
    close: () => void left.splice(0),
  };
}

const ok: Reply = { status: 200, headers: {}, body: '{}' };

describe('metrics', () => {
  it('requests are counted by verb and resource (METRIC-02)', async () => {
    const { send, line } = measured();
    await send(`${ships}/santa-maria`, () => ok);
    await send(`${ships}?dryRun=All`, () => ({ ...ok, status: 201 }), {}, 'POST');
    await send(ships, () => ok);
    await send(`${ships}/pinta/status`, () => ok, { 'content-type': 'application/apply-patch+yaml' }, 'PATCH');
    const common = 'group="fleet.example.com",version="v1",resource="ships"';
    expect(await line('apiserver_request_total')).toEqual([
      `apiserver_request_total{verb="GET",dry_run="",${common},subresource="",scope="resource",component="apiserver",code="200"} 1`,
      `apiserver_request_total{verb="POST",dry_run="All",${common},subresource="",scope="resource",component="apiserver",code="201"} 1`,
      `apiserver_request_total{verb="LIST",dry_run="",${common},subresource="",scope="namespace",component="apiserver",code="200"} 1`,
      `apiserver_request_total{verb="APPLY",dry_run="",${common},subresource="status",scope="resource",component="apiserver",code="200"} 1`,
    ]);
  });

  it('rejected requests are counted, and terminations separately (METRIC-02, METRIC-04)', async () => {
    const { send, line } = measured();
    await send(ships, () => ({ ...ok, status: 403 }));
    await send(ships, () => ({ ...ok, status: 429 }));
    const codes = (await line('apiserver_request_total')).map((one) => /code="(\d+)"/.exec(one)?.[1]);
    expect(codes).toEqual(['403', '429']);
    expect(await line('apiserver_request_terminations_total')).toHaveLength(1);
  });

  it('the latency of responses is measured, except for watches (METRIC-03)', async () => {
    const { send, clock, line } = measured();
    await send(ships, () => {
      clock.advance(300);
      return ok;
    });
    await send(`${ships}?watch=1`, () => ok);
    const counts = await line('apiserver_request_duration_seconds_count');
    expect(counts).toHaveLength(1);
    const buckets = await line('apiserver_request_duration_seconds_bucket');
    expect(buckets.find((one) => one.includes('le="0.2"'))).toMatch(/ 0$/);
    expect(buckets.find((one) => one.includes('le="0.4"'))).toMatch(/ 1$/);
    expect(buckets).toHaveLength(24);
    expect(await line('apiserver_request_sli_duration_seconds_bucket')).toHaveLength(22);
  });

  it('in-flight requests and open streams are counted (METRIC-04)', async () => {
    const { send, line } = measured();
    const during: string[] = [];
    const reply = await send(`${ships}?watch=1`, async () => {
      during.push(...(await line('apiserver_current_inflight_requests')));
      return {
        status: 200,
        headers: {},
        body: feedOf(['{"type":"ADDED"}\n', '{"type":"ADDED"}\n', '{"type":"DELETED"}\n']),
      };
    });
    expect(during).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1');
    expect(await line('apiserver_current_inflight_requests')).toContain(
      'apiserver_current_inflight_requests{request_kind="readOnly"} 0',
    );
    const lines: string[] = [];
    const open: string[] = [];
    const feed = reply.body as Feed<Uint8Array>;
    for (let each = feed.take(); each !== undefined; each = feed.take()) {
      lines.push(String(each));
      open.push(...(await line('apiserver_longrunning_requests')));
    }
    expect(lines).toHaveLength(3);
    expect(open[0]).toMatch(/verb="WATCH".* 1$/);
    expect((await line('apiserver_longrunning_requests'))[0]).toMatch(/ 0$/);
    expect((await line('apiserver_watch_events_total'))[0]).toMatch(/resource="ships"\} 3$/);
  });

  it('a body that is generated while it is written is measured at its end and is not a stream (METRIC-02)', async () => {
    const { send, line } = measured();
    const pieces = [Buffer.alloc(700), Buffer.alloc(300)];
    const { body } = await send(ships, () => ({ status: 200, headers: {}, body: { chunks: pieces } }));
    expect(await line('apiserver_response_sizes_sum')).toEqual([expect.stringMatching(/ 0$/)]);
    if (typeof body !== 'object' || !('chunks' in body) || !(Symbol.iterator in body.chunks))
      throw new Error('it has become something else');
    expect([...body.chunks].map(({ byteLength }) => byteLength)).toEqual([700, 300]);
    expect(await line('apiserver_response_sizes_sum')).toEqual([expect.stringMatching(/ 1000$/)]);
    expect(await line('apiserver_longrunning_requests{')).toEqual([]);
  });

  it('a stream counts as ended when its client disconnects (METRIC-04)', async () => {
    const { send, line } = measured();
    const reply = await send(`${ships}?watch=1`, () => ({
      ...ok,
      body: feedOf(['{}\n', '{}\n']),
    }));
    const feed = reply.body as Feed<Uint8Array>;
    feed.take();
    expect((await line('apiserver_longrunning_requests'))[0]).toMatch(/ 1$/);
    feed.close();
    expect((await line('apiserver_longrunning_requests'))[0]).toMatch(/ 0$/);
  });

  it('stored objects are counted under both names (METRIC-05)', async () => {
    const { line } = measured();
    expect(await line('apiserver_resource_objects')).toEqual([
      'apiserver_resource_objects{group="fleet.example.com",resource="ships"} 7',
      'apiserver_resource_objects{group="",resource="namespaces"} 2',
    ]);
    expect(await line('apiserver_storage_objects')).toContain(
      'apiserver_storage_objects{resource="ships.fleet.example.com"} 7',
    );
  });

  it('build and process information is included (METRIC-06)', async () => {
    const { line } = measured();
    expect((await line('kubernetes_build_info'))[0]).toContain('git_version="v1.34.0+flotilla.0.1.0"');
    expect(await line('process_resident_memory_bytes')).toHaveLength(1);
  });
});

describe('labels', () => {
  const labeller = new RequestLabeler();
  const label = (path: string, method = 'GET') => labeller.label(exampleExchange(path, {}, method), examplePlane());

  it('cannot be invented by clients (METRIC-02)', () => {
    const nothing = { group: '', version: '', resource: '', scope: '' };
    expect(label('/apis/fleet.example.com/v1/nonsense')).toMatchObject({ verb: 'LIST', ...nothing });
    expect(label('/apis/made.up/v1/ships')).toMatchObject(nothing);
    expect(label(`${ships}/x/constructor`)).toMatchObject(nothing);
    expect(label('/made/up')).toMatchObject({ verb: 'GET', subresource: '', ...nothing });
    expect(label(ships, 'BREW')).toMatchObject({ verb: 'other' });
    expect(label('/healthz/store')).toMatchObject({ subresource: '/healthz' });
  });

  it('are limited, however many kinds there are (METRIC-02)', () => {
    const many = Array.from({ length: 600 }, (_, number) => ({
      kind: { ...shipKind, plural: `ships${number}` },
      verbs: allVerbStubs,
      subresources: {},
    }));
    const plane = examplePlane(many);
    const fresh = new RequestLabeler();
    const named = many
      .map(({ kind }) => fresh.label(exampleExchange(`/apis/fleet.example.com/v1/${kind.plural}`), plane).resource)
      .filter((resource) => resource !== '');
    expect(new Set(named).size).toBe(500);
  });
});
