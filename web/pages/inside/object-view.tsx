import { Box, Group, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Confirm } from '../../components/form/confirm.tsx';
import { UnsavedDraft } from '../../components/form/unsaved-draft.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { notify } from '../../components/notifications.tsx';
import { Age } from '../../components/object/age.tsx';
import { EventList } from '../../components/object/event-list.tsx';
import { ObjectEditor } from '../../components/object/object-editor.tsx';
import { Panel } from '../../components/panel.tsx';
import type { ServedKind } from '../../data/discovery.ts';
import type { ObjectKey } from '../../data/kind-ref.ts';
import { eventsAbout } from '../../data/objects/events-about.ts';
import { deleteObject } from '../../data/objects/objects.ts';
import { usePermissions } from '../../data/permissions.ts';
import { useExplorer } from './explorer-context.ts';
import { kindId } from './explorer-ids.ts';
import type { PodViewName } from './pod/pod-panel.tsx';
import { PodView, PodViewSwitch } from './pod/pod-view.tsx';
import { useExplorerObject, useExplorerRows } from './use-explorer-rows.ts';

export interface ObjectViewProps {
  readonly kind: ServedKind;
  readonly place: ObjectKey;
}

/** Kinds whose deletion also deletes other objects. The user must type the name to confirm such a deletion. */
const cascadingKinds = ['namespaces', 'customresourcedefinitions'];

/** One object in the explorer: YAML editor, events and a delete button. */
export function ObjectView({ kind, place }: ObjectViewProps) {
  const live = useExplorerObject(kind, place);
  const { object, state, error, retry } = live;
  return (
    <>
      <BackToKind kind={kind} />
      {object === undefined ? (
        <>
          {state === 'loading' ? <LoadingIndicator message={`Loading ${place.name}`} /> : null}
          {state === 'gone' ? (
            <div className="card">
              <EmptyState title={`No ${kind.kind} named ${place.name}`} text="It may have been deleted." />
            </div>
          ) : null}
          {state === 'refused' || state === 'interrupted' ? <ErrorNotice error={error} onRetry={retry} /> : null}
          {state === 'loading' ? null : <UnsavedDraft url={live.url} />}
        </>
      ) : (
        <ObjectParts key={object.metadata.uid ?? place.name} kind={kind} place={place} object={object} />
      )}
    </>
  );
}

function BackToKind({ kind }: { readonly kind: ServedKind }) {
  const { project, name } = useExplorer();
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

interface ObjectViewHeaderProps extends ObjectViewProps {
  readonly object: KubeObject;
  readonly podView: PodViewName | undefined;
  /** Opens the dialog that deletes the object. Absent if the user may not delete it. */
  readonly onDelete: (() => void) | undefined;
}

/** The name of the object, a summary, and the actions. */
function ObjectViewHeader({ kind, place, object, podView, onDelete }: ObjectViewHeaderProps) {
  const { project, name: cluster } = useExplorer();
  const { creationTimestamp, deletionTimestamp } = object.metadata;
  return (
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
        {kind.group === '' && kind.plural === 'pods' ? <PodViewSwitch place={place} view={podView} /> : null}
        {onDelete === undefined ? null : <DeleteButton size="xs" onClick={onDelete} />}
      </Group>
    </Group>
  );
}

function ObjectParts({ kind, place, object }: ObjectViewProps & { readonly object: KubeObject }) {
  const { root, project, name: cluster } = useExplorer();
  const { namespace, view } = useSearch({ from: '/virtual-clusters/$project/$name/inside' });
  const podView: PodViewName | undefined =
    kind.group === '' && kind.plural === 'pods' && (view === 'logs' || view === 'terminal') ? view : undefined;
  const navigate = useNavigate();
  const events = useExplorerRows(eventsAbout(object));
  const [isDeleting, setDeleting] = useState(false);
  const [update, remove] = usePermissions([
    { verb: 'update', kind, root, ...place },
    { verb: 'delete', kind, root, ...place },
  ]);
  const { deletionTimestamp, uid } = object.metadata;
  const canDelete = remove?.allowed === true && kind.verbs.includes('delete') && deletionTimestamp === undefined;
  const isCascading = cascadingKinds.includes(kind.plural);
  return (
    <>
      <ObjectViewHeader
        kind={kind}
        place={place}
        object={object}
        podView={podView}
        onDelete={canDelete ? () => setDeleting(true) : undefined}
      />
      {podView === undefined ? (
        <>
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
        </>
      ) : (
        <PodView pod={object} view={podView} />
      )}
      {isDeleting ? (
        <Confirm
          title={`Delete ${place.name}?`}
          action={`Delete ${place.name}`}
          danger
          {...(isCascading ? { confirmationText: place.name } : {})}
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
              ? `This also deletes all objects that belong to it in ${cluster}. This cannot be undone.`
              : `The object is deleted in ${cluster}. This cannot be undone.`}
          </Text>
        </Confirm>
      ) : null}
    </>
  );
}
