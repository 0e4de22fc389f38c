import { objectAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { createObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { readManifests } from '../../input/read-manifests.ts';
import type { NamedKind } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';

/**
 * Returns the command that creates a template from a file. The name of the template is the command's argument or,
 * without an argument, the name in the file.
 */
export function createTemplateCommand(kind: NamedKind): CommandRun {
  return async (call) => {
    const { values, terminal, interrupted: signal } = call;
    const format = await outputFormat(values);
    const file = values.text('filename') ?? '';
    const template = onlyTemplate([kind], await readManifests([file]), file);
    const name = values.optionalArgument('name') ?? template.metadata.name;
    if (name === undefined) throw usageError(`the ${kind.noun} in ${file} has no name; pass one as an argument`);
    return await withServer(call, async (api) => {
      const object: KubeObject = { ...template, metadata: { ...template.metadata, name } };
      const dryRun = values.flag('dry-run');
      const made = await createObject(api, kind, object, { dryRun, signal });
      if (format.kind === 'objects') terminal.print(format.print(made));
      else terminal.print(`${kind.noun} "${name}" ${dryRun ? 'would be created' : 'created'}\n`);
      return undefined;
    });
  };
}

/** Returns the first template of one of the kinds. Throws if there is none. */
export function onlyTemplate(wanted: readonly NamedKind[], objects: readonly KubeObject[], file: string): KubeObject {
  const names = wanted.map(({ kind }) => kind);
  const [template] = objects.filter(({ kind }) => names.includes(kind));
  if (template === undefined || objectAt(template, 'spec') === undefined) {
    throw new CliError(`${file} contains no ${names.join(' or ')}`);
  }
  return template;
}
