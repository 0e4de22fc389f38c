import { Text } from '@mantine/core';
import type { TemplateParameter } from '../../../src/api/management/v1/template-definition.ts';
import { SimpleTable } from '../../components/simple-table.tsx';

/** What can be set, as the template describes it. */
export function ParameterTable({ parameters }: { readonly parameters: readonly TemplateParameter[] }) {
  if (parameters.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing can be set: every virtual cluster from it is the same.
      </Text>
    );
  }
  return (
    <SimpleTable
      label="Parameters of the template"
      head={['Variable', 'Label', 'Type', 'Allowed', 'Default', 'Section']}
      rows={parameters.map((parameter) => ({
        key: parameter.variable,
        cells: [
          <span key="variable" className="mono">
            {parameter.variable}
            {parameter.required === true ? ' (needed)' : ''}
          </span>,
          parameter.label ?? '–',
          parameter.type ?? 'string',
          allowedText(parameter),
          parameter.defaultValue ?? '–',
          parameter.section ?? '–',
        ],
      }))}
    />
  );
}

/** Which values are taken, in a line. */
function allowedText({ options = [], min, max, validation, invalidation }: TemplateParameter): string {
  const parts = [
    options.length === 0 ? '' : options.join(', '),
    [min === undefined ? '' : `from ${min}`, max === undefined ? '' : `to ${max}`].filter(Boolean).join(' '),
    validation ? `matches ${validation}` : '',
    invalidation ? `does not match ${invalidation}` : '',
  ].filter(Boolean);
  return parts.length === 0 ? 'anything' : parts.join('; ');
}
