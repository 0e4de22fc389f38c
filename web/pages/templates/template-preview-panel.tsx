import type { JsonValue } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { Alert, Code, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { PlatformValues } from '../../../src/api/management/render-definition.ts';
import type { TextProblem } from '../../components/editor/editor-props.ts';
import { YamlField } from '../../components/form/yaml-field.tsx';
import { Panel } from '../../components/panel.tsx';
import type { TemplateType } from '../../data/template-types.ts';
import { ParameterField } from '../instances/create/parameter-field.tsx';
import { parameterSections } from '../instances/create/parameter-sections.ts';
import { parameterValues, withParameter } from '../instances/create/parameter-values.ts';
import { renderSample, samplePlatform, type TemplateRenderer, usableParameters } from './render-sample.ts';
import classes from './template-preview-panel.module.css';
import type { TemplateVersion } from './template-versions.ts';

export interface TemplatePreviewPanelProps {
  readonly type: TemplateType;
  readonly render: TemplateRenderer;
  readonly part: TemplateVersion;
  /** Called whenever the problems in the template change. */
  onProblems(problems: readonly TextProblem[]): void;
}

const platformFields = ['name', 'project', 'user', 'team'] as const satisfies readonly (keyof PlatformValues)[];

/** A preview of the rendered template, with sample values that the user can edit. */
export function TemplatePreviewPanel({ type, render, part, onProblems }: TemplatePreviewPanelProps) {
  const [given, setGiven] = useState('');
  const [platform, setPlatform] = useState(() => samplePlatform(type));
  const shown = useDeferredValue(part);
  const { definition, problems, valueProblems } = useMemo(
    () => renderSample(render, shown, { given, platform }),
    [render, shown, given, platform],
  );
  const text = useMemo(() => (definition === undefined ? '' : yamlText(definition as JsonValue)), [definition]);
  useEffect(() => onProblems(problems), [problems, onProblems]);
  const parameters = useMemo(() => usableParameters(shown), [shown]);
  const values = parameterValues(given, parameters);

  return (
    <>
      <Panel title="Preview values">
        <Stack gap="sm">
          {parameterSections(parameters).map(({ section, members }) => (
            <fieldset key={section} className={classes.group}>
              {section === '' ? null : (
                <Title order={3} size="h6" mb="xs" component="legend">
                  {section}
                </Title>
              )}
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
                {members.map((parameter) => (
                  <ParameterField
                    key={parameter.variable}
                    parameter={parameter}
                    value={values.get(parameter.variable) ?? ''}
                    problem={valueProblems.get(parameter.variable)}
                    onChange={(value) => setGiven(withParameter(given, parameter, value))}
                  />
                ))}
              </SimpleGrid>
            </fieldset>
          ))}
          <fieldset className={classes.group}>
            <Title order={3} size="h6" mb="xs" component="legend">
              {type.noun.charAt(0).toUpperCase() + type.noun.slice(1)}
            </Title>
            <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md" verticalSpacing="sm">
              {platformFields.map((field) => (
                <TextInput
                  key={field}
                  label={field.charAt(0).toUpperCase() + field.slice(1)}
                  value={platform[field]}
                  onChange={(event) => setPlatform({ ...platform, [field]: event.currentTarget.value })}
                  autoComplete="off"
                  spellCheck={false}
                />
              ))}
            </SimpleGrid>
          </fieldset>
        </Stack>
      </Panel>
      <Panel title="Preview">
        {problems.length === 0 ? (
          <YamlField label="Rendered template" value={text} readOnly />
        ) : (
          <Alert color="red" title="Rendering failed" role="alert">
            <Stack gap={4}>
              {problems.map(({ path, message }) => (
                <Text key={`${path} ${message}`} size="sm">
                  <Code>{path}</Code> {message}
                </Text>
              ))}
            </Stack>
          </Alert>
        )}
      </Panel>
    </>
  );
}
