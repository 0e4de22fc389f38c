/** The maximum number of commands that can be recalled. */
const maxCommands = 200;

/**
 * The previous commands in this browser tab, by virtual cluster. They are kept only in memory, because a command can
 * contain secrets.
 */
const byCluster = new Map<string, string[]>();

export function commandHistory(cluster: string): readonly string[] {
  return byCluster.get(cluster) ?? [];
}

export function addToHistory(cluster: string, line: string): void {
  const commands = (byCluster.get(cluster) ?? []).filter((each) => each !== line);
  byCluster.set(cluster, [...commands, line].slice(-maxCommands));
}
