import { area } from '../../area.ts';
import { apiVersion, gadget } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const long = (letter: string, length: number) => letter.repeat(length);

const names = [
  'UPPER',
  'a_b',
  '-a',
  'a-',
  'a..b',
  'a.b',
  long('x', 253),
  long('x', 254),
  'a/b',
  'a%b',
  '.',
  '..',
  'é',
  'a b',
  '',
  '1',
  long('x', 64),
];

const labels: readonly Record<string, string>[] = [
  { 'a b': 'x' },
  { a: 'b c' },
  { '': 'x' },
  { 'a/b/c': 'x' },
  { '/a': 'x' },
  { 'a/': 'x' },
  { 'UP/x': 'y' },
  { 'ex.com/Name': 'y' },
  { [`${long('p', 254)}/a`]: 'x' },
  { [long('n', 64)]: 'x' },
  { a: long('v', 64) },
  { a: '-x' },
  { a: '' },
  { a: 'x_y.z-1' },
  { 'b!': '!', 'a?': '?' },
  { constructor: 'b', toString: 'a' },
];

const finalizers = [
  ['x'],
  ['a.b'],
  ['a.b/c'],
  ['a b'],
  ['orphan'],
  ['foregroundDeletion'],
  ['orphan', 'foregroundDeletion'],
  ['kubernetes'],
  ['a.b/c', 'a.b/c'],
  ['', 'x'],
  ['a/b/c'],
  ['x', 'y.z', 'k/l'],
];

const owners = [
  [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u' }],
  [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: '' }],
  [{ apiVersion: 'v1', kind: 'ConfigMap', name: '', uid: 'u' }],
  [{ apiVersion: 'v1', kind: '', name: 'n', uid: 'u' }],
  [{ apiVersion: '', kind: 'ConfigMap', name: 'n', uid: 'u' }],
  [{ apiVersion: 'a/b/c', kind: 'ConfigMap', name: 'n', uid: 'u' }],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u' },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u' },
  ],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u', controller: true },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u2', controller: true },
  ],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u', controller: true },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u2', controller: false },
  ],
  [{ apiVersion: 'v1', kind: 'Event', name: 'n', uid: 'u' }],
  [{ apiVersion: 'events.k8s.io/v1', kind: 'Event', name: 'n', uid: 'u' }],
  [{}],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u' },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n2', uid: 'u' },
  ],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u' },
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'n', uid: 'u', controller: true },
  ],
  [{ apiVersion: '/v1', kind: 'ConfigMap', name: 'n', uid: 'u' }],
  [{ apiVersion: 'apps/', kind: 'ConfigMap', name: 'n', uid: 'u' }],
];

/** Compares the metadata of objects. */
export function metadata(pair: Pair): void {
  area(pair, 'Metadata', (compared, gadgets) => {
    compared('names (META-01, META-02, META-04)', async () => {
      for (const name of names) await gadgets.post(gadget(name));
    });

    compared('generateName (CREATE-12, CREATE-14 to CREATE-16)', async () => {
      for (const generateName of ['UPPER', 'ok-', 'a.', long('x', 100), 'a_', '', 'gen.dot-', '-bad', long('x', 300)]) {
        await gadgets.post({ ...gadget('x'), metadata: { generateName } });
      }
      const both = { ...gadget('x'), metadata: { name: 'both', generateName: 'foo-' } };
      await gadgets.post(both);
      await gadgets.post(both);
    });

    compared('labels and annotations (META-05 to META-09)', async () => {
      for (const [at, map] of labels.entries()) {
        await gadgets.post(gadget(`labels-${at}`, { metadata: { labels: map } }));
        await gadgets.post(gadget(`annotations-${at}`, { metadata: { annotations: map } }));
      }
      const body =
        `{"apiVersion":"${apiVersion}","kind":"Gadget","metadata":{"name":"proto","annotations":{"__proto__":"x"}},` +
        '"spec":{"raw":{"__proto__":{"a":1},"constructor":1},"labels":{"__proto__":"q"}}}';
      await gadgets.postText(body, 'application/json');
      for (const [at, length] of [262_144, 262_143].entries()) {
        await gadgets.post(gadget(`sized-${at}`, { metadata: { annotations: { a: long('x', length) } } }));
      }
    });

    compared('finalizers (META-11, META-12, CREATE-28)', async () => {
      for (const [at, list] of finalizers.entries()) {
        await gadgets.post(gadget(`finalizers-${at}`, { metadata: { finalizers: list } }));
      }
    });

    compared('owners (OWNER-01 to OWNER-05, CREATE-27)', async () => {
      for (const [at, list] of owners.entries()) {
        await gadgets.post(gadget(`owners-${at}`, { metadata: { ownerReferences: list } }));
      }
    });
  });
}
