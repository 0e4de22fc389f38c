import { isJsonObject, type JsonObject, writeJson } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { DocumentError } from '../../../../src/api/decode/document-error.ts';
import { readYaml } from '../../../../src/api/decode/yaml-document.ts';
import { YamlField } from '../../../components/form/yaml-field.tsx';
import type { FormSectionProps } from './form-section.ts';

export interface InlineTemplateProps extends FormSectionProps {
  /** Called with the reason if the text is invalid, and with `undefined` if it is valid. */
  onFault(fault: string | undefined): void;
}

/**
 * An editor for an inline template, that is a template definition for this instance only, without parameters.
 */
export function InlineTemplate({ form, problem, onFault }: InlineTemplateProps) {
  const now = form.fields.template;
  const key = writeJson(now);
  const [text, setText] = useState(() => textOf(now));
  const [applied, setApplied] = useState(key);
  const [fault, setFault] = useState<string>();
  // Replaces the text if the template was changed in another place: the YAML editor of the whole manifest.
  if (key !== applied) {
    setApplied(key);
    setText(textOf(now));
    setFault(undefined);
  }
  const hasFault = fault !== undefined;
  useEffect(() => {
    onFault(hasFault ? 'The template is not valid YAML.' : undefined);
    return () => onFault(undefined);
  }, [hasFault, onFault]);
  const change = (next: string) => {
    setText(next);
    try {
      const { value } = readYaml(next);
      if (value !== null && !isJsonObject(value))
        throw new DocumentError('The template must be an object with fields such as objects or access.');
      setFault(undefined);
      setApplied(writeJson(value ?? {}));
      form.set(['spec', 'template'], value ?? {});
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      setFault(error.message);
    }
  };
  const message = fault ?? problem('spec.template');
  return (
    <div>
      <Text size="sm" c="dimmed" mt="md" mb="xs">
        {form.type.inlineHint} Leave the editor empty to use the defaults.
      </Text>
      <YamlField
        label="Inline template"
        value={text}
        onChange={change}
        problems={message === undefined ? [] : [{ message }]}
        minHeight={180}
      />
    </div>
  );
}

function textOf(template: JsonObject): string {
  return Object.keys(template).length === 0 ? '' : yamlText(template);
}
