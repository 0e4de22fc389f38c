import { describe, expect, it } from 'vitest';
import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import { listAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import { shapeObject } from '../../registry/decode.ts';
import { pendingRange } from '../../registry/rows.ts';
import { refusal } from '../../registry/widgets.fixture.ts';
import { client, writing } from '../plane.fixture.ts';
import { CustomBench, shipDefinition, shipVersion } from './custom.fixture.ts';

const masts = { properties: { masts: { type: 'integer', default: 2 } } };

describe('a definition', () => {
  it('is served when whoever created it is answered, with names filled in', async () => {
    const bench = await CustomBench.open({ withoutUpkeep: true });
    const answer = await bench.define(shipDefinition(masts));
    expect(answer.status).toEqual({ acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    expect(bench.definition()?.status.acceptedNames).toEqual({
      plural: 'ships',
      singular: 'ship',
      kind: 'Ship',
      listKind: 'ShipList',
    });
    expect(bench.conditions()).toEqual(['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']);
    expect((await bench.ship('a', {})).spec).toEqual({ masts: 2 });
  });

  it('leaves nothing to be done once it is established', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition());
    await bench.upkeep.idle();
    expect((await bench.store.list(pendingRange)).entries).toEqual([]);
  });

  it('is established later where the process ended in between', async () => {
    const bench = await CustomBench.open({ withoutUpkeep: true, isIdle: true });
    const { object } = shapeObject(customResourceDefinitionKind, shipDefinition(), { findings: [], namespace: '' });
    await bench.definitions.verbs.create(client(), object, writing);
    expect(bench.conditions()).toEqual([]);
    const again = await bench.reopen();
    await again.upkeep.idle();
    expect(again.conditions()).toHaveLength(2);
    expect(again.ships().kind.kind).toBe('Ship');
  });

  it('serves its objects again when the plane was put away', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition(masts));
    await bench.ship('a', { masts: 5 });
    const again = await bench.reopen();
    expect((await again.getShip('a')).spec).toEqual({ masts: 5 });
  });

  it('gets no name that another of its group has, until that one goes', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition({}, { names: { plural: 'ships', kind: 'Ship', shortNames: ['s'] } }));
    await bench.define(
      shipDefinition({}, { names: { plural: 'boats', kind: 'Ship', shortNames: ['s', 'b'] } }, 'boats'),
    );
    expect(bench.conditions('boats.sea.example')).toEqual([
      'NamesAccepted=False ListKindConflict',
      'Established=False NotAccepted',
    ]);
    expect(bench.definition('boats.sea.example')?.status.acceptedNames).toEqual({ plural: 'boats', kind: '' });
    expect(bench.plane.find('sea.example', 'v1', 'boats')).toBeUndefined();
    await bench.undefine();
    await bench.upkeep.idle();
    expect(bench.conditions('boats.sea.example')).toEqual([
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
    expect(bench.plane.find('sea.example', 'v1', 'boats')?.kind.shortNames).toEqual(['s', 'b']);
  });

  it('takes no place of a kind that every plane has', async () => {
    const bench = await CustomBench.open();
    const own = shipDefinition(
      {},
      { group: 'apiextensions.k8s.io', names: { plural: 'customresourcedefinitions', kind: 'Ship' } },
    );
    const annotations = { 'api-approved.kubernetes.io': 'unapproved' };
    const metadata: JsonObject = { name: 'customresourcedefinitions.apiextensions.k8s.io', annotations };
    await bench.define({ ...own, metadata });
    expect(bench.conditions('customresourcedefinitions.apiextensions.k8s.io')[0]).toBe(
      'NamesAccepted=False PluralConflict',
    );
    expect(bench.mounted('apiextensions.k8s.io', 'v1', 'customresourcedefinitions').kind.kind).toBe(
      'CustomResourceDefinition',
    );
  });

  it('that is refused says all that is wrong, and nothing is served', async () => {
    const bench = await CustomBench.open();
    const refused = await refusal(bench.define(shipDefinition({ type: 'colour' }, { scope: 'Galaxy' })));
    expect(refused.details?.causes?.map(({ field }) => field)).toEqual([
      'spec.scope',
      'spec.validation.openAPIV3Schema.properties[spec].type',
    ]);
    expect(bench.plane.find('sea.example', 'v1', 'ships')).toBeUndefined();
  });

  it('cannot have a webhook convert its objects', async () => {
    const bench = await CustomBench.open();
    const webhook = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } };
    const refused = await refusal(bench.define(shipDefinition({}, { conversion: webhook })));
    expect(refused.message).toContain(
      'spec.conversion.strategy: Unsupported value: "Webhook": supported values: "None"',
    );
  });

  it('warns of formats that nobody checks, once', async () => {
    const bench = await CustomBench.open();
    const spec = { properties: { a: { type: 'string', format: 'colour' } } };
    await bench.define(shipDefinition(spec));
    await bench.redefine('ships.sea.example', (changed) =>
      Object.assign(changed, { names: { plural: 'ships', kind: 'Ship' } }),
    );
    expect(bench.warnings).toEqual(['unrecognized format "colour"']);
  });
});

