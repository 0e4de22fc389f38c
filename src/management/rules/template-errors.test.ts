import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../api/field-error.ts';
import { defaultManagementSettings } from '../settings.ts';
import { templateDefinitionErrors, templateSpecErrors } from './template-errors.ts';

const definition = (value: JsonObject) =>
  templateDefinitionErrors(value, 'spec.template', defaultManagementSettings).map(describeFieldError);
const spec = (value: JsonObject) => templateSpecErrors(value, defaultManagementSettings).map(describeFieldError);

describe('definitionErrors', () => {
  it('an allowed chart is accepted, named fully, partly or not at all (completions §3)', () => {
    const repo = 'https://charts.loft.sh';
    for (const chart of [{}, { name: 'vcluster' }, { repo }, { name: 'vcluster', repo, version: '0.30.0' }]) {
      expect(definition({ helmRelease: { chart } })).toEqual([]);
    }
  });

  it('charts and repositories that are not allowed are rejected', () => {
    expect(definition({ helmRelease: { chart: { name: 'nginx' } } })).toEqual([
      expect.stringContaining('spec.template.helmRelease.chart.name: Forbidden'),
    ]);
    expect(definition({ helmRelease: { chart: { name: 'vcluster', repo: 'https://evil.example' } } })).toEqual([
      expect.stringContaining('spec.template.helmRelease.chart.repo: Forbidden'),
    ]);
  });

  it.each([
    ['kind: ConfigMap', 0],
    ['kind: ConfigMap\n---\nkind: Secret', 0],
    ['kind: Namespace', 1],
    ['kind: ConfigMap\n---\nkind: ClusterRole\n---\nkind: Namespace', 2],
    ['{"kind": "ClusterRole"}', 1],
    ['kind: List\nitems:\n- kind: Node', 1],
    ['{{ if .Values.a }}\nkind: "ClusterRoleBinding"\n{{ end }}', 1],
    ['{{ if .Values.a }}\nkind: ConfigMap\n{{ end }}', 0],
    ['kind: ConfigMap\nfoo: [', 1],
    ['- kind: ConfigMap', 1],
    ['metadata: {}', 1],
    ['', 0],
  ])('space objects %j have %i errors', (objects, count) => {
    expect(definition({ spaceTemplate: { objects } })).toHaveLength(count);
  });

  it('access rules with thousands of entries are rejected', () => {
    const rules = Array.from({ length: 2_000 }, (_, at) => ({ clusterRole: `role-${at}`, users: ['anna'] }));
    expect(definition({ access: { rules } })).toEqual([
      'spec.template.access: Forbidden: may have at most 1000 entries in all its lists, but has 4000',
    ]);
  });

  it('space objects that are long are not parsed, but their kinds are checked', () => {
    const long = `data: {a: ${'x'.repeat(200_000)}}`;
    expect(definition({ spaceTemplate: { objects: `kind: ConfigMap\n${long}\n---\nkind: ClusterRole` } })).toEqual([
      expect.stringContaining('ClusterRole is cluster-scoped'),
    ]);
    expect(definition({ spaceTemplate: { objects: `kind: ConfigMap\ndata: ${'['.repeat(200_000)}` } })).toEqual([]);
  });
});

describe('template strings of a definition', () => {
  it('template syntax errors are rejected with their position (completions §7)', () => {
    const values = 'replicas: {{ .Values.replicas | default 1 }}\nname: {{ .Values.platform.name | nosuch }}\n';
    const annotations = { 'example.dev/a': '{{ if .Values.a }}' };
    expect(definition({ helmRelease: { values }, metadata: { annotations } })).toEqual([
      'spec.template.helmRelease.values: Invalid value: "": invalid template: line 2, column 34: function "nosuch" not defined',
      'spec.template.metadata.annotations[example.dev/a]: Invalid value: "": invalid template: line 1, column 7: {{if}} has no matching {{end}}',
    ]);
  });

  it('all expressions of an object have one limit of work, which is reported once', () => {
    const values = '{{ $x := replace "b" "c" "d" }}'.repeat(10_000);
    const versions = Array.from({ length: 10 }, (_, at) => ({ version: `${at}.0.0`, template: { objects: values } }));
    expect(spec({ template: { helmRelease: { values } }, versions })).toEqual([
      expect.stringMatching(/^spec.versions\[0\].template.objects: .* checking the template takes more than \d+ units/),
    ]);
  });
});

