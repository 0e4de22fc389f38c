/** A shell that can be started in a container. */
export interface Shell {
  readonly id: string;
  readonly label: string;
  readonly command: readonly string[];
}

/**
 * Runs bash if the container has it, otherwise sh. `exec` replaces the first shell, so the exit code comes from the
 * shell that the user works in.
 */
const bestShell = 'command -v bash >/dev/null 2>&1 && exec bash; exec sh';

export const shells: readonly Shell[] = [
  { id: 'auto', label: 'bash or sh', command: ['sh', '-c', bestShell] },
  { id: 'bash', label: 'bash', command: ['bash'] },
  { id: 'sh', label: 'sh', command: ['sh'] },
  { id: 'ash', label: 'ash', command: ['ash'] },
  { id: 'powershell', label: 'PowerShell (Windows)', command: ['powershell'] },
  { id: 'cmd', label: 'cmd (Windows)', command: ['cmd'] },
];

/** Returns the command of the shell with an ID; the command of the first shell for an unknown ID. */
export function shellCommand(id: string): readonly string[] {
  return (shells.find((shell) => shell.id === id) ?? shells[0])?.command ?? [];
}
