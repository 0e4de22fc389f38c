import { json } from 'node:stream/consumers';
import { isJsonObject, textAt } from '@flotilla/json';
import { managementGroup, managementVersion, projectNamespace } from '../api/naming.ts';
import { StartError } from '../process/start-error.ts';
import { sendAdminRequest } from './admin-request.ts';
import { dataDirAt } from './data/data-dir.ts';
import { readAdminAccess } from './kubeconfig.ts';
import { defaultDataDir } from './settings/flags.ts';

export interface InstanceKubeconfigOptions {
  readonly instance: string;
  readonly project: string;
  readonly dataDir?: string | undefined;
}

/**
 * `flotilla kubeconfig`: requests the kubeconfig of a virtual cluster with the administrator credentials that are stored
 * in a local data directory.
 */
export async function instanceKubeconfig(options: InstanceKubeconfigOptions): Promise<string> {
  const dir = dataDirAt(options.dataDir ?? defaultDataDir);
  const access = await readAdminAccess(dir.adminKubeconfig);
  if (access === undefined) throw new StartError(`no admin.kubeconfig in ${dir.path}`);
  const [namespace, name] = [projectNamespace(options.project), options.instance].map(encodeURIComponent);
  const path =
    `${access.managementPath}/apis/${managementGroup}/${managementVersion}` +
    `/namespaces/${namespace}/virtualclusterinstances/${name}/kubeconfig`;
  return await sendAdminRequest(
    access,
    { method: 'POST', path, body: '{}', description: 'the kubeconfig' },
    async (body) => {
      const answer: unknown = await json(body);
      return isJsonObject(answer) ? textAt(answer, 'status', 'kubeConfig') : '';
    },
  );
}
