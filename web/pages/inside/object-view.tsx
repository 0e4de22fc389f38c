import { Box, Button, Group, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { Age } from '../../components/age.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { EventList } from '../../components/event-list.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { notify } from '../../components/notices.tsx';
import { ObjectEditor } from '../../components/object-editor.tsx';
import { Panel } from '../../components/panel.tsx';
import { UnsavedText } from '../../components/unsaved-text.tsx';
import { Waiting } from '../../components/waiting.tsx';
import type { ServedKind } from '../../data/discovery.ts';
import { eventsAbout } from '../../data/events-about.ts';
import type { ObjectPlace } from '../../data/kind-ref.ts';
import { deleteObject } from '../../data/objects.ts';
import { useMayEach } from '../../data/permissions.ts';
import { useInside } from './inside-context.ts';
import { kindId } from './inside-place.ts';
import { useInsideObject, useInsideRows } from './use-inside-rows.ts';

export interface ObjectViewProps {
  readonly kind: ServedKind;
  readonly place: ObjectPlace;
}

/** Kinds whose deletion also deletes other objects; it must be confirmed by typing the name. */
const cascadingKinds = ['namespaces', 'customresourcedefinitions'];

/** One object in the explorer: YAML editor, events and deletion. */
export function ObjectView({ kind, place }: ObjectViewProps) {
  const live = useInsideObject(kind, place);
  const { object, state, error, retry } = live;
  return (
    <>
      <BackToKind kind={kind} />
      {object === undefined ? (
        <>
          {state === 'loading' ? <Waiting message={`Loading ${place.name}`} /> : null}
          {state === 'gone' ? (
            <div className="card">
              <EmptyState title={`No ${kind.kind} named ${place.name}`} text="It may have been deleted." />
            </div>
          ) : null}
          {state === 'refused' || state === 'interrupted' ? <ErrorNotice error={error} onRetry={retry} /> : null}
          {state === 'loading' ? null : <UnsavedText url={live.url} />}
        </>
      ) : (
        <ObjectParts key={object.metadata.uid ?? place.name} kind={kind} place={place} object={object} />
      )}
    </>
  );
}

function BackToKind({ kind }: { readonly kind: ServedKind }) {
  const { project, name } = useInside();
  const { namespace } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  return (
    <Text size="sm" component="div" mb="xs">
      <Link
        to="/virtual-clusters/$project/$name/inside"
        params={{ project, name }}
        search={{ kind: kindId(kind), ...(namespace === undefined ? {} : { namespace }) }}
      >
        Back to {kind.kind} list
      </Link>
    </Text>
  );
}

function ObjectParts({ kind, place, object }: ObjectViewProps & { readonly object: KubeObject }) {
  const { root, project, name: cluster } = useInside();
  const { namespace } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const navigate = useNavigate();
  const events = useInsideRows(eventsAbout(object));
  const [isDeleting, setDeleting] = useState(false);
  const [update, remove] = useMayEach([
    { verb: 'update', kind, root, ...place },
    { verb: 'delete', kind, root, ...place },
  ]);
  const { creationTimestamp, deletionTimestamp, uid } = object.metadata;
  const canDelete = remove?.allowed === true && kind.verbs.includes('delete') && deletionTimestamp === undefined;
  const isCascading = cascadingKinds.includes(kind.plural);
  return (
    <>
      <Group justify="space-between" mb="md" gap="sm">
        <div>
          <Title order={2} size="h4">
            {place.name}
          </Title>
          <Text size="sm" c="dimmed">
            {kind.kind}
            {place.namespace === undefined ? '' : ` in ${place.namespace}`} · <Age since={creationTimestamp} /> old
            {deletionTimestamp === undefined ? '' : ' · Terminating'}
          </Text>
        </div>
        <Group gap="sm">
          {kind.group === '' && kind.plural === 'namespaces' ? (
            <LinkButton
              to="/virtual-clusters/$project/$name/inside"
              params={{ project, name: cluster }}
              search={{ kind: '/v1/configmaps', namespace: place.name }}
              size="xs"
              variant="default"
            >
              View contents
            </LinkButton>
          ) : null}
          {canDelete ? (
            <Button
              size="xs"
              variant="light"
              color="red"
              leftSection={<Icon name="trash" size={16} />}
              onClick={() => setDeleting(true)}
            >
              Delete
            </Button>
          ) : null}
        </Group>
      </Group>
      <Box mb="md">
        <ObjectEditor
          kind={kind}
          root={root}
          object={object}
          readOnly={update?.allowed !== true || !kind.verbs.includes('update')}
        />
      </Box>
      <Panel title="Events">
        <EventList rows={events} label="Events" />
      </Panel>
      {isDeleting ? (
        <Confirm
          title={`Delete ${place.name}?`}
          action={`Delete ${place.name}`}
          danger
          {...(isCascading ? { typed: place.name } : {})}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await deleteObject(kind, place, { root, uid });
            notify.done(`Deleted ${kind.kind} ${place.name}`);
            await navigate({
              to: '/virtual-clusters/$project/$name/inside',
              params: { project, name: cluster },
              search: { kind: kindId(kind), ...(namespace === undefined ? {} : { namespace }) },
            });
          }}
        >
          <Text size="sm">
            {isCascading
              ? `This also deletes everything that belongs to it in ${cluster}. This cannot be undone.`
              : `It is deleted in ${cluster}. This cannot be undone.`}
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
