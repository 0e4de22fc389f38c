import { relative } from 'node:path';

/** What standard output shows once the server can serve: where it is, and what to type next. */
export function readyText(url: string, kubeconfig: string, workingDirectory: string): string {
  const near = relative(workingDirectory, kubeconfig);
  const path = near.startsWith('..') ? kubeconfig : near;
  const kubectl = `kubectl --kubeconfig ${shellWord(path)}`;
  return [
    `ready ${url}`,
    `  ${kubectl} get projects,clusters,virtualclustertemplates`,
    `  ${kubectl} explain virtualclusterinstances.spec`,
    '',
  ].join('\n');
}

function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
