/** The maximum number of commands that can be recalled. */
const maxCommands = 200;

/**
 * The commands of this browser tab, for each virtual cluster. They are kept in memory only, because a command can contain
 * secrets.
 */
const byCluster = new Map<string, string[]>();

export function commandHistory(cluster: string): readonly string[] {
  return byCluster.get(cluster) ?? [];
}

export function addToHistory(cluster: string, line: string): void {
  const commands = (byCluster.get(cluster) ?? []).filter((each) => each !== line);
  byCluster.set(cluster, [...commands, line].slice(-maxCommands));
}
