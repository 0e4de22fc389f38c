import { type ComponentType, useEffect, useState } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { Waiting } from './waiting.tsx';

/**
 * A part whose script is fetched when it is first shown. One that cannot be fetched says so in its own place and is
 * tried again on demand: what is typed around it stays.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>, words: string): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function LazyPart(props: P) {
    const [Part, setPart] = useState(() => loaded);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (Part !== undefined || error !== undefined) return;
      let isHere = true;
      load().then(
        (part) => {
          loaded = part;
          if (isHere) setPart(() => part);
        },
        (reason: unknown) => {
          if (isHere) setError(reason);
        },
      );
      return () => {
        isHere = false;
      };
    }, [Part, error]);
    if (Part !== undefined) return <Part {...props} />;
    if (error !== undefined) return <ErrorNotice error={error} onRetry={() => setError(undefined)} />;
    return <Waiting words={words} />;
  };
}
