import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { StatusError } from '../../../../src/api/status.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { LoadingIndicator } from '../../../components/loading-indicator.tsx';
import { LogView } from '../../../components/log/log-view.tsx';
import { Panel } from '../../../components/panel.tsx';
import { managementRoot } from '../../../data/api-root.ts';
import { objectUrl } from '../../../data/kind-ref.ts';
import { send } from '../../../data/send.ts';
import { useSelf } from '../../../data/session/use-self.ts';
import type { InstanceState } from './instance-state.ts';

/** The log of the control plane of a virtual cluster, which the server reads from its host. */
export function ControlPlaneLog({ instance }: { readonly instance: InstanceState }) {
  const { type, namespace, name, object } = instance;
  const url = objectUrl(managementRoot, type.kind, { namespace, name }, 'log');
  // Asks the server whether there is a log. A virtual cluster without a separate process has none, and only the server
  // knows whether it has a process.
  const probe = useQuery({
    queryKey: ['log', url, object.metadata.uid],
    retry: false,
    queryFn: async ({ signal }) => {
      await (await send({ method: 'GET', url: `${url}?tailLines=1`, accept: '*/*', signal })).text();
      return true;
    },
  });
  // Requests the log of the previous run. The server rejects this request if the container was never restarted.
  const previous = useQuery({
    queryKey: ['previous-log', url, object.metadata.uid],
    retry: false,
    enabled: probe.data === true,
    queryFn: async ({ signal }) => {
      await (await send({ method: 'GET', url: `${url}?previous=true&tailLines=1`, accept: '*/*', signal })).text();
      return true;
    },
  });
  if (probe.isPending) return <LoadingIndicator message="Loading log" />;
  if (probe.error instanceof StatusError && probe.error.code === 400) {
    return <NoLog instance={instance} message={probe.error.message} />;
  }
  if (probe.error !== null) return <ErrorNotice error={probe.error} onRetry={() => void probe.refetch()} />;
  return (
    <Panel title="Log of the control plane">
      <LogView
        url={url}
        label={`Log of the control plane of ${name}`}
        fileName={`${name}-control-plane`}
        hasPrevious={previous.data === true}
        isActive
      />
    </Panel>
  );
}

/** A notice that a virtual cluster has no log, with links to other records about it. */
function NoLog({ instance, message }: { readonly instance: InstanceState; readonly message: string }) {
  const { type, project, name, namespace } = instance;
  const { isAdmin, isAuditor } = useSelf();
  return (
    <div className="card">
      <EmptyState
        title={`${name} has no log`}
        text={<span style={{ overflowWrap: 'anywhere' }}>{message}</span>}
        action={
          <Group mt="sm">
            <LinkButton to={type.detailPath} params={{ project, name }} search={{ tab: 'overview' }} variant="default">
              Show events
            </LinkButton>
            {isAdmin || isAuditor ? (
              <LinkButton to="/audit-log" search={{ namespace, name }} variant="default">
                Search the audit log
              </LinkButton>
            ) : null}
          </Group>
        }
      />
    </div>
  );
}
