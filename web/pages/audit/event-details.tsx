import { Button, Code, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AuditEvent } from '../../../src/api/audit/audit-event.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { DetailList } from '../../components/object/detail-list.tsx';
import type { AuditSearch } from './audit-search.ts';
import classes from './audit-table.module.css';

export interface EventDetailsProps {
  readonly event: AuditEvent;
  onNarrow(search: AuditSearch): void;
}

/** The details of an audit event, with buttons that filter the log for related events. */
export function EventDetails({ event, onNarrow }: EventDetailsProps) {
  const { user, accessKey, decision, sourceIPs, userAgent, requestURI, objectRef, agent, responseStatus } = event;
  const json = JSON.stringify(event, null, 2);
  return (
    <>
      <DetailList
        items={{
          Request: <span className="mono">{requestURI}</span>,
          'Access key':
            accessKey === undefined ? undefined : (
              <Link to="/keys/named/$key" params={{ key: accessKey }}>
                {accessKey}
              </Link>
            ),
          Decision:
            decision === undefined
              ? undefined
              : `${decision.allowed ? 'Allowed' : 'Denied'}${decision.reason === '' ? '' : `: ${decision.reason}`}`,
          'Key scope': decision?.scopes?.join(' '),
          Response: [responseStatus?.code, responseStatus?.reason].filter(Boolean).join(' '),
          Source: [sourceIPs.join(', '), userAgent].filter(Boolean).join(' · '),
          Agent: agent?.cluster,
        }}
      />
      <Group gap="xs" mt="md">
        {user === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={() => onNarrow({ user: user.username })}>
            Filter by user {user.username}
          </Button>
        )}
        {accessKey === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={() => onNarrow({ accessKey })}>
            Filter by this access key
          </Button>
        )}
        {objectRef?.name === undefined ? null : (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() =>
              onNarrow({ resource: objectRef.resource, namespace: objectRef.namespace, name: objectRef.name })
            }
          >
            Filter by object {objectRef.name}
          </Button>
        )}
        <CopyButton text={json} what="event" />
      </Group>
      <Code block className={classes.json} tabIndex={0} aria-label="Event JSON">
        {json}
      </Code>
    </>
  );
}
