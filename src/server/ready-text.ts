import { relative } from 'node:path';

export interface ReadyTextOptions {
  readonly url: string;
  readonly adminKubeconfig: string;
  readonly adminKey: string;
  /** There is a web console at the URL. */
  readonly hasConsole: boolean;
  readonly workingDirectory: string;
}

/** What standard output shows once the server can serve: where it is, and what to type next. */
export function readyText({ url, workingDirectory, ...options }: ReadyTextOptions): string {
  const near = (path: string): string => {
    const found = relative(workingDirectory, path);
    return shellWord(found.startsWith('..') ? path : found);
  };
  const kubectl = `kubectl --kubeconfig ${near(options.adminKubeconfig)}`;
  const inBrowser = `  ${url}/ in a browser, with the access key in ${near(options.adminKey)}`;
  return [
    `ready ${url}`,
    `  ${kubectl} get projects,clusters,virtualclustertemplates`,
    `  ${kubectl} explain virtualclusterinstances.spec`,
    ...(options.hasConsole ? [inBrowser] : []),
    '',
  ].join('\n');
}

function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
