import { area } from '../../area.ts';
import { apiVersion, gadget } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const head = `apiVersion: ${apiVersion}\nkind: Gadget\n`;
const named = (name: string) => `${head}metadata: {name: ${name}}\n`;

const scalars =
  'a: yes, b: no, c: on, d: 0x10, e: 0o17, f: 017, g: 1_000, h: .5, i: 1e3, j: ~, k: 2020-01-01, l: 12:30, o: true, ' +
  'p: True, q: TRUE, r: 1., s: 0b11, u: 1.0, y: null, z: y';

/** Documents by the name of the object that they create. Some documents create no object. */
const documents: Readonly<Record<string, string>> = {
  plain: `${named('plain')}spec: {color: red}\n`,
  'two-documents': `${named('two-documents')}---\nfoo: bar\n`,
  'empty-second': `${named('empty-second')}---\n`,
  'leading-separator': `---\n${named('leading-separator')}`,
  'leading-comment': `# hi\n---\n${named('leading-comment')}`,
  anchors: `${named('anchors')}spec:\n  labels: &a {x: "1"}\n  raw: {z: *a}\n`,
  'merge-key': `${named('merge-key')}spec:\n  raw: {b: &b {x: 1}, c: {<<: *b, y: 2}}\n`,
  scalars: `${named('scalars')}spec:\n  raw: {${scalars}, v: 9223372036854775807, w: 18446744073709551615, aa: -0x1f, bb: +12, cc: 1__0, dd: 0.1e-2, ee: "017"}\n`,
  'no-json-numbers': `${named('no-json-numbers')}spec:\n  raw: {n: .inf, t: -0, v: 9223372036854775808, w: 1e100}\n`,
  'other-keys': `${named('other-keys')}spec:\n  raw: {1: a, true: b, 1.5: c, ~: d}\n`,
  tab: `${head}metadata:\n\tname: tab\n`,
  tags: `${named('tags')}spec: {color: !!str 5, raw: {b: !!binary aGVsbG8=, c: !!int "5", d: !foo x}}\n`,
  blocks: `${named('blocks')}spec:\n  color: |\n    a\n    b\n  code: >-\n    ab-\n`,
  'no-anchor': `${named('no-anchor')}spec: {raw: *nope}\n`,
  'bad-indent': `apiVersion: ${apiVersion}\n kind: Gadget\n`,
  'map-as-key': `${named('map-as-key')}spec: {raw: {? {a: 1} : b}}\n`,
  'end-mark': `${named('end-mark')}...\nfoo: 1\n`,
  directive: `%YAML 1.2\n---\n${named('directive')}`,
  'older-directive': `%YAML 1.1\n---\n${named('older-directive')}`,
  json: JSON.stringify(gadget('json')),
  list: '- a\n- b\n',
  'only-a-comment': '# only\n',
  'same-line': `--- {apiVersion: ${apiVersion}, kind: Gadget, metadata: {name: same-line}}\n`,
  'carriage-returns': named('carriage-returns').replaceAll('\n', '\r\n'),
};

/** Compares YAML requests and responses. */
export function yamlBodies(pair: Pair): void {
  area(pair, 'YAML', (compared, gadgets) => {
    compared('documents of every kind, and the same strictly (DEC-12, DEC-24)', async () => {
      for (const text of Object.values(documents)) {
        await gadgets.postText(text, 'application/yaml');
        await gadgets.postText(text, 'application/yaml', { query: '?fieldValidation=Strict&dryRun=All' });
      }
    });

    compared('the created objects, as JSON and as YAML (NEG-04)', async () => {
      for (const name of ['anchors', 'merge-key', 'scalars', 'other-keys', 'tags', 'blocks']) {
        await gadgets.get(`/${name}`);
        await gadgets.get(`/${name}`, { headers: { accept: 'application/yaml' } });
      }
    });

    compared('JSON with the YAML content type and vice versa', async () => {
      await gadgets.postText(documents.plain ?? '', 'application/json');
      await gadgets.postText(JSON.stringify(gadget('json-as-yaml')), 'application/yaml');
    });
  });
}
