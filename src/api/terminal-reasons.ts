/**
 * The reasons of instance conditions that stay until somebody changes the instance, its template or the cluster.
 * Clients that wait for the instance stop waiting.
 */
export const terminalReasons = {
  placeTaken: 'PlaceTaken',
  cannotBeRendered: 'CannotBeRendered',
  agentDataLost: 'AgentDataLost',
  anotherCluster: 'AnotherCluster',
} as const;

export function isTerminalReason(reason: string | undefined): boolean {
  return Object.values<string | undefined>(terminalReasons).includes(reason);
}
