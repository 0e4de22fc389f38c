import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import type { FinishedSpan } from '../../lib/trace/span.ts';
import { encodeSpans } from './otlp-encoding.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { decodeSpans, encodeRejection, OtlpTestReceiver } from './otlp-receiver.fixture.ts';
import type { TracingSettings } from './tracing-settings.ts';

const source = { resource: { 'service.name': 'tested' }, scope: { name: 'flotilla', version: '1' } };

const span: FinishedSpan = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  name: 'GET /version',
  kind: 'server',
  startedAt: 1_760_000_000_000.25,
  endedAt: 1_760_000_000_012.5,
  attributes: { text: 'é', code: 200, share: 0.5, streaming: true },
  hasFailed: false,
};

describe('the encoding of spans', () => {
  it('is what the decoder of the OpenTelemetry project reads', () => {
    const failed = { ...span, parentSpanId: undefined, kind: 'internal', hasFailed: true } as const;
    expect(decodeSpans(encodeSpans(source, [span, failed]))).toEqual([
      {
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: '00f067aa0ba902b7',
        name: 'GET /version',
        kind: 'SPAN_KIND_SERVER',
        startTimeUnixNano: '1760000000000250000',
        endTimeUnixNano: '1760000000012500000',
        attributes: { text: 'é', code: '200', share: 0.5, streaming: true },
        status: '',
        service: 'tested',
      },
      expect.objectContaining({ parentSpanId: '', kind: 'SPAN_KIND_INTERNAL', status: 'STATUS_CODE_ERROR' }),
    ]);
  });
});

describe('OtlpExporter', () => {
  let receiver: OtlpTestReceiver;
  let clock: ManualClock;
  let folder: string;
  let exporter: OtlpExporter | undefined;

  beforeEach(async () => {
    receiver = await OtlpTestReceiver.start();
    clock = new ManualClock();
    folder = await mkdtemp(join(tmpdir(), 'otlp-'));
  });

  afterEach(async () => {
    receiver.close();
    const closing = exporter?.close();
    clock.advance(60_000);
    await closing;
    await rm(folder, { recursive: true });
  });

  function open(changes: Partial<TracingSettings> = {}, log: Log = silentLog, capacity?: number): OtlpExporter {
    const settings = {
      endpoint: receiver.url,
      sampleRatio: 1,
      trustCallers: false,
      serviceName: 'tested',
      headersFile: undefined,
      caFile: undefined,
      certFile: undefined,
      keyFile: undefined,
      ...changes,
    };
    const options = { settings: { ...settings, endpoint: settings.endpoint ?? receiver.url }, source, clock, log };
    exporter = new OtlpExporter({ ...options, ...(capacity === undefined ? {} : { capacity }) });
    return exporter;
  }

  it('sends the spans of five seconds in one request', async () => {
    const sending = open();
    sending.add(span);
    sending.add({ ...span, name: 'second' });
    clock.advance(5_000);
    await receiver.received(1);
    await sending.close();
    expect(receiver.spans.map(({ name }) => name)).toEqual(['GET /version', 'second']);
    expect(sending.counts).toEqual({ exported: 2, dropped: { queue_full: 0, rejected: 0, not_sent: 0 } });
  });

  it('sends a full batch at once', async () => {
    const sending = open();
    for (let count = 0; count < 600; count++) sending.add(span);
    await receiver.received(1);
    await sending.close();
    expect(sending.counts.exported).toBe(600);
  });

  it('drops and counts spans that find the queue full', async () => {
    const sending = open({}, silentLog, 10);
    for (let count = 0; count < 15; count++) sending.add(span);
    await sending.close();
    expect(sending.counts).toMatchObject({ exported: 10, dropped: { queue_full: 5 } });
  });

  it('sends the headers of a file, and never logs them', async () => {
    const lines: unknown[] = [];
    const log: Log = { ...silentLog, warn: (members, message) => lines.push({ members, message }) };
    const headersFile = join(folder, 'headers');
    await writeFile(headersFile, 'Authorization: Bearer secret-4711\nX-Tenant: fleet\n');
    const sending = open({ headersFile }, log);
    sending.add(span);
    clock.advance(5_000);
    await receiver.received(1);
    expect(receiver.requests[0]?.headers).toMatchObject({ authorization: 'Bearer secret-4711', 'x-tenant': 'fleet' });
    await writeFile(headersFile, 'secret-4711 without a name\n');
    sending.add(span);
    await sending.close();
    expect(sending.counts).toMatchObject({ exported: 1, dropped: { not_sent: 1 } });
    expect(JSON.stringify(lines)).not.toContain('secret-4711');
  });

  it('waits as long as the receiver asks, and sends the same spans again', async () => {
    receiver.respond = (response) => {
      response.writeHead(503, { 'retry-after': '7' }).end();
      return false;
    };
    const waits: number[] = [];
    const after = clock.after.bind(clock);
    let waiting = () => {};
    const hasRetry = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    clock.after = (milliseconds, callback) => {
      waits.push(milliseconds);
      if (milliseconds === 7_000) waiting();
      return after(milliseconds, callback);
    };
    const sending = open();
    sending.add(span);
    clock.advance(5_000);
    await hasRetry;
    receiver.respond = () => true;
    clock.advance(7_000);
    await receiver.received(2);
    await sending.close();
    expect(receiver.spans).toHaveLength(1);
    expect(sending.counts).toMatchObject({ exported: 1, dropped: { rejected: 0, not_sent: 0 } });
  });

  it('drops spans that the receiver rejects', async () => {
    receiver.respond = (response) => {
      response.writeHead(400).end();
      return false;
    };
    const sending = open();
    sending.add(span);
    clock.advance(5_000);
    await receiver.received(1);
    receiver.respond = (response) => {
      response.end(encodeRejection(1));
      return false;
    };
    sending.add(span);
    sending.add(span);
    await sending.close();
    expect(sending.counts).toEqual({ exported: 1, dropped: { queue_full: 0, rejected: 2, not_sent: 0 } });
  });

  it('does not follow redirects', async () => {
    receiver.respond = (response) => {
      response.writeHead(307, { location: receiver.url }).end();
      return false;
    };
    const sending = open();
    sending.add(span);
    await sending.close();
    expect(receiver.requests).toHaveLength(1);
    expect(sending.counts.dropped.rejected).toBe(1);
  });
});
