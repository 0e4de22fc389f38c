import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import classes from './attention-panel.module.css';
import type { Issue, IssueTarget } from './issues.ts';

/** The maximum number shown; the lists show all. */
const maxShown = 8;

export interface AttentionPanelProps {
  readonly issues: readonly Issue[];
  /** False if some of the data could not be loaded. */
  readonly isKnown: boolean;
}

export function AttentionPanel({ issues, isKnown }: AttentionPanelProps) {
  return (
    <Panel title="Needs attention">
      {issues.length === 0 ? (
        <Group gap="sm" c="dimmed">
          <Icon name={isKnown ? 'check' : 'clock'} />
          <Text size="sm">{isKnown ? 'Nothing needs attention.' : 'Unknown: the server does not respond.'}</Text>
        </Group>
      ) : (
        <Stack gap={0}>
          {issues.slice(0, maxShown).map(({ key, urgency, what, why, next, target }) => (
            <article key={key} className={classes.matter} data-urgency={urgency}>
              <Icon name={urgency === 'now' ? 'warning' : 'clock'} />
              <div>
                <PlaceLink place={target}>{what}</PlaceLink>
                {why === '' ? null : <Text size="sm">{why}</Text>}
                <Text size="sm" c="dimmed">
                  {next}
                </Text>
              </div>
            </article>
          ))}
          {issues.length <= maxShown ? null : (
            <Text size="sm" c="dimmed" mt="xs">
              And {issues.length - maxShown} more.
            </Text>
          )}
        </Stack>
      )}
    </Panel>
  );
}

function PlaceLink({ place, children }: { readonly place: IssueTarget; readonly children: string }) {
  if (place.page === 'key') {
    return (
      <Link to="/keys/named/$key" params={{ key: place.name }}>
        {children}
      </Link>
    );
  }
  if (place.page === 'cluster') {
    return (
      <Link to="/hosts/$cluster" params={{ cluster: place.name }}>
        {children}
      </Link>
    );
  }
  return (
    <Link to="/virtual-clusters/$project/$name" params={{ project: place.project, name: place.name }}>
      {children}
    </Link>
  );
}
