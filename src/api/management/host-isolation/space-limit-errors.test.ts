import { expect, it } from 'vitest';
import { renderedLimitErrors, spaceLimitErrors } from './space-limit-errors.ts';

const definition = { resourceQuota: { pods: '{{ .Values.pods }}' }, limitRange: { max: { cpu: '{{ .Values.cpu }}' } } };

it('template expressions are not errors before they are rendered', () => {
  expect(spaceLimitErrors(definition, 'spec.template')).toEqual([]);
  expect(spaceLimitErrors({ resourceQuota: { pods: 'many' } }, 'spec.template')).toHaveLength(1);
});

it('template expressions are errors in a rendered definition, because a parameter may contain them', () => {
  expect(renderedLimitErrors(definition).map(({ field }) => field)).toEqual([
    'resourceQuota[pods]',
    'limitRange.max[cpu]',
  ]);
  expect(renderedLimitErrors({ resourceQuota: { pods: 5 } })).toEqual([]);
});
