import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readParameters } from '../../../../src/api/management/parameters.ts';
import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';
import { maskPasswords, parameterValues, retainParameters, withParameter } from './parameter-values.ts';

const parameters: readonly TemplateParameter[] = [
  { variable: 'env', options: ['dev', 'test'] },
  { variable: 'size.replicas', type: 'number', min: 1, max: 5 },
  { variable: 'size.debug', type: 'boolean' },
  { variable: 'note', type: 'multiline' },
  { variable: 'secret', type: 'password' },
];
const [env, replicas, debug, note, secret] = parameters as [TemplateParameter, ...TemplateParameter[]];

function parameter(one: TemplateParameter | undefined): TemplateParameter {
  if (one === undefined) throw new Error('no such parameter');
  return one;
}

test('form values are read identically by the server and the form', () => {
  let text = withParameter('', env, 'dev');
  text = withParameter(text, parameter(replicas), '3');
  text = withParameter(text, parameter(debug), 'true');
  text = withParameter(text, parameter(note), 'one\ntwo: three\n');
  expect(text).toContain('replicas: 3\n');
  const { values, errors } = readParameters(text, parameters);
  expect(errors).toEqual([]);
  expect(values).toEqual({ env: 'dev', size: { replicas: 3, debug: true }, note: 'one\ntwo: three\n' });
  expect(Object.fromEntries(parameterValues(text, parameters))).toEqual({
    env: 'dev',
    'size.replicas': '3',
    'size.debug': 'true',
    note: 'one\ntwo: three\n',
  });
});

test('any text reaches the server unchanged', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (typed) => {
      const text = withParameter('', parameter(note), typed);
      expect(parameterValues(text, parameters).get('note')).toBe(typed);
      expect(readParameters(text, parameters).values).toEqual({ note: typed });
    }),
  );
});

test('text that looks like another YAML type stays text', () => {
  for (const typed of ['1.30', 'yes', '007', '1e3', 'null', '~', '0x1f', '-0', '12345678901234567890']) {
    const text = withParameter('', parameter(note), typed);
    expect(parameterValues(text, parameters).get('note')).toBe(typed);
  }
});

test('an empty value removes the parameter and keeps the others', () => {
  const text = withParameter('size:\n  replicas: 2\nother: 1\n', parameter(replicas), '');
  expect(text).toBe('other: 1\n');
});

test('a new template keeps the values of parameters that it has', () => {
  expect(retainParameters('env: dev\nsize:\n  replicas: 2\nother: 1\n', [env])).toBe('env: dev\n');
  expect(retainParameters('not: [a, map', [env])).toBe('');
});

test('passwords are hidden', () => {
  const text = withParameter(withParameter('', env, 'dev'), parameter(secret), 'hunter2');
  expect(maskPasswords(text, parameters)).toBe('env: dev\nsecret: ••••••\n');
  expect(maskPasswords('env: dev\n', parameters)).toBe('env: dev\n');
});
