/** An operating system for which releases contain an archive. */
export type CliSystem = 'linux' | 'darwin' | 'windows';

export const cliSystems: readonly { readonly value: CliSystem; readonly label: string }[] = [
  { value: 'linux', label: 'Linux' },
  { value: 'darwin', label: 'macOS' },
  { value: 'windows', label: 'Windows' },
];

/**
 * Returns the visitor's operating system, from the user agent of the browser. Returns Linux for any unsupported system.
 */
export function systemOf(userAgent: string): CliSystem {
  if (/Windows/.test(userAgent)) return 'windows';
  return /Macintosh|Mac OS X/.test(userAgent) ? 'darwin' : 'linux';
}

export interface CliCommands {
  /** The commands that verify and unpack the archive, and make the program available on PATH. */
  readonly install: string;
  readonly login: string;
  readonly check: string;
}

/** Returns the commands that install the command line and log in to this server. */
export function cliCommands(system: CliSystem, server: string): CliCommands {
  const login = `flotilla login ${server}`;
  const check = 'flotilla whoami';
  if (system === 'windows') {
    const install = [
      'mkdir "$env:LOCALAPPDATA\\flotilla" -Force',
      'tar xzf (Get-Item flotilla_*_windows_amd64.tar.gz) -C "$env:LOCALAPPDATA\\flotilla" --strip-components=1',
      '$env:PATH = "$env:LOCALAPPDATA\\flotilla;$env:PATH"',
    ];
    return { install: install.join('\n'), login, check };
  }
  const sum = system === 'darwin' ? 'shasum -a 256' : 'sha256sum';
  const install = [
    `${sum} --check --ignore-missing SHA256SUMS`,
    'mkdir -p ~/.local/opt/flotilla ~/.local/bin',
    `tar xzf flotilla_*_${system}_*.tar.gz -C ~/.local/opt/flotilla --strip-components=1`,
    'ln -sf ~/.local/opt/flotilla/flotilla ~/.local/opt/flotilla/kubectl-flotilla ~/.local/bin/',
    'export PATH=~/.local/bin:$PATH',
  ];
  return { install: install.join('\n'), login, check };
}
