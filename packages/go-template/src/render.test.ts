import { describe, expect, it } from 'vitest';
import fixtures from './go-fixtures.json' with { type: 'json' };
import { renderGoTemplate } from './render.ts';
import { TemplateError } from './template-error.ts';

const outcome = (template: string, values: Parameters<typeof renderGoTemplate>[1]) => {
  try {
    return renderGoTemplate(template, values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error;
  }
};

describe('the result of Go’s text/template with Sprig', () => {
  it.each(fixtures.cases)('is reproduced: $template', ({ template, output, fails }) => {
    const made = outcome(template, fixtures.values);
    if (fails === true) expect(made).toBeInstanceOf(TemplateError);
    else expect(made).toBe(output ?? '');
  });
});

describe('an error', () => {
  it.each([
    ['a\n  {{ .Values.nope }}', 2, 6, 'field nope not found'],
    ['{{ nope 1 }}', 1, 4, 'function "nope" not defined'],
    ['{{ $x }}', 1, 4, 'undefined variable "$x"'],
    ['x\n{{ if .Values }}', 2, 7, '{{if}} has no matching {{end}}'],
    [
      '{{ .Values.name | required "m" | len | upper }}',
      1,
      40,
      'error calling upper: expected a string, got a value of type number',
    ],
    ['{{ required "say who" .Values.nobody }}', 1, 4, 'error calling required: say who'],
    ['{{ "a', 1, 4, 'unterminated quoted string'],
    ['{{ template "none" }}', 1, 4, 'template "none" not defined'],
  ])('has a position and a message: %j', (template, line, column, message) => {
    const made = outcome(template, { Values: { name: 'web', nobody: null } });
    expect(made).toMatchObject({ position: { line, column }, message: `line ${line}, column ${column}: ${message}` });
  });
});

describe('a template that exceeds a limit', () => {
  it.each([
    '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
    '{{ range 1000000000 }}{{ end }}',
    '{{ indent 1000000 "a\\nb" }}',
    '{{ $s := "aaaaaaaaaaaaaaaa" }}{{ range 100 }}{{ $s = replace "a" "aaaaaaaaaaaaaaaa" $s }}{{ end }}',
    '{{ range 100000 }}aaaaaaaaaaaaaaaaaaaaa{{ end }}',
    '{{ printf "%1000000d" 1 }}',
    `${'{{ if true }}'.repeat(10_000)}${'{{ end }}'.repeat(10_000)}`,
    `{{ ${'('.repeat(10_000)}1${')'.repeat(10_000)} }}`,
  ])('is stopped: %.60s', (template) => {
    expect(outcome(template, {})).toBeInstanceOf(TemplateError);
  });
});

it('a template sees only own members of a value', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(outcome(`{{ .Values.${name} }}`, { Values: {} })).toBeInstanceOf(TemplateError);
  }
});
