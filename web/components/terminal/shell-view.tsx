import { lazyComponent } from '../lazy-component.tsx';
import type { ShellTerminalProps } from './shell-terminal.tsx';

/** A terminal with a shell in a container. Its script is loaded on first use. */
export const ShellView = lazyComponent<ShellTerminalProps>(
  async () => (await import('./shell-terminal.tsx')).ShellTerminal,
  'Loading terminal',
);
