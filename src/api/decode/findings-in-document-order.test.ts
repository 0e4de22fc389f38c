import { describe, expect, it } from 'vitest';
import { findingsInDocumentOrder } from './findings-in-document-order.ts';

const unknown = (path: string) => `unknown field ${JSON.stringify(path)}`;
const duplicate = (path: string) => `duplicate field ${JSON.stringify(path)}`;

describe('findings in the order of the document', () => {
  it('an unknown field before a duplicate one is reported first', () => {
    const json = '{"spec":{"other":"x","replicas":2,"replicas":3}}';
    expect(findingsInDocumentOrder([duplicate('spec.replicas'), unknown('spec.other')], json)).toEqual([
      unknown('spec.other'),
      duplicate('spec.replicas'),
    ]);
  });

  it('a duplicate field is reported at its second occurrence', () => {
    const json = '{"spec":{"replicas":2,"other":"x","replicas":3}}';
    expect(findingsInDocumentOrder([duplicate('spec.replicas'), unknown('spec.other')], json)).toEqual([
      unknown('spec.other'),
      duplicate('spec.replicas'),
    ]);
  });

  it('members of lists and the metadata are in the same order', () => {
    const json =
      '{"spec":{"ports":[{"a":[1,{}],"x":1},{"x":"]}\\"","y":[{"z":1}]}],"q":1},"metadata":{"m":1,"name":"a","name":"b"}}';
    const inOrder = [
      unknown('spec.ports[0].x'),
      unknown('spec.ports[1].x'),
      unknown('spec.ports[1].y[0].z'),
      unknown('spec.q'),
      unknown('metadata.m'),
      duplicate('metadata.name'),
    ];
    expect(findingsInDocumentOrder([...inOrder].reverse(), json)).toEqual(inOrder);
  });

  it('duplicates of an unknown field and below it are not reported', () => {
    const json = '{"x":{"a":1,"a":2},"x":1,"xa":1,"xa":2}';
    const findings = [duplicate('x.a'), duplicate('x'), duplicate('xa'), unknown('x')];
    expect(findingsInDocumentOrder(findings, json)).toEqual([unknown('x'), duplicate('xa')]);
  });

  it('names with escapes are found', () => {
    const json = '{"\\u0062":1,"a\\"":1}';
    expect(findingsInDocumentOrder([unknown('a"'), unknown('b')], json)).toEqual([unknown('b'), unknown('a"')]);
  });

  it('at most 100 findings are reported', () => {
    const names = Array.from({ length: 150 }, (_value, index) => `n${index}`);
    const json = `{${names.map((name) => `"${name}":1`).join()}}`;
    expect(findingsInDocumentOrder([...names].reverse().map(unknown), json)).toEqual(names.slice(0, 100).map(unknown));
  });

  it('findings that are too long to be sorted stay as they are', () => {
    const long = 'a'.repeat(40_000);
    const findings = [unknown(`${long}b`), unknown(`${long}a`)];
    expect(findingsInDocumentOrder(findings, `{"${long}a":1,"${long}b":1}`)).toEqual(findings);
  });
});
