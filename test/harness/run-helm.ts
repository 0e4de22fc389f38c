import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isProgram, toolFolders } from './start-program.mjs';

/** Runs helm to its end, expects success and returns its output. The error of a failed run contains its output. */
export type Helm = (...args: readonly string[]) => Promise<string>;

/** Returns the path of a version of helm that test/tools/build.sh builds; `undefined` if it is not there. */
export function findHelm(name: 'helm' | 'helm4'): string | undefined {
  return toolFolders()
    .map((folder) => join(folder, name))
    .find((path) => isProgram(path));
}

/**
 * Returns helm with its state in `folder`, not in the home directory of the user who runs the tests. `variables` are
 * additional environment variables.
 */
export function helmWith(
  program: string,
  kubeconfig: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Helm {
  const env = {
    ...process.env,
    HELM_CACHE_HOME: join(folder, 'helm', 'cache'),
    HELM_CONFIG_HOME: join(folder, 'helm', 'config'),
    HELM_DATA_HOME: join(folder, 'helm', 'data'),
    ...variables,
  };
  return async (...args) => {
    const { stdout } = await promisify(execFile)(program, ['--kubeconfig', kubeconfig, ...args], {
      env,
      maxBuffer: 64 << 20,
    });
    return stdout;
  };
}
