import { expect, it } from 'vitest';
import { defaultManagementSettings } from '../settings.ts';
import { spaceDefinitionErrors } from './space-definition-errors.ts';

const fieldsOf = (definition: Parameters<typeof spaceDefinitionErrors>[0]) =>
  spaceDefinitionErrors(definition, 'spec.template', defaultManagementSettings).map(({ field }) => field);

it('the definition of a space is valid with parameters in its quota and limits', () => {
  const definition = {
    objects: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}',
    resourceQuota: { pods: '{{ .Values.pods }}', 'requests.cpu': '2' },
    limitRange: { default: { cpu: '{{ .Values.cpu }}' } },
  };
  expect(fieldsOf(definition)).toEqual([]);
});

it('the definition of a space has errors at the fields that cannot be applied', () => {
  const definition = {
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    objects: 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}',
    resourceQuota: { pods: 'many' },
    limitRange: { max: { cpu: '-1' } },
    instanceTemplate: { metadata: { labels: { a: '{{ if }}' } } },
  };
  expect(fieldsOf(definition)).toEqual([
    'spec.template.objects',
    'spec.template.metadata.labels[pod-security.kubernetes.io/enforce]',
    'spec.template.resourceQuota[pods]',
    'spec.template.limitRange.max[cpu]',
    'spec.template.instanceTemplate.metadata.labels.a',
  ]);
});
