import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../field-error.ts';
import { readParameters } from './parameters.ts';
import type { TemplateParameter } from './v1/template-definition.ts';

const parameters: TemplateParameter[] = [
  { variable: 'version', type: 'string', validation: '^1\\.\\d+$' },
  { variable: 'size', type: 'number', min: 1, max: 5, defaultValue: '2' },
  { variable: 'ha', type: 'boolean' },
  { variable: 'motd', type: 'multiline' },
  { variable: 'secret', type: 'password', invalidation: '^1234' },
  { variable: 'zone', options: ['a', 'b'] },
  { variable: 'team.name', required: true, defaultValue: 'none' },
];

const read = (text: string, list = parameters) => readParameters(text, list);
const messages = (text: string, list = parameters) => read(text, list).errors.map(describeFieldError);

describe('template parameters', () => {
  it('are converted to the types of the parameters, with defaults applied (completions §3)', () => {
    const { values, errors } = read('version: 1.30\nha: True\nmotd: |\n  a\n  b\nteam:\n  name: red\n');
    expect(errors).toEqual([]);
    expect(values).toEqual({ version: '1.30', size: 2, ha: true, motd: 'a\nb\n', team: { name: 'red' } });
  });

  it('report all errors at once, each with its own path', () => {
    expect(messages('version: two\nsize: 9\nha: maybe\nzone: c\nteam: {name: "a\\nb"}\nother: 1\n')).toEqual([
      'spec.parameters.other: Forbidden: the template has no such parameter; available: version, size, ha, motd, secret, zone, team.name',
      'spec.parameters.version: Invalid value: "two": must match the pattern ^1\\.\\d+$',
      'spec.parameters.size: Invalid value: 9: must be less than or equal to 5',
      'spec.parameters.ha: Invalid value: "maybe": must be true or false',
      'spec.parameters.zone: Unsupported value: "c": supported values: "a", "b"',
      'spec.parameters.team.name: Invalid value: "a\\nb": must not contain control characters or line breaks',
    ]);
  });

  it('report a missing value that is required and has no default', () => {
    const list: TemplateParameter[] = [{ variable: 'name', required: true, label: 'Name' }];
    for (const text of ['', 'name:', 'name: ""', '# nothing', '{}']) {
      expect(messages(text, list)).toEqual(['spec.parameters.name: Required value: Name']);
    }
  });

  it('do not reveal a password in an error', () => {
    expect(messages('secret: 12345678').join()).not.toContain('12345678');
    expect(messages('secret: 12345678')).toHaveLength(1);
  });

  it.each(['- a', 'just text', 'a: 1\na: 2', 'a: &x 1\nzone: *x', '{', 'a: !!js/function "x"'])(
    'reject %j, which is not a single plain YAML map',
    (text) => {
      expect(messages(text)).toHaveLength(1);
      expect(messages(text)[0]).toContain('spec.parameters: Invalid value');
    },
  );

  it('reject values that are lists or maps, and members of scalar parameters', () => {
    expect(messages('zone: [a]')).toEqual(['spec.parameters.zone: Invalid value: ["a"]: must be a string']);
    expect(messages('team: red')).toEqual([
      expect.stringContaining('spec.parameters.team: Forbidden: the template has no such parameter'),
    ]);
  });

  it('treat inherited and special JavaScript property names as ordinary names', () => {
    expect(messages('__proto__: {polluted: 1}\nconstructor: x')).toHaveLength(2);
    const { values } = readParameters('constructor: x', [{ variable: 'constructor' }, { variable: 'toString' }]);
    expect(Object.keys(values)).toEqual(['constructor']);
  });

  it('match malicious patterns in linear time', () => {
    const list: TemplateParameter[] = [{ variable: 'a', validation: '^(a+)+$' }];
    expect(messages(`a: ${'a'.repeat(5000)}b`, list)).toHaveLength(1);
  });

  it('check long values against large patterns only within the limit of work', () => {
    const list: TemplateParameter[] = [
      { variable: 'a', type: 'multiline', validation: '^[a-z]{0,1000}[a-z]{0,1000}$' },
      { variable: 'b', type: 'multiline', validation: '^[a-z]+$' },
      { variable: 'c', validation: '^(a?){900}b$' },
    ];
    for (const variable of ['a', 'c']) {
      expect(messages(`${variable}: ${'a'.repeat(60_000)}`, list)).toEqual([
        expect.stringMatching(
          new RegExp(
            `^spec.parameters.${variable}: Forbidden: checking the parameters takes more than \\d+ units of work; `,
          ),
        ),
      ]);
    }
    expect(messages(`b: ${'a'.repeat(60_000)}`, list)).toEqual([]);
  });

  it('are limited in their length', () => {
    const [message = '', ...others] = messages(`motd: ${'a'.repeat(1_000_000)}`);
    expect(message).toMatch(/must be at most 65536 characters long, but has 1000006$/);
    expect(message.length).toBeLessThan(500);
    expect(others).toEqual([]);
  });

  it('report a bounded number of unknown names', () => {
    const list = Array.from({ length: 10_000 }, (_, at) => ({ variable: `known${at}` }));
    const errors = messages(Array.from({ length: 3_000 }, (_, at) => `unknown${at}: x`).join('\n'), list);
    expect(errors).toHaveLength(100);
    expect(errors[0]?.length).toBeLessThan(2_000);
  });
});
