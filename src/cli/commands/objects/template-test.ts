import { cloneJson } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { renderDefinition } from '../../../api/management/render-definition.ts';
import { resolveTemplate } from '../../../api/management/resolve-template.ts';
import { type SpaceTemplate, spaceTemplateKind } from '../../../api/management/v1/space-template.ts';
import {
  type VirtualClusterTemplate,
  virtualClusterTemplateKind,
} from '../../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { hostNamespaceBaseName, spaceNamespaceBaseName } from '../../../api/naming.ts';
import { typedObject } from '../../../api/resource.ts';
import { applyDefaults } from '../../../api/schema/default.ts';
import { validateSchema } from '../../../api/schema/validate.ts';
import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { readManifests } from '../../input/read-manifests.ts';
import { readParameters } from '../../input/read-parameters.ts';
import { spaceTemplates, templates } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { onlyTemplate } from './template-create.ts';

/**
 * Renders a template on this machine, with the same code that the server uses. With `--server`, the server also
 * validates the template in a dry run.
 */
export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const file = values.argument('file');
  const template = onlyTemplate([templates, spaceTemplates], await readManifests([file]), file);
  const isSpace = template.kind === spaceTemplates.kind;
  const version = values.text('template-version') ?? '';
  const resolved = resolveTemplate(checkedTemplate(template, file), version);
  if (resolved === undefined) {
    const wanted = version === '' ? 'that can be used' : `that matches ${version}`;
    throw new CliError(`${file}: the template has no version ${wanted}`, { exitCode: exitCodes.notFound });
  }
  const name = values.text('name') ?? 'demo';
  const project = values.text('project') ?? 'default';
  const { definition, problems } = renderDefinition({
    definition: resolved.definition,
    parameters: resolved.parameters,
    parameterValues: (await readParameters(values.list('values'), values.list('set'))) ?? '',
    platform: {
      name,
      project,
      cluster: values.text('cluster') ?? 'local',
      namespace: (isSpace ? spaceNamespaceBaseName : hostNamespaceBaseName)(project, name),
      user: values.text('user') ?? 'anna',
      team: '',
    },
  });
  if (problems.length > 0) {
    for (const problem of problems) terminal.printToStderr(`${file}: ${problem}\n`);
    throw new CliError(`cannot render ${file}: ${problems.length} problem${problems.length === 1 ? '' : 's'}`);
  }
  if (values.flag('server')) {
    await withServer(call, async (api) => {
      const path = api.managementPath((isSpace ? spaceTemplates : templates).plural, template.metadata.name ?? name);
      const query = { fieldManager: 'flotilla', force: 'true', dryRun: 'All', fieldValidation: 'Strict' };
      await api.json({ method: 'PATCH', path, type: 'application/apply-patch+yaml', body: template, query, signal });
    });
  }
  terminal.print(format.kind === 'objects' ? format.print(definition) : yamlText(definition));
  return undefined;
};

/**
 * Applies defaults to a template and validates it, as the server does. Throws CliError if a field has the wrong type.
 */
function checkedTemplate(object: KubeObject, file: string): VirtualClusterTemplate | SpaceTemplate {
  const kind = object.kind === spaceTemplateKind.kind ? spaceTemplateKind : virtualClusterTemplateKind;
  const decoded = cloneJson(object);
  applyDefaults(kind.schema, decoded);
  const [first] = validateSchema(kind.schema, decoded, '');
  if (first !== undefined) throw new CliError(`${file}: ${first.field}: ${first.message}`);
  return kind === spaceTemplateKind
    ? typedObject(spaceTemplateKind, decoded)
    : typedObject(virtualClusterTemplateKind, decoded);
}
