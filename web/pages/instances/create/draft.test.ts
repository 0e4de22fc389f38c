import { yamlText } from '@flotilla/yaml';
import { describe, expect, test } from 'vitest';
import { projectNamespace } from '../../../../src/api/naming.ts';
import { kinds } from '../../../data/kind-ref.ts';
import { emptyDraft, manifestOf, parseManifest } from './draft.ts';

const kind = kinds.instance;
const place = { kind, project: 'shop', defaultTemplate: 'control-plane' };

describe('a draft of a virtual cluster', () => {
  test('contains the default template and the namespace of its project', () => {
    const draft = { ...emptyDraft, metadata: { name: 'demo' } };
    expect(manifestOf(draft, place)).toMatchObject({
      kind: 'VirtualClusterInstance',
      metadata: { name: 'demo', namespace: projectNamespace('shop') },
      spec: { templateRef: { name: 'control-plane' } },
    });
    expect(manifestOf({ ...draft, spec: { template: {} } }, place)).toMatchObject({ spec: { template: {} } });
    expect(manifestOf({ ...draft, spec: { template: {} } }, place).spec).not.toHaveProperty('templateRef');
  });

  test('round-trips through YAML', () => {
    const draft = {
      metadata: { name: 'demo', labels: { a: 'b' } },
      spec: { templateRef: { name: 't', version: '1' } },
    };
    expect(parseManifest(kind, yamlText(manifestOf(draft, place)))).toEqual({ draft, project: 'shop' });
  });

  test('is rejected if the YAML is another kind, with the line if known', () => {
    expect(parseManifest(kind, 'kind: Project')).toMatchObject({
      problem: expect.stringContaining('VirtualClusterInstance'),
    });
    expect(parseManifest(kind, 'apiVersion: v1')).toMatchObject({ problem: expect.stringContaining('apiVersion') });
    expect(parseManifest(kind, '- a')).toMatchObject({ problem: 'The YAML must be an object.' });
    expect(parseManifest(kind, 'metadata:\n  name: "open\nspec: {}')).toMatchObject({ line: expect.any(Number) });
  });
});
