import { relative } from 'node:path';

export interface ReadyMessageOptions {
  readonly url: string;
  readonly adminKubeconfig: string;
  readonly adminKey: string;
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
  const kubectl = `kubectl --kubeconfig ${displayPath(options.adminKubeconfig)}`;
  const consoleLine = `  console: ${url}/ (sign in with the access key in ${displayPath(options.adminKey)})`;
  return [
    `ready ${url}`,
    `  ${kubectl} get projects,clusters,virtualclustertemplates`,
    `  ${kubectl} explain virtualclusterinstances.spec`,
    ...(options.hasConsole ? [consoleLine] : []),
    '',
  ].join('\n');
}

function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
