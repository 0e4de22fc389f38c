import { changeConfig, withLogin } from '../../config/change-config.ts';
import type { Login } from '../../config/config-file.ts';
import { readConfig } from '../../config/config-file.ts';
import { configPath } from '../../config/config-path.ts';
import type { Environment } from '../../environment.ts';
import { logInAsWorkload } from './workload-login.ts';

/**
 * Renews the access key of a workload's login before the key expires, and saves the new key. Returns the login to use.
 * If the renewal fails, the current key is used until it expires.
 */
export async function renewWorkloadLogin(name: string, login: Login, environment: Environment): Promise<Login> {
  if (!isDue(login)) return login;
  const path = configPath(environment);
  // Another command may have renewed the access key in the meantime.
  const current = (await readConfig(path)).logins.get(name);
  if (current !== undefined && !isDue(current)) return current;
  const { workload } = login;
  if (workload === undefined) return login;
  const { renewAfter: _past, ...source } = workload;
  let renewed: Login;
  try {
    renewed = { ...login, ...(await logInAsWorkload(login, source, environment)) };
  } catch (error) {
    if (Date.parse(login.expires ?? '') > Date.now()) return login;
    throw error;
  }
  try {
    await changeConfig(path, (config) => (config.logins.has(name) ? withLogin(config, name, renewed) : config));
  } catch {
    // Ignore an error: the key cannot be saved, for example in a read-only home directory. The next command renews the
    // login again.
  }
  return renewed;
}

function isDue({ workload }: Login): boolean {
  return workload !== undefined && Date.parse(workload.renewAfter) <= Date.now();
}
