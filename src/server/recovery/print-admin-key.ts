import { readIfExists } from '../../process/private-dir.ts';
import { readOrigin } from '../../process/read-flags.ts';
import { StartError } from '../../process/start-error.ts';
import { dataDirAt } from '../data/data-dir.ts';
import { kubeconfigForServer } from '../kubeconfig.ts';
import { defaultDataDir } from '../settings/flags.ts';

/** The credentials of the administrator that `flotilla admin-key --print` can print. */
const printableCredentials = ['key', 'kubeconfig'] as const;

export interface PrintAdminKeyOptions {
  readonly dataDir: string | undefined;
  readonly what: string;
  /**
   * The address of the server in the kubeconfig, as `https://host:port`; `undefined` to keep the address in the file.
   */
  readonly server: string | undefined;
}

/**
 * `flotilla admin-key --print`: returns the content of admin.key or admin.kubeconfig. A container without a shell has
 * no other command to print these files. A person who can run this command can read the data directory anyway.
 */
export async function printAdminKey({ dataDir = defaultDataDir, what, server }: PrintAdminKeyOptions): Promise<string> {
  if (!printableCredentials.some((each) => each === what)) {
    throw new StartError(`--print: "${what}" is not one of ${printableCredentials.join(', ')}`);
  }
  if (server !== undefined && what !== 'kubeconfig') throw new StartError('--server needs --print kubeconfig');
  const dir = dataDirAt(dataDir);
  const path = what === 'key' ? dir.adminKey : dir.adminKubeconfig;
  const text = await readIfExists(path);
  if (text === undefined) {
    throw new StartError(
      `${path} does not exist: the server has not started yet, another server has created the installation, or somebody has removed the file; to get a new key, run "flotilla admin-key --data-dir ${dir.path}" and restart the server`,
    );
  }
  return server === undefined ? text : kubeconfigForServer(text, path, readOrigin('server', server));
}
