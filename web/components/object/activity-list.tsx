import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ActivityRecord } from '../../../src/api/management/v1/notifications/activity-record.ts';
import { projectOfNamespace } from '../../../src/api/naming.ts';
import { type ActivityQuery, matchingRecords, useActivity, useActivityOfName } from '../../data/activity.ts';
import { pluralize } from '../../data/format-text.ts';
import { kinds } from '../../data/kind-ref.ts';
import { EmptyState } from '../empty-state.tsx';
import { ErrorNotice } from '../error-notice.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { LoadingIndicator } from '../loading-indicator.tsx';
import classes from './activity-list.module.css';
import { Age } from './age.tsx';

/** A list of activity records, newest first. Names of objects are links, except on the page of the object itself. */
export function ActivityList({ query }: { readonly query: ActivityQuery }) {
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useActivity(query);
  const { search = '' } = query;
  const named = useActivityOfName(search);
  if (data === undefined || named.isLoading) {
    if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
    return <LoadingIndicator message="Loading activity" />;
  }
  const loaded = data.pages.flatMap(({ items }) => items ?? []);
  const records = search === '' ? loaded : matchingRecords(search, named.data ?? [], loaded);
  return (
    <>
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {records.length === 0 && search !== '' ? (
        <EmptyState
          title={`No activity of an object named ${search}`}
          text={
            hasNextPage
              ? `Only the newest ${pluralize(loaded.length, 'entry', 'entries')} were searched for parts of names. Enter the full name to search all, or load older activity.`
              : 'There was none in the last 30 days, or you may not have permission to view it.'
          }
        />
      ) : records.length === 0 && !hasNextPage ? (
        <EmptyState
          title="No activity yet"
          text="Changes to objects, and instances that slept, woke or failed, are listed here for 30 days."
        />
      ) : (
        <ul className={classes.list} aria-label="Activity">
          {records.map((record) => (
            <Entry key={record.metadata.name} record={record} linksObject={query.about === undefined} />
          ))}
        </ul>
      )}
      {hasNextPage ? (
        <Group justify="center" p="md">
          <Button
            variant="default"
            loading={isFetchingNextPage}
            disabled={isFetching && !isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Load older activity
          </Button>
        </Group>
      ) : null}
    </>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  Created: 'plus',
  Changed: 'edit',
  Shared: 'share',
  Deleted: 'trash',
  Ready: 'check',
  Recovered: 'check',
  Woke: 'sun',
  WakeRequested: 'sun',
  Slept: 'moon',
  SleepRequested: 'moon',
  Failed: 'warning',
};

function Entry({ record, linksObject }: { readonly record: ActivityRecord; readonly linksObject: boolean }) {
  const { action, type, actor = '', involvedObject, metadata } = record;
  const isWarning = type === 'Warning';
  return (
    <li className={classes.entry} data-warning={isWarning}>
      <Icon name={icons[action] ?? 'clock'} />
      <Text size="sm" className={classes.text}>
        {actor === '' ? null : (
          <Text span size="sm" fw={600}>
            {actor}{' '}
          </Text>
        )}
        {sentence(record, linksObject)}
        {linksObject ? (
          <>
            {' '}
            {takesObject(record) ? null : (
              <Text span size="sm" c="dimmed">
                ·{' '}
              </Text>
            )}
            <ObjectLink about={involvedObject} />
          </>
        ) : null}
        {isWarning ? <VisuallyHidden> (warning)</VisuallyHidden> : null}
      </Text>
      <Text size="xs" className={classes.when}>
        <Age since={metadata.creationTimestamp} /> ago
      </Text>
    </li>
  );
}

/** True if the sentence continues with the object: "anna deleted shop". */
function takesObject({ action, actor = '' }: ActivityRecord): boolean {
  return actor !== '' && ['Created', 'Deleted'].includes(action);
}

/**
 * Returns the part of the sentence after the actor. If the record has no actor, this part is the whole sentence and
 * starts with a capital letter.
 */
function sentence(record: ActivityRecord, isObjectNamed: boolean): string {
  const { actor = '', message } = record;
  const text = takesObject(record) && !isObjectNamed ? `${message} it` : message;
  return actor === '' ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
}

/**
 * The kind and name of an object, as a link if the console has a page for the kind. If the object was deleted, the
 * linked page says so.
 */
function ObjectLink({ about }: { readonly about: ActivityRecord['involvedObject'] }) {
  const { kind, namespace = '', name } = about;
  const project = projectOfNamespace(namespace) ?? '';
  if (kind === kinds.instance.kind) {
    return (
      <Link to="/virtual-clusters/$project/$name" params={{ project, name }}>
        {`${name} in ${project}`}
      </Link>
    );
  }
  if (kind === kinds.space.kind) {
    return (
      <Link to="/spaces/$project/$name" params={{ project, name }}>
        {`space ${name} in ${project}`}
      </Link>
    );
  }
  if (kind === kinds.project.kind) {
    return (
      <Link to="/projects/$project" params={{ project: name }}>
        {`project ${name}`}
      </Link>
    );
  }
  return <>{`${kindNames[kind] ?? kind} ${name}`}</>;
}

const kindNames: Readonly<Record<string, string>> = {
  [kinds.cluster.kind]: 'cluster',
  [kinds.template.kind]: 'template',
  [kinds.spaceTemplate.kind]: 'space template',
  [kinds.user.kind]: 'user',
  [kinds.team.kind]: 'team',
  ProjectWebhook: 'webhook',
};
