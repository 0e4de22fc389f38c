import { Alert } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { KubeObject } from '../../src/api/meta.ts';
import type { LiveObject } from '../data/use-object.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice, messageOf } from './error-notice.tsx';
import { PageHeader } from './page-header.tsx';
import { UnsavedText } from './unsaved-text.tsx';
import { Waiting } from './waiting.tsx';

export interface LivePartProps {
  readonly live: LiveObject;
  /** "project" */
  readonly what: string;
  readonly name: string;
  /** The way back to the list. */
  readonly back: ReactNode;
  /** With the object as it is now. */
  children(object: KubeObject): ReactNode;
}

/** What a page shows of one object: while it comes, while it is there, when it is gone, and where it is refused. */
export function LivePart({ live, what, name, back, children }: LivePartProps) {
  const { state, object, error, retry } = live;
  const [seen, setSeen] = useState<string>();
  if (object !== undefined && seen !== name) setSeen(name);
  if (object === undefined) {
    return (
      <>
        <PageHeader title={name} above={back} />
        {state === 'loading' ? <Waiting words={`Fetching the ${what}`} /> : null}
        {state === 'gone' ? (
          <div className="card" role="status">
            {seen === name ? (
              <EmptyState
                title={`${name} is gone`}
                text={`This ${what} was deleted while you looked at it.`}
                action={back}
              />
            ) : (
              <EmptyState
                title={`There is no ${what} ${name}`}
                text="It was deleted, it never was, or you may not see it."
                action={back}
              />
            )}
          </div>
        ) : null}
        {state === 'refused' || state === 'interrupted' ? <ErrorNotice error={error} onRetry={retry} /> : null}
        {state === 'loading' ? null : <UnsavedText url={live.url} />}
      </>
    );
  }
  return (
    <>
      {state === 'interrupted' ? (
        <Alert color="yellow" mb="md" role="status" title="No connection">
          It is tried again by itself. What you see may be old. ({messageOf(error)})
        </Alert>
      ) : null}
      {children(object)}
    </>
  );
}
