import { describe, expect, it } from 'vitest';
import { jsonPathTemplate } from './json-path-template.ts';

const list = {
  kind: 'List',
  items: [
    { metadata: { name: 'a', labels: { 'x.y/z': 'l' } }, spec: { n: 1, on: true } },
    { metadata: { name: 'b' }, spec: { n: 2, tags: ['p', 'q'] } },
  ],
};

describe('a JSONPath template', () => {
  it.each([
    ['{.kind}', 'List'],
    ['.kind', 'List'],
    ['{$.kind}', 'List'],
    ['{.items[*].metadata.name}', 'a b'],
    ['{.items[0].spec}', '{"n":1,"on":true}'],
    ['{.items[-1].spec.tags[1]}', 'q'],
    ['{.items[?(@.spec.n==2)].metadata.name}', 'b'],
    ["{.items[0].metadata.labels['x.y/z']}", 'l'],
    ['{.items[0].metadata.labels.x\\.y/z}', 'l'],
    ['{.nothing.there}', ''],
    ['{range .items[*]}{.metadata.name}={.spec.n}{"\\n"}{end}', 'a=1\nb=2\n'],
    ['{range .items[*]}{.metadata.name}:{range .spec.tags[*]}{@}{","}{end};{end}', 'a:;b:p,q,;'],
    ['{range .items[*]}{$.kind}{end}', 'ListList'],
    ['name is {.items[0].metadata.name}{"\\t"}!', 'name is a\t!'],
    ['{"}"}', '}'],
  ])('%s prints %j', (template, expected) => {
    expect(jsonPathTemplate(template)(list)).toBe(expected);
  });

  it.each(['{.a', '{range .items[*]}', '{end}', '{.a[}', '{.a[x]}'])('cannot be %s', (template) => {
    expect(() => jsonPathTemplate(template)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});
