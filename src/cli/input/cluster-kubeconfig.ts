import { readKubeconfig } from '../../api/kubeconfig.ts';
import { yamlText } from '../../lib/yaml-text.ts';
import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { inlineContext } from '../kubeconfig/inline-context.ts';
import { readKubeconfigFile, userKubeconfig } from '../kubeconfig/kubeconfig-file.ts';

/** The kubeconfig of a cluster as the server takes it: one context, everything inline. */
export async function clusterKubeconfig({ values, environment }: CommandCall): Promise<string> {
  const file = values.text('kubeconfig') ?? userKubeconfig(environment);
  const kubeconfig = await readKubeconfigFile(file);
  if (kubeconfig === undefined)
    throw new CliError(`there is no kubeconfig ${file}`, { next: 'name one with --kubeconfig' });
  const text = yamlText(await inlineContext(kubeconfig, file, values.text('context')));
  const read = readKubeconfig(text);
  if ('fault' in read) throw new CliError(`${file} cannot be used: it ${read.fault}`);
  return text;
}

/** `--context` is the kubeconfig's here; `--login` names the login. */
export function withLogin(call: CommandCall): CommandCall {
  const text = (option: string) => call.values.text(option === 'context' ? 'login' : option);
  return {
    values: { ...call.values, text },
    terminal: call.terminal,
    environment: call.environment,
    interrupted: call.interrupted,
    leaveSignals: () => call.leaveSignals(),
  };
}
