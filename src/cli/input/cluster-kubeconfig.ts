import { yamlText } from '@flotilla/yaml';
import { readKubeconfig } from '../../api/kubeconfig.ts';
import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { inlineContext } from '../kubeconfig/inline-context.ts';
import { readKubeconfigFile, userKubeconfig } from '../kubeconfig/kubeconfig-file.ts';

/** Reads the kubeconfig of a cluster and converts it for the server: one context, with all files inline. */
export async function clusterKubeconfig({ values, environment }: CommandCall): Promise<string> {
  const file = values.text('kubeconfig') ?? userKubeconfig(environment);
  const kubeconfig = await readKubeconfigFile(file);
  if (kubeconfig === undefined)
    throw new CliError(`kubeconfig ${file} not found`, { next: 'select one with --kubeconfig' });
  const text = yamlText(await inlineContext(kubeconfig, file, values.text('context')));
  const read = readKubeconfig(text);
  if ('fault' in read) throw new CliError(`cannot use ${file}: it ${read.fault}`);
  return text;
}

/**
 * Makes a command select its login by `--login` instead of `--context`, because the command's `--context` option
 * selects a context of a kubeconfig.
 */
export function withLoginOption(call: CommandCall): CommandCall {
  const text = (option: string) => call.values.text(option === 'context' ? 'login' : option);
  return {
    values: { ...call.values, text },
    terminal: call.terminal,
    environment: call.environment,
    interrupted: call.interrupted,
    releaseSignals: () => call.releaseSignals(),
  };
}
