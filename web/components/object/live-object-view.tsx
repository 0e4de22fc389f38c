import { Alert, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { LiveObject } from '../../data/objects/use-object.ts';
import { EmptyState } from '../empty-state.tsx';
import { ErrorNotice, errorMessage } from '../error-notice.tsx';
import { UnsavedDraft } from '../form/unsaved-draft.tsx';
import { LoadingIndicator } from '../loading-indicator.tsx';
import { PageHeader } from '../page-header.tsx';

export interface LiveObjectViewProps<Type extends KubeObject> {
  readonly live: LiveObject<Type>;
  /** The kind in lowercase, for messages: "project". */
  readonly what: string;
  readonly name: string;
  /** The link back to the list. */
  readonly back: ReactNode;
  /** Renders the page from the current object. */
  children(object: Type): ReactNode;
}

/** Shows an object in each of its states: loading, present, deleted, or failed to load. */
export function LiveObjectView<Type extends KubeObject>({
  live,
  what,
  name,
  back,
  children,
}: LiveObjectViewProps<Type>) {
  const { state, object, error, retry } = live;
  const [seen, setSeen] = useState<string>();
  if (object !== undefined && seen !== name) setSeen(name);
  if (object === undefined) {
    return (
      <>
        <PageHeader title={name} above={back} />
        {state === 'loading' ? <LoadingIndicator message={`Loading ${what}`} /> : null}
        {state === 'gone' ? (
          <div className="card" role="status">
            {seen === name ? (
              <EmptyState
                title={`${name} was deleted`}
                text={`This ${what} was deleted while you were viewing it.`}
                action={back}
              />
            ) : (
              <EmptyState
                title={`No ${what} named ${name}`}
                text="It may have been deleted, or you may not have permission to view it."
                action={
                  <Group gap="md" justify="center">
                    {back}
                    <Link to="/activity" search={{ name }}>
                      Show activity of {name}
                    </Link>
                  </Group>
                }
              />
            )}
          </div>
        ) : null}
        {state === 'refused' || state === 'interrupted' ? <ErrorNotice error={error} onRetry={retry} /> : null}
        {state === 'loading' ? null : <UnsavedDraft url={live.url} />}
      </>
    );
  }
  return (
    <>
      {state === 'interrupted' ? (
        <Alert color="yellow" mb="md" role="status" title="Connection lost">
          Retrying automatically. The data may be out of date. ({errorMessage(error)})
        </Alert>
      ) : null}
      {children(object)}
    </>
  );
}
