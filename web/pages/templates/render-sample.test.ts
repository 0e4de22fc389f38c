import { describe, expect, it } from 'vitest';
import { renderDefinition } from '../../../src/api/management/render-definition.ts';
import { virtualClusterTemplateType } from '../../data/template-types.ts';
import { renderSample, samplePlatform, usableParameters } from './render-sample.ts';
import type { TemplateVersion } from './template-versions.ts';

const part: TemplateVersion = {
  version: '1.0.0',
  path: 'spec.versions[3]',
  definition: { metadata: { labels: { env: '{{ .Values.env }}' } }, objects: 'name: {{ .Values.platform.name }}\n' },
  parameters: [{ variable: 'env', options: ['dev', 'test'], defaultValue: 'dev' }],
};

const sample = (of: TemplateVersion, given: string) =>
  renderSample(renderDefinition, of, { given, platform: samplePlatform(virtualClusterTemplateType) });

describe('a rendered sample', () => {
  it('contains the definition of a virtual cluster', () => {
    const { definition, problems } = sample(part, 'env: test\n');
    expect(problems).toEqual([]);
    expect(definition).toEqual({ metadata: { labels: { env: 'test' } }, objects: 'name: demo\n' });
  });

  it('reports template problems with field and line', () => {
    const broken = { ...part, definition: { objects: 'a: b\nc: {{ .Values.nothing }}\n' } };
    expect(sample(broken, '')).toMatchObject({
      definition: undefined,
      problems: [{ path: 'spec.versions[3].template.objects', line: 2 }],
    });
  });

  it('reports value problems by variable', () => {
    const { valueProblems } = sample(part, 'env: prod\n');
    expect([...valueProblems.keys()]).toEqual(['env']);
  });

  it('accepts incomplete drafts', () => {
    const draft = { ...part, definition: null, parameters: [null, { label: 'x' }, { variable: 'a' }] };
    expect(usableParameters(draft as never)).toEqual([{ variable: 'a' }]);
    expect(sample(draft as never, '').problems).toEqual([]);
  });
});
