import { WorkMeter } from '@flotilla/work-meter';
import { expectNearlyLinearGrowth } from '@flotilla/work-meter/growth.fixture.ts';
import { describe, expect, it } from 'vitest';
import { renderGoTemplate, templateSyntaxError } from './render.ts';
import { TemplateError } from './template-error.ts';
import { growingTemplates, templateWork } from './template-growth.fixture.ts';
import { createTemplateMeter } from './template-work.ts';

const sharedList = '{{ $a := list "x" }}{{ range 23 }}{{ $a = list $a $a }}{{ end }}';
const sharedMap = '{{ $a := dict "k" "x" }}{{ range 23 }}{{ $a = dict "a" $a "b" $a }}{{ end }}';
/** A text `$s` of 1 MB. */
const longText = '{{ $s := "aaaaaaaaaaaaaaaa" }}{{ range 16 }}{{ $s = printf "%s%s" $s $s }}{{ end }}';

/**
 * A generous maximum: the work limit corresponds to less than 300 ms, but the machine that runs the test may be slow
 * and busy.
 */
const maxCpuMs = 3_000;

function outcomeOf(template: string, meter = createTemplateMeter()): unknown {
  const before = process.cpuUsage();
  let outcome: unknown;
  try {
    outcome = renderGoTemplate(template, {}, meter);
  } catch (error) {
    outcome = error;
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000, 'milliseconds of CPU').toBeLessThan(maxCpuMs);
  return outcome;
}

const workLimit = /^line \d+, column \d+: the template takes more than \d+ units of work; make it smaller or simpler$/;

function expectWorkLimit(template: string, meter = createTemplateMeter()): void {
  const outcome = outcomeOf(template, meter);
  expect(outcome).toBeInstanceOf(TemplateError);
  expect((outcome as TemplateError).message).toMatch(workLimit);
}

describe('a value that contains itself many times', () => {
  it.each([
    '{{ toYaml $a | len }}',
    '{{ toJson $a | len }}',
    '{{ toString $a | len }}',
    '{{ printf "%v" $a | len }}',
    '{{ printf "%d" $a | len }}',
    '{{ printf "" $a | len }}',
    '{{ print $a | len }}',
    '{{ println $a | len }}',
    '{{ quote $a | len }}',
    '{{ squote $a | len }}',
    '{{ dict $a 1 | len }}',
    '{{ $a }}',
  ])('is not expanded beyond the limit of work: %s', (use) => {
    // With this limit, building the value succeeds, but writing the value as text exceeds the limit.
    for (const shared of [sharedList, sharedMap])
      expectWorkLimit(`${shared}${use}`, new WorkMeter('the template', 1e6));
  });

  it.each(['index (list 1) $a', 'slice "abc" $a', 'int $a', 'add 1 $a', 'trunc $a "x"', 'eq $a $a', 'lt $a $a'])(
    'is not converted to a text or compared by its contents: %s',
    (use) => {
      const outcome = outcomeOf(`${sharedList}{{ ${use} }}`);
      if (typeof outcome !== 'string') expect(outcome).toBeInstanceOf(TemplateError);
    },
  );
});

describe('a function of a long text', () => {
  it('is charged: thousands of replacements in 1 MB are not executed', () => {
    expectWorkLimit(`${longText}${'{{ $x := replace "b" "c" $s }}'.repeat(40_000)}`);
  });

  it.each([
    'upper $s',
    'trim $s',
    'trunc 5 $s',
    'contains "b" $s',
    'replace "zz" "" $s',
    'splitList "," $s',
    'splitList "a" $s',
    'split "a" $s',
    'join "," (list $s)',
    'indent 0 $s',
    'nindent 0 $s',
    'b64dec $s',
    'b64enc (trunc 60000 $s)',
    'quote $s',
    'toJson (trunc 900000 $s)',
    'toYaml $s',
    'printf "%s" $s',
    'printf "%q" $s',
    'printf "%x" $s',
    'printf $s',
    'eq $s (print $s)',
    'lt $s $s',
    'len $s',
    'slice $s 1 5',
    'int $s',
    'hasPrefix $s $s',
    'get (dict $s 1) $s',
    'dict $s 1',
    'list $s $s',
  ])('is charged: %s', (call) => {
    const template = `${longText}{{ range 10000000 }}{{ $x := ${call} }}{{ end }}`;
    expectWorkLimit(template, new WorkMeter('the template', 12_000_000));
  });

  it('finds a long text in another in linear time', () => {
    const [half, text] = ['a'.repeat(100_000), 'a'.repeat(500_000)];
    expect(outcomeOf(`{{ contains "${half}b${half}" "${text}" }}`)).toBe('false');
    expect(outcomeOf(`{{ contains "${half}b${half}" "${text}b${text}" }}`)).toBe('true');
    expect(outcomeOf(`{{ replace "${half}b" "-" "c${half}b${half}bd" }}`)).toBe('c--d');
  });

  it('reads the options of a verb in linear time', () => {
    expect(outcomeOf(`{{ printf "%${'0'.repeat(1_000_000)}" | len }}`)).toBe('1000001');
  });
});

