import { describe, expect, it } from 'vitest';
import { importedAnnotation } from '../../api/naming.ts';
import { ManualClock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { FirstReady } from './first-ready.ts';
import { factsOf } from './instance-facts.ts';

const created = '2026-01-01T00:00:00Z';
const facts = (status: JsonObject = {}, annotations: Record<string, string> = {}) =>
  factsOf({
    apiVersion: '',
    kind: '',
    metadata: { uid: 'u', namespace: 'platform-p-red', creationTimestamp: created, annotations },
    status,
  });

function setUp(start = created) {
  const clock = new ManualClock(Date.parse(start));
  const told: [string, number][] = [];
  return { clock, told, first: new FirstReady(clock, (...one) => told.push(one)) };
}

describe('the first Ready of an instance', () => {
  it('is measured once, in milliseconds since the instance was first seen', () => {
    const { clock, told, first } = setUp('2026-01-01T00:00:00.900Z');
    first.came('u');
    clock.advance(7);
    first.looked(facts(), 'Pending');
    clock.advance(5);
    first.looked(facts(), 'Ready');
    first.looked(facts({ deployHash: 'x' }), 'Ready');
    expect(told).toEqual([['red', 12]]);
  });

  it('is measured from the creation if the server was down in between', () => {
    const { clock, told, first } = setUp('2026-01-01T00:01:00Z');
    first.came('u');
    clock.advance(500);
    first.looked(facts(), 'Ready');
    expect(told).toEqual([['red', 60_500]]);
  });

  it('is not reported for instances that were Ready before, were imported, or slept first', () => {
    const { told, first } = setUp();
    first.came('u');
    first.looked(facts({ deployHash: 'x' }), 'Ready');
    first.looked(facts(), 'Ready');
    first.came('u');
    first.looked(facts({}, { [importedAnnotation]: 'v' }), 'Ready');
    first.came('u');
    first.looked(facts(), 'Sleeping');
    first.looked(facts({ phase: 'Pending' }), 'Ready');
    first.came('u');
    first.looked(facts({ phase: 'Sleeping' }), 'Ready');
    first.came('u');
    first.forget('u');
    first.looked(facts(), 'Ready');
    expect(told).toEqual([]);
  });
});
