import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResourceKind } from '../../api/resource.ts';
import type { ServedList, ServedObject } from '../../registry/verbs.ts';
import { generateText } from '../wire/generated-body.ts';
import { listText } from './list-json.ts';

const kind = (builtIn: boolean): ResourceKind => ({
  group: builtIn ? '' : 'example.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: [],
  categories: [],
  namespaced: true,
  description: '',
  schema: {},
  columns: [],
  ...(builtIn ? { builtIn } : {}),
});

function served(text: string, builtIn: boolean): ServedObject {
  const apiVersion = builtIn ? 'v1' : 'example.dev/v1';
  const object = { kind: 'Widget', apiVersion, metadata: { name: 'x' }, spec: { text } };
  return { object, json: () => JSON.stringify(object) };
}

function listOf(kind: ResourceKind, list: ServedList): string {
  return Buffer.concat([...generateText(listText(kind, list))]).toString();
}

describe('the JSON of a list', () => {
  it('ends with a newline and keeps all characters (LIST-01, NEG-19)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' })),
        fc.boolean(),
        fc.option(fc.nat()),
        (texts, builtIn, left) => {
          const list: ServedList = {
            items: texts.map((text) => served(text, builtIn)),
            resourceVersion: '7',
            ...(left === null ? {} : { continue: 'tökén', remainingItemCount: left }),
          };
          const text = listOf(kind(builtIn), list);
          expect(text.endsWith('}')).toBe(true);
          const read = JSON.parse(text);
          expect(read.items.map((item: { spec: unknown }) => item.spec)).toEqual(
            texts.map((each) => JSON.parse(JSON.stringify({ text: each }))),
          );
          expect(read.metadata.remainingItemCount ?? null).toBe(left);
        },
      ),
    );
  });

  it('omits kind and apiVersion only in items of built-in kinds (NEG-25)', () => {
    const items = [served('one', true), served('two', true)];
    const typed = listOf(kind(true), { items, resourceVersion: '7' });
    expect(typed).toMatch(/^\{"kind":"WidgetList","apiVersion":"v1","metadata":\{"resourceVersion":"7"\},"items":\[/);
    expect(JSON.parse(typed).items[1]).toEqual({ metadata: { name: 'x' }, spec: { text: 'two' } });
    const own = listOf(kind(false), { items: [served('one', false)], resourceVersion: '7' });
    expect(JSON.parse(own).items[0]).toMatchObject({ kind: 'Widget', apiVersion: 'example.dev/v1' });
  });
});
