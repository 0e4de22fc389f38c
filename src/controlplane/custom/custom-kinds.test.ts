import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import { ManualClock } from '../../lib/clock.ts';
import { reconcileRange } from '../../registry/rows/rows.ts';
import { rejectionStatus, storeWithOverrides } from '../../registry/widgets.fixture.ts';
import { decodeDocument } from '../../registry/write/decode.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { testClientContext, testWriteOptions } from '../plane.fixture.ts';
import { CustomTestEnv, shipDefinition, shipVersion } from './custom.fixture.ts';

const masts = { properties: { masts: { type: 'integer', default: 2 } } };

describe('a definition', () => {
  it('is served when the create responds, with default names filled in', async () => {
    const env = await CustomTestEnv.open({ withoutMaintenance: true });
    const answer = await env.define(shipDefinition(masts));
    expect(answer.status).toEqual({ acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    expect(env.definition()?.status.acceptedNames).toEqual({
      plural: 'ships',
      singular: 'ship',
      kind: 'Ship',
      listKind: 'ShipList',
    });
    expect(env.conditions()).toEqual(['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']);
    expect((await env.ship('a', {})).spec).toEqual({ masts: 2 });
  });

  it('leaves no maintenance work once it is established', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition());
    await env.maintenance.idle();
    expect((await env.store.list(reconcileRange)).entries).toEqual([]);
  });

  it('is established at the next start if the process ended in between', async () => {
    const env = await CustomTestEnv.open({ withoutMaintenance: true, isIdle: true });
    const { object } = decodeDocument(customResourceDefinitionKind, shipDefinition(), { findings: [], namespace: '' });
    await env.definitions.verbs.create(testClientContext(), object, testWriteOptions);
    expect(env.conditions()).toEqual([]);
    const again = await env.reopen();
    await again.maintenance.idle();
    expect(again.conditions()).toHaveLength(2);
    expect(again.ships().kind.kind).toBe('Ship');
  });

  it('serves its objects again after the plane was unloaded', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition(masts));
    await env.ship('a', { masts: 5 });
    const again = await env.reopen();
    expect((await again.getShip('a')).spec).toEqual({ masts: 5 });
  });

  it('cannot use a name of another definition of its group until that one is deleted', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition({}, { names: { plural: 'ships', kind: 'Ship', shortNames: ['s'] } }));
    await env.define(shipDefinition({}, { names: { plural: 'boats', kind: 'Ship', shortNames: ['s', 'b'] } }, 'boats'));
    expect(env.conditions('boats.sea.example')).toEqual([
      'NamesAccepted=False ListKindConflict',
      'Established=False NotAccepted',
    ]);
    expect(env.definition('boats.sea.example')?.status.acceptedNames).toEqual({ plural: 'boats', kind: '' });
    expect(env.plane.find('sea.example', 'v1', 'boats')).toBeUndefined();
    await env.undefine();
    await env.maintenance.idle();
    expect(env.conditions('boats.sea.example')).toEqual([
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
    expect(env.plane.find('sea.example', 'v1', 'boats')?.kind.shortNames).toEqual(['s', 'b']);
  });

  it('gets a released name in a limited transaction, even if many other definitions wait', async () => {
    const clock = new ManualClock();
    const memory = openMemoryStore({ clock });
    let largest = 0;
    const store = storeWithOverrides(memory, {
      transact(transaction) {
        largest = Math.max(largest, transaction.writes.length);
        return memory.transact(transaction);
      },
    });
    const env = await CustomTestEnv.open({ store, clock });
    const named = (plural: string, kind: string) => shipDefinition({}, { names: { plural, kind } }, plural);
    await env.define(named('ships', 'Ship'));
    await env.define(named('rafts', 'Raft'));
    for (let index = 0; index < 24; index++) await env.define(named(`ships${index}`, 'Ship'));
    await env.define(named('boats', 'Raft'));
    await env.maintenance.idle();
    await env.undefine('rafts.sea.example');
    expect(env.conditions('boats.sea.example')).toContain('Established=False NotAccepted');
    clock.advance(30_000);
    await env.maintenance.idle();
    expect(env.conditions('boats.sea.example')).toContain('Established=True InitialNamesAccepted');
    expect(largest).toBeLessThan(25);
  });

  it('cannot replace a kind that every plane has', async () => {
    const env = await CustomTestEnv.open();
    const own = shipDefinition(
      {},
      { group: 'apiextensions.k8s.io', names: { plural: 'customresourcedefinitions', kind: 'Ship' } },
    );
    const annotations = { 'api-approved.kubernetes.io': 'unapproved' };
    const metadata: JsonObject = { name: 'customresourcedefinitions.apiextensions.k8s.io', annotations };
    await env.define({ ...own, metadata });
    expect(env.conditions('customresourcedefinitions.apiextensions.k8s.io')[0]).toBe(
      'NamesAccepted=False PluralConflict',
    );
    expect(env.mounted('apiextensions.k8s.io', 'v1', 'customresourcedefinitions').kind.kind).toBe(
      'CustomResourceDefinition',
    );
  });

  it('that is invalid is refused with all errors, and nothing is served', async () => {
    const env = await CustomTestEnv.open();
    const refused = await rejectionStatus(env.define(shipDefinition({ type: 'colour' }, { scope: 'Galaxy' })));
    expect(refused.details?.causes?.map(({ field }) => field)).toEqual([
      'spec.scope',
      'spec.validation.openAPIV3Schema.properties[spec].type',
    ]);
    expect(env.plane.find('sea.example', 'v1', 'ships')).toBeUndefined();
  });

  it('cannot use a conversion webhook', async () => {
    const env = await CustomTestEnv.open();
    const webhook = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } };
    const refused = await rejectionStatus(env.define(shipDefinition({}, { conversion: webhook })));
    expect(refused.message).toContain(
      'spec.conversion.strategy: Unsupported value: "Webhook": supported values: "None"',
    );
  });

  it('causes one warning about unknown formats', async () => {
    const env = await CustomTestEnv.open();
    const spec = { properties: { a: { type: 'string', format: 'colour' } } };
    await env.define(shipDefinition(spec));
    await env.redefine('ships.sea.example', (changed) =>
      Object.assign(changed, { names: { plural: 'ships', kind: 'Ship' } }),
    );
    expect(env.warnings).toEqual(['unrecognized format "colour"']);
  });
});

