import { usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { type NamedKind, projects, spaceTemplates, templates } from '../../kinds.ts';
import { createAndShow } from './object-create.ts';

export const run: CommandRun = async (call) => await createAndShow(projects, specOf(call.values), call);

function specOf(values: CallValues) {
  return {
    ...fieldsFromOptions(values, { 'display-name': 'displayName', description: 'description' }),
    allowedClusters: namesFrom(values, 'cluster'),
    allowedTemplates: [templates, spaceTemplates].flatMap((kind) => allowedTemplates(kind, values)),
  };
}

function allowedTemplates({ kind, command: option }: NamedKind, values: CallValues) {
  const preferred = values.text(`default-${option}`);
  const allowed = namesFrom(values, option);
  if (preferred !== undefined && !allowed.some(({ name }) => name === preferred || name === '*')) {
    throw usageError(`--default-${option} ${preferred} is not one of the templates that --${option} allows`);
  }
  const others = allowed.filter(({ name }) => name !== preferred);
  const entries = preferred === undefined ? allowed : [{ name: preferred, isDefault: true }, ...others];
  return entries.map((entry) => ({ kind, ...entry }));
}

function namesFrom(values: CallValues, option: string): { name: string }[] {
  const names = values.list(option);
  return names.length === 0 ? [{ name: '*' }] : names.map((name) => ({ name }));
}
