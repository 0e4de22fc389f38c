import { expect, test } from 'vitest';
import { joinSentences, parameterHint, parameterSections } from './parameter-sections.ts';

test('parameters are grouped by section in template order', () => {
  const sections = parameterSections([
    { variable: 'a', section: 'Size' },
    { variable: 'b' },
    { variable: 'c', section: 'Net' },
    { variable: 'd', section: 'Size' },
  ]);
  expect(sections.map(({ section, members }) => [section, members.map(({ variable }) => variable)])).toEqual([
    ['', ['b']],
    ['Size', ['a', 'd']],
    ['Net', ['c']],
  ]);
});

test('a hint states limits and defaults', () => {
  expect(parameterHint({ variable: 'n', type: 'number', min: 1, max: 3, defaultValue: '2' })).toBe(
    'From 1 to 3. Default: 2.',
  );
  expect(parameterHint({ variable: 'n', type: 'number', min: 1, required: true })).toBe('Required. At least 1.');
  expect(parameterHint({ variable: 'p', type: 'password', defaultValue: 'hunter2' })).toBe('A default is set.');
  expect(parameterHint({ variable: 'b', type: 'boolean', defaultValue: 'TRUE' })).toBe('Default: on.');
  expect(parameterHint({ variable: 's' })).toBe('');
});

test('a description and its hint are separate sentences', () => {
  expect(joinSentences('Which stage', 'Required.')).toBe('Which stage. Required.');
  expect(joinSentences('Which stage?', 'Required.')).toBe('Which stage? Required.');
  expect(joinSentences('Which stage', '')).toBe('Which stage');
});
