import { Checkbox, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';
import classes from './create.module.css';
import { asSentences, parameterHint } from './parameter-sections.ts';

interface ParameterFieldProps {
  readonly parameter: TemplateParameter;
  /** '': nothing is set, the default holds. */
  readonly value: string;
  readonly problem: string | undefined;
  onChange(value: string): void;
}

/** One parameter as its type wants it. What is wrong with a value the server says; nothing that is typed is changed. */
export function ParameterField({ parameter, value, problem, onChange }: ParameterFieldProps) {
  const { variable, label, description = '', type, options = [], defaultValue = '', required } = parameter;
  const shared = {
    label: label === undefined || label === '' ? variable : label,
    description: asSentences(description, parameterHint(parameter)),
    error: problem,
    required: required === true && defaultValue === '',
    autoComplete: 'off',
    spellCheck: false,
    'data-path': `spec.parameters.${variable}`,
  };
  const placeholder = type === 'password' ? '' : defaultValue;
  const take = (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value);
  if (options.length > 0) {
    const unknown = value === '' || options.includes(value) ? [] : [value];
    const nothing = defaultValue === '' ? (shared.required ? 'Choose one' : 'None') : `${defaultValue} (the default)`;
    return (
      <NativeSelect
        {...shared}
        value={value}
        onChange={take}
        data={[
          { value: '', label: nothing },
          ...[...options, ...unknown].map((option) => ({ value: option, label: option })),
        ]}
      />
    );
  }
  switch (type) {
    case 'boolean': {
      const now = value === '' ? defaultValue : value;
      return (
        <Checkbox
          className={classes.flag ?? ''}
          label={shared.label}
          description={shared.description}
          error={problem}
          data-path={shared['data-path']}
          checked={now.toLowerCase() === 'true'}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      );
    }
    case 'multiline':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={3}
          maxRows={12}
          placeholder={placeholder}
          value={value}
          onChange={take}
        />
      );
    case 'password':
      return <PasswordInput {...shared} autoComplete="new-password" value={value} onChange={take} />;
    case 'number':
      // Text, so that what was typed stays as it was; the keyboard of a telephone shows digits all the same.
      return <TextInput {...shared} inputMode="decimal" placeholder={placeholder} value={value} onChange={take} />;
    default:
      return <TextInput {...shared} placeholder={placeholder} value={value} onChange={take} />;
  }
}
