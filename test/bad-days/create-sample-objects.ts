import { managementGroup } from '../../src/api/naming.ts';
import type { ApiCaller } from './api-caller.ts';
import type { Json } from './corpus/bad-request.ts';

const group = `/apis/${managementGroup}/v1`;

/** The namespace of the default project. */
export const namespace = 'platform-p-default';

/** Creates an object of each creatable kind. Returns their names by the last segment of their collection's path. */
export async function createSampleObjects(caller: ApiCaller): Promise<Record<string, string>> {
  const make = (path: string, body: Json) => caller.make(path, body);
  await make(`${group}/teams`, { metadata: { name: 'crew' }, spec: { displayName: 'Crew', users: ['admin'] } });
  await make(`${group}/users`, { metadata: { name: 'bosun' }, spec: { displayName: 'Bosun', email: 'b@example.com' } });
  await make(`${group}/clusters`, {
    metadata: { name: 'harbour' },
    spec: { displayName: 'Harbour', networkPeer: true },
  });
  await make(`${group}/projects`, {
    metadata: { name: 'voyage', labels: { a: 'b' } },
    spec: {
      displayName: 'Voyage',
      members: [{ kind: 'User', name: 'bosun', clusterRole: 'platform-management-project-user' }],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ kind: 'VirtualClusterTemplate', group: 'storage.platform.sh', name: '*' }],
    },
  });
  await make(`${group}/virtualclustertemplates`, {
    metadata: { name: 'small' },
    spec: {
      displayName: 'Small',
      parameters: [{ variable: 'size', type: 'number', min: 1, max: 5, defaultValue: '1' }],
      template: { objects: 'kind: ConfigMap' },
    },
  });
  await make(`${group}/ownedaccesskeys`, { metadata: { name: 'spare' }, spec: { displayName: 'Spare', ttl: 86_400 } });
  await make(`${group}/namespaces/${namespace}/virtualclusterinstances`, {
    metadata: { name: 'dinghy' },
    spec: { displayName: 'Dinghy', templateRef: { name: 'small' }, parameters: 'size: 2' },
  });
  await make(`/api/v1/namespaces/${namespace}/events`, {
    metadata: { name: 'storm' },
    involvedObject: { namespace, name: 'dinghy', kind: 'VirtualClusterInstance' },
    reason: 'Storm',
    message: 'a storm is coming',
    type: 'Warning',
  });
  return {
    teams: 'crew',
    users: 'bosun',
    clusters: 'harbour',
    projects: 'voyage',
    virtualclustertemplates: 'small',
    ownedaccesskeys: 'spare',
    accesskeys: 'spare',
    virtualclusterinstances: 'dinghy',
    events: 'storm',
    namespaces: namespace,
  };
}
