import { load } from 'js-yaml';
import { listAt, objectAt, textAt } from '../../lib/json-path.ts';
import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';

/** Members that would make this server read its own files or run programs because a client says so. */
const forbiddenUser = ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key'];
const forbiddenCluster = ['certificate-authority'];

/**
 * What is wrong with a kubeconfig that a client gave; undefined: nothing. The text never quotes the kubeconfig: it
 * holds credentials.
 */
export function kubeconfigFault(text: string): string | undefined {
  let document: JsonValue;
  try {
    document = load(text, { maxAliases: 0 }) as JsonValue;
  } catch {
    return 'must be a kubeconfig, in YAML or JSON';
  }
  if (!isJsonObject(document)) return 'must be a kubeconfig, in YAML or JSON';
  const context = named(document, 'contexts', textAt(document, 'current-context'))?.context;
  if (context === undefined) return 'must have a current-context that is one of its contexts';
  const cluster = objectAt(named(document, 'clusters', textAt(context, 'cluster')), 'cluster');
  if (!/^https?:\/\/./.test(textAt(cluster, 'server'))) return 'must name the server of its current context';
  const user = objectAt(named(document, 'users', textAt(context, 'user')), 'user');
  if (user === undefined) return 'must have the user of its current context';
  const forbidden = [
    ...forbiddenUser.filter((member) => Object.hasOwn(user, member)),
    ...forbiddenCluster.filter((member) => cluster !== undefined && Object.hasOwn(cluster, member)),
  ];
  if (forbidden.length === 0) return undefined;
  return `must hold its credentials inline; ${forbidden.join(', ')} would read files or run programs on the server`;
}

function named(document: JsonValue, list: string, name: string): Record<string, JsonValue> | undefined {
  const found = name === '' ? undefined : listAt(document, list).find((entry) => textAt(entry, 'name') === name);
  return objectAt(found);
}