describe('a definition that changes', () => {
  it('counts for the next request, keeps open watches, and shows objects as they are now (DEC-20, DEC-23)', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition({ properties: { masts: { type: 'integer' }, rum: { type: 'string' } } }));
    await bench.ship('a', { masts: 1, rum: 'much' });
    const stream = await bench
      .ships()
      .verbs.watch?.(
        { ...contextless(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await bench.redefine('ships.sea.example', (spec) => {
      spec.versions = [
        shipVersion(
          'v1',
          { properties: { masts: { type: 'integer' }, sails: { type: 'integer', default: 7 } } },
          { storage: true },
        ),
      ];
    });
    expect((await bench.getShip('a')).spec).toEqual({ masts: 1, sails: 7 });
    await bench.ship('b', {});
    expect(stream?.over).toBe(false);
    stream?.close();
    expect((await bench.ship('c', { rum: 'no' })).spec).toEqual({ sails: 7 });
  });

  it('holds writes that are under way to what it says now', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition({ properties: { rum: { type: 'string' } } }));
    const { kind } = bench.ships();
    const decoded = shapeObject(
      kind,
      { metadata: { name: 'a' }, spec: { rum: 'much' } },
      { findings: [], namespace: 'default' },
    );
    await bench.redefine('ships.sea.example', (spec) => {
      spec.versions = [
        shipVersion('v1', { properties: { sails: { type: 'integer', default: 7 } } }, { storage: true }),
      ];
    });
    await bench.ships().verbs.create?.(client('default'), decoded.object, writing);
    expect((await bench.getShip('a')).spec).toEqual({ sails: 7 });
  });

  it('keeps its kind and scope once it is established', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition());
    const refused = await refusal(
      bench.redefine('ships.sea.example', (spec) => Object.assign(spec, { scope: 'Cluster' })),
    );
    expect(refused.message).toContain('spec.scope: Invalid value: "Cluster": field is immutable');
  });

  it('ends its watches where a version is no longer served (WATCH-38)', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition({}, { versions: [shipVersion('v1', {}, { storage: true }), shipVersion('v2')] }));
    const stream = await bench
      .ships('v2')
      .verbs.watch?.(
        { ...contextless(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await bench.redefine('ships.sea.example', (spec) => {
      const versions = spec.versions as JsonObject[];
      Object.assign(versions[1] ?? {}, { served: false });
    });
    expect(stream?.take()).toBeUndefined();
    expect(stream?.over).toBe(true);
    expect(bench.plane.find('sea.example', 'v2', 'ships')).toBeUndefined();
  });
});

