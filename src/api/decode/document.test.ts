import { type JsonValue, parseJson } from '@flotilla/json';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../status.ts';
import { findingWarnings, maxYamlBytes, readDocument, undecodableBody } from './document.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const yaml = (text: string): JsonValue => readDocument(bytes(text), 'yaml').value;

function refusal(body: Uint8Array, format: 'json' | 'yaml', confidential = false): string {
  try {
    readDocument(body, format);
  } catch (error) {
    const status = undecodableBody({ kind: 'Project', confidential }, body, error);
    expect(status).toBeInstanceOf(StatusError);
    expect(status.code).toBe(400);
    return status.message;
  }
  throw new Error('accepted');
}

describe('readDocument of JSON', () => {
  it('reports duplicates as findings (DEC-09)', () => {
    expect(readDocument(bytes('{"spec":{"bar":1,"bar":2}}'), 'json')).toEqual({
      value: { spec: { bar: 2 } },
      findings: ['duplicate field "spec.bar"'],
    });
  });

  it('quotes no part of a body that may contain secrets', () => {
    expect(refusal(bytes('{"spec":{"key":"secret'), 'json', true)).toBe(
      "the object provided is unrecognized (must be of type Project): couldn't get version/kind; json parse error: unexpected end of JSON input",
    );
  });

  it('reports invalid JSON with the start of the body (DEC-01)', () => {
    expect(refusal(bytes('{"kind":"Project","spec": oh dear, this is long}'), 'json')).toBe(
      `the object provided is unrecognized (must be of type Project): couldn't get version/kind; json parse error: invalid character 'o' looking for beginning of value ({"kind":"Project","spec": oh d ...)`,
    );
    expect(refusal(bytes('hi'), 'json')).toBe(
      `the object provided is unrecognized (must be of type Project): couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value (6869)`,
    );
    expect(refusal(bytes(''), 'json')).toBe(
      `the object provided is unrecognized (must be of type Project): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`,
    );
  });

  it('rejects documents that are nested too deeply (REQ-21)', () => {
    expect(refusal(bytes('['.repeat(10_001)), 'json')).toContain('exceeded max depth');
  });
});

