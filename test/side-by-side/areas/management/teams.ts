import { describe } from 'vitest';
import { teamKind } from '../../../../src/api/management/v1/team.ts';
import { apiVersionOf } from '../../../../src/api/meta.ts';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import type { KeptObject } from '../../side.ts';

const apiVersion = apiVersionOf(teamKind);
const { kind, plural } = teamKind;
const path = `/apis/${apiVersion}/${plural}`;

function team(name: string, spec: object = {}, metadata: object = {}): KeptObject {
  const whole = { displayName: 'D', owner: { user: 'admin' }, users: ['admin'], groups: ['g'] };
  return { apiVersion, kind, metadata: { name, ...metadata }, spec: { ...whole, ...spec } };
}

/** Compares a kind of the management API that no controller writes to with a custom resource of the same schema. */
export function teams(pair: Pair): void {
  describe('Teams', () => {
    const compared = comparedTests(pair);
    const post = (json: unknown, query = '', type = 'application/json') =>
      pair.send({ method: 'POST', path: path + query, json, headers: { 'content-type': type } });
    const put = (change: (object: KeptObject) => void, query = '') =>
      pair.send(
        (side) => {
          const json = side.kept('team');
          change(json);
          return { method: 'PUT', path: `${path}/red${query}`, json };
        },
        query === '' ? { keepAs: 'team' } : {},
      );
    const patch = (name: string, type: string, body: unknown, query = '') =>
      pair.send({
        method: 'PATCH',
        path: `${path}/${name}${query}`,
        body: JSON.stringify(body),
        headers: { 'content-type': type },
      });

    compared(
      'are created: complete, twice, in YAML, by dry run, with a generated name (CREATE-01, CREATE-17)',
      async () => {
        await post(team('red'));
        await post(team('red'));
        await post(team('blue'), '', 'application/yaml');
        await post(team('dry'), '?dryRun=All');
        await post({ ...team('generated'), metadata: { generateName: 'generated-' } });
        await post(team('green', { foo: 1 }));
      },
    );

    compared('are refused: fields, types, names, labels, kinds (CREATE-01, META-01)', async () => {
      await post(team('x', { foo: 1 }), '?fieldValidation=Strict');
      await post(team('x', { displayName: 5, owner: 'x', users: {} }));
      await post(team('x', { users: [5] }));
      await post({ ...team('x'), metadata: {} });
      await post(team('x', {}, { labels: { 'a b': 'c' } }));
      await post(team('UPPER'));
      await post({ ...team('x'), kind: 'Foo' });
      await post({ ...team('x'), apiVersion: 'foo/v1' });
    });

    compared('are read: one, all, a page, as rows, selected (GET-01, LIST-01)', async () => {
      await pair.send({ path: `${path}/red` }, { keepAs: 'team' });
      await pair.send({ path: `${path}/nope` });
      await pair.send({ path: `${path}/red`, headers: { accept: 'application/yaml' } });
      const selected = ['?labelSelector=x', '?fieldSelector=metadata.name%3Dred', '?fieldSelector=spec.zip%3Dx'];
      for (const query of ['', '?limit=1', '?limit=100&resourceVersion=0', ...selected]) {
        await pair.send({ path: path + query });
      }
      // This server computes the columns. A custom resource cannot express them.
      await pair.send({ path, headers: { accept: asTable } }, { ignoredFields: /columnDefinitions|cells/ });
    });

    compared('are replaced (UPDATE-05 to UPDATE-07, UPDATE-15)', async () => {
      await put(() => undefined);
      await put(({ spec }) => Object.assign(spec, { displayName: 'E' }));
      await put(({ metadata }) => delete metadata.resourceVersion);
      await put(({ metadata }) => Object.assign(metadata, { resourceVersion: '1' }));
      await put(({ metadata }) => Object.assign(metadata, { uid: '11111111-2222-3333-4444-555555555555' }));
      await put(({ metadata }) => Object.assign(metadata, { labels: { x: 'y' }, annotations: { p: 'q' } }));
      await put(({ spec }) => Object.assign(spec, { description: 'zz' }), '?dryRun=All');
      await put(({ spec }) => Object.assign(spec, { foo: 1 }));
      await put(({ spec }) => delete spec.displayName);
    });

    compared('are patched and applied (PATCH-10, PATCH-13, SSA-07)', async () => {
      await patch('red', jsonPatch, [{ op: 'add', path: '/metadata/annotations/k', value: 'v' }]);
      await patch('red', jsonPatch, [{ op: 'test', path: '/metadata/annotations/k', value: 'no' }]);
      await patch('red', mergePatch, { spec: { description: 'd' } });
      await patch('red', mergePatch, { spec: { zip: 1 } }, '?fieldValidation=Strict');
      await patch('red', mergePatch, { spec: { description: 5 } });
      await patch('red', mergePatch, { metadata: { resourceVersion: '1' } });
      await patch('red', 'application/strategic-merge-patch+json', {});
      const described = (spec: object) => ({ apiVersion, kind, metadata: { name: 'red' }, spec });
      await patch('red', applyPatch, described({ description: 'd' }), '?fieldManager=a');
      await patch('red', applyPatch, described({ description: 'e' }), '?fieldManager=a');
      await patch('red', applyPatch, described({ description: 'e', users: [] }), '?fieldManager=a&force=true');
      await patch('new', applyPatch, team('new'), '?fieldManager=a');
      await patch('new', applyPatch, team('new', { foo: 1 }), '?fieldManager=a');
    });

    compared('are watched and deleted (WATCH-06, DELETE-06)', async () => {
      const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const queries = [initial, `${initial}&labelSelector=x`, 'fieldSelector=metadata.name%3Dred'];
      await pair.sendAll(
        queries.map((query) => ({ path: `${path}?watch=1&timeoutSeconds=1&${query}` })),
        { isStream: true },
      );
      const remove = (where: string, json?: unknown) => pair.send({ method: 'DELETE', path: path + where, json });
      await remove('/blue');
      await remove('/green?gracePeriodSeconds=0');
      await remove('/nope');
      await remove('/red', { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'x' } });
      await remove('?labelSelector=x%3Dy');
      await remove('');
      await pair.send({ path });
    });
  });
}
