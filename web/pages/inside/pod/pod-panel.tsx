import type { KubeObject } from '../../../../src/api/meta.ts';
import { Panel } from '../../../components/panel.tsx';
import { PodLog } from './pod-log.tsx';
import { PodTerminal } from './pod-terminal.tsx';

/** A part of the page of a pod that replaces its YAML and events. */
export type PodViewName = 'logs' | 'terminal';

export interface PodPanelProps {
  readonly pod: KubeObject;
  readonly view: PodViewName;
}

/** The implementation of `PodView`, loaded on demand. */
export function PodPanel({ pod, view }: PodPanelProps) {
  return view === 'logs' ? (
    <Panel title="Logs">
      <PodLog pod={pod} />
    </Panel>
  ) : (
    <Panel title="Terminal">
      <PodTerminal pod={pod} />
    </Panel>
  );
}
