import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { importedAnnotation } from '../../api/naming.ts';
import { ManualClock } from '../../lib/clock.ts';
import { FirstReadyTimer } from './first-ready-timer.ts';
import { snapshotOf } from './instance-snapshot.ts';

const created = '2026-01-01T00:00:00Z';
const facts = (status: JsonObject = {}, annotations: Record<string, string> = {}) =>
  snapshotOf({
    apiVersion: '',
    kind: '',
    metadata: { uid: 'u', namespace: 'platform-p-red', creationTimestamp: created, annotations },
    status,
  });

function setUp(start = created) {
  const clock = new ManualClock(Date.parse(start));
  const told: [string, number][] = [];
  return { clock, told, first: new FirstReadyTimer(clock, (...one) => told.push(one)) };
}

describe('the first Ready of an instance', () => {
  it('is measured once, in milliseconds since the instance was first seen', () => {
    const { clock, told, first } = setUp('2026-01-01T00:00:00.900Z');
    first.start('u');
    clock.advance(7);
    first.onReconciled(facts(), 'Pending');
    clock.advance(5);
    first.onReconciled(facts(), 'Ready');
    first.onReconciled(facts({ deployHash: 'x' }), 'Ready');
    expect(told).toEqual([['red', 12]]);
  });

  it('is measured from the creation if the server was down in between', () => {
    const { clock, told, first } = setUp('2026-01-01T00:01:00Z');
    first.start('u');
    clock.advance(500);
    first.onReconciled(facts(), 'Ready');
    expect(told).toEqual([['red', 60_500]]);
  });

  it('is not reported for instances that were Ready before, were imported, or slept first', () => {
    const { told, first } = setUp();
    first.start('u');
    first.onReconciled(facts({ deployHash: 'x' }), 'Ready');
    first.onReconciled(facts(), 'Ready');
    first.start('u');
    first.onReconciled(facts({}, { [importedAnnotation]: 'v' }), 'Ready');
    first.start('u');
    first.onReconciled(facts(), 'Sleeping');
    first.onReconciled(facts({ phase: 'Pending' }), 'Ready');
    first.start('u');
    first.onReconciled(facts({ phase: 'Sleeping' }), 'Ready');
    first.start('u');
    first.forget('u');
    first.onReconciled(facts(), 'Ready');
    expect(told).toEqual([]);
  });
});
