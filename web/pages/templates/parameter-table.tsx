import { Text } from '@mantine/core';
import type { TemplateParameter } from '../../../src/api/management/v1/template-definition.ts';
import { SimpleTable } from '../../components/list/simple-table.tsx';

/** A table of the parameters of a template. */
export function ParameterTable({ parameters }: { readonly parameters: readonly TemplateParameter[] }) {
  if (parameters.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        This template has no parameters.
      </Text>
    );
  }
  return (
    <SimpleTable
      label="Parameters of the template"
      head={['Variable', 'Label', 'Type', 'Required', 'Allowed values', 'Default', 'Section']}
      rows={parameters.map((parameter) => ({
        key: parameter.variable,
        cells: [
          <span key="variable" className="mono">
            {parameter.variable}
          </span>,
          parameter.label ?? '–',
          parameter.type ?? 'string',
          parameter.required === true ? 'Yes' : 'No',
          allowedText(parameter),
          parameter.defaultValue ?? '–',
          parameter.section ?? '–',
        ],
      }))}
    />
  );
}

/** Returns the allowed values of a parameter as one line of text. */
function allowedText({ options = [], min, max, validation, invalidation }: TemplateParameter): string {
  const parts = [
    options.length === 0 ? '' : options.join(', '),
    [min === undefined ? '' : `from ${min}`, max === undefined ? '' : `to ${max}`].filter(Boolean).join(' '),
    validation ? `matches ${validation}` : '',
    invalidation ? `does not match ${invalidation}` : '',
  ].filter(Boolean);
  return parts.length === 0 ? 'Any' : parts.join('; ');
}
