import { join } from 'node:path';
import { cliHome } from '../../harness/cli.ts';
import type { FlotillaProcess } from '../../harness/flotilla-process.ts';

/** Writes a kubeconfig for a virtual cluster into a folder, with the command of the guide. Returns its path. */
export async function writeVirtualClusterKubeconfig(
  flotilla: FlotillaProcess,
  folder: string,
  { project, name }: { readonly project: string; readonly name: string },
): Promise<string> {
  const home = cliHome();
  const file = join(folder, `${name}.kubeconfig`);
  const target = ['--project', project, '--data-dir', flotilla.dataDirectory];
  await home.ok(['kubeconfig', name, ...target, '--ttl', '30d', '--file', file]);
  home.remove();
  return file;
}