describe('an execution that needs no function', () => {
  it.each([
    ['iterations', '{{ range 1000000000 }}{{ end }}'],
    [
      'calls of templates that call each other twice',
      `${Array.from({ length: 90 }, (_, at) => `{{ define "t${at}" }}{{ template "t${at + 1}" }}{{ template "t${at + 1}" }}{{ end }}`).join('')}{{ define "t90" }}{{ end }}{{ template "t0" }}`,
    ],
    [
      'a list that is iterated again and again',
      `${longText}{{ $l := splitList "a" (trunc 9999 $s) }}{{ range $l }}{{ range $l }}{{ end }}{{ end }}`,
    ],
  ])('is charged: %s', (_name, template) => {
    expectWorkLimit(template);
  });

  it('is limited in its nesting', () => {
    const nested = `${'{{ if true }}'.repeat(95)}{{ template "a" }}${'{{ end }}'.repeat(95)}`;
    expect(outcomeOf(`{{ define "a" }}${nested}{{ end }}{{ template "a" }}`)).toMatchObject({
      message: expect.stringContaining('nested more than 500 levels deep'),
    });
    expect(outcomeOf('{{ $a := list 1 }}{{ range 5000 }}{{ $a = list $a }}{{ end }}{{ $a }}')).toMatchObject({
      message: expect.stringContaining('the value is nested more than 100 levels deep'),
    });
  });

  it('executes many branches without recursion', () => {
    expect(outcomeOf(`{{ if false }}${'{{ else if false }}'.repeat(20_000)}{{ else }}x{{ end }}`)).toBe('x');
  });
});

describe('the work of templates that are rendered together', () => {
  it('has one limit', () => {
    const meter = createTemplateMeter();
    const template = '{{ range 200000 }}{{ end }}';
    renderGoTemplate(template, {}, meter);
    expect(() => {
      for (let at = 0; at < 10; at++) renderGoTemplate(template, {}, meter);
    }).toThrow(workLimit);
  });
});

describe('the work of a template grows no faster than n log n', () => {
  // Larger templates are checked in template-growth.slow.test.ts.
  it.each(growingTemplates)('%s', async (_name, templateOf) => {
    await expectNearlyLinearGrowth((bytes) => templateWork(templateOf(bytes)), 65_536);
  });
});

it('the syntax check accepts a template with thousands of expressions, and rejects a larger one', () => {
  expect(templateSyntaxError('name: {{ .Values.platform.name }}\n'.repeat(15_000))).toBeUndefined();
  expect(templateSyntaxError(`${'x'.repeat(1_000_000)}{{ if true }}{{ end }}`)).toBeUndefined();
  for (const template of [
    '{{1}}'.repeat(600_000),
    `{{ list${' 1'.repeat(500_000)} }}`,
    '{{ $x := replace "b" "c" "d" }}'.repeat(40_000),
  ])
    expect(templateSyntaxError(template)?.message).toMatch(
      /^line \d+, column \d+: checking the template takes more than 5000000 units of work; make it smaller or simpler$/,
    );
});

it('the syntax check accepts the same templates as rendering', () => {
  for (const template of [
    '{{ if }}',
    '{{ else }}',
    '{{ define "a" }}',
    '{{ $x }}',
    '{{ range 1 }}{{ break }}{{ end }}{{ break }}',
  ]) {
    const fault = templateSyntaxError(template);
    expect(fault).toBeInstanceOf(TemplateError);
    expect(() => renderGoTemplate(template, {})).toThrow(fault?.message ?? '');
  }
});

it('a template of 3 MB with an expression in each line is rendered', () => {
  const template = 'name: {{ .Values.platform.name }}\n'.repeat(90_000);
  expect(renderGoTemplate(template, { Values: { platform: { name: 'n' } } })).toHaveLength(8 * 90_000);
});
