/**
 * The reasons of conditions of an instance that do not change by themselves: somebody must change the instance, its template or
 * the cluster. Clients that wait for the instance stop waiting.
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