describe('a changed definition', () => {
  it('applies to the next request, keeps open watches, and serves objects by its new schema (DEC-20, DEC-23)', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition({ properties: { masts: { type: 'integer' }, rum: { type: 'string' } } }));
    await env.ship('a', { masts: 1, rum: 'much' });
    const stream = await env
      .ships()
      .verbs.watch?.(
        { ...clientContext(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await env.redefine('ships.sea.example', (spec) => {
      spec.versions = [
        shipVersion(
          'v1',
          { properties: { masts: { type: 'integer' }, sails: { type: 'integer', default: 7 } } },
          { storage: true },
        ),
      ];
    });
    expect((await env.getShip('a')).spec).toEqual({ masts: 1, sails: 7 });
    await env.ship('b', {});
    expect(stream?.isEnded).toBe(false);
    stream?.close();
    expect((await env.ship('c', { rum: 'no' })).spec).toEqual({ sails: 7 });
  });

  it('also applies to writes in progress', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition({ properties: { rum: { type: 'string' } } }));
    const { kind } = env.ships();
    const decoded = decodeDocument(
      kind,
      { metadata: { name: 'a' }, spec: { rum: 'much' } },
      { findings: [], namespace: 'default' },
    );
    await env.redefine('ships.sea.example', (spec) => {
      spec.versions = [
        shipVersion('v1', { properties: { sails: { type: 'integer', default: 7 } } }, { storage: true }),
      ];
    });
    await env.ships().verbs.create?.(testClientContext('default'), decoded.object, testWriteOptions);
    expect((await env.getShip('a')).spec).toEqual({ sails: 7 });
  });

  it('keeps its kind and scope once it is established', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition());
    const refused = await rejectionStatus(
      env.redefine('ships.sea.example', (spec) => Object.assign(spec, { scope: 'Cluster' })),
    );
    expect(refused.message).toContain('spec.scope: Invalid value: "Cluster": field is immutable');
  });

  it('ends its watches if a version is no longer served (WATCH-38)', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition({}, { versions: [shipVersion('v1', {}, { storage: true }), shipVersion('v2')] }));
    const stream = await env
      .ships('v2')
      .verbs.watch?.(
        { ...clientContext(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await env.redefine('ships.sea.example', (spec) => {
      const versions = spec.versions as JsonObject[];
      Object.assign(versions[1] ?? {}, { served: false });
    });
    expect(stream?.take()).toBeUndefined();
    expect(stream?.isEnded).toBe(true);
    expect(env.plane.find('sea.example', 'v2', 'ships')).toBeUndefined();
  });
});