describe('several versions', () => {
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

  it('show the same object, each what its schema knows', async () => {
    const bench = await CustomBench.open();
    await bench.define(two());
    await bench.ship('a', { rum: 'much' });
    expect(await bench.getShip('a', 'v2')).toMatchObject({ apiVersion: 'sea.example/v2', spec: { masts: 2 } });
    await bench.ship('b', { masts: 4 }, 'v2');
    expect(await bench.getShip('b')).toMatchObject({ apiVersion: 'sea.example/v1', spec: { masts: 4 } });
    expect((await bench.getShip('b')).metadata.uid).toBe((await bench.getShip('b', 'v2')).metadata.uid);
  });

  it('hold what is written to the schema of the version that it is written in', async () => {
    const bench = await CustomBench.open();
    await bench.define(two({ required: ['rum'] }));
    expect((await refusal(bench.ship('a', {}))).message).toContain('spec.rum: Required value');
    await bench.ship('a', {}, 'v2');
    await bench.patchShip('a', { spec: { masts: 3 } }, 'v2');
    expect((await bench.getShip('a')).spec).toEqual({ masts: 3 });
  });

  it('are watched each in its own form', async () => {
    const bench = await CustomBench.open();
    await bench.define(two());
    const stream = await bench
      .ships('v2')
      .verbs.watch?.(
        { ...contextless(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await bench.ship('a', { rum: 'much' });
    const event = stream?.take();
    expect(event).toMatchObject({ type: 'ADDED' });
    if (event === undefined || !('object' in event)) throw new Error('no event');
    expect(JSON.parse(event.object.json())).toMatchObject({ apiVersion: 'sea.example/v2', spec: { masts: 2 } });
    stream?.close();
  });

  it('are stored in another one when the definition says so, object by object as they are written', async () => {
    const bench = await CustomBench.open();
    await bench.define(two());
    const before = await bench.ship('a', { masts: 1 });
    const stream = await bench
      .ships()
      .verbs.watch?.(
        { ...contextless(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    stream?.take();
    await bench.redefine('ships.sea.example', (spec) => {
      const versions = spec.versions as JsonObject[];
      Object.assign(versions[0] ?? {}, { storage: false });
      Object.assign(versions[1] ?? {}, { storage: true });
    });
    expect(bench.definition()?.status.storedVersions).toEqual(['v1', 'v2']);
    // Of the version that was the stored one, whose objects are now made of others.
    expect(stream?.take()).toBeUndefined();
    expect(stream?.over).toBe(true);
    expect((await bench.getShip('a')).apiVersion).toBe('sea.example/v1');
    expect((await bench.getShip('a')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    // A write that changes nothing brings the object into the new version, and a second one finds it there.
    const moved = await bench.patchShip('a', {});
    expect(moved.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const { entries } = await bench.store.list({ slice: 'plane', prefix: ['objects', 'ships.sea.example'] });
    expect(entries[0]?.value).toContain('"apiVersion":"sea.example/v2"');
    expect((await bench.patchShip('a', {})).metadata.resourceVersion).toBe(moved.metadata.resourceVersion);
    const refused = await refusal(
      bench.redefine('ships.sea.example', (spec) =>
        Object.assign(spec, { versions: listAt(spec, 'versions').slice(1) }),
      ),
    );
    expect(refused.message).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions');
  });

  it('warn where one is deprecated (CREATE-29)', async () => {
    const bench = await CustomBench.open();
    await bench.define(
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
    expect(bench.ships('v1').kind.deprecation).toBeUndefined();
    expect(bench.ships('v1beta1').kind.deprecation).toBe(
      'sea.example/v1beta1 Ship is deprecated; use sea.example/v1 Ship',
    );
    expect(bench.ships('v1alpha1').kind.deprecation).toBe('walk the plank');
    expect(bench.ships('v2').kind.deprecation).toBe('sea.example/v2 Ship is deprecated');
  });
});

describe('a definition that is deleted', () => {
  it('takes its objects along and leaves nothing behind', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition());
    for (let index = 0; index < 10; index++) await bench.ship(`s${index}`);
    await bench.undefine();
    expect(bench.definition()).toBeUndefined();
    expect(await bench.rows()).toBe(0);
    expect(await bench.rows('customresourcedefinitions.apiextensions.k8s.io')).toBe(0);
    expect((await bench.store.list(pendingRange)).entries).toEqual([]);
    expect(bench.plane.find('sea.example', 'v1', 'ships')).toBeUndefined();
    await bench.define(shipDefinition());
    expect(bench.plane.kinds.get('ships.sea.example')?.count()).toBe(0);
  });

  it('waits for objects that something holds, takes no new ones, and says so (CREATE-23, DISC-06)', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition());
    await bench.ship('held', {}, 'v1', { finalizers: ['sea.example/hold'] });
    await bench.undefine();
    expect(bench.conditions()).toContain('Terminating=True InstanceDeletionInProgress');
    expect(bench.ships().unlisted).toEqual(['patch', 'create', 'update']);
    const refused = await refusal(bench.ship('late'));
    expect(refused.message).toBe(
      'ships.sea.example "late" is forbidden: create not allowed while custom resource definition is terminating',
    );
    const again = await bench.reopen();
    await again.upkeep.idle();
    expect(again.conditions()).toContain('Terminating=True InstanceDeletionInProgress');
    const gone = again.gone();
    await again.patchShip('held', { metadata: { finalizers: null } });
    await gone;
    expect(await again.rows()).toBe(0);
  });

  it('goes at once where it was never established', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition({}, { names: { plural: 'ships', kind: 'Ship' } }));
    await bench.define(shipDefinition({}, { names: { plural: 'boats', kind: 'Ship' } }, 'boats'));
    await bench.undefine('boats.sea.example');
    expect(bench.definition('boats.sea.example')).toBeUndefined();
    expect(bench.ships().kind.kind).toBe('Ship');
  });

  it('ends the watches of its objects, after it has told of each one (WATCH-38)', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition());
    await bench.ship('a');
    const stream = await bench
      .ships()
      .verbs.watch?.(
        { ...contextless(), namespace: 'default' },
        { ...everything, allowBookmarks: false, sendInitialEvents: undefined, timeoutMilliseconds: 60_000 },
      );
    await bench.undefine();
    const types: string[] = [];
    for (let event = stream?.take(); event !== undefined; event = stream?.take()) types.push(event.type);
    expect(types).toEqual(['ADDED', 'DELETED']);
    expect(stream?.over).toBe(true);
  });
});

const everything = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' } as const;

function contextless() {
  return {
    user: { name: 'jane', groups: [] },
    system: false,
    signal: new AbortController().signal,
    warn() {},
    may: () => true,
  };
}

describe('texts in the store', () => {
  it('are served as they are where they were written by the schema of today', async () => {
    const bench = await CustomBench.open();
    await bench.define(shipDefinition(masts));
    await bench.ship('a', {});
    const { entries } = await bench.store.list({ slice: 'plane', prefix: ['objects', 'ships.sea.example'] });
    const stored = JSON.parse(entries[0]?.value ?? '') as JsonValue;
    const form = bench.plane.kinds.get('ships.sea.example')?.resource.form;
    expect(textAt(stored, 'form')).toBe(form?.mark);
    await bench.redefine('ships.sea.example', (spec) => {
      spec.versions = [
        shipVersion('v1', { properties: { masts: { type: 'integer', default: 9 } } }, { storage: true }),
      ];
    });
    expect(bench.plane.kinds.get('ships.sea.example')?.resource.form?.mark).not.toBe(form?.mark);
  });
});
