import { relative } from 'node:path';

export interface ReadyMessageOptions {
  readonly url: string;
  /** The administrator's kubeconfig; `undefined` if another server has created the installation. */
  readonly adminKubeconfig: string | undefined;
  readonly caCertificate: string;
  /** The file with the administrator's access key; `undefined` if it does not exist. */
  readonly adminKey: string | undefined;
  /** True if the web console is available at the URL. */
  readonly hasConsole: boolean;
  readonly workingDirectory: string;
}

/** Returns the text that the server prints when it is ready: its address, and the commands that a user may run next. */
export function readyMessage({ url, workingDirectory, ...options }: ReadyMessageOptions): string {
  const displayPath = (path: string): string => {
    const found = relative(workingDirectory, path);
    return shellQuote(found.startsWith('..') ? path : found);
  };
  const { adminKubeconfig, adminKey, caCertificate, hasConsole } = options;
  if (adminKubeconfig === undefined) {
    const login = `  flotilla login ${url} --ca-file ${displayPath(caCertificate)}`;
    return [`ready ${url}`, login, ...(hasConsole ? [`  console: ${url}/`] : []), ''].join('\n');
  }
  const kubectl = `kubectl --kubeconfig ${displayPath(adminKubeconfig)}`;
  const signIn = adminKey === undefined ? '' : ` (sign in with the access key in ${displayPath(adminKey)})`;
  const consoleLine = `  console: ${url}/${signIn}`;
  return [
    `ready ${url}`,
    `  ${kubectl} get projects,clusters,virtualclustertemplates`,
    `  ${kubectl} explain virtualclusterinstances.spec`,
    ...(hasConsole ? [consoleLine] : []),
    '',
  ].join('\n');
}

function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