describe('several versions of a kind', () => {
  const two = (spec: JsonObject = {}) =>
    shipDefinition(
      {},
      {
        versions: [
          shipVersion(
            'v1',
            { properties: { masts: { type: 'integer', default: 2 }, rum: { type: 'string' } }, ...spec },
            { storage: true },
          ),
          shipVersion('v2', { properties: { masts: { type: 'integer' }, sails: { type: 'integer', default: 7 } } }),
        ],
      },
    );

  it('serve the same object, each with the fields of its own schema', async () => {
    const env = await CustomTestEnv.open();
    await env.define(two());
    await env.ship('a', { rum: 'much' });
    expect(await env.getShip('a', 'v2')).toMatchObject({ apiVersion: 'sea.example/v2', spec: { masts: 2 } });
    await env.ship('b', { masts: 4 }, 'v2');
    expect(await env.getShip('b')).toMatchObject({ apiVersion: 'sea.example/v1', spec: { masts: 4 } });
    expect((await env.getShip('b')).metadata.uid).toBe((await env.getShip('b', 'v2')).metadata.uid);
  });

  it('validate a write by the schema of the version of the request', async () => {
    const env = await CustomTestEnv.open();
    await env.define(two({ required: ['rum'] }));
    expect((await rejectionStatus(env.ship('a', {}))).message).toContain('spec.rum: Required value');
    await env.ship('a', {}, 'v2');
    await env.patchShip('a', { spec: { masts: 3 } }, 'v2');
    expect((await env.getShip('a')).spec).toEqual({ masts: 3 });
  });

  it('are watched each in its own version', async () => {
    const env = await CustomTestEnv.open();
    await env.define(two());
    const stream = await env
      .ships('v2')
      .verbs.watch?.(
        { ...clientContext(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await env.ship('a', { rum: 'much' });
    const event = stream?.take();
    expect(event).toMatchObject({ type: 'ADDED' });
    if (event === undefined || !('object' in event)) throw new Error('no event');
    expect(JSON.parse(event.object.json())).toMatchObject({ apiVersion: 'sea.example/v2', spec: { masts: 2 } });
    stream?.close();
  });

  it('are stored in the new storage version, object by object as they are written', async () => {
    const env = await CustomTestEnv.open();
    await env.define(two());
    const before = await env.ship('a', { masts: 1 });
    const stream = await env
      .ships()
      .verbs.watch?.(
        { ...clientContext(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    stream?.take();
    await env.redefine('ships.sea.example', (spec) => {
      const versions = spec.versions as JsonObject[];
      Object.assign(versions[0] ?? {}, { storage: false });
      Object.assign(versions[1] ?? {}, { storage: true });
    });
    expect(env.definition()?.status.storedVersions).toEqual(['v1', 'v2']);
    // The watch started when the objects were stored in the previous version. The new storage version has ended the
    // watch.
    expect(stream?.take()).toBeUndefined();
    expect(stream?.isEnded).toBe(true);
    expect((await env.getShip('a')).apiVersion).toBe('sea.example/v1');
    expect((await env.getShip('a')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    // A first patch without changes stores the object in the new version. A second such patch writes nothing.
    const moved = await env.patchShip('a', {});
    expect(moved.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const { entries } = await env.store.list({ slice: 'plane', prefix: ['objects', 'ships.sea.example'] });
    expect(entries[0]?.value).toContain('"apiVersion":"sea.example/v2"');
    expect((await env.patchShip('a', {})).metadata.resourceVersion).toBe(moved.metadata.resourceVersion);
    const refused = await rejectionStatus(
      env.redefine('ships.sea.example', (spec) => Object.assign(spec, { versions: listAt(spec, 'versions').slice(1) })),
    );
    expect(refused.message).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions');
  });

  it('cause a warning if one is deprecated (CREATE-29)', async () => {
    const env = await CustomTestEnv.open();
    await env.define(
      shipDefinition(
        {},
        {
          versions: [
            shipVersion('v1', {}, { storage: true }),
            shipVersion('v1beta1', {}, { deprecated: true }),
            shipVersion('v1alpha1', {}, { deprecated: true, deprecationWarning: 'walk the plank' }),
            shipVersion('v2', {}, { deprecated: true }),
          ],
        },
      ),
    );
    expect(env.ships('v1').kind.deprecation).toBeUndefined();
    expect(env.ships('v1beta1').kind.deprecation).toBe(
      'sea.example/v1beta1 Ship is deprecated; use sea.example/v1 Ship',
    );
    expect(env.ships('v1alpha1').kind.deprecation).toBe('walk the plank');
    expect(env.ships('v2').kind.deprecation).toBe('sea.example/v2 Ship is deprecated');
  });
});

describe('a deleted definition', () => {
  it('deletes its objects and leaves nothing in the store', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition());
    for (let index = 0; index < 10; index++) await env.ship(`s${index}`);
    await env.undefine();
    expect(env.definition()).toBeUndefined();
    expect(await env.rows()).toBe(0);
    expect(await env.rows('customresourcedefinitions.apiextensions.k8s.io')).toBe(0);
    expect((await env.store.list(reconcileRange)).entries).toEqual([]);
    expect(env.plane.find('sea.example', 'v1', 'ships')).toBeUndefined();
    await env.define(shipDefinition());
    expect(env.plane.kinds.get('ships.sea.example')?.count()).toBe(0);
  });

  it('waits for objects with finalizers, refuses new ones, and reports both (CREATE-23, DISC-06)', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition());
    await env.ship('held', {}, 'v1', { finalizers: ['sea.example/hold'] });
    await env.undefine();
    expect(env.conditions()).toContain('Terminating=True InstanceDeletionInProgress');
    expect(env.ships().unlisted).toEqual(['patch', 'create', 'update']);
    const refused = await rejectionStatus(env.ship('late'));
    expect(refused.message).toBe(
      'ships.sea.example "late" is forbidden: create not allowed while custom resource definition is terminating',
    );
    const again = await env.reopen();
    await again.maintenance.idle();
    expect(again.conditions()).toContain('Terminating=True InstanceDeletionInProgress');
    const gone = again.untilGone();
    await again.patchShip('held', { metadata: { finalizers: null } });
    await gone;
    expect(await again.rows()).toBe(0);
  });

  it('is removed at once if it was never established', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition({}, { names: { plural: 'ships', kind: 'Ship' } }));
    await env.define(shipDefinition({}, { names: { plural: 'boats', kind: 'Ship' } }, 'boats'));
    await env.undefine('boats.sea.example');
    expect(env.definition('boats.sea.example')).toBeUndefined();
    expect(env.ships().kind.kind).toBe('Ship');
  });

  it('ends the watches of its objects after a DELETED event for each object (WATCH-38)', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition());
    await env.ship('a');
    const stream = await env
      .ships()
      .verbs.watch?.(
        { ...clientContext(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await env.undefine();
    const types: string[] = [];
    for (let event = stream?.take(); event !== undefined; event = stream?.take()) types.push(event.type);
    expect(types).toEqual(['ADDED', 'DELETED']);
    expect(stream?.isEnded).toBe(true);
  });
});

const everything = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' } as const;

function clientContext() {
  return {
    user: { name: 'jane', groups: [] },
    system: false,
    signal: new AbortController().signal,
    warn() {},
    may: () => true,
  };
}

describe('stored texts', () => {
  it('are served unchanged if they were written with the current schema', async () => {
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition(masts));
    await env.ship('a', {});
    const { entries } = await env.store.list({ slice: 'plane', prefix: ['objects', 'ships.sea.example'] });
    const stored = JSON.parse(entries[0]?.value ?? '') as JsonValue;
    const form = env.plane.kinds.get('ships.sea.example')?.resource.form;
    expect(textAt(stored, 'form')).toBe(form?.storageFormId);
    await env.redefine('ships.sea.example', (spec) => {
      spec.versions = [
        shipVersion('v1', { properties: { masts: { type: 'integer', default: 9 } } }, { storage: true }),
      ];
    });
    expect(env.plane.kinds.get('ships.sea.example')?.resource.form?.storageFormId).not.toBe(form?.storageFormId);
  });

  it('stay readable if the schema gets defaults that are too large', async () => {
    const items = (properties: JsonObject) => ({
      properties: { decks: { type: 'array', items: { type: 'object', properties } } },
    });
    const env = await CustomTestEnv.open();
    await env.define(shipDefinition(items({})));
    await env.ship('a', { decks: Array.from({ length: 1_000 }, () => ({})) });
    await env.redefine('ships.sea.example', (spec) => {
      const name = { type: 'string', default: 'x'.repeat(100_000) };
      spec.versions = [shipVersion('v1', items({ name }), { storage: true })];
    });
    const decks = listAt((await env.getShip('a')) as JsonValue, 'spec', 'decks');
    expect(decks).toHaveLength(1_000);
    expect(textAt(decks[0] ?? null, 'name')).toHaveLength(100_000);
    expect(JSON.stringify(decks).length).toBeLessThan(3.2 * 1024 * 1024);
  });
});
