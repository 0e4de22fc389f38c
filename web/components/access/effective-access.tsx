import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type {
  EffectiveAccessEntry,
  EffectiveAccessReview,
  EffectiveAccessSpec,
} from '../../../src/api/management/v1/effective-access-review.ts';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { managementRoot } from '../../data/api-root.ts';
import { collectionUrl, kinds } from '../../data/kind-ref.ts';
import { sendJson } from '../../data/send.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { SimpleTable } from '../list/simple-table.tsx';
import { LoadingIndicator } from '../loading-indicator.tsx';
import { Panel } from '../panel.tsx';

/** The subject of a review: a user, team or key, or an instance. */
type AccessReviewSubject = Pick<
  EffectiveAccessSpec,
  'user' | 'team' | 'accessKey' | 'virtualClusterInstance' | 'spaceInstance'
>;

const pageSize = 100;

/** A list of everything that a subject has access to, or of everyone with access to an instance, with reasons. */
export function EffectiveAccess({ subject }: { readonly subject: AccessReviewSubject }) {
  const isInstance = (subject.virtualClusterInstance ?? subject.spaceInstance) !== undefined;
  const query = useInfiniteQuery({
    queryKey: ['effective-access', subject],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => await review(subject, pageParam, signal),
    getNextPageParam: (page) => page.status?.continue,
  });
  if (query.error !== null) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <LoadingIndicator message="Loading effective access" />;
  const inactive = query.data.pages[0]?.status?.inactive;
  const entries = query.data.pages.flatMap((page) => page.status?.entries ?? []);
  return (
    <Panel title="Effective access">
      <Text size="sm" c="dimmed" mb="md">
        {isInstance
          ? `Everyone who has permissions on this ${subject.spaceInstance === undefined ? 'virtual cluster' : 'space'}, and the grants from which they result.`
          : 'All permissions, and the grants from which they result.'}
      </Text>
      {inactive === undefined ? null : <Text mb="md">No access: {inactive}.</Text>}
      {inactive === undefined && entries.length === 0 ? <Text>No access.</Text> : null}
      {entries.length === 0 ? null : (
        <SimpleTable
          label="Permissions"
          head={
            isInstance
              ? ['Subject', 'Permissions', 'Roles inside', 'Granted by']
              : ['Object', 'Permissions', 'Granted by']
          }
          rows={entries.map((entry, index) => ({
            key: String(index),
            cells: [
              isInstance ? <Subject key="subject" entry={entry} /> : <Target key="object" entry={entry} />,
              permissionsText(entry),
              ...(isInstance ? [(entry.clusterRoles ?? []).join(', ')] : []),
              entry.via.join(' → '),
            ],
          }))}
        />
      )}
      {query.hasNextPage ? (
        <Button mt="md" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </Panel>
  );
}

async function review(
  subject: AccessReviewSubject,
  position: string,
  signal: AbortSignal,
): Promise<EffectiveAccessReview> {
  const kind = kinds.accessReview;
  const spec = { ...subject, limit: pageSize, ...(position === '' ? {} : { continue: position }) };
  return await sendJson<EffectiveAccessReview>({
    method: 'POST',
    url: collectionUrl(managementRoot, kind),
    document: { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: {}, spec },
    signal,
  });
}

function permissionsText({ verbs, subresources = [] }: EffectiveAccessEntry): string {
  return [...verbs, ...subresources.filter((one) => one !== 'status')].join(', ');
}

function Subject({ entry }: { readonly entry: EffectiveAccessEntry }) {
  const { kind, name } = entry.subject;
  if (kind === 'User') return <Link to="/users/$user" params={{ user: name }}>{`User ${name}`}</Link>;
  if (kind === 'Team') return <Link to="/teams/$team" params={{ team: name }}>{`Team ${name}`}</Link>;
  return <Link to="/keys/named/$key" params={{ key: name }}>{`Access key ${name}`}</Link>;
}

function Target({ entry: { resource, project, name } }: { readonly entry: EffectiveAccessEntry }) {
  if (resource === '*') return <span>Everything</span>;
  if (resource === kinds.instance.plural && project !== undefined && name !== undefined) {
    return (
      <Link
        to="/virtual-clusters/$project/$name"
        params={{ project, name }}
      >{`Virtual cluster ${project}/${name}`}</Link>
    );
  }
  if (resource === kinds.space.plural && project !== undefined && name !== undefined) {
    return <Link to="/spaces/$project/$name" params={{ project, name }}>{`Space ${project}/${name}`}</Link>;
  }
  if (resource === kinds.project.plural && name !== undefined) {
    return <Link to="/projects/$project" params={{ project: name }}>{`Project ${name}`}</Link>;
  }
  const place = [...(project === undefined ? [] : [project]), name ?? 'all'].join('/');
  return <span>{`${resource} ${place}`}</span>;
}
