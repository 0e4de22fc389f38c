import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderDefinition } from '../../src/api/management/render-definition.ts';
import type { TemplateDefinition, TemplateParameter } from '../../src/api/management/v1/template-definition.ts';
import type { VirtualClusterTemplateSpec } from '../../src/api/management/v1/virtual-cluster-template.ts';
import { templateSpecErrors } from '../../src/management/rules/template-errors.ts';
import { defaultManagementSettings } from '../../src/management/settings.ts';
import { type Helm, helmWith } from '../harness/run-helm.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { findKubernetes } from './harness/programs.ts';

const folder = 'examples/templates';
const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''));
const programs = findKubernetes();
const platform = { name: 'one', project: 'default', cluster: 'c', namespace: 'ns', user: 'anna', team: '' };

function exampleOf(name: string): JsonObject {
  return load(readFileSync(join(folder, `${name}.yaml`), 'utf8')) as JsonObject;
}

/**
 * The parameter values with which each template is tested. The second and later entries set all parameters of the
 * template.
 */
const given: Readonly<Record<string, readonly string[]>> = {
  quota: ['', 'cpu: 16\nmemory: 32\npods: 100'],
  sized: ['', ...['small', 'medium', 'large'].map((size) => `size: ${size}\nkubernetesVersion: v1.33.4\nstorage: 20`)],
};

function rendered(name: string, text: string): TemplateDefinition {
  const spec = objectAt(exampleOf(name), 'spec');
  const { definition, problems } = renderDefinition({
    definition: objectAt(spec, 'template') as TemplateDefinition,
    parameters: listAt(spec, 'parameters') as unknown as TemplateParameter[],
    parameterValues: text,
    platform,
  });
  expect(problems).toEqual([]);
  return definition;
}

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the templates of examples/', () => {
  let helm: Helm;
  let scratch: string;
  beforeAll(async () => {
    if (typeof programs === 'string') return;
    scratch = await mkdtemp(join(tmpdir(), 'templates-'));
    helm = helmWith(programs.helm, join(scratch, 'none'), scratch);
  });
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  /** Renders the template's values with the real chart. Returns a function that finds a rendered object. */
  async function made(name: string, text = ''): Promise<(kind: string, of?: string) => JsonObject> {
    if (typeof programs === 'string') throw new Error(programs);
    const { helmRelease } = rendered(name, text);
    expect(helmRelease?.chart?.version).toBe(programs.chartVersion);
    const values = join(scratch, 'values.yaml');
    await writeFile(values, helmRelease?.values ?? '');
    const manifests = await helm('template', 'one', programs.chart, '--namespace', 'ns', '--values', values);
    const objects = loadAll(manifests) as JsonObject[];
    return (kind, of) => {
      const found = objects.find(
        (object) => textAt(object, 'kind') === kind && (of === undefined || textAt(object, 'metadata', 'name') === of),
      );
      expect(found, `${kind} ${of ?? ''} of ${name}`).toBeDefined();
      return found ?? {};
    };
  }

  const container = (statefulSet: JsonObject): JsonValue =>
    listAt(statefulSet, 'spec', 'template', 'spec', 'containers')[0] ?? null;

  it.each(names)('%s is accepted by the server, and named like its file', (name) => {
    const example = exampleOf(name);
    expect([textAt(example, 'kind'), textAt(example, 'metadata', 'name')]).toEqual(['VirtualClusterTemplate', name]);
    expect(
      templateSpecErrors(objectAt(example, 'spec') as VirtualClusterTemplateSpec, defaultManagementSettings),
    ).toEqual([]);
  });

  it.each(names.flatMap((name) => (given[name] ?? ['']).map((text) => [name, text] as const)))(
    '%s renders a virtual cluster with the chart, with %j',
    async (name, text) => {
      const of = await made(name, text);
      expect(textAt(of('StatefulSet', 'one'), 'metadata', 'labels', 'app')).toBe('vcluster');
      of('Service', 'one');
    },
  );

  it('quota limits requests and usage', async () => {
    const of = await made('quota', 'cpu: 16\nmemory: 32\npods: 100');
    const hard = objectAt(of('ResourceQuota'), 'spec', 'hard');
    expect(hard).toMatchObject({
      'requests.cpu': '16',
      'limits.cpu': '16',
      'requests.memory': '32Gi',
      'limits.memory': '32Gi',
      'count/pods': '100',
    });
    of('LimitRange');
    // A quota on limits refuses every pod without limits, so the control plane must have limits too.
    const limits = objectAt(container(of('StatefulSet', 'one')), 'resources', 'limits');
    expect(limits).toMatchObject({ cpu: '1', memory: '2Gi' });
  });

  it('isolated restricts the network, and refuses containers that could escape', async () => {
    const of = await made('isolated');
    of('NetworkPolicy');
    of('ResourceQuota');
    of('LimitRange');
    const labels = rendered('isolated', '').spaceTemplate?.metadata?.labels;
    expect(labels).toMatchObject({ 'pod-security.kubernetes.io/warn': 'restricted' });
  });

  it('sized has the requested version and size', async () => {
    const memory: string[] = [];
    for (const text of given.sized ?? []) {
      const of = await made('sized', text);
      memory.push(textAt(container(of('StatefulSet', 'one')), 'resources', 'limits', 'memory'));
    }
    expect(memory).toEqual(['2Gi', '2Gi', '4Gi', '8Gi']);
    const of = await made('sized', 'kubernetesVersion: v1.33.4\nstorage: 20');
    const statefulSet = of('StatefulSet', 'one');
    const images = listAt(statefulSet, 'spec', 'template', 'spec', 'initContainers').map((each) =>
      textAt(each, 'image'),
    );
    expect(images.join()).toContain(':v1.33.4');
    const claim = listAt(statefulSet, 'spec', 'volumeClaimTemplates')[0];
    expect(textAt(claim, 'spec', 'resources', 'requests', 'storage')).toBe('20Gi');
  });
});
