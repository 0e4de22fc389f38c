import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import { StatusError } from '../../api/status.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { RequestContext } from '../../registry/context.ts';
import { openKindStore } from '../../registry/open-kind-store.ts';
import type { ListOptions, PatchOptions } from '../../registry/verbs.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { coreEventsView, eventsGroupView } from './event-views.ts';
import { storedEvents } from './events.ts';

const writing: PatchOptions = { dryRun: false, fieldManager: 'tester', fieldValidation: 'Strict', force: false };
const listing: ListOptions = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' };
const latest = { resourceVersion: '' };

const context: RequestContext = {
  user: { name: 'jane', groups: [] },
  system: false,
  namespace: 'a',
  signal: new AbortController().signal,
  warn() {},
  may: () => true,
};

function newEvent(change: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'a' },
    eventTime: '2026-01-01T00:00:00.000001Z',
    reportingController: 'harbour.example.com/master',
    reportingInstance: 'one',
    action: 'Sail',
    reason: 'Sailed',
    regarding: { kind: 'Ship', name: 'pinta', namespace: 'a' },
    note: 'it sailed',
    type: 'Normal',
    ...change,
  } as KubeObject;
}

async function open() {
  const clock = new ManualClock();
  const events = await openKindStore({
    resource: storedEvents,
    store: openMemoryStore({ clock }),
    slice: 'plane',
    clock,
    log: silentLog,
    planeCallbacks: { namespaceState: () => 'active', resolveOwner: () => undefined },
  });
  const core = coreEventsView(events).verbs;
  const group = eventsGroupView(events).verbs;
  return { clock, events, core, group };
}

async function refusal(call: Promise<unknown> | undefined): Promise<StatusError> {
  const error = await (call ?? Promise.resolve()).catch((thrown: unknown) => thrown);
  if (!(error instanceof StatusError)) throw new Error('was not refused', { cause: error });
  return error;
}

