import { useSearch } from '@tanstack/react-router';
import { Icon } from '../../../components/icon.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { kinds, type ObjectKey } from '../../../data/kind-ref.ts';
import { usePermissions } from '../../../data/permissions.ts';
import { useExplorer } from '../explorer-context.ts';
import type { PodPanelProps, PodViewName } from './pod-panel.tsx';

/** The log or the terminal of a pod. Its script is loaded on first use. */
export const PodView = lazyComponent<PodPanelProps>(async () => (await import('./pod-panel.tsx')).PodPanel, 'Loading');

export interface PodViewSwitchProps {
  readonly place: ObjectKey;
  readonly view: PodViewName | undefined;
}

/** Buttons that open the log and the terminal of a pod, or return to its YAML and events. */
export function PodViewSwitch({ place, view }: PodViewSwitchProps) {
  const { root, project, name } = useExplorer();
  const search = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const [readLog, exec] = usePermissions([
    { verb: 'get', kind: kinds.pod, subresource: 'log', root, ...place },
    { verb: 'create', kind: kinds.pod, subresource: 'exec', root, ...place },
  ]);
  const views = [
    { id: undefined, label: 'Details', icon: 'templates', isOffered: view !== undefined },
    { id: 'logs', label: 'Logs', icon: 'log', isOffered: view !== 'logs' && readLog?.allowed === true },
    { id: 'terminal', label: 'Terminal', icon: 'terminal', isOffered: view !== 'terminal' && exec?.allowed === true },
  ] as const;
  return views.map(({ id, label, icon, isOffered }) =>
    isOffered ? (
      <LinkButton
        key={label}
        to="/virtual-clusters/$project/$name/inside"
        params={{ project, name }}
        search={{ ...search, view: id }}
        size="xs"
        variant="default"
        leftSection={<Icon name={icon} size={16} />}
      >
        {label}
      </LinkButton>
    ) : null,
  );
}
