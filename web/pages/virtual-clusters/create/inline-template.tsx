import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { DocumentError } from '../../../../src/api/decode/document-error.ts';
import { readYaml } from '../../../../src/api/decode/yaml-document.ts';
import { objectAt } from '../../../../src/lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json-value.ts';
import { writeJson } from '../../../../src/lib/json-write.ts';
import { yamlText } from '../../../../src/lib/yaml-text.ts';
import { YamlField } from '../../../components/yaml-field.tsx';
import type { FormPartProps } from './form-part.ts';

export interface InlineTemplateProps extends FormPartProps {
  /** Called with why nothing can be made of what is written; undefined once something can. */
  onFault(fault: string | undefined): void;
}

/** A definition that is written here: what would stand in a template, without parameters. */
export function InlineTemplate({ form, problem, onFault }: InlineTemplateProps) {
  const now = objectAt(form.draft, 'spec', 'template') ?? {};
  const key = writeJson(now);
  const [text, setText] = useState(() => textOf(now));
  const [told, setTold] = useState(key);
  const [fault, setFault] = useState<string>();
  // Whoever writes the whole as YAML writes this too.
  if (key !== told) {
    setTold(key);
    setText(textOf(now));
    setFault(undefined);
  }
  const hasFault = fault !== undefined;
  useEffect(() => {
    onFault(hasFault ? 'The template cannot be read: mend it first.' : undefined);
    return () => onFault(undefined);
  }, [hasFault, onFault]);
  const change = (next: string) => {
    setText(next);
    try {
      const { value } = readYaml(next);
      if (value !== null && !isJsonObject(value))
        throw new DocumentError('it has to be an object: objects, helmRelease, access, …');
      setFault(undefined);
      setTold(writeJson(value ?? {}));
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
        For example <span className="mono">objects: |</span> with what should stand in the virtual cluster, or{' '}
        <span className="mono">helmRelease</span> for one on a Kubernetes cluster. Empty: a virtual cluster as it comes.
      </Text>
      <YamlField
        label="The template"
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
