import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { endSpanWith, type FinishedSpan } from './span.ts';
import { parseTraceparent } from './trace-context.ts';
import { Tracer } from './tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('parseTraceparent', () => {
  it('reads the header of W3C Trace Context', () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, isSampled: true });
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)?.isSampled).toBe(false);
    expect(parseTraceparent(`00-${traceId}-${spanId}-03`)?.isSampled).toBe(true);
  });

  it('accepts additional members of later versions only', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-more`)?.traceId).toBe(traceId);
    expect(parseTraceparent(`00-${traceId}-${spanId}-01-more`)).toBeUndefined();
  });

  it.each([
    ['an absent header', undefined],
    ['an empty header', ''],
    ['version ff', `ff-${traceId}-${spanId}-01`],
    ['a trace ID of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span ID of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['upper-case digits', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a short ID', `00-${traceId.slice(1)}-${spanId}-01`],
    ['two headers, which HTTP joins', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ])('ignores %s', (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

describe('Tracer', () => {
  const parent = { traceId, spanId, isSampled: true };
  const tracer = (random: number, trustsCallers = false, ended: FinishedSpan[] = []) =>
    new Tracer({
      sampleRatio: 0.5,
      trustsCallers,
      clock: new ManualClock(),
      sink: (span) => ended.push(span),
      random: () => random,
    });
  const root = { name: 'work', kind: 'server' } as const;

  it('traces the configured share of the work', () => {
    expect(tracer(0.49).start(root)).toBeDefined();
    expect(tracer(0.5).start(root)).toBeUndefined();
  });

  it('applies the decision of a trusted caller, in both directions', () => {
    expect(tracer(0.9).start({ ...root, parent, isTrusted: true })?.traceId).toBe(traceId);
    expect(tracer(0.1).start({ ...root, parent: { ...parent, isSampled: false }, isTrusted: true })).toBeUndefined();
    expect(tracer(0.9, true).start({ ...root, parent })?.traceId).toBe(traceId);
  });

  it('decides itself about other callers, and keeps their trace ID', () => {
    expect(tracer(0.9).start({ ...root, parent })).toBeUndefined();
    expect(tracer(0.1).start({ ...root, parent: { ...parent, isSampled: false } })?.traceId).toBe(traceId);
  });

  it('records the times, the parents and the failure of spans', async () => {
    const ended: FinishedSpan[] = [];
    const clock = new ManualClock(1_000_000);
    const traced = new Tracer({ sampleRatio: 1, trustsCallers: false, clock, sink: (span) => ended.push(span) });
    const span = traced.start({ ...root, parent });
    clock.advance(10);
    const child = span?.child('part').set('long', 'x'.repeat(1_000));
    clock.advance(5);
    await expect(endSpanWith(child, Promise.reject(new Error('no')))).rejects.toThrow('no');
    span?.end({ name: 'final' });
    span?.end({ name: 'again' });
    expect(ended).toMatchObject([
      { name: 'part', traceId, parentSpanId: span?.spanId, startedAt: 1_000_010, endedAt: 1_000_015, hasFailed: true },
      { name: 'final', traceId, parentSpanId: spanId, startedAt: 1_000_000, endedAt: 1_000_015, hasFailed: false },
    ]);
    expect(String(ended[0]?.attributes.long)).toHaveLength(256);
  });
});
