import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs helm to its end, expects success and returns its output. */
export type Helm = (...args: readonly string[]) => Promise<string>;

/** helm's state is in that folder, not in the home directory of the user who runs the tests. */
export function helmWith(program: string, kubeconfig: string, folder: string): Helm {
  const env = {
    ...process.env,
    HELM_CACHE_HOME: join(folder, 'helm', 'cache'),
    HELM_CONFIG_HOME: join(folder, 'helm', 'config'),
    HELM_DATA_HOME: join(folder, 'helm', 'data'),
  };
  return async (...args) => {
    const { stdout } = await promisify(execFile)(program, ['--kubeconfig', kubeconfig, ...args], {
      env,
      maxBuffer: 64 << 20,
    });
    return stdout;
  };
}