describe('readDocument of YAML', () => {
  it('reads back YAML that was dumped from JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (generated) => {
        // Convert to JSON and back, because JSON has no negative zero.
        const value = JSON.parse(JSON.stringify(generated));
        const text = dump(value, { forceQuotes: true, noRefs: true });
        const names = JSON.stringify(value).match(/"[^"\\]*":/g) ?? [];
        // Skip names that YAML resolves to other types, because a plain key is resolved like any scalar.
        if (names.some((name) => !/^"[a-z]{2,}":$/.test(name) || /"(yes|no|on|off)":/.test(name))) return;
        expect(yaml(text)).toEqual(parseJson(JSON.stringify(value)).value);
      }),
    );
  });

  it('reports duplicates in one text with a line for each (DEC-12)', () => {
    const text = 'kind: A\nspec:\n  name: a\n  name: b\n  map:\n    x: 1\n  map:\n    z: 2\nkind: B\n';
    const { value, findings } = readDocument(bytes(text), 'yaml');
    expect(value).toEqual({ kind: 'B', spec: { name: 'b', map: { z: 2 } } });
    expect(findings).toEqual([
      'yaml: unmarshal errors:\n  line 4: key "name" already set in map\n  line 8: key "map" already set in map\n  line 9: key "kind" already set in map',
    ]);
    expect(findings.flatMap(findingWarnings)).toEqual([
      'line 4: key "name" already set in map',
      'line 8: key "map" already set in map',
      'line 9: key "kind" already set in map',
    ]);
    expect(findingWarnings('unknown field "spec.foo"')).toEqual(['unknown field "spec.foo"']);
  });

  it('reads only the first document, and tolerates a trailing separator (DEC-24)', () => {
    expect(yaml('a: 1\n---\nb: 2\n')).toEqual({ a: 1 });
    expect(yaml('---\na: 1\n---\n')).toEqual({ a: 1 });
    expect(yaml('')).toBeNull();
  });

  it('keeps int64 exactly (DEC-07)', () => {
    expect(yaml('[9223372036854775807, -9223372036854775808, 0x7fffffffffffffff, 18446744073709551615]')).toEqual([
      9223372036854775807n,
      -9223372036854775808n,
      9223372036854775807n,
      2 ** 64,
    ]);
  });

  it.each<[string, JsonValue]>([
    ['yes', true],
    ['On', true],
    ['y', true],
    ['n', false],
    ['OFF', false],
    ['oN', 'oN'],
    ['"yes"', 'yes'],
    ['~', null],
    ['Null', null],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['12:30:45', '12:30:45'],
    ['017', 15],
    ['0o17', 15],
    ['08', 8],
    ['0x1F', 31],
    ['-0b11', -3],
    ['1_000', 1000],
    ['+5', 5],
    ['1.', 1],
    ['.5', 0.5],
    ['1e3', 1000],
    ['1e999', '1e999'],
    ['1.2.3', '1.2.3'],
    ['!!str 5', '5'],
    ['!!float 5', 5],
    ['!!binary aGk=', 'hi'],
    ['!custom 5', '5'],
    ['|\n  a\n  b\n', 'a\nb\n'],
  ])('resolves %j as Kubernetes does', (text, value) => {
    expect(yaml(`v: ${text}`)).toEqual({ v: value });
  });

  it('resolves aliases and merge keys without shared values (NEG-04)', () => {
    const read = yaml('a: &x {k: [1]}\nb: *x\nc: {<<: *x, l: 2}\n') as Record<string, unknown>;
    expect(read).toEqual({ a: { k: [1] }, b: { k: [1] }, c: { k: [1], l: 2 } });
    expect(read.a).not.toBe(read.b);
  });

  it('reads integers beyond float64 as strings, as Go does', () => {
    const digits = `1${'0'.repeat(400)}`;
    expect(yaml(`a: ${digits}\nb: +${digits}\n`)).toEqual({ a: digits, b: `+${digits}` });
  });

  it('accepts long documents only as JSON, whatever their declared type', () => {
    const text = 'x'.repeat(maxYamlBytes);
    expect(yaml(`{"a":"${text}"}`)).toEqual({ a: text });
    for (const long of [`a: ${text}`, `{a: ${text}}`, `{"a":1,"a":"${text}"}`]) {
      expect(() => yaml(long)).toThrow('Request entity too large: limit of YAML that is not JSON is 131072');
    }
  });

  it('turns scalar keys into strings and merges inline maps', () => {
    expect(yaml('1: a\ntrue: b\n1.5: c\n"x": d\n')).toEqual({ '1': 'a', true: 'b', '1.5': 'c', x: 'd' });
    expect(yaml('<<: {a: 1, b: 2}\nb: 3\n')).toEqual({ a: 1, b: 3 });
    expect(Object.keys(yaml('__proto__: {x: 1}') as object)).toEqual(['__proto__']);
  });

  it.each([
    ['b: *x\n', "yaml: unknown anchor 'x' referenced"],
    ['a: &x [*x]\n', "yaml: anchor 'x' value contains itself"],
    [bomb(), 'yaml: document contains excessive aliasing'],
    [`a: &x ${'x'.repeat(100_000)}\nb: [${'*x,'.repeat(20)}]\n`, 'yaml: document contains excessive aliasing'],
    ['b: *a-long-secret\n', "yaml: unknown anchor 'a-long-...' referenced"],
    ['? [1]\n: x\n', 'invalid map key'],
    ['~: x\n', 'unsupported map key of type: <nil>'],
    ['a: .inf\n', 'json: unsupported value: +Inf'],
    ['a: b: c\n', 'yaml: line 1: '],
    ['a: !!int x\n', 'yaml: cannot decode !!str `x` as a !!int'],
    ['a: !!int a-long-secret\n', 'yaml: cannot decode !!str `a-long-...` as a !!int'],
    ['['.repeat(2000), 'exceeded max depth'],
  ])('rejects %j', (text, message) => {
    expect(refusal(bytes(text), 'yaml')).toContain(message);
  });

  it('rejects invalid UTF-8', () => {
    expect(refusal(new Uint8Array([0x61, 0x3a, 0x20, 0xff]), 'yaml')).toContain('yaml: invalid UTF-8');
  });
});

/** Returns an alias bomb: nine lines that expand to a billion values. */
function bomb(): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
  for (let level = 1; level < 9; level++) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')}]`);
  }
  return lines.join('\n');
}
