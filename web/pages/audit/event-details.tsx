import { Button, Code, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AuditEvent } from '../../../src/api/audit/audit-event.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Facts } from '../../components/facts.tsx';
import type { AuditSearch } from './audit-search.ts';
import classes from './audit-table.module.css';

export interface EventDetailsProps {
  readonly event: AuditEvent;
  onNarrow(search: AuditSearch): void;
}

/** All that a line of the log holds, and the ways on from it. */
export function EventDetails({ event, onNarrow }: EventDetailsProps) {
  const { user, accessKey, decision, sourceIPs, userAgent, requestURI, objectRef, agent, responseStatus } = event;
  const json = JSON.stringify(event, null, 2);
  return (
    <>
      <Facts
        facts={{
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
              : `${decision.allowed ? 'Allowed' : 'Refused'}${decision.reason === '' ? '' : `: ${decision.reason}`}`,
          'Narrowed to': decision?.scopes?.join(' '),
          Answer: [responseStatus?.code, responseStatus?.reason].filter(Boolean).join(' '),
          From: [sourceIPs.join(', '), userAgent].filter(Boolean).join(' · '),
          Agent: agent?.cluster,
        }}
      />
      <Group gap="xs" mt="md">
        {user === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={() => onNarrow({ user: user.username })}>
            Only what {user.username} did
          </Button>
        )}
        {accessKey === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={() => onNarrow({ accessKey })}>
            Only with this key
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
            Only about {objectRef.name}
          </Button>
        )}
        <CopyButton text={json} what="the event" />
      </Group>
      <Code block className={classes.json} tabIndex={0} aria-label="The whole event">
        {json}
      </Code>
    </>
  );
}
