import { lazyComponent } from '../lazy-component.tsx';
import type { LogPanelProps } from './log-panel.tsx';

/** The log of a container with search and download. Its script is loaded on first use. */
export const LogView = lazyComponent<LogPanelProps>(
  async () => (await import('./log-panel.tsx')).LogPanel,
  'Loading log',
);
