import { describe, expect, it } from 'vitest';
import { renderDefinition } from './render-definition.ts';
import type { TemplateDefinition, TemplateParameter } from './v1/template-definition.ts';

const platform = { name: 'demo', project: 'web', cluster: 'local', namespace: 'host', user: 'anna', team: '' };
const parameters: readonly TemplateParameter[] = [
  { variable: 'size', type: 'number', defaultValue: '2' },
  { variable: 'net.name' },
  { variable: 'net.open', type: 'boolean' },
];
const render = (definition: TemplateDefinition, given = '') =>
  renderDefinition({ definition, parameters, parameterValues: given, platform });

describe('renderDefinition', () => {
  it('renders every string with the given values, the defaults and the platform values (completions §7)', () => {
    const { definition, problems } = render(
      {
        metadata: { labels: { size: '{{ .Values.size }}' } },
        objects: 'name: {{ .Values.net.name | quote }}\n{{- if .Values.net.open }}\nopen: true\n{{- end }}',
        access: { rules: [{ users: ['{{ .Values.platform.user }}'], clusterRole: 'view' }] },
        helmRelease: { values: 'of: {{ with .Values.platform }}{{ .project }}/{{ .name }}{{ end }}' },
      },
      'net:\n  name: blue',
    );
    expect(problems).toEqual([]);
    expect(definition).toEqual({
      metadata: { labels: { size: '2' } },
      objects: 'name: "blue"',
      access: { rules: [{ users: ['anna'], clusterRole: 'view' }] },
      helmRelease: { values: 'of: web/demo' },
    });
  });

  it('renders parameters without a value as empty, next to parameters with one', () => {
    expect(render({ objects: '[{{ .Values.net.name }}|{{ .Values.net.open }}]' }).definition.objects).toBe('[|false]');
  });

  it('reports the field of each rendering error', () => {
    const { problems } = render(
      {
        objects: 'a: {{ .Values.nope }}',
        metadata: { annotations: { a: '{{ required "say it" .Values.net.name }}' } },
      },
      'size: many',
    );
    expect(problems).toEqual([
      expect.stringMatching(/^spec.parameters.size: .*must be a number/),
      'objects: line 1, column 7: field nope not found',
      'metadata.annotations.a: line 1, column 4: error calling required: say it',
    ]);
  });

  it('gives templates no access beyond their values', () => {
    const { definition, problems } = render({ objects: '{{ .Values.platform.constructor }}' });
    expect(definition.objects).toBe('');
    expect(problems).toHaveLength(1);
  });

  it('limits the work of all strings together, and names the limit once', () => {
    const bomb = '{{ $a := list "x" }}{{ range 23 }}{{ $a = list $a $a }}{{ end }}{{ toYaml $a | len }}';
    const { problems } = render({ objects: bomb, helmRelease: { values: bomb } });
    expect(problems).toEqual([
      expect.stringMatching(/^objects: line 1, column \d+: the template takes more than \d+ units of work; /),
    ]);
    const annotations = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`a${at}`, '{{ range 20000 }}{{ end }}']),
    );
    expect(render({ metadata: { annotations } }).problems).toEqual([
      expect.stringMatching(/^metadata.annotations.a\d+: .* takes more than \d+ units of work/),
    ]);
  });

  it('limits the size of the result', () => {
    const { problems } = render({
      objects: 'x'.repeat(1024 * 1024),
      helmRelease: { values: '{{ range 10 }}x{{ end }}' },
      spaceTemplate: { objects: 'x'.repeat(1024 * 1024) },
    });
    expect(problems).toEqual([expect.stringContaining('the rendered definition exceeds 1048576 characters')]);
  });
});
