import { Checkbox, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';
import classes from './create.module.css';
import { joinSentences, parameterHint } from './parameter-sections.ts';

interface ParameterFieldProps {
  readonly parameter: TemplateParameter;
  /** The value as text; '' if it is not set and the default applies. */
  readonly value: string;
  readonly problem: string | undefined;
  onChange(value: string): void;
}

/**
 * The input for one template parameter, according to its type. The server validates the value exactly as it was typed.
 */
export function ParameterField({ parameter, value, problem, onChange }: ParameterFieldProps) {
  const { variable, label, description = '', type, options = [], defaultValue = '', required } = parameter;
  const shared = {
    label: label === undefined || label === '' ? variable : label,
    description: joinSentences(description, parameterHint(parameter)),
    error: problem,
    required: required === true && defaultValue === '',
    autoComplete: 'off',
    spellCheck: false,
    'data-path': `spec.parameters.${variable}`,
  };
  const placeholder = type === 'password' ? '' : defaultValue;
  const handleChange = (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(event.currentTarget.value);
  if (options.length > 0) {
    const unknown = value === '' || options.includes(value) ? [] : [value];
    const nothing = defaultValue === '' ? (shared.required ? 'Select a value' : 'None') : `${defaultValue} (default)`;
    return (
      <NativeSelect
        {...shared}
        value={value}
        onChange={handleChange}
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
          onChange={handleChange}
        />
      );
    case 'password':
      return <PasswordInput {...shared} autoComplete="new-password" value={value} onChange={handleChange} />;
    case 'number':
      // Uses a text input, because it keeps numbers exactly as typed. `inputMode` makes phones show the numeric
      // keyboard.
      return (
        <TextInput {...shared} inputMode="decimal" placeholder={placeholder} value={value} onChange={handleChange} />
      );
    default:
      return <TextInput {...shared} placeholder={placeholder} value={value} onChange={handleChange} />;
  }
}
