import type { KubeObject } from '../../../api/meta.ts';
import { projectNamespace } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { CallValues, CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { createObject, deleteObject, findObject, typedResponse } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { waitUntilGone, waitUntilReady } from '../../connection/wait-for-instance.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import { commandPath, type Instance, type InstanceKind, managementApiVersion, spaces } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';

/** Returns the command that creates an instance. The kind of the instance is `given`, or a space with `--space`. */
export function createCommand(given: InstanceKind): CommandRun {
  return async (call) => {
    const { values, terminal } = call;
    const kind = values.flag('space') ? spaces : given;
    const format = await outputFormat(values);
    const [dryRun, connects] = [values.flag('dry-run'), values.flag('connect')];
    if (dryRun && (connects || values.flag('wait')))
      throw usageError('--dry-run cannot be combined with --wait or --connect');
    const spec = await specOf(values);
    return await withServer(call, async (api) => {
      const { project } = api.access;
      const name = values.argument('name');
      const milliseconds = timeoutFromOptions(values);
      const object = instanceOf(kind, { name, project, spec }, values);
      if (values.flag('recreate')) await deleteExisting(api, { kind, name, milliseconds, dryRun }, call);
      let instance = await create(api, kind, object, call);
      if (!dryRun && format.kind === 'table') {
        terminal.print(`${kind.noun} "${name}" created in project "${project}"${clusterSuffix(instance)}\n`);
      }
      if (connects || values.flag('wait')) {
        // Ctrl-C interrupts only this wait, not the create request.
        instance = await waitUntilReady(api, { kind, project, name, milliseconds }, call).catch((error: unknown) => {
          if (call.interrupted.aborted) {
            const command = commandPath(kind, 'delete');
            terminal.printToStderr(`${name} is still being created; delete it with: flotilla ${command} ${name}\n`);
          }
          throw error;
        });
      }
      if (format.kind === 'objects') terminal.print(format.print(instance));
      else if (dryRun)
        terminal.print(`${kind.noun} "${name}" would be created in project "${project}"${clusterSuffix(instance)}\n`);
      if (connects) {
        const { connectKubectl } = await import('../../kubeconfig/connect-kubectl.ts');
        await connectKubectl(api, { kind, project, name, signal: call.interrupted }, call);
      }
      return undefined;
    });
  };
}

type InstanceSpec = NonNullable<Instance['spec']>;

/** Parses `<template>@<version>`. The version is optional. It is an exact version, or has wildcards as in `1.x.x`. */
export function templateRefOf(text: string): { name: string; version?: string } {
  const at = text.lastIndexOf('@');
  if (at < 0) return { name: text };
  return { name: text.slice(0, at), version: text.slice(at + 1) };
}

async function specOf(values: CallValues): Promise<InstanceSpec> {
  const [files, sets] = [values.list('values'), values.list('set')];
  // The YAML parser is loaded only if there are parameters, because loading it takes time.
  const parameters =
    files.length + sets.length === 0
      ? undefined
      : await (await import('../../input/read-parameters.ts')).readParameters(files, sets);

  const [template, cluster, team] = [values.text('template'), values.text('cluster'), values.text('owner-team')];
  const user = values.text('owner-user');
  if (user !== undefined && team !== undefined) throw usageError('--owner-user and --owner-team cannot be combined');
  return {
    ...fieldsFromOptions(values, { 'display-name': 'displayName', description: 'description' }),
    ...(template === undefined ? {} : { templateRef: templateRefOf(template) }),
    ...(cluster === undefined ? {} : { clusterRef: { cluster } }),
    ...(user === undefined ? {} : { owner: { user } }),
    ...(team === undefined ? {} : { owner: { team } }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

interface NewInstance {
  readonly name: string;
  readonly project: string;
  readonly spec: InstanceSpec;
}

function instanceOf(kind: InstanceKind, { name, project, spec }: NewInstance, values: CallValues): KubeObject {
  const pairs = (option: string): Record<string, string> =>
    Object.fromEntries(
      values.list(option).map((pair) => {
        const separator = pair.indexOf('=');
        if (separator < 1) throw usageError(`--${option} ${pair}: must be <name>=<value>`);
        return [pair.slice(0, separator), pair.slice(separator + 1)];
      }),
    );
  return {
    apiVersion: managementApiVersion,
    kind: kind.kind,
    metadata: {
      name,
      namespace: projectNamespace(project),
      labels: pairs('label'),
      annotations: pairs('annotation'),
    },
    spec,
  };
}

interface Recreation {
  readonly kind: InstanceKind;
  readonly name: string;
  /** Maximum time to wait for the deletion. */
  readonly milliseconds: number;
  readonly dryRun: boolean;
}

/** Deletes the existing instance by its uid, so that a newer instance with the same name is not deleted. */
async function deleteExisting(
  api: ServerApi,
  { kind, name, milliseconds, dryRun }: Recreation,
  call: CommandCall,
): Promise<void> {
  const { project } = api.access;
  const existing = await findObject(api, kind, { project, signal: call.interrupted }, name);
  if (existing === undefined) return;
  const { uid = '' } = existing.metadata;
  await deleteObject(api, kind, name, { project, uid, dryRun });
  if (dryRun) return;
  call.terminal.printToStderr(`deleting ${kind.noun} "${name}" before it is created again\n`);
  await waitUntilGone(api, { kind, project, name, milliseconds }, uid, call);
}

async function create(api: ServerApi, kind: InstanceKind, object: KubeObject, call: CommandCall): Promise<Instance> {
  const { project } = api.access;
  const { name = '' } = object.metadata;
  const dryRun = call.values.flag('dry-run');
  try {
    return await createObject(api, kind, object, { project, dryRun, signal: call.interrupted });
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.reason !== 'AlreadyExists') throw error;
    // A dry run does not delete the old object, so the server reports that the object exists. That is not an error.
    if (dryRun && call.values.flag('recreate')) return typedResponse(kind, object);
    throw new CliError(`${kind.noun} "${name}" already exists in project "${project}"`, {
      next: 'use --recreate to delete it and create it again',
      cause: error,
    });
  }
}

function clusterSuffix({ spec }: Instance): string {
  const cluster = spec?.clusterRef?.cluster ?? '';
  return cluster === '' ? '' : ` on cluster "${cluster}"`;
}
