import { objectAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { createObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { readManifests } from '../../input/read-manifests.ts';
import { templates } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';

/** Creates a template from a file. Its name is the argument if given, otherwise the name in the file. */
export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const file = values.text('filename') ?? '';
  const template = onlyTemplate(await readManifests([file]), file);
  const name = values.optionalArgument('name') ?? template.metadata.name;
  if (name === undefined) throw usageError(`the template in ${file} has no name; pass one as an argument`);
  return await withServer(call, async (api) => {
    const object: KubeObject = { ...template, metadata: { ...template.metadata, name } };
    const dryRun = values.flag('dry-run');
    const made = await createObject(api, templates, object, { dryRun, signal });
    if (format.kind === 'objects') terminal.print(format.print(made));
    else terminal.print(`template "${name}" ${dryRun ? 'would be created' : 'created'}\n`);
    return undefined;
  });
};

export function onlyTemplate(objects: readonly KubeObject[], file: string): KubeObject {
  const [template] = objects.filter(({ kind }) => kind === templates.kind);
  if (template === undefined || objectAt(template, 'spec') === undefined) {
    throw new CliError(`${file} contains no ${templates.kind}`);
  }
  return template;
}