describe('events, stored once and served twice (CLIENT-14)', () => {
  it('are created in one form and read in the other', async () => {
    const { core, group } = await open();
    const made = await group.create?.(context, newEvent(), writing);
    expect(made?.object).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'it sailed',
      regarding: { name: 'pinta' },
    });
    expect(JSON.parse(made?.json() ?? '')).toMatchObject(made?.object ?? {});
    const read = await core.get?.(context, 'e', latest);
    expect(read?.object).toMatchObject({
      apiVersion: 'v1',
      message: 'it sailed',
      involvedObject: { name: 'pinta' },
      reportingComponent: 'harbour.example.com/master',
    });
    expect(read?.object.metadata.resourceVersion).toBe(made?.object.metadata.resourceVersion);
    const owned = (await group.get?.(context, 'e', latest))?.object.metadata.managedFields?.[0];
    expect(owned).toMatchObject({ apiVersion: 'events.k8s.io/v1', fieldsV1: { 'f:regarding': expect.anything() } });
  });

  it('are selected by the fields of each form (SEL-14, KUBECTL-19)', async () => {
    const { core, group } = await open();
    await group.create?.(context, newEvent(), writing);
    await core.create?.(
      context,
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'old', namespace: 'a' },
        involvedObject: { kind: 'Ship', name: 'nina', namespace: 'a' },
        source: { component: 'harbour' },
      } as KubeObject,
      writing,
    );
    const names = async (verbs: typeof core, text: string) =>
      (await verbs.list?.(context, { ...listing, fieldSelector: parseFieldSelector(text) }))?.items.map(
        ({ object }) => `${object.apiVersion} ${object.metadata.name}`,
      );
    expect(await names(core, 'involvedObject.name=pinta')).toEqual(['v1 e']);
    expect(await names(group, 'regarding.name=pinta')).toEqual(['events.k8s.io/v1 e']);
    expect(await names(group, 'regarding.name!=pinta')).toEqual(['events.k8s.io/v1 old']);
    expect(await names(core, 'source=harbour')).toEqual(['v1 old']);
    expect(await names(core, 'source=harbour.example.com/master')).toEqual(['v1 e']);
    expect(await names(core, 'source!=harbour')).toEqual(['v1 e']);
  });

  it('are watched in each form', async () => {
    const { group, core } = await open();
    const ended = new AbortController();
    const watching = { ...listing, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 };
    const stream = await group.watch?.({ ...context, signal: ended.signal }, watching);
    await group.create?.(context, newEvent(), writing);
    for await (const event of stream ?? []) {
      expect(event).toMatchObject({
        type: 'ADDED',
        object: { object: { apiVersion: 'events.k8s.io/v1', note: 'it sailed' } },
      });
      break;
    }
    ended.abort();
    expect(await core.list?.(context, listing)).toMatchObject({ items: [{ object: { apiVersion: 'v1' } }] });
  });

  it('are patched in the form that the client sees (PATCH-04)', async () => {
    const { group, core } = await open();
    await group.create?.(context, newEvent(), writing);
    const series = { count: 2, lastObservedTime: '2026-01-01T00:00:05.000000Z' };
    const patched = await group.patch?.(context, 'e', { type: 'merge', document: { series }, findings: [] }, writing);
    expect(patched?.object).toMatchObject({ series, regarding: { name: 'pinta' } });
    const operations = [{ op: 'replace', path: '/series/count', value: 3 }];
    await group.patch?.(context, 'e', { type: 'json', operations, findings: [] }, writing);
    expect((await core.get?.(context, 'e', latest))?.object.series).toMatchObject({ count: 3 });
    const note = [{ op: 'replace', path: '/note', value: 'it came back' }];
    const refused = await refusal(
      group.patch?.(context, 'e', { type: 'json', operations: note, findings: [] }, writing),
    );
    expect(refused.message).toBe('Event "e" is invalid: message: Invalid value: "it came back": field is immutable');
  });

  it('are named in errors by the requested resource', async () => {
    const { group } = await open();
    const refused = await refusal(group.get?.(context, 'nope', latest));
    expect(refused.message).toBe('events.events.k8s.io "nope" not found');
    expect(refused.status.details).toEqual({ name: 'nope', group: 'events.k8s.io', kind: 'events' });
  });

  it('do not accept the field names of the other form (DEC-10)', async () => {
    const { group } = await open();
    await group.create?.(context, newEvent(), writing);
    const patch = { type: 'merge', document: { message: 'sneaked in' }, findings: [] } as const;
    expect((await refusal(group.patch?.(context, 'e', patch, writing))).message).toContain('unknown field');
  });

  it('are checked more strictly under events.k8s.io', async () => {
    const { group, core } = await open();
    const made = newEvent({ type: 'Odd', deprecatedCount: 3, series: { count: 1 } });
    const error = await refusal(group.create?.(context, made, writing));
    expect(error.code).toBe(422);
    expect(error.status.details?.causes?.map(({ field }) => field).sort()).toEqual([
      'count',
      'series.count',
      'series.lastObservedTime',
      'type',
    ]);
    await group.create?.(context, newEvent(), writing);
    const changed = await refusal(group.update?.(context, 'e', newEvent({ note: 'another' }), writing));
    expect(changed.message).toContain('message: Invalid value: "another": field is immutable');
    const elsewhere = newEvent({ metadata: { name: 'x', namespace: 'a' }, involvedObject: {}, apiVersion: 'v1' });
    delete elsewhere.eventTime;
    delete elsewhere.regarding;
    expect(
      (await refusal(core.create?.(context, elsewhere, { ...writing, fieldValidation: 'Ignore' }))).message,
    ).toContain('involvedObject.namespace: Invalid value: "": does not match event.namespace');
  });

  it('are created by PUT if they do not exist, and overwritten without a resourceVersion (UPDATE-08)', async () => {
    const { group } = await open();
    const made = await group.update?.(context, 'e', newEvent(), writing);
    expect(made?.created).toBe(true);
    const series = { count: 2, lastObservedTime: '2026-01-01T00:00:05.000000Z' };
    const again = await group.update?.(context, 'e', newEvent({ series }), writing);
    expect(again?.created).toBe(false);
    expect(again?.object.series).toEqual(series);
  });

  it('have times with microseconds in one format, and refuse other formats as undecodable (META-14)', async () => {
    const { group } = await open();
    const eventTime = '2026-01-01T01:00:00.000001+01:00';
    const series = { count: 2, lastObservedTime: '2026-01-01T01:00:05.000000+01:00' };
    const made = await group.create?.(context, newEvent({ eventTime, series }), writing);
    expect(made?.object).toMatchObject({
      eventTime: '2026-01-01T00:00:00.000001Z',
      series: { lastObservedTime: '2026-01-01T00:00:05.000000Z' },
    });
    const odd = newEvent({ metadata: { name: 'x', namespace: 'a' }, eventTime: '2026-01-01T00:00:00Z' });
    const error = await refusal(group.create?.(context, odd, writing));
    expect(error.code).toBe(400);
    expect(error.message).toContain('cannot parse "Z" as ".000000"');
  });

  it('expire an hour after they were last written', async () => {
    const { group, events, clock } = await open();
    await group.create?.(context, newEvent(), writing);
    clock.advance(30 * 60_000);
    const series = { count: 2, lastObservedTime: '2026-01-01T00:00:05.000000Z' };
    await group.patch?.(context, 'e', { type: 'merge', document: { series }, findings: [] }, writing);
    clock.advance(59 * 60_000);
    await events.handleDeadline('a', 'e');
    expect(events.peek('a', 'e')).toBeDefined();
    clock.advance(61_000);
    await events.handleDeadline('a', 'e');
    expect(events.peek('a', 'e')).toBeUndefined();
  });
});
