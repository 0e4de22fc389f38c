import { describe, expect, it } from 'vitest';
import { checkChartValues } from './chart-value-errors.ts';
import { hostAccessErrors, restrictDefinition } from './host-access-errors.ts';
import { defaultHostAccessSettings } from './host-access-settings.ts';

const { allowedValues } = defaultHostAccessSettings;
const messages = (text: string, paths: readonly string[] = allowedValues) =>
  checkChartValues(text, 'values', paths).errors.map(({ message }) => message);

describe('chart values of authors without hostaccess', () => {
  it.each([
    'controlPlane: {statefulSet: {resources: {limits: {memory: 2Gi}}}}',
    'controlPlane: {statefulSet: {persistence: {volumeClaim: {size: 10Gi}}}}',
    'sleepMode: {enabled: true, autoSleep: {afterInactivity: 1h}}',
    'sync: {toHost: {persistentVolumeClaims: {enabled: false}}}',
    'controlPlane: {}',
    '',
    '# nothing',
  ])('may be %j', (text) => expect(messages(text)).toEqual([]));

  it.each([
    ['experimental: {deploy: {host: {manifests: "x"}}}', 'experimental.deploy.host.manifests'],
    [
      'controlPlane: {statefulSet: {security: {containerSecurityContext: {privileged: true}}}}',
      'controlPlane.statefulSet.security.containerSecurityContext.privileged',
    ],
    [
      'controlPlane: {statefulSet: {persistence: {addVolumes: [{hostPath: {path: /}}]}}}',
      'controlPlane.statefulSet.persistence.addVolumes',
    ],
    [
      'controlPlane: {statefulSet: {persistence: {volumeClaim: {size: 1Gi, storageClass: fast}}}}',
      'controlPlane.statefulSet.persistence.volumeClaim.storageClass',
    ],
    ['rbac: {clusterRole: {extraRules: []}}', 'rbac.clusterRole.extraRules'],
    ['sync: {toHost: {ingresses: {enabled: true}}}', 'sync.toHost.ingresses.enabled'],
    ['sync: {toHost: {networkPolicies: {enabled: true}}}', 'sync.toHost.networkPolicies.enabled'],
    ['sync: {toHost: {pods: {enabled: true, priorityClassName: x}}}', 'sync.toHost.pods.priorityClassName'],
    // Helm removes the chart's default values for a member that is set to null.
    ['controlPlane: null', 'controlPlane'],
    ['a: &x {privileged: true}\ncontrolPlane: {statefulSet: {resources: *x}}', 'a.privileged'],
  ])('may not be %j', (text, path) =>
    expect(messages(text)).toEqual([expect.stringContaining(`the chart value ${path} `)]),
  );

  it('may not contain texts that become more than a text in a manifest', () => {
    const size = (text: string) =>
      JSON.stringify({ controlPlane: { statefulSet: { persistence: { volumeClaim: { size: text } } } } });
    for (const text of ['1Gi\nprivileged: true', '{{ .Files.Get "x" }}', '1Gi\u0085x', '1Gi\u2028x']) {
      expect(messages(size(text))).toEqual([expect.stringContaining('must not contain line breaks')]);
    }
    expect(messages('sleepMode: {"a\\nb": 1}')).toHaveLength(1);
  });

  it('are errors if they are not a YAML map, and if they are long', () => {
    expect(messages('- a')).toEqual([expect.stringContaining('must be a YAML map')]);
    expect(messages('a: {')).toEqual([expect.stringContaining('must be YAML')]);
    expect(messages(`# ${'x'.repeat(70_000)}`)).toEqual([expect.stringContaining('at most 65536 characters')]);
  });

  it('match a path with * at any one member, and report at most ten values', () => {
    const paths = ['sync.toHost.*.enabled'];
    expect(messages('sync: {toHost: {pods: {enabled: true}, ingresses: {enabled: true}}}', paths)).toEqual([]);
    expect(messages('sync: {toHost: {enabled: true}}', paths)).toHaveLength(1);
    expect(messages(Array.from({ length: 50 }, (_, at) => `a${at}: 1`).join('\n'))).toHaveLength(10);
  });
});

describe('a definition of an author without hostaccess', () => {
  const settings = defaultHostAccessSettings;
  const fieldsOf = (definition: Parameters<typeof hostAccessErrors>[0]) =>
    hostAccessErrors(definition, 'spec.template', settings).map(({ field }) => field);

  it('may not act on the host outside of the chart values', () => {
    expect(fieldsOf({ metadata: { labels: { a: 'b' } } })).toEqual(['spec.template.metadata']);
    expect(fieldsOf({ spaceTemplate: { objects: 'kind: Pod' } })).toEqual(['spec.template.spaceTemplate']);
    expect(fieldsOf({ spaceTemplate: { metadata: { labels: { a: 'b' } } } })).toEqual(['spec.template.spaceTemplate']);
    expect(fieldsOf({ helmRelease: { chart: { version: '0.1.0' } } })).toEqual([
      'spec.template.helmRelease.chart.version',
    ]);
    expect(fieldsOf({ helmRelease: { values: 'a: 1' } })).toEqual(['spec.template.helmRelease.values']);
  });

  it('may have objects inside, access rules, metadata of the instance and empty members', () => {
    expect(
      fieldsOf({
        objects: 'kind: Pod',
        api: 'full',
        access: { defaultClusterRole: 'view' },
        instanceTemplate: { metadata: { labels: { a: 'b' } } },
        metadata: { labels: {} },
        spaceTemplate: { metadata: {}, objects: '' },
        helmRelease: { chart: { name: 'vcluster' }, values: '' },
      }),
    ).toEqual([]);
  });

  it('is checked after rendering if its values are a template, and reaches helm as JSON', () => {
    expect(fieldsOf({ helmRelease: { values: '{{ "a: 1" }}' } })).toEqual([]);
    expect(restrictDefinition({ helmRelease: { values: 'a: 1' } }, settings).errors).toMatchObject([
      { field: 'helmRelease.values' },
    ]);
    const { definition, errors } = restrictDefinition(
      { helmRelease: { values: 'sleepMode: {enabled: yes}' } },
      settings,
    );
    expect(errors).toEqual([]);
    expect(definition.helmRelease?.values).toBe('{"sleepMode":{"enabled":true}}');
  });
});
