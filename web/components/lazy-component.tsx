import { type ComponentType, useEffect, useState } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { LoadingIndicator } from './loading-indicator.tsx';

/**
 * Returns a component whose script is loaded when the component is first shown. If the load fails, an error with a
 * retry button replaces only this component, so input elsewhere on the page is kept.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  message: string,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function LazyPart(props: P) {
    const [Part, setPart] = useState(() => loaded);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (Part !== undefined || error !== undefined) return;
      let isMounted = true;
      load().then(
        (part) => {
          loaded = part;
          if (isMounted) setPart(() => part);
        },
        (reason: unknown) => {
          if (isMounted) setError(reason);
        },
      );
      return () => {
        isMounted = false;
      };
    }, [Part, error]);
    if (Part !== undefined) return <Part {...props} />;
    if (error !== undefined) return <ErrorNotice error={error} onRetry={() => setError(undefined)} />;
    return <LoadingIndicator message={message} />;
  };
}
