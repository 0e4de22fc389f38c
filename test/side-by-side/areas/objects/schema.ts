import { area } from '../../area.ts';
import { gadget } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const specs = [
  { size: 0 },
  { size: 1001 },
  { size: 'x' },
  { size: 1.5 },
  { size: 5 },
  { size: null },
  { size: true },
  { size: [] },
  { size: {} },
  { ratio: 0 },
  { ratio: 10 },
  { ratio: 9.99 },
  { steps: 7 },
  { flag: 'true' },
  { mode: 'x' },
  { mode: null },
  { mode: 1 },
  { code: 'XXX' },
  { code: 'a' },
  { code: 'abcdefghi-1' },
  { code: 'é-1' },
  { when: 'x' },
  { when: '2020-01-01T00:00:00Z' },
  { when: '2020-01-01t00:00:00.5+02:00' },
  { parts: [] },
  { parts: ['a', 'b', 'c', 'd'] },
  { parts: ['a', 5] },
  { parts: ['a', null] },
  { parts: {} },
  { tags: ['a', 'b', 'a'] },
  { ports: [{ name: 'a' }, { name: 'a' }] },
  { ports: [{ name: 'a', protocol: 'UDP' }, { name: 'a' }] },
  { ports: [{ port: 1 }] },
  { ports: [null] },
  { rooms: [{ id: 1 }, { id: 1, note: 'x' }] },
  { numbers: [1, 2, 1, 2] },
  { labels: { a: 1 } },
  { labels: { a: '1', b: '2', c: '3', d: '4' } },
  { limits: { a: { x: 'y' }, b: { x: 1, y: 'z' } } },
  { limits: { a: null } },
  { raw: 'x' },
  { raw: null },
  { raw: { a: null, b: [null] } },
  { half: { known: { k: 5 } } },
  { any: [1, 'a', null, { b: 1 }] },
  { any: null },
  { ios: true },
  { ios: '50%' },
  { ios: 1.5 },
  { maybe: null, maybeDefault: null },
  { nested: null },
  { nested: { level: null } },
  { nested: { deep: {} } },
  { nested: { level: 'x' } },
  { must: {} },
  { must: { a: 'x' } },
  { must: { a: null, b: 'x' } },
  { embedded: { foo: 1 } },
  { embedded: { apiVersion: 'v1', kind: 'Foo', metadata: { name: 'BAD NAME', labels: { 'a b': 'c' } } } },
  { embedded: { apiVersion: 'v1', kind: 'Foo', metadata: { labels: { a: 1 } } } },
  { embedded: { apiVersion: 'a/b/c', kind: 'foo bar', metadata: {} } },
  { email: 'x' },
  { email: 'a@b.c' },
  { ip: '1.2.3' },
  { bytes: '!!!' },
  { bytes: 'aGVsbG8=' },
  { date: '2020-13-01' },
  { dur: 'x' },
  { dur: '1h30m' },
  { uri: 'not a uri' },
  { uuid: 'x' },
  { host: '-x' },
  { choice: {} },
  { choice: { a: 'x', b: 'y' } },
  { notX: 'x' },
  { two: { a: 1 } },
  { two: { a: 1, b: 2 } },
  { two: { a: 'x', b: 2 } },
  { size: 0, mode: 'x', color: 5, flag: 'no', must: {}, parts: [] },
  { things: [{ a: 1 }, { b: 'x' }, 'y'] },
  { small: 3000000000 },
  { color: null },
  { color: 5 },
  { color: { a: 1 } },
  { color: [] },
  {},
];

/** Compares schema validation: types, bounds, formats, defaults, lists that are maps. */
export function schema(pair: Pair): void {
  area(pair, 'Schema', (compared, gadgets) => {
    compared('a spec is validated and defaulted on create (META-21, DEC-20 to DEC-23)', async () => {
      for (const [at, spec] of specs.entries()) await gadgets.post(gadget(`spec-${at}`, { spec }));
    });

    compared('a spec is validated and defaulted on update', async () => {
      for (const [at, spec] of specs.entries()) {
        await pair.prepare({ method: 'POST', path: gadgets.path, json: gadget(`put-${at}`) }, { keepAs: `put-${at}` });
        await gadgets.put(`put-${at}`, (object) => Object.assign(object, { spec }));
      }
    });
  });
}
