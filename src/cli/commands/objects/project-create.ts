import { usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { projects } from '../../kinds.ts';
import { createAndShow } from './object-create.ts';

export const run: CommandRun = async (call) => await createAndShow(projects, specOf(call.values), call);

function specOf(values: CallValues) {
  const named = (option: string) => {
    const names = values.list(option);
    return names.length === 0 ? [{ name: '*' }] : names.map((name) => ({ name }));
  };
  const preferred = values.text('default-template');
  const templates = named('template');
  if (preferred !== undefined && !templates.some(({ name }) => name === preferred || name === '*')) {
    throw usageError(`--default-template ${preferred} is not one of the templates that --template allows`);
  }
  const others = templates.filter(({ name }) => name !== preferred);
  return {
    ...fieldsFromOptions(values, { 'display-name': 'displayName', description: 'description' }),
    allowedClusters: named('cluster'),
    allowedTemplates: preferred === undefined ? templates : [{ name: preferred, isDefault: true }, ...others],
  };
}
