import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import type { Matter, Place } from './attention.ts';
import classes from './attention-panel.module.css';

/** More than anybody reads at a glance; the lists show all. */
const most = 8;

export interface AttentionProps {
  readonly matters: readonly Matter[];
  /** False while not everything could be looked at. */
  readonly isKnown: boolean;
}

export function Attention({ matters, isKnown }: AttentionProps) {
  return (
    <Panel title="Needs attention">
      {matters.length === 0 ? (
        <Group gap="sm" c="dimmed">
          <Icon name={isKnown ? 'check' : 'clock'} />
          <Text size="sm">
            {isKnown ? 'Nothing. Everything is as it should be.' : 'Not known while the server does not answer.'}
          </Text>
        </Group>
      ) : (
        <Stack gap={0}>
          {matters.slice(0, most).map(({ key, urgency, what, why, next, place }) => (
            <article key={key} className={classes.matter} data-urgency={urgency}>
              <Icon name={urgency === 'now' ? 'warning' : 'clock'} />
              <div>
                <PlaceLink place={place}>{what}</PlaceLink>
                {why === '' ? null : <Text size="sm">{why}</Text>}
                <Text size="sm" c="dimmed">
                  {next}
                </Text>
              </div>
            </article>
          ))}
          {matters.length <= most ? null : (
            <Text size="sm" c="dimmed" mt="xs">
              And {matters.length - most} more.
            </Text>
          )}
        </Stack>
      )}
    </Panel>
  );
}

function PlaceLink({ place, children }: { readonly place: Place; readonly children: string }) {
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