describe('template parameters and versions', () => {
  it('all errors are reported at once', () => {
    expect(
      spec({
        parameters: [
          { variable: 'a b' },
          { variable: 'size', type: 'number', min: 5, max: 1 },
          { variable: 'size' },
          { variable: 'size.deep' },
          { variable: 'p', validation: '(' },
          { variable: 'd', type: 'boolean', defaultValue: 'maybe' },
          { variable: 'o', options: ['x'], defaultValue: 'y' },
          { variable: 't', type: 'date' },
        ],
        versions: [{ version: '1.0.0' }, { version: '1.0.0' }, { version: '1.x' }],
      }).map((line) => line.split(':')[0]),
    ).toEqual([
      'spec.parameters[0].variable',
      'spec.parameters[1].min',
      'spec.parameters[2].variable',
      'spec.parameters[3].variable',
      'spec.parameters[4].validation',
      'spec.parameters[5].defaultValue',
      'spec.parameters[6].defaultValue',
      'spec.parameters[7].type',
      'spec.versions[1].version',
      'spec.versions[2].version',
    ]);
  });

  it('a complete template is accepted', () => {
    expect(
      spec({
        template: { objects: 'anything {{ .Values.a }}' },
        parameters: [{ variable: 'a.b', type: 'number', min: 1, max: 3, options: ['1', '2'], defaultValue: '2' }],
        versions: [{ version: '1.0.0', parameters: [{ variable: 'a', validation: '^x', defaultValue: 'xy' }] }],
      }),
    ).toEqual([]);
  });

  it.each([
    ['a repetition with millions of instructions', `(?:${'a?'.repeat(450)}){1000}`, 'must have fewer repetitions'],
    ['nested repetitions', '(?:(?:[a-z]{1,10}\\.?){1,10}){0,90}', 'must have fewer repetitions'],
    ['a repetition after a class with brackets', '(?:[])(]a?b?c?d?e?f?){1000}', 'must have fewer repetitions'],
  ])('%s is rejected before it is compiled', (_name, validation, detail) => {
    expect(spec({ parameters: [{ variable: 'a', validation }] })).toEqual([expect.stringContaining(detail)]);
  });

  it('the work of all patterns and options is limited', () => {
    const patterns = Array.from({ length: 1000 }, (_, at) => ({
      variable: `a${at}`,
      validation: `${'\\pL'.repeat(300)}${at}`,
    }));
    expect(spec({ parameters: patterns })).toEqual([
      expect.stringMatching(
        /checking the parameters takes more than \d+ units of work; use shorter or fewer patterns$/,
      ),
    ]);
    const options = Array.from({ length: 200_000 }, (_, at) => `a${at}`);
    expect(spec({ parameters: [{ variable: 'a', validation: '^[a-z0-9]{1,63}$', options }] })).toEqual([
      expect.stringMatching(/^spec.parameters\[0\].options\[\d+\]: Forbidden: checking the parameters takes more than/),
    ]);
  });

  it('common patterns are accepted', () => {
    const label = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$';
    const parameters = [label, '^\\d{1,3}(\\.\\d{1,3}){3}$', '(?i)^[a-z_]{1,253}$', '^[a-z]{1000}$'].map(
      (validation, at) => ({ variable: `a${at}`, validation }),
    );
    expect(spec({ parameters })).toEqual([]);
  });

  it('a hundred thousand parameters are checked', () => {
    const parameters = Array.from({ length: 100_000 }, (_, at) => ({ variable: `a${at}` }));
    expect(spec({ parameters })).toEqual([]);
    expect(spec({ parameters: [{ variable: 'a.'.repeat(1_000_000) }] })).toHaveLength(1);
  });
});
