import { SimpleGrid, Title } from '@mantine/core';
import { Panel } from '../../../components/panel.tsx';
import classes from './create.module.css';
import type { FormSectionProps } from './form-section.ts';
import { ParameterField } from './parameter-field.tsx';
import { parameterSections } from './parameter-sections.ts';
import { parameterValues, withParameter } from './parameter-values.ts';

/** A section of the creation form: the parameters of the selected template. */
export function ParameterPanel({ form, problem }: FormSectionProps) {
  const { parameters } = form;
  const text = form.fields.parameters;
  const values = parameterValues(text, parameters);
  if (parameters.length === 0) return null;
  return (
    <Panel title="Parameters">
      {parameterSections(parameters).map(({ section, members }) => (
        <fieldset key={section} className={classes.fields}>
          {section === '' ? null : (
            <Title order={3} size="h6" component="legend" className={classes.section ?? ''}>
              {section}
            </Title>
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
            {members.map((parameter) => {
              const path = `spec.parameters.${parameter.variable}`;
              return (
                <ParameterField
                  key={parameter.variable}
                  parameter={parameter}
                  value={values.get(parameter.variable) ?? ''}
                  problem={problem(path)}
                  onChange={(value) => {
                    form.touch(path);
                    form.set(['spec', 'parameters'], withParameter(text, parameter, value));
                  }}
                />
              );
            })}
          </SimpleGrid>
        </fieldset>
      ))}
    </Panel>
  );
}
