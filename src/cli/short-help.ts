/** The commands that most people need, in the order in which they need them. A test parses these commands. */
export const firstCommands = [
  ['login URL', 'Log in to a server'],
  ['create NAME --connect', 'Create a virtual cluster and connect kubectl'],
  ['list', 'List virtual clusters'],
  ['connect NAME', 'Connect kubectl to a virtual cluster'],
  ['delete NAME', 'Delete a virtual cluster'],
] as const;

/**
 * Returns the text that `flotilla` without arguments prints. It has ten lines; the whole help has more than a hundred.
 */
export function shortHelp(): string {
  const width = Math.max(...firstCommands.map(([command]) => command.length));
  return [
    'Flotilla creates and manages virtual Kubernetes clusters.',
    '',
    ...firstCommands.map(([command, does]) => `  flotilla ${command.padEnd(width)}  ${does}`),
    '',
    'All commands, environment variables and exit codes: flotilla --help',
    'Options and examples of a command: flotilla create --help',
    '',
  ].join('\n');
}
